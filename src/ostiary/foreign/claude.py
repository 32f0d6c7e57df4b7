"""Settings files of Claude Code: https://code.claude.com/docs/en/hooks

Facts are of the hooks page at 2.1.240 and the types of 2.1.332. Hooks of a file run beside each other; times are
seconds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from ostiary import patterns
from ostiary.foreign import Origin, options
from ostiary.foreign.cursor import Cursor
from ostiary.foreign.filters import fitting
from ostiary.foreign.formats import EVERYTHING, NOTHING, TOOL, Format, Hook, Pairs, Subject, program
from ostiary.foreign.options import A_TEXT, TEXTS, Option
from ostiary.policy import HandlerPlan
from ostiary.policy.plan import Plan
from ostiary.spelling import shown

Said = Mapping[str, Any]
"""The options of an entry, by the handler's names."""

LONGEST: Final = 1000
"""Characters of a matcher."""

EVENTS: Final[Mapping[str, Subject]] = {
    **dict.fromkeys(("PreToolUse", "PermissionRequest", "PermissionDenied"), TOOL),
    **dict.fromkeys(("PostToolUse", "PostToolUseFailure", "PreSkillShellCommand"), TOOL),
    "PostToolBatch": NOTHING,
    "UserPromptSubmit": NOTHING,
    "UserPromptExpansion": ("command_name",),
    "SessionStart": ("source",),
    "SessionEnd": ("reason",),
    "Setup": ("trigger",),
    "InstructionsLoaded": ("load_reason",),
    "SubagentStart": ("agent_type", "<subagent>"),
    "SubagentStop": ("agent_type", "<subagent>"),
    "Stop": NOTHING,
    "StopFailure": ("error",),
    "PreCompact": ("trigger",),
    "PostCompact": ("trigger",),
    "PreModelSwitch": NOTHING,  # what it is compared with is not documented, so that each one counts
    "PostModelSwitch": NOTHING,
    "Notification": ("notification_type",),
    "MessageDisplay": NOTHING,
    "TaskCreated": NOTHING,
    "TaskCompleted": NOTHING,
    "TeammateIdle": NOTHING,
    "Elicitation": ("mcp_server_name",),
    "ElicitationResult": ("mcp_server_name",),
    "ConfigChange": ("source",),
    "CwdChanged": NOTHING,
    "FileChanged": NOTHING,  # the agent sends it for the files of the matcher alone
    "DirectoryAdded": ("source",),
    "WorktreeCreate": NOTHING,
    "WorktreeRemove": NOTHING,
}

# Events at which `if` is read; at others a hook that has one never runs.
_FILTERED: Final = frozenset(
    ("PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied")
)

_LIST: Final = re.compile(r"[A-Za-z0-9_\-, |]+")
_NARROW: Final = re.compile(r"[A-Za-z0-9_|]+")
_NARROWLY: Final = ("error",)  # subjects whose matchers have less plain signs
_SERVER: Final = re.compile(r"mcp__[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*")
_USE: Final = re.compile(r"[A-Za-z_]+\(.*\)")


def matcher(cursor: Cursor, subject: Subject) -> Plan | None:
    """The condition that a matcher is: nothing or `*` is everything; plain signs are a list of names; anything else is
    an expression that is searched. None for one that fits nothing."""
    value = cursor.value
    if value in (None, "", "*"):
        return EVERYTHING
    if not isinstance(value, str):
        cursor.warn("a matcher is one text: without one the group is for everything", 'write names as `"Edit|Write"`')
        return EVERYTHING
    if subject == NOTHING:
        cursor.warn("a matcher is not read at this event: the group is for every one")
        return EVERYTHING
    narrow = subject == _NARROWLY
    if (_NARROW if narrow else _LIST).fullmatch(value):
        return _names(cursor, subject, re.split("[|]" if narrow else "[|,]", value))
    return _expression(cursor, subject, value)


