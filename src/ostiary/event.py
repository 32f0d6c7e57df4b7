"""The canonical event: one lifecycle moment of an agent, whatever the agent calls it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from ostiary.digests import sha256
from ostiary.records import dataclass, field
from ostiary.tools import TOOLS


@dataclass(frozen=True, slots=True)
class EventKind:
    """What a canonical event is. `before_tool`: a gate that a tool call passes before it runs. `tool`: the event is
    about one tool call. `stops`: a deny keeps what the event announces from happening. `ends`: a deny means *go on
    working* (Stop, SubagentStop, ...), so a failure of ours must never cause one. `prompts`: it carries a
    prompt, so that one without a text was not understood. `undone`: the tool call it is about does not run."""

    name: str
    before_tool: bool = False
    tool: bool = False
    stops: bool = False
    ends: bool = False
    prompts: bool = False
    undone: bool = False


def _kinds(*kinds: EventKind) -> dict[str, EventKind]:
    return {kind.name: kind for kind in kinds}


# The names are those of the agent hooks most people know: Claude Code's list of events, and what others have besides.
EVENTS: Final[dict[str, EventKind]] = _kinds(
    EventKind("PreToolUse", before_tool=True, tool=True, stops=True),
    EventKind("PermissionRequest", before_tool=True, tool=True, stops=True),
    EventKind("PreSkillShellCommand", before_tool=True, tool=True, stops=True),
    EventKind("PostToolUse", tool=True),
    EventKind("PostToolUseFailure", tool=True),
    EventKind("PermissionDenied", tool=True, undone=True),
    EventKind("PostToolBatch"),
    EventKind("UserPromptSubmit", stops=True, prompts=True),
    EventKind("UserPromptExpansion", stops=True, prompts=True),
    EventKind("PreModel", stops=True),
    EventKind("PostModel"),
    EventKind("PreModelSwitch", stops=True),
    EventKind("PostModelSwitch"),
    EventKind("PreCompact", stops=True),
    EventKind("PostCompact"),
    EventKind("Stop", stops=True, ends=True),
    EventKind("StopFailure"),
    EventKind("SubagentStart", stops=True),
    EventKind("SubagentStop", stops=True, ends=True),
    EventKind("SessionStart"),
    EventKind("SessionEnd"),
    EventKind("Setup"),
    EventKind("InstructionsLoaded"),
    EventKind("Notification"),
    EventKind("MessageDisplay"),
    EventKind("TaskCreated", stops=True),
    EventKind("TaskCompleted", stops=True, ends=True),
    EventKind("TeammateIdle", stops=True, ends=True),
    EventKind("Elicitation", stops=True),
    EventKind("ElicitationResult", stops=True),
    EventKind("ConfigChange", stops=True),
    EventKind("CwdChanged"),
    EventKind("FileChanged"),
    EventKind("DirectoryAdded"),
    EventKind("WorktreeCreate", stops=True),
    EventKind("WorktreeRemove"),
)

GATES: Final = tuple(kind.name for kind in EVENTS.values() if kind.before_tool)

_UNKNOWN: Final = EventKind("")


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One moment, read from a payload by a dialect, or made by an embedder with `from_call`.

    `input` holds the arguments of a tool call under their canonical names, `native_input` as the agent sent them; they
    are never changed in place. `input_complete` is False where the agent truncated them or they could not be read.
    `mcp` is the (server, tool) pair of an MCP call, `mcp_source` who configured the server where the payload says so.
    `subagent` is the type (else the id) of the subagent that makes the call, None in the main session. `lacks` names
    the facts this agent's payloads cannot carry (`mode`, `session`, `subagent`, `interactive`, ...): for those an
    absent value is unknown, not absent. `data` is the payload as it was read.
    """

    agent: str = ""
    name: str = "PreToolUse"
    native_name: str = ""
    tool: str | None = None
    native_tool: str | None = None
    mcp: tuple[str, str] | None = None
    mcp_source: str | None = None
    input: Mapping[str, Any] = field(default_factory=dict)
    native_input: Mapping[str, Any] = field(default_factory=dict)
    input_complete: bool = True
    output: Any = None
    prompt: str | None = None
    cwd: str | None = None
    project: str | None = None
    workdirs: tuple[str, ...] = ()
    session: str | None = None
    mode: str | None = None
    subagent: str | None = None
    interactive: bool | None = None
    lacks: frozenset[str] = frozenset()
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> EventKind:
        """What this event is; an event without a canonical name stops nothing and has no tool."""
        return EVENTS.get(self.name, _UNKNOWN)

    @property
    def digest(self) -> str:
        """What call this is: SHA-256 (hex) over agent, session, folder, tool and arguments. The same call has the same
        one at every gate."""
        parts = (self.agent, self.session, self.cwd, self.subagent, self.tool, self.native_tool, self.mcp, self.input)
        return sha256(json.dumps(parts, sort_keys=True, default=repr).encode()).hexdigest()

    @classmethod
    def from_call(cls, tool: str, input: Mapping[str, Any], cwd: str | None = None, **fields: Any) -> Event:
        """A PreToolUse event for a tool call with canonical arguments; `tool` is a canonical name, an alias that means
        one tool, or `mcp__server__tool`. Raises ValueError for values of a wrong type and for an unknown event."""
        _insist(tool, input, {"cwd": cwd, **fields})
        called = TOOLS.called(tool)
        canonical, mcp = called[0] if len(called) == 1 else tool, mcp_pair(tool)
        return cls(tool=canonical, native_tool=tool, mcp=mcp, input=input, native_input=input, cwd=cwd, **fields)


_TEXTS: Final = (
    "agent",
    "name",
    "native_name",
    "mcp_source",
    "prompt",
    "cwd",
    "project",
    "session",
    "mode",
    "subagent",
)


def _insist(tool: object, input: object, fields: Mapping[str, object]) -> None:
    """Raises ValueError unless these can be a tool call: behind this edge nobody asks what type a value has."""
    if not isinstance(tool, str) or not tool:
        raise ValueError("`tool` must be the name of a tool, such as `bash`")
    if not isinstance(input, Mapping) or not all(isinstance(name, str) for name in input):
        raise ValueError('`input` must be a mapping of argument names to values, such as `{"command": "ls"}`')
    for name in _TEXTS:
        if not isinstance(fields.get(name), str | None):
            raise ValueError(f"`{name}` must be text")
    event = fields.get("name", "PreToolUse")
    if event not in EVENTS:
        raise ValueError("; ".join(unknown_event(str(event))))


def unknown_event(name: str) -> tuple[str, str]:
    """Message and help for a name that no event has: the nearest one, else where to find them, for they are many."""
    from ostiary.spelling import nearest, shown  # late: for mistakes alone

    near = nearest(name, EVENTS)
    return f"unknown event `{shown(name)}`", f"did you mean `{near}`?" if near else "`ostiary schema` lists the events"


def mcp_pair(name: str) -> tuple[str, str] | None:
    """(server, tool) of a name shaped `mcp__server__tool`, None for any other. Only for names that come without the
    pair: where a payload names the server, the dialect takes it from there (a server's name may hold `__`)."""
    head, _, rest = name.partition("mcp__")
    server, joint, tool = rest.partition("__")
    return (server, tool) if not head and joint and server and tool else None
