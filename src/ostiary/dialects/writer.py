"""Outcomes to answers: one writer for every dialect (law L8).

An agent is told what its table says it was seen to honour. What it cannot be told becomes something stricter, and
`Answer.degraded` says so. Pure, and total: a change that cannot be written down is a deny.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from ostiary.decision import Degraded, Outcome, Verdict
from ostiary.dialects.base import SILENCE, Dialect, EventSpec, Extra, Form, OnError, Said, Slot, Template
from ostiary.dialects.bodies import Answer, answer, dumps, sayable, says
from ostiary.dialects.marks import foreign
from ostiary.dialects.outputs import fitted, same_shape
from ostiary.dialects.payload import at
from ostiary.dialects.several import packed
from ostiary.dialects.spellings import without_urls
from ostiary.dialects.texts import clean, for_model, for_people, joined, one_line, only_for_people
from ostiary.event import Event
from ostiary.records import NamedTuple, replace
from ostiary.visible import cut

# What is said instead of a verdict that cannot be said. Silence is stricter than an allow; behind a deny that an event
# does not know there is nothing left to say.
_INSTEAD: Final[Mapping[str, Said]] = {"allow": "none", "defer": "ask", "ask": "deny", "deny": "none"}

UNJUDGED: Final = "because policy could not judge it"
"""What every text says where an event could not be judged."""

_BEGINS: Final[Mapping[OnError, str]] = {
    "deny": "stopped",
    "ask": "a person has to decide",
    "continue": "not held up",
}

_ASK_NOTE: Final = "A person has to confirm this, and this agent cannot ask one here. Do not look for another way."
_APPROVE_HELP: Final = "`ostiary approve {}` permits it once"
_OUTPUT_NOTE: Final = "Policy keeps this output back, but it could not be replaced. Do not use or repeat it."
_REWRITE_NOTE: Final = "Policy would change this call, which this agent cannot be told here. The changed call:"
_CHANGES: Final = "policy would change this call"
_HALT_NOTE: Final = "Policy would end this session here, which this agent cannot be told. Do not go on."
_SHOWN_REWRITE: Final = 1000  # characters of a changed call that a reason shows


class _Case(NamedTuple):
    """An outcome on its way to an agent."""

    dialect: Dialect
    native: str
    spec: EventSpec
    event: Event
    outcome: Outcome

    def tells(self, verdict: str) -> bool:
        """Whether the agent is known to honour the verdict here. Where nothing waits, silence is consent."""
        form = next((form for name, form in self.spec.answers.items() if name == verdict), None)
        if form is None:
            return verdict == "none" or (verdict == "allow" and not self.spec.gate)
        if form.modes and self.event.mode not in form.modes:
            return False
        return form.ignored is None or self.event.data.get(form.ignored[0]) != form.ignored[1]

    @property
    def changes_arguments(self) -> bool:
        """Whether the agent is not known to leave the arguments of this tool as they are."""
        return self.event.native_tool not in self.spec.keeps

    def why(self, what: str) -> str:
        """Why the agent cannot be told something here."""
        known = self.spec.cannot.get(what) or self.dialect.cannot.get(what)
        return known or f"the agent takes no `{what}` at this event"


class _Reply(NamedTuple):
    """What is going to be said. `note` is added to the reason where it differs from the outcome; `waits`: it is a deny
    only because nobody can be asked."""

    said: Said = "none"
    note: str = ""
    rewrite: Mapping[str, Any] | None = None
    output: Any = None
    degraded: tuple[Degraded, ...] = ()
    waits: bool = False

    @property
    def parts(self) -> frozenset[str]:
        """The verdict, and `rewrite` if there is one."""
        return frozenset((self.said,) if self.rewrite is None else (self.said, "rewrite"))

    def less(self, wanted: str, said: str, why: str) -> _Reply:
        """The reply with one more degradation on record."""
        return self._replace(degraded=(*self.degraded, Degraded(wanted=wanted, said=said, why=why)))

    def instead(self, wanted: str, said: Said, why: str, note: str = "") -> _Reply:
        """The reply that says `said` because `wanted` cannot be said."""
        return self.less(wanted, said, why)._replace(said=said, note=joined(self.note, note))


def write(dialect: Dialect, event: Event, outcome: Outcome, approve: str = "") -> Answer:
    """What the hook prints for an outcome, and how it exits.

    `approve` is the short name under which a person can permit this call once, empty where nobody can; it is told with
    a deny that stands for a question, and how to use it to people only.

    A payload that another agent sent gets the strict answer whatever the outcome is: it was not read as what it is.
    """
    host = foreign(dialect, event.data)
    if host:
        return unreadable(dialect, event.native_name, f"the hook's input comes from {host}, not from {dialect.name}")
    known = dialect.of(event)
    if known is None:
        return _unknown(dialect, outcome)
    case, reply = _offered(_Case(dialect, *known, event, outcome), approve)
    return _said(*_with_halt(case, _with_output(case, _with_rewrite(case, reply))))


def carries(dialect: Dialect, event: Event, outcome: Outcome, extra: Literal["context", "message"]) -> bool:
    """Whether the agent is told context, or people a message, with this outcome in a place of its own."""
    wanted: tuple[dict[str, Any], ...] = ({extra: "text"}, {extra: None})
    told, silent = (write(dialect, event, replace(outcome, **fields)) for fields in wanted)
    return told.stdout != silent.stdout and all(item.wanted != extra for item in told.degraded)


def unreadable(
    dialect: Dialect,
    event_name: str | None,
    reason: str,
    on_error: OnError = "deny",
    event: Event | None = None,
) -> Answer:
    """The answer where an event could not be judged, most often because its payload was not read (law L7). At a gate
    what `on_error` says: its deny, a question where the agent is known to ask it, or silence with a line for people
    where the agent shows one. Elsewhere silence, and where the event is not known either, what closes most gates of the
    agent. `reason` is a clause without text of the payload, `event` the event if it was read."""
    native = dialect.native(event_name or None)
    if native is None:
        form = _open(dialect) if on_error == "continue" else None
        blind = answer(form or dialect.blind, _values("", _why(dialect, "deny", reason)))
        return blind._replace(said="none" if form else "deny")
    spec = dialect.events[native]
    case = _Case(dialect, native, spec, event or Event(name=spec.canonical, native_name=native), Outcome())
    if not spec.gate:
        return answer(spec.answers.get("none", SILENCE), {Slot.EVENT: spec.registered_as or native})
    if on_error == "continue":
        return _said(case._replace(outcome=Outcome(message=_why(dialect, "continue", reason))), _Reply())
    if on_error == "ask" and (event is not None or not _depends(spec)) and case.tells("ask"):
        asked = Outcome(verdict=Verdict.ASK, reason=_why(dialect, "ask", reason))
        return _said(case._replace(outcome=asked), _Reply("ask"))
    values = _values(spec.registered_as or native, _why(dialect, "deny", reason))
    return answer(spec.unread or spec.answers["deny"], values)._replace(said="deny")


def _why(dialect: Dialect, on_error: OnError, reason: str) -> str:
    return cut(one_line(f"{_BEGINS[on_error]}, {UNJUDGED}: {reason}"), dialect.limit)


def _values(native: str, text: str) -> Mapping[Slot, str]:
    return {Slot.EVENT: native, Slot.REASON: text, Slot.PEOPLE: text}


def _depends(spec: EventSpec) -> bool:
    """Whether only the payload tells if the agent asks a question at this gate."""
    form = spec.answers.get("ask", SILENCE)
    return spec.unread is not None or bool(form.modes) or form.ignored is not None


def _open(dialect: Dialect) -> Form | None:
    """The silence of every gate, None where there is more than one: the wrong one could mean anything."""
    forms = [spec.answers.get("none", SILENCE) for spec in dialect.events.values() if spec.gate]
    return forms[0] if all(form == forms[0] for form in forms) else None


def _unknown(dialect: Dialect, outcome: Outcome) -> Answer:
    """An event without a row: nothing to say, except a stop in the way that closes most gates."""
    if outcome.verdict < Verdict.ASK:
        return Answer()
    reason = cut(for_model(outcome, "deny"), dialect.limit)
    stop = answer(dialect.blind, {Slot.EVENT: "", Slot.REASON: reason, Slot.PEOPLE: reason})
    return stop._replace(said="deny")


def _offered(case: _Case, approve: str) -> tuple[_Case, _Reply]:
    """The verdict as it can be said. Of a question that becomes a deny people hear how to permit the call, the model
    only what the call is named."""
    outcome, reply = case.outcome, _verdict(case)
    asked = reply.said == "deny" and outcome.verdict in (Verdict.ASK, Verdict.DEFER)
    whole = case.event.kind.before_tool and case.event.input_complete
    if not asked or not whole or outcome.halt or outcome.updated_input is not None:
        return case, reply
    reply = reply._replace(waits=True)
    if not approve:
        return case, reply
    told = replace(outcome, help=joined(outcome.help, _APPROVE_HELP.format(approve)))
    return case._replace(outcome=told), reply._replace(note=f"{reply.note} (call {approve})")


def _verdict(case: _Case) -> _Reply:
    """The verdict as it can be said: the same or the next stricter one."""
    wanted = str(case.outcome.verdict)
    reply = _Reply()
    while not case.tells(wanted):
        # A question at the end of a turn would make the agent go on working: only a deny does that (law L7).
        said = "none" if wanted == "ask" and case.event.kind.ends else _INSTEAD[wanted]
        reply = reply.instead(wanted, said, case.why(wanted), _ASK_NOTE if said == "deny" else "")
        wanted = said
    return reply._replace(said=_as_said(wanted))


def _as_said(verdict: str) -> Said:
    choices: tuple[Said, ...] = ("none", "allow", "ask", "deny")
    return next(said for said in choices if said == verdict)


def _with_rewrite(case: _Case, reply: _Reply) -> _Reply:
    """The changed arguments with a verdict beside which they are honoured, else a deny: letting the original run
    would be a silent way around the policy."""
    new = case.outcome.updated_input
    if new is None or reply.said == "deny" or new == case.event.input:
        return reply
    if not case.event.kind.before_tool:
        return reply.less("updated_input", "none", case.why("updated_input"))
    native = native_arguments(case.dialect, case.event, new)
    carrier = _carrier(case, reply.said) if native is not None and case.changes_arguments else None
    if carrier is None:
        shown = clean(dumps(new))[:_SHOWN_REWRITE] if sayable(new) else ""
        return _denied(case, reply, "updated_input", f"{_REWRITE_NOTE} {shown}" if shown else "")
    if carrier != reply.said:
        reply = reply.instead(reply.said, carrier, "a changed call is not sent without an allow or a question")
    return reply._replace(rewrite=native)


def _carrier(case: _Case, said: Said) -> Said | None:
    """The verdict that a rewrite goes with: its own, a question, or an allow where that grants nothing. One without
    an opinion goes alone where the agent takes it so."""
    choices: tuple[Said, ...] = ("allow", "ask") if said == "allow" else ("ask",)
    if said == "none":
        choices = ("none", "ask") if case.dialect.allow_grants else ("none", "ask", "allow")
    return next((choice for choice in choices if choice in case.spec.rewrite and case.tells(choice)), None)


def _denied(case: _Case, reply: _Reply, wanted: str, note: str) -> _Reply:
    """A deny because something else cannot be said; where the event knows none, only the record of it."""
    if not case.tells("deny"):
        return reply.less(wanted, "none", case.why(wanted))
    return reply.instead(wanted, "deny", case.why(wanted), note)


def native_arguments(dialect: Dialect, event: Event, new: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Arguments under the names in which the agent sent them, None where they cannot be sent: JSON cannot say them, the
    old ones were not all read, or the agent sent text instead of an object."""
    sent = next((v for path in dialect.fields["input"] if (v := at(event.data, path)) is not None), None)
    if isinstance(sent, str) or not event.input_complete or not sayable(new):
        return None
    tool = dialect.tools.get(event.native_tool or "")
    new = without_urls(tool, event.native_input, event.input, new)
    if new is None:
        return None
    renames = tool.renames if tool else {}
    named = {_native_name(renames, event.native_input, name): value for name, value in new.items()}
    native = packed(tool, event.native_input, named)
    return native if native is not None and _taken(dialect, event.native_input, native) else None


