"""What a dialect is: one agent's facts as data.

A dialect holds no behaviour. One reader (`reader`) and one writer (`writer`) serve every agent, so adding an agent is
adding one table, and `conformance` says what a table still lacks. Tables are named tuples, which cost an eighth of a
dataclass to define: they are made anew in every hook.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any, Final, Literal

from ostiary.dialects.kin import ForeignHooks, Mark
from ostiary.event import Event
from ostiary.records import NamedTuple

Path = tuple[str, ...]
"""Keys from a payload's root; an array's index is a key too (`"0"`)."""

Said = Literal["none", "allow", "ask", "deny"]
Extra = Literal["context", "message", "halt", "output"]
OnError = Literal["deny", "ask", "continue"]
"""What a gate answers when Ostiary itself fails: `continue` is the agent's silence, never an allow."""
FieldName = Literal[
    "event",
    "session",
    "turn",
    "call",
    "version",  # the agent's own
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
    "interactive",  # true or false: whether somebody is there to answer a question
    "subagent_id",  # its presence marks an event as a subagent's
    "subagent_type",
    "subagent_marker",  # what marks an event as a subagent's, where that is not the id
]


class Slot(Enum):
    """A place in a template, filled when an answer or a registration is written."""

    EVENT = "event"  # the event's native name
    REASON = "reason"  # why, for the model
    PEOPLE = "people"  # why and how to go on, for people only
    INPUT = "input"  # the whole new arguments, under native names
    OUTPUT = "output"  # the whole new tool output
    CONTEXT = "context"  # text for the model
    CONTEXT_LINE = "context line"  # the same with a line break at its end
    MESSAGE = "message"  # text for people
    PROGRAM = "program"  # registration: the program to start
    ARGUMENTS = "arguments"  # registration: its arguments
    LINE = "line"  # registration: both as one line for a shell
    CLOSED_LINE = "closed line"  # registration: the same, with exit code 2 where a POSIX shell sees it die or not start
    BASH_LINE = "bash line"  # registration: CLOSED_LINE, with exit code 2 where bash was told not to run anything, too
    TIMEOUT = "timeout"  # registration: in the agent's unit
    URL = "url"  # registration: where the event is sent instead of starting a program
    ON_ERROR = "on error"  # registration: what a gate answers when Ostiary fails


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
    ignored: tuple[str, object] | None = None

    @property
    def open(self) -> bool:
        """Whether further fields may stand beside it; not where only the exit code speaks."""
        return self.body is not None or self.status == 0


SILENCE: Final = Form()

Phase = Literal["start", "activity", "blocked", "finish", "unknown"]


class Life(NamedTuple):
    """What an event means for someone who only watches, in the same few words for every agent. `outcome` only at the
    finish of a turn, `blocker` only where `phase` is `blocked`."""

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
Way = Literal["empty", "invalid", "two", "other", "dies", "late"]
"""A way to say nothing understandable; the fields of `Exits`."""


class Exits(NamedTuple):
    """What the agent makes of a hook that says nothing understandable: nothing on stdout (`empty`), stdout that is no
    answer (`invalid`), exit code 2 (`two`), any other code without an answer (`other`), running out of time (`late`).
    `plain` is what plain text on stdout does besides, `dies` what code 1 and a signal do where that is not `other`."""

    empty: Effect
    invalid: Effect
    two: Effect
    other: Effect
    late: Effect
    plain: Literal["context", "shown"] | None = None
    dies: Effect | None = None


class EventSpec(NamedTuple):
    """One native event.

    `canonical` is its name in `ostiary.event.EVENTS`, empty where none corresponds. `gate`: something waits for the
    answer, so an event that cannot be judged closes it (law L7). `aliases` are other spellings in payloads, `fields`
    replaces paths of the dialect, `tool` is the native tool of an event that names none. `answers` are the forms by
    verdict; `none` left out is silence, and so is `allow` where there is no gate. `rewrite` holds what is added to a
    verdict's form to change the arguments, `extras` what is added to say the rest, `halts_with` the verdicts that are
    known to stay in force beside a halt. `cannot` says why something has no form, and is required for the verdicts of
    gates. `stdout_fields` are the top-level keys the agent reads. What these two and `exits` leave out is the
    dialect's. `registered_as` is the event that is registered where another version of the agent, with other
    answers, sends this one. `unread` is said instead of the deny where the event could not be judged. `always` are
    top-level keys that the agent sends with every such event. `arguments` are the keys that are a tool's arguments
    where these stand at the root of the payload; `mcp` says that every call is one of an MCP tool, by that tool's
    own name. `keeps` are native tools whose arguments stay as they are in spite of a rewrite. `beside` names for an
    extra the verdicts, and `rewrite`, that are known to stay in force beside it; what it does not name stands
    beside all. `register`: `asked` events are registered only on request, `never` ones not at all; `since` is the
    first version known to have the event, empty where every version in use does.
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
    registered_as: str = ""
    unread: Form | None = None
    register: Literal["always", "asked", "never"] = "always"
    since: str = ""
    unverified: str = ""
    always: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    mcp: bool = False
    keeps: frozenset[str] = frozenset()
    beside: Mapping[Extra, frozenset[str]] = NOTHING


class OutputPlace(NamedTuple):
    """Where the text of a tool's structured output is, and which other texts of it repeat parts of that text."""

    text: Path
    blank: tuple[Path, ...] = ()


