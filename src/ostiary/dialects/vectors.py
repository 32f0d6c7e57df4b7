"""Checks of a dialect by what an observer reads with it, as named vectors that serve for any table.

They are the vectors of the reader that `read_event` follows, with the samples of the dialect in place of fixed ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NoReturn

from ostiary.dialects import DIALECTS
from ostiary.dialects.base import Dialect, EventSpec, FieldName, Form, Life, Path, Switch
from ostiary.dialects.bodies import slots
from ostiary.dialects.calls import gates
from ostiary.dialects.lifecycle import TERMINALS, LifecycleEvent, UnknownAgent, read_event
from ostiary.dialects.marks import MARKS
from ostiary.dialects.payload import at, text_at

Samples = Mapping[str, Mapping[str, Any]]
Check = Callable[[Dialect, Samples], Iterator[str]]

_SECRET: Final = "an argument that nobody may see"
_TERMINAL: Final = "pane 7"
_NAMES: Final[tuple[object, ...]] = ("constructor", "__proto__", "__class__", "no such event", "", 7, [], {})
_SHAPES: Final[tuple[object, ...]] = (None, 1, 0.5, True, "Stop", b"Stop", [], [{}], {}, object())


class _Hostile(dict[str, Any]):
    """An object of a host's that raises wherever it is touched."""

    def get(self, *_: Any) -> NoReturn:
        """Raises."""
        raise RuntimeError

    __getitem__ = __iter__ = __contains__ = keys = items = get


def _observed(dialect: Dialect, payload: object, **env: str) -> LifecycleEvent:
    return read_event(dialect.name, payload, env, [dialect])


def _name(dialect: Dialect, payload: Mapping[str, Any]) -> str:
    return text_at(payload, dialect.fields.get("event", ())) or ""


def _spec(dialect: Dialect, payload: Mapping[str, Any]) -> EventSpec | None:
    native = dialect.native(_name(dialect, payload))
    return dialect.events[native] if native else None


def own(dialect: Dialect, samples: Samples) -> Iterator[str]:
    """A payload of the agent is read as the agent's, under the name it carries."""
    for name, payload in samples.items():
        event = _observed(dialect, payload)
        if (event.agent, event.native_event) != (dialect.name, _name(dialect, payload)):
            yield f"{name}: is read as `{event.native_event}` of {event.agent}"


def hosts(dialect: Dialect, samples: Samples) -> Iterator[str]:
    """A payload with the mark of another agent is read as that one's, or not at all."""
    others = [mark for mark in MARKS if mark.agent != dialect.name and mark.has and not mark.without]
    for mark in (mark for mark in others if mark.agent not in dialect.shares):
        for name, payload in samples.items():
            if _own_mark(dialect, payload):
                continue
            event = _observed(dialect, {**dict.fromkeys(mark.has, "x"), **payload})
            if event.agent == dialect.name and event.phase != "unknown":
                yield f"{name}: is still read as {dialect.name} with {' and '.join(mark.has)}"


def _own_mark(dialect: Dialect, payload: Mapping[str, Any]) -> bool:
    return any(mark.agent == dialect.name and all(key in payload for key in mark.has) for mark in MARKS)


def environment(dialect: Dialect, samples: Samples) -> Iterator[str]:
    """Another agent's mark in the environment counts where that agent runs this one's hooks, and nowhere else."""
    for host in DIALECTS.values():
        runs = any(hooks.agent == dialect.name for hooks in host.runs_hooks_of)
        for mark in host.env_marks if host.name != dialect.name else ():
            for name, payload in samples.items():
                agent = _observed(dialect, payload, **{mark: "1"}).agent
                if agent not in ((host.name, dialect.name) if runs else (dialect.name,)):
                    yield f"{name}: `{mark}` makes it one of {agent}"


def inherited(dialect: Dialect, samples: Samples) -> Iterator[str]:
    """Variables that stand in for fields say nothing about whose payload it is, nor replace what it carries."""
    names = {name: "x" for found in dialect.env.values() for name in found}
    for name, payload in samples.items():
        bare, event = _observed(dialect, payload), _observed(dialect, payload, **names)
        if (event.agent, event.phase) != (bare.agent, bare.phase):
            yield f"{name}: the environment changes what it means"
        if (bare.session_id or event.session_id) != event.session_id:
            yield f"{name}: the environment replaces the session"


