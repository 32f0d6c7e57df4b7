"""Files that come with the package: schemas, starter policies and the code of plugins."""

from __future__ import annotations

import os
from typing import Final

import ostiary
from ostiary.sources.places import Places

SCHEMAS: Final = ("policy", "programs", "tools", "outcome", "status", "suite")
"""The JSON schemas that are shipped."""


def schema(places: Places, name: str) -> str:
    """The text of a schema."""
    # Beside the packs, in an installed package and in a checkout alike.
    return _text(os.path.join(os.path.dirname(places.packs), "schemas", f"{name}.schema.json"))


def starter(places: Places, name: str) -> str:
    """The text of a file that `init` writes."""
    return _text(os.path.join(places.packs, "starters", name))


def plugin(name: str) -> str:
    """The text of a file that plugins for agents are made of."""
    # Part of the package, unlike the packs, which are put beside it when it is built.
    return _text(os.path.join(os.path.dirname(ostiary.__file__), "plugins", name))


def _text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()
