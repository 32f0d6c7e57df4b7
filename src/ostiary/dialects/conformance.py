"""Checks of a dialect: what a table must hold before it may answer for an agent.

Independent of any test runner and usable for a dialect of one's own:

    for finding in findings(dialect, samples):
        print(finding.check, finding.message)

`samples` are payloads as the agent sends them, by any name; each event needs one. Where payloads do not name their
event (`lacks` says so), a sample's name begins with it: `stop.json`, `stop-late.json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ostiary.decision import Outcome, Verdict
from ostiary.dialects.base import SILENCE, Dialect, EventSpec, Extra, Form, Life, Slot, Switch, Unreadable
from ostiary.dialects.bodies import Answer, answer, says, slots
from ostiary.dialects.reader import read, receive
from ostiary.dialects.vectors import VECTORS, Check, Samples
from ostiary.dialects.writer import unreadable, write
from ostiary.event import EVENTS
from ostiary.records import NamedTuple
from ostiary.tools import TOOLS


class Finding(NamedTuple):
    """What a dialect lacks, found by the check of that name in `CHECKS`."""

    check: str
    message: str


def findings(dialect: Dialect, samples: Samples) -> tuple[Finding, ...]:
    """Everything the checks find, in their order; nothing for a dialect that is in order."""
    return tuple(Finding(name, message) for name, check in CHECKS.items() for message in check(dialect, samples))


def names(dialect: Dialect, _samples: Samples) -> Iterator[str]:
    """The agent has a plain name, and its facts say where they are from."""
    if not re.fullmatch(r"[a-z][a-z0-9-]*", dialect.name):
        yield f"`{dialect.name}` is no lowercase name with hyphens"
    if not dialect.url.startswith("https://") or not dialect.title or not dialect.versions:
        yield "the title, the vendor's page or the versions are missing"


def events(dialect: Dialect, _samples: Samples) -> Iterator[str]:
    """Every event means a canonical one, and no two share a spelling."""
    spellings = [name for native, spec in dialect.events.items() for name in (native, *spec.aliases)]
    for native, spec in dialect.events.items():
        if spec.canonical and spec.canonical not in EVENTS:
            yield f"{native}: `{spec.canonical}` is no canonical event"
    for name in sorted({name for name in spellings if spellings.count(name) > 1}):
        yield f"{name}: two events have this spelling"
    if not any(EVENTS[spec.canonical].before_tool for spec in dialect.events.values() if spec.canonical in EVENTS):
        yield "no event comes before a tool call"


def fields(dialect: Dialect, _samples: Samples) -> Iterator[str]:
    """The reader knows where the facts are that every policy needs."""
    for name in ("event", "session", "cwd", "tool", "input"):
        if not any(field == name and paths for field, paths in dialect.fields.items()) and name not in dialect.lacks:
            yield f"no path leads to the {name}, and `lacks` does not say so"


def verdicts(dialect: Dialect, _samples: Samples) -> Iterator[str]:
    """Every verdict has a form at a gate or a reason why not, and a deny at everything that can be stopped."""
    for native, spec in dialect.events.items():
        kind = EVENTS.get(spec.canonical)
        wanted = ["allow", "ask", "deny"] if spec.gate else ["deny"] if kind and kind.stops else []
        if kind and kind.before_tool and not spec.rewrite:
            wanted.append("updated_input")
        said = {str(name) for name in spec.answers}
        for name in wanted:
            if name not in said and name not in {**dialect.cannot, **spec.cannot}:
                yield f"{native}: `{name}` has neither a form nor a reason why not"
        if spec.gate and "deny" not in said:
            yield f"{native}: a gate cannot be closed"
        for name in sorted(set(map(str, spec.rewrite)) - said):
            yield f"{native}: a rewrite goes with `{name}`, which cannot be said"


def forms(dialect: Dialect, _samples: Samples) -> Iterator[str]:
    """Each form carries what it is for, and only keys that the agent reads."""
    for native, spec in dialect.events.items():
        for said, form in spec.answers.items():
            yield from _strange_keys(native, dialect, spec, form.body)
            if said == "deny" and not _explains(spec, form):
                yield f"{native}: a deny carries no reason"
        for template in spec.rewrite.values():
            yield from _strange_keys(native, dialect, spec, template)
            if slots(template) - {Slot.EVENT} != {Slot.INPUT}:
                yield f"{native}: a rewrite does not carry the arguments, or more than them"
        for extra, template in spec.extras.items():
            yield from _strange_keys(native, dialect, spec, template)
            if not _CARRIES[extra] & slots(template):
                yield f"{native}: `{extra}` does not carry its text"


_CARRIES: Final[Mapping[Extra, frozenset[Slot]]] = {
    "context": frozenset((Slot.CONTEXT, Slot.CONTEXT_LINE)),
    "message": frozenset((Slot.MESSAGE,)),
    "halt": frozenset((Slot.PEOPLE, Slot.REASON)),
    "output": frozenset((Slot.OUTPUT,)),
}


def _explains(spec: EventSpec, form: Form) -> bool:
    return says(form, Slot.REASON) or says(form, Slot.PEOPLE) or (form.open and "message" in spec.extras)


def _strange_keys(native: str, dialect: Dialect, spec: EventSpec, body: Mapping[str, Any] | None) -> Iterator[str]:
    accepted = dialect.stdout_fields if spec.stdout_fields is None else spec.stdout_fields
    for key in sorted((body or {}).keys() - accepted):
        yield f"{native}: the agent does not read `{key}`"


def lives(dialect: Dialect, _samples: Samples) -> Iterator[str]:
    """Outcomes are of finished turns, and what is blocked says by what."""
    for native, spec in dialect.events.items():
        switch = spec.life
        for life in (*switch.cases.values(), switch.otherwise) if isinstance(switch, Switch) else (switch,):
            yield from (f"{native}: {message}" for message in _life(life))


def _life(life: Life) -> Iterator[str]:
    if life.outcome and (life.phase, life.scope) != ("finish", "turn"):
        yield "only the finish of a turn has an outcome"
    if bool(life.blocker) != (life.phase == "blocked"):
        yield "a blocker belongs to the phase `blocked`, and to no other"


def tools(dialect: Dialect, _samples: Samples) -> Iterator[str]:
    """Native tools mean canonical ones, and none means two."""
    for native, spec in dialect.tools.items():
        known = TOOLS.tools.get(spec.canonical)
        if not known:
            yield f"{native}: `{spec.canonical}` is no canonical tool"
        elif spec.renames and known.roles and not set(spec.renames.values()) & set(known.roles):
            yield f"{native}: its renamed arguments mean nothing to `{spec.canonical}`"
        if native in dialect.own_tools:
            yield f"{native}: both a canonical tool and one of its own"


def timeouts(dialect: Dialect, _samples: Samples) -> Iterator[str]:
    """Times are of known events and plausible in their unit."""
    table = dialect.timeouts
    for native in sorted(table.events.keys() - dialect.events.keys()):
        yield f"{native}: a timeout of no known event"
    if table.ours < 1:
        yield "hooks get no time"
    if table.unit == "milliseconds" and any(time < 1000 for time in (table.default or 1000, *table.events.values())):
        yield "a default of less than a second; is the unit seconds?"


def registration(dialect: Dialect, _samples: Samples) -> Iterator[str]:
    """A hook can be registered for the user, and by default for a gate before tool calls."""
    table = dialect.registration
    if not any(place.scope == "user" for place in table.places):
        yield "no file registers hooks for the user"
    used = slots(table.entry)
    untimed = table.untimed or table.shape == "scripts"  # a script has no time-out
    needed = {Slot.PROGRAM} if untimed else {Slot.PROGRAM, Slot.TIMEOUT}
    missing = needed - used - ({Slot.PROGRAM} if Slot.LINE in used else set())
    if missing:
        yield f"an entry lacks its {' and '.join(sorted(slot.value for slot in missing))}"
    if table.http and bool(table.http.unfit) == (slots(table.http.entry) == {Slot.URL, Slot.TIMEOUT}):
        yield "a hook that a server answers has its address and its time, or a reason why it cannot be used"
    default = [spec for spec in dialect.events.values() if spec.register == "always" and not spec.since]
    if not any(EVENTS[spec.canonical].before_tool for spec in default if spec.canonical in EVENTS):
        yield "no gate before tool calls is registered by default"


def event_of(dialect: Dialect, name: str) -> str | None:
    """The event in a sample's name, for dialects whose payloads do not say it; else None."""
    return name.partition("-")[0] if "event" in dialect.lacks else None


