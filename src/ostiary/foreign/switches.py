"""What a settings file says about others: which plugins run, which of their groups do not, whether hooks run at all.

Read wherever hooks are looked for, so without the models that compiling needs. A file that cannot be read says nothing
here; that it cannot is told where its hooks are compiled.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from ostiary.expressions import expression
from ostiary.records import NamedTuple

DISABLED: Final = "disabledPluginHooks"
PASSED: Final = "pluginHookEnv"
SWITCHES: Final = (DISABLED, PASSED)
"""afk's switches for plugins, read in the user's own files."""

_CREDENTIALS: Final = frozenset(
    ("ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "OPENAI_API_KEY", "TELEGRAM_BOT_TOKEN")
)
_SECRET: Final = expression("AFK_.*_(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)")

_Lists = Mapping[str, tuple[str, ...]]


class Switches(NamedTuple):
    """`off`: no hooks of this file's tier and below (Claude Code's `disableAllHooks`); `managed_only`: none but managed
    ones. `plugins` are those that are switched on or off, by `name@marketplace`. `urls` are the only ones that hooks
    may post to, None if there is no such list. `disabled` and `passed` are afk's switches, by the plugin's name."""

    off: bool
    managed_only: bool
    plugins: Mapping[str, bool]
    urls: tuple[str, ...] | None
    disabled: _Lists
    passed: _Lists


def read(raw: bytes) -> Switches:
    """The switches of a settings file."""
    data = document(raw)
    plugins = _object(data.get("enabledPlugins"))
    urls = data.get("allowedHttpHookUrls")
    passed = {name: tuple(item for item in items if not is_kept(item)) for name, items in _lists(data, PASSED).items()}
    return Switches(
        off=data.get("disableAllHooks") is True,
        managed_only=data.get("allowManagedHooksOnly") is True,
        plugins={name: value for name, value in plugins.items() if isinstance(value, bool)},
        urls=_texts(urls) if isinstance(urls, list) else None,
        disabled=_lists(data, DISABLED),
        passed=passed,
    )


def document(raw: bytes) -> Mapping[str, Any]:
    """The object in a file, an empty one for what holds none. Raises nothing."""
    try:
        return _object(json.loads(raw))
    except (ValueError, RecursionError):
        return {}


def is_kept(name: object) -> bool:
    """Whether a variable holds a credential of an agent, which no plugin gets."""
    return isinstance(name, str) and (name in _CREDENTIALS or _SECRET.fullmatch(name) is not None)


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _lists(data: Mapping[str, Any], key: str) -> dict[str, tuple[str, ...]]:
    return {name: _texts(items) for name, items in _object(data.get(key)).items() if isinstance(items, list)}


def _texts(items: list[Any]) -> tuple[str, ...]:
    return tuple(item for item in items if isinstance(item, str))
