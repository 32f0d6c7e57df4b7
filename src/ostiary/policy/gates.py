"""The gates: which handlers may run at all (law L6)."""

from __future__ import annotations

from typing import Final

from ostiary.records import dataclass
from ostiary.tiers import TierName

CODE: Final = frozenset({"command", "python", "mcp_tool"})
"""Kinds of handlers that start code of this machine."""


@dataclass(frozen=True, slots=True)
class Gates:
    """Which gates are open; all are closed unless the user's or the managed settings open them."""

    enable_shell_hooks: bool = False
    allow_project_hooks: bool = False
    enable_plugin_hooks: bool = False

    def shut(self, tier: TierName, kind: str) -> str:
        """Why a handler of this kind does not run in this tier, empty if it may."""
        if tier == "managed":
            return ""
        if tier == "plugin":
            if kind == "python":
                return _NO_CODE
            return "" if self.enable_plugin_hooks else "the settings do not say `enable_plugin_hooks: true`"
        if tier == "project" and kind == "python":
            return _NO_CODE
        if tier == "project" and not self.allow_project_hooks:
            return "the settings do not say `allow_project_hooks: true`"
        if kind in CODE and not self.enable_shell_hooks:
            return "the settings do not say `enable_shell_hooks: true`"
        return ""


_NO_CODE: Final = "`python` runs only for rules of the user and managed ones"