def sampled(dialect: Dialect, samples: Samples) -> Iterator[str]:
    """Every event has a sample, and every sample is read as what it is."""
    seen = set()
    for name, payload in samples.items():
        event = receive(dialect, json.dumps(payload).encode(), event_of(dialect, name))
        if isinstance(event, Unreadable):
            yield f"{name}: {event.reason}"
            continue
        seen.add(event.native_name)
        if event.kind.tool and not (event.tool and event.input_complete):
            yield f"{name}: the tool or its arguments are not read"
        spec = dialect.events[event.native_name]
        if not event.session and "session" not in dialect.lacks and spec.fields.get("session") != ():
            yield f"{name}: no session, and `lacks` does not say so"
    for native in dialect.events:
        if native not in seen:
            yield f"{native}: no sample"


ODD: Final[tuple[Any, ...]] = (None, True, 7, 0.5, "", "x", "{", '{"a": 1}', [], [1], {}, {"0": {"name": 1}}, [[{}]])


def odd(dialect: Dialect, samples: Samples) -> Iterator[str]:
    """Nothing in a payload makes the reader or the writer raise."""
    for name, payload in samples.items():
        for key in (*payload, "mcp_server", "agent_id"):
            for value in ODD:
                changed = {**payload, key: value}
                try:
                    write(dialect, read(dialect, changed, event_of(dialect, name)), _LOADED)
                except Exception as error:
                    yield f"{name}: `{key}` as {value!r} raises {type(error).__name__}"


