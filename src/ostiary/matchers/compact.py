"""Entries of the compact lists `deny`, `ask` and `allow`: `Bash(git push *)`, `Read(**/.env)`, `mcp__github`.

The syntax is that of the permission lists people know, read the safe way: a path entry sees every tool and program, not
one tool; `/x` is the root of the machine (`//x` is the same); what would be dead there works here, or is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, Literal

from ostiary import paths, patterns, urls
from ostiary.matchers.base import Plan, both, either, parsed, refuse, refuse_typographic
from ostiary.matchers.line import line_plan, without_folder
from ostiary.matchers.tool import unknown_tool
from ostiary.records import NamedTuple
from ostiary.spelling import nearest, shown
from ostiary.tools import TOOLS

Decision = Literal["deny", "ask", "allow"]


class Entry(NamedTuple):
    """One entry. `text` is its identity; `lints` are (message, help) pairs; `names` the tools it names, which may turn
    out to be unknown."""

    text: str
    plan: Plan
    lints: tuple[tuple[str, str], ...] = ()
    names: tuple[str, ...] = ()

    def unknown(self, names: frozenset[str]) -> tuple[tuple[str, str], ...]:
        """Message and help for each tool that is not among the known `names`."""
        return tuple(unknown_tool(name, names) for name in self.names if name not in names)


_CALL: Final = re.compile(r"(?P<tool>[^()\s]+)\((?P<inner>.*)\)", re.DOTALL)
_GAP: Final = re.compile(r"(?P<tool>[A-Za-z][\w.-]*)\s+(?P<rest>\(.*\))", re.DOTALL)
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
_PARAMETER: Final = re.compile(r"(?P<name>[A-Za-z_][A-Za-z0-9_]*):(?P<value>.+)", re.DOTALL)


def entry(text: str, decision: Decision) -> Entry:
    """The entry that `text` is in the list `decision`. Raises the error of `matchers.base.refuse` for one that has no
    meaning."""
    text = text.strip()
    refuse_typographic(text)
    call = _CALL.fullmatch(text)
    if not call:
        return _bare(text, decision)
    tool, inner = call["tool"], call["inner"].strip()
    if not inner:
        raise refuse("there is nothing in the parentheses", f"write `{shown(tool)}` for every use of the tool")
    form = _FORMS.get(tool)
    plan, lints = form(inner, decision) if form else (_parameter(tool, inner, decision), ())
    return Entry(text, plan, lints, () if form or tool.startswith("mcp__") else (tool,))


def _bare(text: str, decision: Decision) -> Entry:
    if text == "*":
        return Entry(text, ("tool", "all"))
    if gap := _GAP.fullmatch(text):
        raise refuse("a blank stands before the parenthesis", f"write `{shown(gap['tool'] + gap['rest'])}`")
    if "(" in text or ")" in text:
        raise refuse(
            f"`{shown(text)}` has unbalanced parentheses",
            "inside `[...]` an entry that holds a comma, a bracket or a brace needs quotes",
        )
    if text.startswith("mcp__"):
        return Entry(text, _mcp(text, decision))
    if not _NAME.fullmatch(text):
        raise refuse(f"`{shown(text)}` is no entry", "write `Tool` or `Tool(what)`, one tool for each entry")
    return Entry(text, ("tool", "exact", (text,)), (), (text,))


def _mcp(text: str, decision: Decision) -> Plan:
    server, _, tool = text.removeprefix("mcp__").partition("__")
    if decision == "allow" and (not server or re.search(r"[*?\[]", server)):
        raise refuse("an allow must name the server in full", "write `mcp__SERVER__*`")
    if not server:
        raise refuse("the entry names no server", "write `mcp__*` for every server")
    tools = None if tool in ("", "*") else (parsed(patterns.text_plan, tool),)
    servers = None if server == "*" else (parsed(patterns.text_plan, server),)
    return ("mcp", servers, tools, None)


Form = Callable[[str, Decision], tuple[Plan, tuple[tuple[str, str], ...]]]


def _command(tool: str) -> Form:
    """`Bash(p)`: a command that fits `p`, in this tool; beside a command, `Bash` means every shell (law L1)."""

    def form(inner: str, decision: Decision) -> tuple[Plan, tuple[tuple[str, str], ...]]:
        plans, lints = [line_plan(inner)], []
        name = without_folder(inner)
        if name and decision != "allow":
            # A deny must not hang on how the program was found; an allow of `./x` is no allow of any other `x`.
            plans.append(line_plan(name))
        if re.match(r"command\s*:", inner):
            lints.append(("`command:` stands for no argument here", "write the command itself: `Bash(git push *)`"))
        if ":*" in inner[:-2]:
            lints.append(("`:*` means *with any arguments* only at the end", "write ` *`"))
        if re.search(r"&&|(?<!\\)[;|]", inner):
            help = "write one entry for each command"
            lints.append(("commands are judged one by one: a pattern with an operator fits none", help))
        return both([("tool", "exact", (tool,)), ("command", either(plans))]), tuple(lints)

    return form


def _paths(inner: str) -> tuple[Plan, ...]:
    pattern = re.sub("^//+", "/", inner)
    return (parsed(paths.path_plan, pattern),)


def _read(inner: str, decision: Decision) -> tuple[Plan, tuple[tuple[str, str], ...]]:
    """`Read(p)`: what must not be read must not be written either."""
    kinds = ["reads"] if decision == "allow" else ["reads", "writes"]
    return either([(kind, _paths(inner)) for kind in kinds]), ()


def _edit(inner: str, _: Decision) -> tuple[Plan, tuple[tuple[str, str], ...]]:
    return either([(kind, _paths(inner)) for kind in ("writes", "deletes")]), ()


def _search(tool: str) -> Form:
    """`Grep(p)`: reads of this tool alone."""
    return lambda inner, _: (both([("tool", "exact", (tool,)), ("reads", _paths(inner))]), ())


def _fetch(inner: str, _: Decision) -> tuple[Plan, tuple[tuple[str, str], ...]]:
    host = inner.removeprefix("domain:").strip()
    if host == inner or not host:
        raise refuse("the parentheses hold no domain", "write `WebFetch(domain:example.com)`")
    return ("connects", (parsed(urls.host_plan, host),)), ()


def _named(tool: str) -> Form:
    """`Agent(n)`, `Skill(n)`: the argument that holds the name."""
    roles = TOOLS.tools[tool].roles
    argument = next(name for name, role in roles.items() if role == "name")
    known = {*roles, "model"}

    def form(inner: str, decision: Decision) -> tuple[Plan, tuple[tuple[str, str], ...]]:
        parameter = _PARAMETER.fullmatch(inner)
        if parameter and parameter["name"] in known:  # else a name with a colon in it, as plugins have them
            return _parameter(tool, inner, decision), ()
        name = re.sub(r"(\s+|:)\*$", "", inner)  # `Skill(x *)`: x with any arguments
        return both([("tool", "exact", (tool,)), _argument(argument, name)]), ()

    return form


def _parameter(tool: str, inner: str, decision: Decision) -> Plan:
    """`Tool(param:value)`: a top-level argument."""
    match = _PARAMETER.fullmatch(inner)
    if not match:
        name = shown(tool)
        near = nearest(tool, _FORMS) if tool not in TOOLS.all_names else ""
        help = f"did you mean `{near}(...)`?" if near else f"write `{name}` or `{name}(argument:value)`"
        raise refuse(f"`{name}(...)` has no meaning here", help)
    if decision == "allow":
        raise refuse("an allow cannot rest on one argument", "write a rule with `input`")
    plan = _mcp(tool, decision) if tool.startswith("mcp__") else ("tool", "exact", (tool,))
    return both([plan, _argument(match["name"], match["value"].strip())])


def _argument(name: str, value: str) -> Plan:
    """One argument with a value in which only `*` is special."""
    if "*" in value:
        return ("input", (((name,), "glob", ("glob", value)),))
    return ("input", (((name,), "equals", value),))


_FORMS: Final[dict[str, Form]] = {
    **dict.fromkeys(("Bash", "bash"), _command("Bash")),
    **dict.fromkeys(("PowerShell", "powershell"), _command("PowerShell")),
    **dict.fromkeys(("Monitor", "monitor"), _command("Monitor")),
    **dict.fromkeys(("Read", "read_file"), _read),
    **dict.fromkeys(("Edit", "Write", "MultiEdit", "NotebookEdit", "edit_file", "write_file"), _edit),
    **{name: _search(name) for name in ("Grep", "Glob", "LS", "grep", "glob", "list_directory")},
    **dict.fromkeys(("WebFetch", "web_scrape"), _fetch),
    **dict.fromkeys(("Agent", "Task", "agent"), _named("agent")),
    **dict.fromkeys(("Skill", "skill"), _named("skill")),
}
