"""Files that come with the package: schemas and starter policies."""

from __future__ import annotations

import os
from typing import Final

from ostiary.sources.places import Places

SCHEMAS: Final = ("policy", "outcome", "suite")
"""The JSON schemas that are shipped."""


def schema(places: Places, name: str) -> str:
    """The text of a schema."""
    # Beside the packs, in an installed package and in a checkout alike.
    return _text(os.path.join(os.path.dirname(places.packs), "schemas", f"{name}.schema.json"))


def starter(places: Places, name: str) -> str:
    """The text of a file that `init` writes."""
    return _text(os.path.join(places.packs, "starters", name))


def _text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()
