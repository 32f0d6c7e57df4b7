"""Compile the data about programs: `programs/data/*.yaml` to the plain Python module `programs/table.py`.

Run it after every change of the data: `PYTHONPATH=src python tools/compile_programs.py`. A test compares the two.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from ruamel.yaml import YAML

from ostiary.definitions import Entry, Shipped, names_of

FOLDER = Path(__file__).resolve().parent.parent / "src" / "ostiary" / "programs"
HEADER = '''"""What programs do. Generated from `programs/data/` by `tools/compile_programs.py`; change it there."""

# ruff: noqa: E501
# fmt: off

from __future__ import annotations

'''


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
    """The text of the generated module."""
    programs, aliases = load(folder)
    environment = YAML(typ="safe", pure=True).load(folder / "_environment.yaml")
    lines = [HEADER, "PROGRAMS: dict[str, str] = {\n"]
    lines += [f"    {name!r}: {json.dumps(programs[name])!r},\n" for name in sorted(programs)]
    lines += ["}\n\nALIASES: dict[str, str] = {\n"]
    lines += [f"    {name!r}: {aliases[name]!r},\n" for name in sorted(aliases)]
    lines += ["}\n\nTWINS: dict[str, str] = {\n"]
    lines += [f"    {name!r}: {one!r},\n" for name, one in sorted(twins(folder).items())]
    lines += ["}\n\n", f"INERT_VARIABLES = frozenset({sorted(environment['inert'].split())!r})\n"]
    lines += [f"INERT_PREFIXES = {tuple(environment['prefixes'].split())!r}\n"]
    lines += [f"OBEYED_VARIABLES = frozenset({sorted(environment['obeyed'].split())!r})\n"]
    lines += [f"OBEYED_PREFIXES = {tuple(environment['obeyed_prefixes'].split())!r}\n"]
    lines += [f"COMMAND_VARIABLES = frozenset({sorted(environment['commands'].split())!r})\n"]
    lines += [f"COMMAND_PREFIXES = {tuple(environment['command_prefixes'].split())!r}\n"]
    lines += [f"EXPANDED_VARIABLES = frozenset({sorted(environment['expanded'].split())!r})\n"]
    lines += [f"FILE_VARIABLES = frozenset({sorted(environment['files'].split())!r})\n"]
    return "".join(lines)


def main() -> int:
    """Write the module; 1 if it was out of date."""
    target = FOLDER / "table.py"
    text = render(FOLDER / "data")
    stale = not target.exists() or target.read_text(encoding="utf-8") != text
    target.write_text(text, encoding="utf-8")
    return int(stale)


if __name__ == "__main__":
    sys.exit(main())
