"""What agents are told when Ostiary itself fails (law L7)."""

from __future__ import annotations

from ostiary.dialects import OnError
from ostiary.sources.compiling import compile_source
from ostiary.sources.desk import Desk
from ostiary.sources.places import NoPlace, find_places
from ostiary.sources.roots import find_roots
from ostiary.sources.settings import load_settings


def on_error(config_dir: str | None) -> OnError:
    """What a gate answers when Ostiary itself fails; the strictest where the settings cannot be read. Raises nothing
    but what is wrong with this process."""
    try:
        return load_settings(Desk(find_places(config_dir), compile_source), find_roots(None)).on_error
    except NoPlace:
        return "deny"