class ToolSpec(NamedTuple):
    """One native tool. `renames` are native argument names with their canonical ones (same names left out). `text` is
    the canonical argument that the tool's input is where it comes as raw text, `text_tool` the canonical tool that it
    is then (empty: the same). `workdir` are the native arguments that name the folder of the call, relative ones below
    the event's. `urls` is the canonical argument whose text holds the URLs to fetch, which are read as `url`. `lists`
    are native arguments that hold several values of their kind, each with the path to it inside an item; one alone is
    read like a plain value."""

    canonical: str
    renames: Mapping[str, str] = NOTHING
    text: str = ""
    text_tool: str = ""
    output: OutputPlace | None = None
    workdir: tuple[str, ...] = ()
    urls: str = ""
    lists: Mapping[str, Path] = NOTHING


_MARGIN: Final = 5  # seconds: what starting the hook, and another answer instead of a late one, may take


class Timeouts(NamedTuple):
    """How long the agent waits. `default` and `events` in `unit` (None: not documented); `ours` is what we register,
    in seconds, `less` that of events for which it would be too much."""

    unit: Literal["seconds", "milliseconds"]
    default: float | None
    ours: int
    events: Mapping[str, float] = NOTHING
    less: Mapping[str, int] = NOTHING

    @property
    def registered(self) -> int:
        """`ours` in the agent's unit."""
        return self.ours * (1000 if self.unit == "milliseconds" else 1)

    def at(self, native: str) -> int:
        """What is registered for an event, in the agent's unit."""
        return self._replace(ours=self.less.get(native, self.ours)).registered

    def deadline(self, native: str | None) -> float:
        """Seconds after which an answer comes too late to be sure that the agent still waits for it: less than what is
        registered for the event, or where that is not known, for the hastiest one."""
        registered = self.less.get(native, self.ours) if native else min((self.ours, *self.less.values()))
        return registered - min(_MARGIN, registered / 3)


class Place(NamedTuple):
    """A file that registers hooks. `anchor` is what `path` (forward slashes) is relative to; `/` is nothing. `fixed`
    are members that this file must have, as in `Registration`."""

    scope: Literal["user", "project", "local", "managed"]
    platform: Literal["any", "linux", "macos", "windows"]
    anchor: Literal["home", "project", "/"]
    path: str
    fixed: Template = NOTHING

    @property
    def own(self) -> bool:
        """Whether the agent reads every file there, and this one is ours alone: it has our name."""
        return "/ostiary" in self.path


Syntax = Literal["json", "comments", "commas"]
"""What a reader of settings takes: plain JSON; `//` and `/* */` comments too; those, and a comma at the end."""


class HttpHook(NamedTuple):
    """A hook that sends its events to a server, closed as others are. `commands` are events whose hooks have to be
    programs. `unfit` says why the agent's cannot be used, empty if they can."""

    entry: Template = NOTHING
    commands: frozenset[str] = frozenset()
    unfit: str = ""


