"""Payloads for someone who only watches: what an agent is doing, whichever agent it is.

Not used for decisions: here the environment may say which agent sent a payload, and nothing is refused. Pure, and total
on any value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal

from ostiary.dialects import DIALECTS
from ostiary.dialects.base import Dialect, EventSpec, FieldName, Life, Path, Phase, Switch
from ostiary.dialects.marks import MARKS, foreign
from ostiary.dialects.payload import at
from ostiary.records import dataclass

Env = Mapping[str, str | None]

builtin_dialects: Final[Mapping[str, Dialect]] = MappingProxyType(DIALECTS)
"""The agents that `read_event` knows, by name."""

TERMINALS: Final[tuple[tuple[str, str], ...]] = (
    ("herdr", "HERDR_PANE_ID"),
    ("cmux", "CMUX_SURFACE_ID"),
    ("cmux", "CMUX_PANEL_ID"),
    ("superset", "SUPERSET_TERMINAL_ID"),
    ("superset", "SUPERSET_PANE_ID"),
    ("tmux", "TMUX_PANE"),
)
"""Hosts of terminals with the variable that identifies one, in order: the inner ones come first."""


class UnknownAgent(LookupError):
    """There is no dialect for the agent a payload was said to come from. `agent` is its name."""

    def __init__(self, agent: str) -> None:
        super().__init__(f"there is no dialect for the agent `{agent}`")
        self.agent = agent


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool by its native name and the id of its call; never its arguments."""

    name: str
    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Subagent:
    """The subagent that an event is about or comes from."""

    id: str | None = None
    type: str | None = None


@dataclass(frozen=True, slots=True)
class Terminal:
    """The terminal in which the agent runs: the program that hosts it and its id there."""

    host: str
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecycleEvent:
    """One payload as fields that mean the same for every agent; None where the payload does not tell.

    `agent` is the real source, which may be another agent than the declared one: some run hooks of others.
    `native_event` is the event's name as it was sent, empty where none was. `outcome` only at the end of a turn,
    `blocker` only where `phase` is `blocked`. `turn_id` orders events across turns. `subagent` is set where the event
    describes one, which changes nothing about the main session.
    """

    agent: str
    native_event: str
    phase: Phase
    scope: Literal["session", "turn"] | None = None
    outcome: Literal["completed", "failed", "cancelled"] | None = None
    blocker: Literal["permission", "question", "elicitation"] | None = None
    session_id: str | None = None
    turn_id: str | None = None
    cwd: str | None = None
    transcript_path: str | None = None
    tool: ToolUse | None = None
    subagent: Subagent | None = None
    terminal: Terminal | None = None


def read_event(agent: str, payload: object, env: Env, dialects: Iterable[Dialect] | None = None) -> LifecycleEvent:
    """What a payload of `agent` means. Synchronous, without IO; never raises because of a payload or an environment.

    `payload` is parsed JSON, or the object that a plugin was handed; `env` the environment of the hook's process.
    `dialects` are further ones, which come before built-in ones of the same name. A payload that shows another source
    than `agent` is read as that one's. What is not understood reads as phase `unknown` with the name it carried.
    Raises `UnknownAgent` for an agent without a dialect, whatever the payload.
    """
    known = {**DIALECTS, **{dialect.name: dialect for dialect in dialects or ()}}
    if agent not in known:
        raise UnknownAgent(agent)
    plain = _plain(payload)
    host = _host(known[agent], known, plain, env)
    return _read(host or known[agent], plain, env, recognised=host is not None)


def _host(declared: Dialect, known: Mapping[str, Dialect], payload: Mapping[str, object], env: Env) -> Dialect | None:
    """The dialect of the agent that really sent the payload, None if it shows one that has none. What the payload shows
    goes before the environment, which every child process inherits."""
    marks = (*(mark for dialect in known.values() for mark in dialect.marks), *MARKS)
    found = foreign(declared, payload, marks)
    if found is not None:
        return known.get(found)
    return next((host for host in known.values() if _runs(host, declared, env)), declared)


