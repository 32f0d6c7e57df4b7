"""What agents are told when Ostiary itself fails (law L7)."""

from __future__ import annotations

from typing import Final

from ostiary.dialects import OnError
from ostiary.sources.compiling import compile_source
from ostiary.sources.desk import Desk
from ostiary.sources.places import NoPlace, find_places
from ostiary.sources.roots import find_roots
from ostiary.sources.settings import load_settings

_STRICT: Final[tuple[OnError, ...]] = ("continue", "ask", "deny")


def on_error(config_dir: str | None, recorded: bool = True) -> OnError:
    """What a gate answers when Ostiary itself fails, and where that is not `recorded` either; the strictest where the
    settings cannot be read. Raises nothing but what is wrong with this process."""
    try:
        found = load_settings(Desk(find_places(config_dir), compile_source), find_roots(None))
    except NoPlace:
        return "deny"
    return found.on_error if recorded else max(found.on_error, found.on_unrecordable, key=_STRICT.index)