def _names(cursor: Cursor, subject: Subject, written: list[str]) -> Plan | None:
    names = tuple(dict.fromkeys(name for part in written if (name := part.strip())))
    if not names:
        cursor.warn("the group is skipped: its matcher names nothing")
        return None
    for name in names:
        if subject == TOOL and _SERVER.fullmatch(name):
            cursor.warn(f"`{shown(name)}` names a server, and no tool has that name", f"write `{shown(name)}__.*`")
    if subject == TOOL:
        return ("tool", "exact", names)
    return ("field", tuple(("eq", name) for name in names), subject)


def _expression(cursor: Cursor, subject: Subject, value: str) -> Plan | None:
    body = value.replace("[^]", r"[\s\S]")  # any character, for JavaScript
    try:
        if len(value) > LONGEST:
            raise ValueError(f": it has more than {LONGEST} characters")
        patterns.compiled(body)
    except ValueError as error:
        why = shown(str(error).rpartition(": ")[2])
        cursor.warn(f"the group is skipped: its matcher is not a valid regular expression ({why})")
        return None
    if _USE.fullmatch(value):
        cursor.warn(
            f"`{shown(value)}` names a use of a tool, and no tool has that name", "write it as `if` of the hook"
        )
    return ("tool", "find", body) if subject == TOOL else ("field", (("re", body, ""),), subject)


_OPTIONS: Final[Mapping[str, tuple[Option, ...]]] = {
    "command": (
        Option("command", "command", options.text, A_TEXT, must=True),
        Option("args", "args", options.texts, TEXTS),
        Option(
            "shell", "shell", lambda value: value if value in ("bash", "powershell") else None, "`bash` or `powershell`"
        ),
    ),
    "http": (
        Option("url", "url", options.url, "an `https` URL, or an `http` one of this machine", must=True),
        Option("headers", "headers", options.names, "an object of texts"),
        Option("allowedEnvVars", "allowed_env", options.texts, TEXTS, skips=False),
    ),
    "mcp_tool": (
        Option("server", "server", options.text, A_TEXT, must=True),
        Option("tool", "tool", options.text, A_TEXT, must=True),
        Option("input", "input", lambda value: value if isinstance(value, dict) else None, "an object"),
    ),
    "prompt": (
        Option("prompt", "prompt", options.text, A_TEXT, must=True),
        Option("model", "model", options.text, A_TEXT, skips=False),
        Option("continueOnBlock", "goes_on", options.switch, "`true` or `false`", skips=False),
    ),
    "agent": (
        Option("prompt", "prompt", options.text, A_TEXT, must=True),
        Option("model", "model", options.text, A_TEXT, skips=False),
    ),
}
_COMMON: Final = frozenset(("type", "if", "timeout", "onFailure"))
_KEYS: Final = {
    kind: _COMMON | {option.key for option in known} | ({"async", "asyncRewake"} if kind == "command" else set())
    for kind, known in _OPTIONS.items()
}

# What else may stand at these events.
_STARTS: Final = frozenset(("SessionStart", "Setup"))
_AT_START: Final = frozenset(("command", "mcp_tool"))


def hook(entry: Cursor, event: str, origin: Origin) -> Hook | None:
    """One entry, None for one that is skipped."""
    kind = entry.member("type").value
    if not isinstance(kind, str):
        entry.warn(
            "the hook is skipped: it has no `type`", f"it is one of {', '.join(f'`{name}`' for name in _OPTIONS)}"
        )
        return None
    if kind not in _OPTIONS or (event in _STARTS and kind not in _AT_START):
        entry.member("type").warn(f"the hook is skipped: the type `{shown(kind)}` is not supported at {event}")
        return None
    spec = options.read(entry, _OPTIONS[kind])
    when = _filter(entry, event, origin)
    given = _GIVEN[kind](entry, dict(spec), origin) if spec is not None and when is not None else None
    if given is None or when is None:
        return None
    options.unread(entry, _KEYS[kind])
    rewake = kind == "command" and options.flag(entry, "asyncRewake")
    background = kind == "command" and (options.flag(entry, "async") or rewake)
    handler = HandlerPlan(
        kind=kind,
        spec=given,
        folder=origin.folder,
        timeout=_timeout(entry, background),
        background=background,
        rewake=rewake,
    )
    return Hook(handler, when, _on_failure(entry))


