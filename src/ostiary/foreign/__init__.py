"""Hooks of other settings files: what Claude Code and afk read in theirs, as rules of ours.

A set-up that exists runs as it is, by the rules of the agent that it was written for: its events, its reading of
matchers, its units of time. What has no meaning is skipped with a warning that says where; nothing is printed. Gates
are never read here: Ostiary's own settings open them.

`foreign.compiling` makes the rules. This module holds what is known of a file before it is read, which a hook that
finds the plans in its cache needs alone.
"""

from __future__ import annotations

from typing import Final, Literal

from ostiary.records import NamedTuple
from ostiary.tiers import TierName

__all__ = ["AGENTS", "AgentName", "Origin", "Server"]

AgentName = Literal["claude-code", "afk"]

AGENTS: Final[tuple[AgentName, ...]] = ("claude-code", "afk")
"""The agents whose settings files can be read, in the order in which their hooks are walked."""


class Server(NamedTuple):
    """An MCP server of an agent's own configuration: a program with its arguments and the variables that it gets
    besides, or an address with headers."""

    name: str
    command: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    url: str = ""
    headers: tuple[tuple[str, str], ...] = ()


class Origin(NamedTuple):
    """Where a settings file comes from, and what other files say about it.

    `agent` is the one it was written for, `tier` ours. `folder` is the absolute one that programs with a relative path
    start from, a plugin's own for its files, empty if there is none; `base` is what `/x` in a path of an `if` starts
    from, as a rule file would write it. `plugin` is the name in a plugin's manifest; `disabled` are its groups that the
    user has switched off (`Event` or `Event:matcher`), `passed` the environment variables that the user lets its hooks
    have. `urls` are the only URLs that hooks may post to, with `*` for any text, None for all. `servers` are the MCP
    servers that hooks may name. `off` says why no hook in the file counts, empty if they do.
    """

    agent: AgentName
    tier: TierName
    folder: str = ""
    base: str = "./"
    plugin: str = ""
    disabled: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    urls: tuple[str, ...] | None = None
    servers: tuple[Server, ...] = ()
    off: str = ""
