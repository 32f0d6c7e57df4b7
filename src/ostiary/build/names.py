"""Names of files."""

from __future__ import annotations


def stem(label: str) -> str:
    """The name of a file without its folder and ending."""
    name = label.replace("\\", "/").rsplit("/", 1)[-1]
    for suffix in (".yaml", ".yml"):
        name = name.removesuffix(suffix)
    return name
