"""Canonical tools: their names, aliases and what their arguments mean.

Canonical names and their Claude-style aliases are afk's (seed 002; its matcher table), with names added for tools afk
does not have. Argument names are afk's and Claude Code's, which agree; a dialect translates its own. Dialects and
users add names to the table; nobody redefines one (law L6).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from ostiary.records import dataclass, field, replace

Role = Literal[
    "script",  # text run by a shell
    "read",  # a file that is read
    "write",  # a file that is written whole
    "edit",  # a file that is changed: read and written
    "delete",  # a file that is removed
    "move",  # a file that goes elsewhere: read and removed
    "list",  # a directory that is listed
    "search",  # a directory whose files are searched
    "filter",  # the names of the files that are searched, as a glob
    "pattern",  # the paths that are looked for, as a glob
    "connect",  # a URL that is fetched
    "content",  # text that is written or sent
    "patch",  # a patch in the `*** Begin Patch` format: files and content are inside
    "prompt",  # text for a model
    "name",  # the name of a subagent or skill
    "data",  # means nothing for policy
]


@dataclass(frozen=True, slots=True)
class Tool:
    """One canonical tool. `language` is that of its `script` argument. `roles` maps argument names to roles;
    a tool without roles is *unmapped*: strings in its arguments that look like paths or URLs are possible accesses.
    `listed` tools do nothing besides the accesses their arguments make. The script of a `typed` tool is typed into a
    program that runs already, a shell perhaps."""

    name: str
    aliases: tuple[str, ...] = ()
    roles: Mapping[str, Role] = field(default_factory=dict)
    language: Literal["bash", "powershell", "cmd"] | None = None
    listed: bool = False
    typed: bool = False


def _files(role: Role, **more: Role) -> dict[str, Role]:
    return {"file_path": role, **more}


CANONICAL: Final[tuple[Tool, ...]] = (
    Tool("bash", ("Bash",), {"command": "script"}, language="bash"),
    Tool("powershell", ("PowerShell",), {"command": "script"}, language="powershell"),
    Tool("cmd", (), {"command": "script"}, language="cmd"),
    Tool("monitor", ("Monitor",), {"command": "script", "ws": "connect"}, language="bash"),
    Tool("write_stdin", (), {"input": "script"}, language="bash", typed=True),
    Tool("read_file", ("Read",), _files("read"), listed=True),
    Tool("view_image", ("Read",), _files("read"), listed=True),
    Tool("extract_document", ("Read",), _files("read"), listed=True),
    Tool("write_file", ("Write",), _files("write", content="content"), listed=True),
    Tool("edit_file", ("Edit", "MultiEdit"), _files("edit", new_string="content", edits="content"), listed=True),
    Tool("patch_apply", ("MultiEdit", "ApplyPatch"), {"patch": "patch"}, listed=True),
    Tool("notebook_edit", ("NotebookEdit",), {"notebook_path": "edit", "new_source": "content"}, listed=True),
    Tool("delete_file", (), _files("delete"), listed=True),
    Tool("move_file", (), {"source": "move", "destination": "write"}, listed=True),
    Tool("glob", ("Glob",), {"path": "list", "pattern": "pattern"}, listed=True),
    Tool("grep", ("Grep",), {"path": "search", "pattern": "data", "glob": "filter"}, listed=True),
    Tool("list_directory", ("LS",), {"path": "list"}, listed=True),
    Tool("web_scrape", ("WebFetch", "WebSearch"), {"url": "connect", "prompt": "prompt"}, listed=True),
    Tool("web_request", (), {"url": "connect", "body": "content"}),
    Tool("web_search", ("WebSearch",), {"query": "content"}, listed=True),
    Tool("agent", ("Agent", "Task"), {"subagent_type": "name", "prompt": "prompt", "description": "data"}),
    Tool("skill", ("Skill",), {"skill": "name", "args": "data"}),
    Tool("ask_user", ("AskUserQuestion",), {"questions": "data"}, listed=True),
    Tool("plan", ("EnterPlanMode", "ExitPlanMode"), {"plan": "data", "planFilePath": "data"}, listed=True),
    Tool("todo", ("TodoWrite", "TaskCreate", "TaskUpdate", "TaskGet", "TaskList"), {"todos": "data"}, listed=True),
    Tool("read_mcp_resource", ("ReadMcpResourceTool", "ReadMcpResourceDir"), {"server": "name"}),
    Tool("list_mcp_resources", ("ListMcpResourcesTool",), {"server": "name"}, listed=True),
    Tool("wait_for", ("TaskOutput", "BashOutput"), listed=True),
    Tool("cancel_background_job", ("TaskStop", "KillShell")),
    Tool("create_schedule", ("CronCreate",), {"prompt": "prompt", "cron": "data"}),
    Tool("list_schedules", ("CronList",), listed=True),
    Tool("cancel_schedule", ("CronDelete",)),
    Tool("worktree", ("EnterWorktree", "ExitWorktree")),
    Tool("send_message_to_agent", ("SendMessage",)),
)

# Names afk lists without an alias (its tools page); known, so a rule that names one is no typing mistake.
KNOWN_NAMES: Final = frozenset(
    (  # noqa: SIM905 a list of forty quoted names reads worse
        "json_query wait_for test_run browser_open browser_observe browser_act browser_screenshot browser_close "
        "compose model_complete cancel_background_job send_message_to_agent workspace_publish workspace_query "
        "memory_search memory_update procedure_write state_get state_put state_cas state_delete state_query config_get "
        "config_set terminal_font_size create_schedule list_schedules get_schedule_history cancel_schedule worktree "
        "ask_question send_telegram get_runtime_state get_facet read_witness search_witness clipboard_read "
        "clipboard_write"
    ).split()
)


@dataclass(frozen=True, slots=True)
class ToolTable:
    """Tools by canonical name, and who answers to which name. A value: adding names gives a new table."""

    tools: Mapping[str, Tool]

    def names(self, tool: str) -> tuple[str, ...]:
        """The canonical name of `tool` and its aliases: the names a rule may call it by."""
        known = self.tools.get(tool)
        return (tool, *known.aliases) if known else (tool,)

    def called(self, name: str) -> tuple[str, ...]:
        """The canonical names of the tools that answer to `name`."""
        return tuple(tool.name for tool in self.tools.values() if name == tool.name or name in tool.aliases)

    def with_aliases(self, aliases: Mapping[str, Iterable[str]]) -> ToolTable:
        """A table in which each `{alias: [tool, ...]}` is one more name for those tools; a name that is already a
        canonical one keeps its meaning (names add, never redefine: law L6)."""
        further: dict[str, list[str]] = {}
        for alias, members in aliases.items():
            for name in members if alias not in self.tools else ():
                further.setdefault(name, []).append(alias)
        tools = dict(self.tools)
        for name, added in further.items():
            tool = tools.get(name, Tool(name))
            tools[name] = replace(tool, aliases=tuple(dict.fromkeys((*tool.aliases, *added))))
        return ToolTable(tools)

    @property
    def all_names(self) -> frozenset[str]:
        """Every name a rule can use without a warning, MCP names aside."""
        return KNOWN_NAMES.union(*(self.names(tool) for tool in self.tools))


TOOLS: Final = ToolTable({tool.name: tool for tool in CANONICAL})
