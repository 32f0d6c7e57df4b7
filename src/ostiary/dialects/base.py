"""What a dialect is: one agent's facts as data.

A dialect holds no behaviour. One reader (`reader`) and one writer (`writer`) serve every agent, so adding an agent is
adding one table, and `conformance` says what a table still lacks. Tables are named tuples, which cost an eighth of a
dataclass to define: they are made anew in every hook.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

from ostiary.event import Event

Path = tuple[str, ...]
"""Keys from a payload's root; an array's index is a key too (`"0"`)."""

Said = Literal["none", "allow", "ask", "deny"]
Extra = Literal["context", "message", "halt", "output"]
FieldName = Literal[
    "event",
    "session",
    "turn",
    "call",
    "cwd",
    "project",
    "workdirs",
    "transcript",
    "mode",
    "tool",
    "input",
    "truncated",  # true: the agent cut the arguments
    "output",
    "prompt",
    "server",  # the MCP server of a tool
    "server_tool",  # the MCP tool's own name
    "server_source",  # where the MCP server was configured
    "subagent_id",  # its presence marks an event as a subagent's
    "subagent_type",
]


class Slot(Enum):
    """A place in a template, filled when an answer or a registration is written."""

    EVENT = "event"  # the event's native name
    REASON = "reason"  # why, for the model
    PEOPLE = "people"  # why and how to go on, for people only
    INPUT = "input"  # the whole new arguments, under native names
    OUTPUT = "output"  # the whole new tool output
    CONTEXT = "context"  # text for the model
    MESSAGE = "message"  # text for people
    PROGRAM = "program"  # registration: the program to start
    ARGUMENTS = "arguments"  # registration: its arguments
    TIMEOUT = "timeout"  # registration: in the agent's unit


Template = Mapping[str, Any]
"""JSON-able data with slots in it."""

NOTHING: Final[Mapping[Any, Any]] = MappingProxyType({})


class Form(NamedTuple):
    """How one thing is said. `body` is printed as one JSON document, None prints nothing; `stderr` is the text for
    standard error. `modes` are the permission modes in which the agent is known to honour it (empty: all); `ignored`
    is a (payload key, value) pair with which the agent is known not to."""

    body: Template | None = None
    status: int = 0
    stderr: Slot | None = None
    modes: frozenset[str] = frozenset()
    ignored: tuple[str, str] | None = None

    @property
    def open(self) -> bool:
        """Whether further fields may stand beside it; not where only the exit code speaks."""
        return self.body is not None or self.status == 0


SILENCE: Final = Form()

Phase = Literal["start", "activity", "blocked", "finish", "unknown"]


class Life(NamedTuple):
    """What an event means for someone who only watches (seed 003's vocabulary). `outcome` only at the finish of a
    turn, `blocker` only where `phase` is `blocked`."""

    phase: Phase
    scope: Literal["session", "turn"] | None = None
    outcome: Literal["completed", "failed", "cancelled"] | None = None
    blocker: Literal["permission", "question", "elicitation"] | None = None


class Switch(NamedTuple):
    """A meaning that depends on the text at one place of the payload."""

    path: Path
    cases: Mapping[str, Life]
    otherwise: Life


Effect = Literal["proceed", "block", "undocumented", "hook-failed"]


class Exits(NamedTuple):
    """What the agent makes of a hook that says nothing understandable: nothing on stdout (`empty`), stdout that is no
    answer (`invalid`), exit code 2 (`two`), any other code without an answer (`other`), running out of time (`late`).
    `plain` is what plain text on stdout does besides."""

    empty: Effect
    invalid: Effect
    two: Effect
    other: Effect
    late: Effect
    plain: Literal["context", "shown"] | None = None


class EventSpec(NamedTuple):
    """One native event.

    `canonical` is its name in `ostiary.event.EVENTS`, empty where none corresponds. `gate`: something waits for the
    answer, so an event that cannot be judged closes it (law L7). `aliases` are other spellings in payloads, `fields`
    replaces paths of the dialect, `tool` is the native tool of an event that names none. `answers` are the forms by
    verdict; `none` left out is silence, and so is `allow` where there is no gate. `rewrite` holds what is added to a
    verdict's form to change the arguments, `extras` what is added to say the rest, `halts_with` the verdicts that are
    known to stay in force beside a halt. `cannot` says why something has no form, and is required for the verdicts of
    gates. `stdout_fields` are the top-level keys the agent reads. What these two and `exits` leave out is the
    dialect's. `register`: `asked` events are registered only on request, `never` ones not at all; `since` is the first
    version known to have the event, empty where every version in use does.
    """

    canonical: str
    life: Life | Switch = Life("unknown")
    gate: bool = False
    subagent: bool = False
    aliases: tuple[str, ...] = ()
    tool: str = ""
    fields: Mapping[FieldName, tuple[Path, ...]] = NOTHING
    answers: Mapping[Said, Form] = NOTHING
    rewrite: Mapping[Said, Template] = NOTHING
    extras: Mapping[Extra, Template] = NOTHING
    halts_with: frozenset[Said] = frozenset(("none", "allow", "ask", "deny"))
    cannot: Mapping[str, str] = NOTHING
    stdout_fields: frozenset[str] | None = None
    exits: Exits | None = None
    register: Literal["always", "asked", "never"] = "always"
    since: str = ""
    unverified: str = ""


class OutputPlace(NamedTuple):
    """Where the text of a tool's structured output is, and which other texts of it repeat parts of that text."""

    text: Path
    blank: tuple[Path, ...] = ()


class ToolSpec(NamedTuple):
    """One native tool. `renames` are native argument names with their canonical ones (same names left out). `text` is
    the canonical argument that the tool's input is where it comes as raw text."""

    canonical: str
    renames: Mapping[str, str] = NOTHING
    text: str = ""
    output: OutputPlace | None = None


class Timeouts(NamedTuple):
    """How long the agent waits. `default` and `events` in `unit` (None: not documented); `ours` is what we register,
    in seconds."""

    unit: Literal["seconds", "milliseconds"]
    default: float | None
    ours: int
    events: Mapping[str, float] = NOTHING

    @property
    def registered(self) -> int:
        """`ours` in the agent's unit."""
        return self.ours * (1000 if self.unit == "milliseconds" else 1)


class Place(NamedTuple):
    """A file that registers hooks. `anchor` is what `path` (forward slashes) is relative to; `/` is nothing."""

    scope: Literal["user", "project", "local", "managed"]
    platform: Literal["any", "linux", "macos", "windows"]
    anchor: Literal["home", "project", "/"]
    path: str


class Registration(NamedTuple):
    """How a hook is registered. `groups`: the file is JSON, `{hooks: {EVENT: [{hooks: [ENTRY]}]}}`. `closing` is
    added to the entry at gates so that a hook that cannot run closes them. `review`: what the agent's user has to
    accept before hooks run."""

    shape: Literal["groups"]
    places: tuple[Place, ...]
    entry: Template
    review: Literal["workspace", "content-hash"]
    closing: Template = NOTHING


class Dialect(NamedTuple):
    """One agent.

    `url` is the vendor's page, `versions` what the facts were measured or documented for. `own_tools` are native
    tools without a canonical twin; their arguments are unmapped. `mcp_prefix` starts the names of MCP tools and
    `mcp_joint` stands between server and tool. `blind` is the answer when even the event is unknown. `stdout_fields`,
    `cannot` and `exits` hold for events that say nothing else. `limit` is the
    longest text the agent shows, in UTF-16 units. `allow_grants`: an allow skips the agent's own question. `lacks`
    are the facts its payloads cannot carry. `shares` names agents whose marks its payloads carry too. `unseen` are
    ways around its hooks, `unverified` facts nobody has tested; both are for people.
    """

    name: str
    title: str
    url: str
    versions: str
    delivery: Literal["command", "plugin"]
    fields: Mapping[FieldName, tuple[Path, ...]]
    events: Mapping[str, EventSpec]
    tools: Mapping[str, ToolSpec]
    mcp_prefix: str
    mcp_joint: str
    blind: Form
    stdout_fields: frozenset[str]
    limit: int
    allow_grants: bool
    exits: Exits
    timeouts: Timeouts
    registration: Registration
    lacks: frozenset[str]
    own_tools: tuple[str, ...] = ()
    cannot: Mapping[str, str] = NOTHING
    shares: frozenset[str] = frozenset()
    unseen: tuple[str, ...] = ()
    unverified: tuple[str, ...] = ()

    def native(self, name: str | None) -> str | None:
        """The native event called `name` in payloads or registrations, None if there is none."""
        if name is None or name in self.events:
            return name
        return next((native for native, spec in self.events.items() if name in spec.aliases), None)

    def of(self, event: Event) -> tuple[str, EventSpec] | None:
        """Native name and facts of an event. One that no payload named is found by its canonical name."""
        if event.native_name:
            name = self.native(event.native_name)
            return (name, self.events[name]) if name else None
        return next(((name, spec) for name, spec in self.events.items() if spec.canonical == event.name), None)


class Unreadable(NamedTuple):
    """A payload that is not read. `reason` is one sentence without text of the payload."""

    reason: str