def _program(entry: Cursor, said: Said, origin: Origin) -> Pairs:  # noqa: ARG001 see `_GIVEN`
    return program(tuple(said.items()), origin)


def _post(entry: Cursor, said: Said, origin: Origin) -> Pairs | None:
    """Where the user's and the managed settings list URLs, no other is posted to."""
    url = said["url"]
    if origin.urls is not None and not any(patterns.glob_matches(_literal(one), url) for one in origin.urls):
        entry.member("url").warn("the hook is skipped: `allowedHttpHookUrls` does not name this URL")
        return None
    given = {"headers": (), "allowed_env": (), "private": False, "ca_file": None, "proxy": None, **said}
    return tuple(given.items())


def _literal(pattern: str) -> str:
    """A pattern in which only `*` is special, as a glob."""
    return re.sub(r"([?\[\\])", r"\\\1", pattern)


def _tool(entry: Cursor, said: Said, origin: Origin) -> Pairs | None:
    """The tool of a server that the agent knows; its hooks name servers, and say nowhere what they are."""
    server = next((one for one in origin.servers if one.name == said["server"]), None)
    if server is None:
        entry.member("server").warn(f"the hook is skipped: no server `{shown(said['server'])}` is known")
        return None
    if server.url and options.url(server.url) is None:
        entry.member("server").warn("the hook is skipped: what its server says could be changed on the way")
        return None
    return (
        ("tool", said["tool"]),
        ("command", server.command),
        ("environment", server.environment),
        ("url", server.url),
        ("headers", server.headers),
        ("allowed_env", ()),
        ("private", False),
        ("ca_file", None),
        ("proxy", None),
        ("input", json.dumps(said.get("input", {}))),
    )


def _question(entry: Cursor, said: Said, origin: Origin) -> Pairs:  # noqa: ARG001 see `_GIVEN`
    return tuple({"model": "", "goes_on": False, **said}.items())


def _task(entry: Cursor, said: Said, origin: Origin) -> Pairs:  # noqa: ARG001 see `_GIVEN`
    return tuple({"model": "", **said}.items())


# The handler's own options from those that an entry has; None for an entry that is skipped.
_GIVEN: Final[Mapping[str, Callable[[Cursor, Said, Origin], Pairs | None]]] = {
    "command": _program,
    "http": _post,
    "mcp_tool": _tool,
    "prompt": _question,
    "agent": _task,
}


def _filter(entry: Cursor, event: str, origin: Origin) -> Plan | None:
    """What `if` says; None where the hook never runs for it."""
    cursor = entry.member("if")
    if cursor.value is None:
        return EVERYTHING
    if event not in _FILTERED:
        cursor.warn(f"the hook is skipped: with an `if` it never runs at {event}", "remove it")
        return None
    return fitting(cursor, origin.base)


def _timeout(entry: Cursor, background: bool) -> float | None:
    """Seconds, None for what event and kind have. In the background none is kept."""
    cursor = entry.member("timeout")
    found = options.seconds(cursor.value)
    if cursor.value is not None and found is None:
        cursor.warn("it is not read: `timeout` must be a positive number of seconds")
    return 0.0 if background else found


def _on_failure(entry: Cursor) -> str:
    cursor = entry.member("onFailure")
    if cursor.value not in (None, "block"):
        cursor.warn('it is not read: `onFailure` must be `"block"`')
    return "deny" if cursor.value == "block" else ""


CLAUDE: Final = Format("claude", EVENTS, told=True, matcher=matcher, hook=hook)