def foreign_hooks(dialect: Dialect, _samples: Samples) -> Iterator[str]:
    """Names of another agent's events mean events of this one."""
    for hooks in dialect.runs_hooks_of:
        if not hooks.files or not hooks.events:
            yield f"{hooks.agent}: its hooks have no files or no events"
        for foreign, native in hooks.events.items():
            if native not in dialect.events:
                yield f"{hooks.agent}: `{foreign}` means `{native}`, which is no event here"
    if dialect.env_marks and not dialect.runs_hooks_of:
        yield "the environment marks it as a host, but it runs no other agent's hooks"


def shapes(dialect: Dialect, _samples: Samples) -> Iterator[str]:
    """What is no object is an unknown event without a name."""
    for shape in _SHAPES:
        event = _observed(dialect, shape)
        if (event.phase, event.native_event, event.agent) != ("unknown", "", dialect.name):
            yield f"{shape!r} is read as `{event.native_event}` of {event.agent}"


def event_names(dialect: Dialect, samples: Samples) -> Iterator[str]:
    """Names that are no event's, and names that are no texts, are unknown."""
    for name, payload in samples.items():
        for odd in _NAMES:
            event = _observed(dialect, _named(dialect, payload, odd))
            if event.phase != "unknown":
                yield f"{name}: the event `{odd!r}` is of the phase {event.phase}"


def _named(dialect: Dialect, payload: Mapping[str, Any], name: object) -> dict[str, Any]:
    """The payload with another event name in each place that has one."""
    changed = dict(payload)
    for path in dialect.fields.get("event", ()):
        if at(payload, path) is not None:
            changed = _with(changed, path, name)
    return changed


def _with(payload: Mapping[str, Any], path: Path, value: object) -> dict[str, Any]:
    head, *rest = path
    inner = payload.get(head)
    deeper = inner if isinstance(inner, Mapping) else {}
    return {**payload, head: _with(deeper, tuple(rest), value) if rest else value}


def types(dialect: Dialect, samples: Samples) -> Iterator[str]:
    """Values that are no texts are absent."""
    for name, payload in samples.items():
        changed = payload
        for path in _places(dialect, payload, "session"):
            changed = _with(changed, path, 42)
        if _observed(dialect, changed).session_id is not None:
            yield f"{name}: a number is a session"


def _places(dialect: Dialect, payload: Mapping[str, Any], field: FieldName) -> tuple[Path, ...]:
    """Where the payload has a field."""
    spec = _spec(dialect, payload)
    paths = {**dialect.fields, **(spec.fields if spec else {})}
    return tuple(path for path in paths.get(field, ()) if at(payload, path) is not None)


def hostile(dialect: Dialect, samples: Samples) -> Iterator[str]:
    """Objects that raise when they are touched are absent, and nothing raises."""
    for name, payload in samples.items():
        for changed in (_Hostile(payload), *({**payload, key: _Hostile({"x": 1})} for key in payload)):
            try:
                _observed(dialect, changed)
            except Exception as error:
                yield f"{name}: raises {type(error).__name__}"


def undeclared(dialect: Dialect, samples: Samples) -> Iterator[str]:
    """An agent without a dialect is refused whatever the payload is."""
    for payload in (None, *samples.values()):
        try:
            read_event(f"{dialect.name}-without-dialect", payload, {}, [dialect])
        except UnknownAgent:
            continue
        yield "an agent without a dialect is read"


def shadowing(dialect: Dialect, samples: Samples) -> Iterator[str]:
    """A table that is passed along goes before a built-in one of its name."""
    blank = dialect._replace(events={})
    for name, payload in samples.items():
        event = read_event(dialect.name, payload, {}, [dialect, blank])
        if event.agent == dialect.name and event.phase != "unknown":
            yield f"{name}: another table than the one passed along is used"


def arguments(dialect: Dialect, samples: Samples) -> Iterator[str]:
    """What tools are called with, answer or are told never shows."""
    fields: tuple[FieldName, ...] = ("input", "output", "prompt")
    for name, payload in samples.items():
        changed = {**payload, "more": _SECRET}
        for path in (path for field in fields for path in _places(dialect, payload, field) if path):
            changed = _with(changed, path, {"x": _SECRET})
        if _SECRET in str(_observed(dialect, changed)):
            yield f"{name}: arguments show in what an observer reads"


