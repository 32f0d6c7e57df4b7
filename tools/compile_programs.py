"""Compile the data about programs: `programs/data/*.yaml` to `programs/table.txt`.

Run it after every change of the data: `PYTHONPATH=src python tools/compile_programs.py`. A test compares the two.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from ruamel.yaml import YAML

from ostiary.definitions import Entry, Shipped, names_of
from ostiary.paths import key, path_plan

FOLDER = Path(__file__).resolve().parent.parent / "src" / "ostiary" / "programs"
HEADER = "Generated from `programs/data/` by `tools/compile_programs.py`; change it there.\n"


def entries(folder: Path) -> Iterator[tuple[Path, str, Entry]]:
    """The entries of all files with their names. Raises ValueError for a file that is not well written. Unlike files of
    users these may have anchors, and so are read without places."""
    for path in sorted(folder.glob("[a-z]*.yaml")):
        try:
            found = Shipped.model_validate(YAML(typ="safe", pure=True).load(path))
        except ValidationError as error:
            told = (f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
            raise ValueError(f"{path.name}: {'; '.join(told)}") from None
        for names, entry in found.root.items():
            yield path, names, entry


def load(folder: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """The entries of all files by their first name, and the other names with the entry each means."""
    programs: dict[str, Any] = {}
    aliases: dict[str, str] = {}
    for path, names, entry in entries(folder):
        first, *others = names_of(names)
        for name in (first, *others):
            if name in programs or name in aliases:
                raise ValueError(f"{path.name}: `{name}` stands twice")
        programs[first] = entry.model_dump(by_alias=True, exclude_unset=True)
        if {"cmdlet", "net"} & set((entry.traits or "").split()):  # found without case
            others += [name.lower() for name in (first, *others) if name != name.lower()]
        aliases.update(dict.fromkeys(others, first))
    return programs, aliases


def twins(folder: Path) -> dict[str, str]:
    """Names that shells of Windows have for one command: those after `ps:` for the cmdlet before them, `cmd:del=erase`,
    and cmdlets in lower case."""
    found: dict[str, str] = {}
    last = ""
    for _, names, entry in entries(folder):
        cmdlet = {"cmdlet", "net"} & set((entry.traits or "").split())
        for name in names.split():
            first, *others = name.split("=") if name.startswith("cmd:") else [name]
            found.update({f"cmd:{other}": first for other in others})
            if cmdlet and name.startswith("ps:"):
                found[name] = last
            elif cmdlet:
                last = name
                found[name.lower()] = name
    return found


def render(folder: Path) -> str:
    """The text of the generated file: sections, each below a line `== NAME`."""
    programs, aliases = load(folder)
    environment = YAML(typ="safe", pure=True).load(folder / "_environment.yaml")
    sections = {
        "names": sorted(programs),
        "aliases": [f"{name} {first}" for name, first in sorted(aliases.items())],
        "twins": [f"{name} {first}" for name, first in sorted(twins(folder).items())],
        **{name: sorted(words.split()) for name, words in environment.items()},
        **{f"autorun {scope}": by_name(patterns) for scope, patterns in autorun(folder).items()},
        "programs": [f"{name} {json.dumps(programs[name])}" for name in sorted(programs)],
    }
    return HEADER + "".join(f"\n== {name}\n" + "\n".join([*lines, ""]) for name, lines in sections.items())


def autorun(folder: Path) -> dict[str, list[str]]:
    """The places whose content runs later, by scope. Raises ValueError for a bad pattern or one that stands twice."""
    found: dict[str, list[str]] = {}
    seen: set[str] = set()
    for scope, lines in YAML(typ="safe", pure=True).load(folder / "_autorun.yaml").items():
        found[scope] = [pattern for line in lines for pattern in shlex.split(line)]
        for pattern in found[scope]:
            path_plan(pattern)
            if pattern in seen:
                raise ValueError(f"`{pattern}` stands twice")
            seen.add(pattern)
    return found


def by_name(patterns: list[str]) -> list[str]:
    """A name and the patterns that need it in each line, with tabs between; those that need none come first."""
    found: dict[str, list[str]] = {"": []}
    for pattern in patterns:
        found.setdefault(key(path_plan(pattern)), []).append(pattern)
    return ["\t".join((name, *members)) for name, members in found.items() if members]


def main() -> int:
    """Write the file; 1 if it was out of date."""
    target = FOLDER / "table.txt"
    text = render(FOLDER / "data")
    stale = not target.exists() or target.read_text(encoding="utf-8") != text
    target.write_text(text, encoding="utf-8")
    return int(stale)


if __name__ == "__main__":
    sys.exit(main())