def _taken(dialect: Dialect, sent: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether the agent runs exactly the new arguments. One that merges them keeps what they leave out, and one that
    checks them runs the old ones where the new do not pass."""
    if dialect.rewrites == "merged":
        return bool(sent) and sent.keys() <= new.keys()
    return dialect.rewrites == "whole" or same_shape(sent, new)


def _native_name(renames: Mapping[str, str], sent: Mapping[str, Any], name: str) -> str:
    """The native spelling of an argument: the one the agent used, else the table's first."""
    spelled = [native for native, canonical in renames.items() if canonical == name]
    return next((native for native in (*spelled, name) if native in sent), (spelled or [name])[0])


def _with_output(case: _Case, reply: _Reply) -> _Reply:
    """The replaced tool output in the shape the agent takes, else a block that tells the model not to use the old
    one."""
    new, event = case.outcome.updated_output, case.event
    if new is None or new == event.output:
        return reply
    tool = case.dialect.tools.get(event.native_tool or "")
    output = fitted(tool.output if tool else None, event.output, new) if sayable(new) else None
    if output is not None and "output" in case.spec.extras:
        return reply._replace(output=output)
    if not event.kind.tool or event.kind.before_tool:
        return reply.less("updated_output", "none", case.why("updated_output"))
    return _denied(case, reply, "updated_output", _OUTPUT_NOTE)


def _with_halt(case: _Case, reply: _Reply) -> tuple[_Case, _Reply]:
    """A halt that cannot be told at a gate closes the gate: the call must not run as if nothing was said."""
    outcome = case.outcome
    if not outcome.halt or not case.spec.gate or "halt" in case.spec.extras or reply.said == "deny":
        return case, reply
    case = case._replace(outcome=replace(outcome, halt=False))
    return case, _denied(case, reply, "halt", _HALT_NOTE)._replace(rewrite=None)


def _said(case: _Case, reply: _Reply) -> Answer:
    form = case.spec.answers.get(reply.said, SILENCE)
    wishes = _wishes(form, case.outcome, reply)
    folded = ""
    for extra, why in _refused(case, form, reply, wishes):
        wish = wishes.pop(extra)
        if extra == "context" and reply.said == "deny" and says(form, Slot.REASON):
            folded, reply = wish, reply.less(extra, "reason", why)
        else:
            reply = reply.less(extra, "none", why)
    limit = case.dialect.limit
    outcome, note = _asking(case, reply)
    values = {
        Slot.EVENT: case.spec.registered_as or case.native,
        Slot.REASON: cut(joined(for_model(outcome, reply.said), note, folded), limit),
        Slot.PEOPLE: cut(joined(for_people(outcome, reply.said), note), limit),
        Slot.INPUT: reply.rewrite,
        Slot.OUTPUT: reply.output,
        Slot.CONTEXT: clean(wishes.get("context", "")),
        Slot.CONTEXT_LINE: clean(wishes.get("context", "")) + "\n",
        Slot.MESSAGE: cut(wishes.get("message", ""), limit),
    }
    rewrite: tuple[Template, ...] = () if reply.rewrite is None else (case.spec.rewrite[reply.said],)
    said = answer(form, values, (*rewrite, *(case.spec.extras[extra] for extra in wishes)), reply.degraded)
    return said._replace(waits=reply.waits, said=reply.said)


def _asking(case: _Case, reply: _Reply) -> tuple[Outcome, str]:
    """The outcome and the note as they are said: a question about a changed call tells how it is changed."""
    if reply.said != "ask" or reply.rewrite is None:
        return case.outcome, reply.note
    changed = f"{_CHANGES}: {_changes(case.event.input, case.outcome.updated_input or {})}"
    if case.outcome.reason is None:
        return replace(case.outcome, reason=changed), reply.note
    return case.outcome, joined(changed, reply.note)


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """What becomes of the arguments, in words."""
    named = ((name, value) for name, value in new.items() if old.get(name) != value)
    changed = [f"`{name}` becomes `{value if isinstance(value, str) else dumps(value)}`" for name, value in named]
    gone = [f"`{name}` is left out" for name in old if name not in new]
    return ", ".join([*changed, *gone])[:_SHOWN_REWRITE]


def _wishes(form: Form, outcome: Outcome, reply: _Reply) -> dict[Extra, str]:
    """What is to be said besides the verdict, with its text, in the order in which it is written."""
    message = joined(outcome.message, _left_for_people(form, outcome, reply))
    wishes: dict[Extra, tuple[bool, str]] = {
        "context": (bool(outcome.context), outcome.context or ""),
        "output": (reply.output is not None, ""),
        "halt": (outcome.halt, ""),
        "message": (bool(message), message),
    }
    return {extra: text for extra, (wanted, text) in wishes.items() if wanted}


def _left_for_people(form: Form, outcome: Outcome, reply: _Reply) -> str:
    """What people should read and the verdict's form does not carry."""
    if reply.said not in ("ask", "deny") or says(form, Slot.PEOPLE):
        return ""
    if says(form, Slot.REASON):
        return only_for_people(outcome)
    # Where the agent shows its own question, silence asks it, and the reason was said when the call was first judged.
    return for_people(outcome, reply.said) if form != SILENCE else ""


def _refused(case: _Case, form: Form, reply: _Reply, wishes: Mapping[Extra, str]) -> list[tuple[Extra, str]]:
    """The wishes that cannot be said beside the verdict, each with the reason."""
    refused: list[tuple[Extra, str]] = []
    for extra in wishes:
        if extra not in case.spec.extras:
            refused.append((extra, case.why(extra)))
        elif not form.open:
            refused.append((extra, f"the agent reads no answer beside a {reply.said} at this event"))
        elif extra == "halt" and reply.said not in case.spec.halts_with:
            refused.append((extra, f"a halt beside a {reply.said} was never seen to leave the {reply.said} in force"))
        elif not reply.parts <= case.spec.beside.get(extra, reply.parts):
            refused.append((extra, f"a {extra} beside {_also(reply)} was never seen to leave it in force"))
    return refused


def _also(reply: _Reply) -> str:
    return "a rewrite" if reply.rewrite is not None else f"a {reply.said}"