def terminals(dialect: Dialect, samples: Samples) -> Iterator[str]:
    """The innermost terminal counts where several show."""
    for name, payload in samples.items():
        for number, (host, _) in enumerate(TERMINALS):
            env = {variable: _TERMINAL for _, variable in TERMINALS[number:]}
            terminal = _observed(dialect, payload, **env).terminal
            if terminal is None or (terminal.host, terminal.id) != (host, _TERMINAL):
                yield f"{name}: {host} is not the terminal"


def strangers(dialect: Dialect, samples: Samples) -> Iterator[str]:
    """Names of other agents' events are unknown unless the agent runs their hooks."""
    known = {name for hooks in dialect.runs_hooks_of for name in hooks.events}
    names = {name for other in DIALECTS.values() for name in other.events} - known
    for name, payload in list(samples.items())[:1]:
        for stranger in sorted(names):
            event = _observed(dialect, _named(dialect, payload, stranger))
            if dialect.native(stranger) is None and event.agent == dialect.name and event.phase != "unknown":
                yield f"{name}: `{stranger}` is of the phase {event.phase}"


def phases(dialect: Dialect, samples: Samples) -> Iterator[str]:
    """Every sample means what the table says of its event."""
    for name, payload in samples.items():
        spec = _spec(dialect, payload)
        life = _life(spec.life, payload) if spec else Life("unknown")
        event = _observed(dialect, payload)
        if (event.phase, event.scope, event.outcome, event.blocker) != life:
            yield f"{name}: is of the phase {event.phase}"
        if spec and spec.subagent and event.subagent is None:
            yield f"{name}: is of no subagent"


def _life(life: Life | Switch, payload: Mapping[str, Any]) -> Life:
    return life.cases.get(text_at(payload, (life.path,)) or "", life.otherwise) if isinstance(life, Switch) else life


def silence(dialect: Dialect, _samples: Samples) -> Iterator[str]:
    """What is printed where there is nothing to say lets the event go on: an object, or nothing where that is known to
    do so."""
    for native, spec in dialect.events.items():
        form, exits = spec.answers.get("none", Form()), spec.exits or dialect.exits
        if form.status:
            yield f"{native}: silence is an exit code of {form.status}"
        if form.body is None and exits.empty == "block":
            yield f"{native}: silence blocks"
        if form.body is not None and slots(form.body):
            yield f"{native}: silence says something"


def waits(dialect: Dialect, _samples: Samples) -> Iterator[str]:
    """The registered time is in the agent's unit: seconds enough for a start, and no hour."""
    table = dialect.timeouts
    if not 1 <= table.registered / (1000 if table.unit == "milliseconds" else 1) <= 3600:
        yield f"{table.registered} {table.unit} are registered"


def remembered(dialect: Dialect, samples: Samples) -> Iterator[str]:
    """An event that comes without its session is read, so that a bridge can put in the one it remembers."""
    for name, payload in samples.items():
        if dialect.delivery == "plugin" and _name(dialect, payload):
            path = dialect.fields.get("session", ((),))[0]
            put = _with(payload, path, "remembered") if path else payload
            if not path or _observed(dialect, put).session_id != "remembered":
                yield f"{name}: a session that is put in is not read"


def reachable(dialect: Dialect, _samples: Samples) -> Iterator[str]:
    """A tool call passes some gate that is registered."""
    if not any(True for _ in gates(dialect)):
        yield "no gate before tool calls is registered by default"


VECTORS: Final[dict[str, Check]] = {
    "own payloads": own,
    "hosts": hosts,
    "environment": environment,
    "inherited variables": inherited,
    "foreign hooks": foreign_hooks,
    "shapes": shapes,
    "event names": event_names,
    "types": types,
    "hostile objects": hostile,
    "undeclared agents": undeclared,
    "shadowing": shadowing,
    "arguments": arguments,
    "terminals": terminals,
    "strangers": strangers,
    "phases": phases,
    "silence": silence,
    "waits": waits,
    "remembered sessions": remembered,
    "reachable": reachable,
}
"""The checks by name."""