def answers(dialect: Dialect, samples: Samples) -> Iterator[str]:
    """A deny is told from silence and says why, and nothing else is said like an allow."""
    for name, payload in samples.items():
        event = read(dialect, payload, event_of(dialect, name))
        found = dialect.of(event)
        bare = {verdict: write(dialect, event, Outcome(verdict=verdict, reason=_WHY)) for verdict in Verdict}
        yield from (f"{name}: {message}" for message in (_answered(found[1], bare) if found else ()))


_WHY: Final = "because of 42"


_LOADED: Final = Outcome(
    verdict=Verdict.DENY,
    reason="why \ud800\x1b[31m 'quoted' \"twice\"\nand on",
    help="how",
    context="context",
    updated_input={"command": "true"},
    updated_output="new",
    halt=True,
    message="message",
)


def _answered(spec: EventSpec, bare: Mapping[Verdict, Answer]) -> Iterator[str]:
    plain = {verdict: said[:3] for verdict, said in bare.items()}
    if spec.gate and all(item.wanted != "deny" for item in bare[Verdict.DENY].degraded):
        if plain[Verdict.DENY] in (plain[Verdict.NONE], plain[Verdict.ALLOW]):
            yield "a deny is said like silence or an allow"
        if _WHY not in bare[Verdict.DENY].stdout + bare[Verdict.DENY].stderr:
            yield "a deny does not say why"
    # Where an allow grants nothing, its form is that of silence on purpose.
    if spec.answers.get("allow", SILENCE) not in (SILENCE, spec.answers.get("none")) and plain[Verdict.ALLOW] in (
        plain[Verdict.NONE],
        plain[Verdict.ASK],
    ):
        yield "an allow is said like silence or a question"


def closing(dialect: Dialect, _samples: Samples) -> Iterator[str]:
    """An event that cannot be judged closes a gate, leaves everything else alone, and never keeps an agent working."""
    for native, spec in dialect.events.items():
        said = unreadable(dialect, native, _WHY)[:3]
        if spec.gate and said == answer(spec.answers.get("none", SILENCE), {Slot.EVENT: native})[:3]:
            yield f"{native}: is a gate and stays open"
        kind = EVENTS.get(spec.canonical)
        if kind and kind.before_tool and not spec.gate:
            yield f"{native}: comes before a tool and is no gate"
        if kind and kind.ends and spec.gate:
            yield f"{native}: the end of a turn is no gate"
    table = dialect.registration
    if bool(table.closing or table.shape == "plugin") != bool(table.closes):
        yield "what closes and the ways in which it does belong together"
    blind = unreadable(dialect, None, _WHY)
    if not blind.status and not blind.stdout:
        yield "an unknown event closes nothing"


CHECKS: Final[dict[str, Check]] = {
    "names": names,
    "events": events,
    "fields": fields,
    "verdicts": verdicts,
    "forms": forms,
    "lives": lives,
    "tools": tools,
    "timeouts": timeouts,
    "registration": registration,
    "samples": sampled,
    "odd": odd,
    "answers": answers,
    "closing": closing,
    **VECTORS,
}