def _runs(host: Dialect, declared: Dialect, env: Env) -> bool:
    """Whether the environment shows that `host` runs a hook that was written for the declared agent."""
    foreign_hooks = any(hooks.agent == declared.name for hooks in host.runs_hooks_of)
    return foreign_hooks and any(_variable(env, name) for name in host.env_marks)


def _read(dialect: Dialect, payload: Mapping[str, object], env: Env, *, recognised: bool) -> LifecycleEvent:
    sent = _text(payload, dialect.fields.get("event", ()), env, dialect.env.get("event", ()))
    spec = _spec(dialect, sent) if sent and recognised else None
    paths = {**dialect.fields, **(spec.fields if spec else {})} if recognised else {}

    def text(name: FieldName) -> str | None:
        return _text(payload, paths.get(name, ()), env, dialect.env.get(name, ()) if recognised else ())

    life = _life(spec, payload)
    name = text("tool") or (spec.tool if spec else "")
    marked = text("subagent_marker") or text("subagent_id")
    about = marked is not None or (spec is not None and spec.subagent)
    return LifecycleEvent(
        agent=dialect.name,
        native_event=sent or "",
        phase=life.phase,
        scope=life.scope,
        outcome=life.outcome,
        blocker=life.blocker,
        session_id=text("session"),
        turn_id=text("turn"),
        cwd=text("cwd"),
        transcript_path=text("transcript"),
        tool=ToolUse(name, text("call")) if name else None,
        subagent=Subagent(text("subagent_id"), text("subagent_type")) if about else None,
        terminal=_terminal(env),
    )


def _spec(dialect: Dialect, sent: str) -> EventSpec | None:
    """The facts of an event under its own name, or under the name it has in another agent's hooks."""
    names = (sent, *(hooks.events[sent] for hooks in dialect.runs_hooks_of if sent in hooks.events))
    native = next((native for name in names if (native := dialect.native(name)) is not None), None)
    return dialect.events[native] if native else None


def _life(spec: EventSpec | None, payload: Mapping[str, object]) -> Life:
    if spec is None:
        return Life("unknown")
    if isinstance(spec.life, Switch):
        return spec.life.cases.get(_text(payload, (spec.life.path,)) or "", spec.life.otherwise)
    return spec.life


def _terminal(env: Env) -> Terminal | None:
    return next((Terminal(host, value) for host, name in TERMINALS if (value := _variable(env, name))), None)


def _plain(payload: object) -> dict[str, object]:
    """The payload's own keys; what is no text, object or list only counts as present."""
    return {key: _tame(_at(payload, (key,))) for key in _keys(payload)}


def _tame(value: object) -> object:
    try:
        return str.__str__(value) if isinstance(value, str) else value if isinstance(value, Mapping | list) else True
    except Exception:
        return True


def _keys(payload: object) -> list[str]:
    try:
        return [str.__str__(key) for key in payload if isinstance(key, str)] if isinstance(payload, Mapping) else []
    except Exception:
        return []


def _at(payload: object, path: Path) -> Any:
    """The value at a path; an object of a plugin's host may raise at any touch, and then there is none."""
    try:
        return at(payload, path)
    except Exception:
        return None


def _text(payload: object, paths: tuple[Path, ...], env: Env | None = None, names: tuple[str, ...] = ()) -> str | None:
    """The first text along the paths, then among the variables; empty ones and other types are absent."""
    found = (_as_text(_at(payload, path)) for path in paths)
    variables = (_variable(env, name) for name in names)
    return next((text for texts in (found, variables) for text in texts if text), None)


def _variable(env: Env | None, name: str) -> str:
    return _as_text(_at(env, (name,)))


def _as_text(value: object) -> str:
    """The value where it is a text, else an empty one."""
    text = _tame(value)
    return text if isinstance(text, str) else ""