class Registration(NamedTuple):
    """How a hook is registered in a JSON file. At `root` (keys from the top) stands, by `shape`: `groups`, an object
    `{EVENT: [{hooks: [ENTRY]}]}`; `entries`, `{EVENT: [ENTRY]}`; `list`, `[ENTRY]` with the event in the entry. `fixed`
    are members that the file must have besides; an `untimed` one has no place for a time. `closing` is added to the
    entry at gates so that a hook that fails closes them, in the ways of `closes`; a plugin of ours does so by itself,
    and a script prints it instead of the answer.
    `review`: what the agent's user has to accept before hooks run. `powershell`: on Windows the line is run by that
    shell. `syntax` is what the agent's reader is known to take: one that takes less may drop the whole file without a
    word. `fresh` is what happens to hooks of a folder that nobody has trusted, in a run without a person: they run, are
    skipped without a word, or the agent runs no hook and does not start; empty where nobody has looked. `hidden_by` are
    files beside, of which the first that is there takes the place of the settings for the events it names at its top.
    `http`: None where the agent only runs programs.

    Two shapes are no JSON file. `plugin`: the place is a file of code that is made of `sources` (shipped in
    `ostiary/plugins`), with `entry` as the facts it needs. `scripts`: the place is a folder of programs that are named
    after events, by native event in `scripts`."""

    shape: Literal["groups", "entries", "list", "plugin", "scripts"]
    places: tuple[Place, ...]
    entry: Template
    review: Literal["workspace", "content-hash", "none"]
    closing: Template = NOTHING
    closes: frozenset[Way] = frozenset()
    root: Path = ("hooks",)
    fixed: Template = NOTHING
    sources: tuple[str, ...] = ()
    scripts: Mapping[str, str] = NOTHING
    untimed: bool = False
    powershell: bool = False
    syntax: Syntax = "json"
    fresh: Literal["runs", "skips", "stops", ""] = ""
    hidden_by: tuple[str, ...] = ()
    http: HttpHook | None = None


class Dialect(NamedTuple):
    """One agent.

    `url` is the vendor's page, `versions` what the facts were measured or documented for. `own_tools` are native
    tools without a canonical twin; their arguments are unmapped. `mcp_prefix` starts the names of MCP tools and
    `mcp_joint` stands between server and tool. `blind` is the answer when even the event is unknown. `stdout_fields`,
    `cannot` and `exits` hold for events that say nothing else. `limit` is the longest text the agent shows, in UTF-16
    units. `allow_grants`: an allow skips the agent's own question. `lacks` are the facts its payloads cannot carry.
    `shares` names agents whose marks its payloads carry too, `always` and `never` are keys that each and that none of
    its payloads has, `copies` fields whose places hold copies of one value, which must agree. `rewrites`: changed
    arguments are taken as a `whole`; are `merged` into the old ones, so that none can be left out; or are `checked`,
    and the old ones run where they do not pass. `drives`: folders of Windows may come as in a URL, `/c:/x`. An empty
    `mcp_joint`: the names of MCP tools hold no server, and another gate tells it, or with `mcp_unnamed` nothing does.
    `unseen` are ways around its hooks, `unverified` facts nobody has tested; both are for people.

    For observers only, never for a decision: `env` are environment variables that stand in for fields, `env_marks`
    those that show this agent as the host of another one's hooks, `marks` those in payloads, of a table that is not
    built in. For `doctor`: `programs` are the names of its executables and `folders` those below the user's home that
    show it is used (empty: those of its user files), `overruled` says what another hook's answer does to a deny of
    ours, empty where none was seen to do anything; `accepted` is the TOML file below the user's home, and the table in
    it, with a key `FILE:EVENT:...` (its event in snake case) for each hook that the user accepted.
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
    runs_hooks_of: tuple[ForeignHooks, ...] = ()
    env: Mapping[FieldName, tuple[str, ...]] = NOTHING
    env_marks: tuple[str, ...] = ()
    marks: tuple[Mark, ...] = ()
    programs: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    overruled: str = ""
    accepted: tuple[str, Path] | None = None
    always: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    mcp_unnamed: bool = False
    copies: frozenset[FieldName] = frozenset()
    rewrites: Literal["whole", "merged", "checked"] = "whole"
    drives: bool = False

    def native(self, name: str | None) -> str | None:
        """The native event called `name` in payloads or registrations, None if there is none."""
        if name is None or name in self.events:
            return name
        return next((native for native, spec in self.events.items() if name in spec.aliases), None)

    def left_with(self, native: str, way: Way, *, closing: bool) -> Effect:
        """What becomes of a call where a hook fails in that way at a native event, with or without what closes."""
        exits = self.events[native].exits or self.exits
        found: Effect = (exits.dies or exits.other) if way == "dies" else getattr(exits, way)
        return "block" if closing and way in self.registration.closes else found

    def of(self, event: Event) -> tuple[str, EventSpec] | None:
        """Native name and facts of an event. One that no payload named is found by its canonical name."""
        if event.native_name:
            name = self.native(event.native_name)
            return (name, self.events[name]) if name else None
        return next(((name, spec) for name, spec in self.events.items() if spec.canonical == event.name), None)


class Unreadable(NamedTuple):
    """A payload that is not read. `reason` is one sentence without text of the payload."""

    reason: str
