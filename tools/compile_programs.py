"""Compile the data about programs: `programs/data/*.yaml` to the plain Python module `programs/table.py`.

Run it after every change of the data: `PYTHONPATH=src python tools/compile_programs.py`. A test compares the two.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from ruamel.yaml import YAML

from ostiary.programs import model

FOLDER = Path(__file__).resolve().parent.parent / "src" / "ostiary" / "programs"
HEADER = '''"""What programs do. Generated from `programs/data/` by `tools/compile_programs.py`; change it there."""

# ruff: noqa: E501
# fmt: off

from __future__ import annotations

'''


def _words(text: str) -> str:
    return " ".join(text.split())


def _role(role: str) -> str:
    if model.head(role) not in model.VALUE_ROLES:
        raise ValueError(f"`{role}` is no role of a value")
    return role


def _options(text: str) -> str:
    seen: set[str] = set()
    for token in text.split():
        data = model.option_data(token)
        _role(data.value)
        if data.role not in model.OPTION_ROLES:
            raise ValueError(f"`{data.role}` in `{token}` is no role of an option")
        if twice := seen & data.names:
            raise ValueError(f"{sorted(twice)} stand twice")
        seen |= data.names
        for name in data.names:
            if name[:1] not in ("-", "+", "/"):
                raise ValueError(f"`{name}` in `{token}` is no spelling of an option")
    return _words(text)


def _operands(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    found = model.slots(text)
    for role in (*found.first, *found.last, *([found.rest] if found.rest else [])):
        _role(role)
    return _words(text)


def _touches(text: str) -> str:
    for item in text.split():
        _role(model.touch(item)[0])
    return _words(text)


def _traits(text: str) -> str:
    if unknown := set(text.split()) - model.TRAITS:
        raise ValueError(f"{sorted(unknown)} are no traits")
    return _words(text)


Role = Annotated[str, BeforeValidator(_role)]
Operands = Annotated[str, BeforeValidator(_operands)]
Touches = Annotated[str, BeforeValidator(_touches)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Change(_Strict):
    """What an option changes about the others."""

    operands: Operands | None = None
    values: dict[str, Role] = {}
    also: Touches | None = None
    absent: Touches | None = None


class Entry(_Strict):
    """One program or subcommand."""

    traits: Annotated[str, BeforeValidator(_traits)] | None = Field(None, alias="is")
    options: Annotated[str, BeforeValidator(_options)] | None = None
    operands: Operands | None = None
    absent: Touches | None = None
    also: Touches | None = None
    stdin: Role | None = None
    keys: dict[str, Role] = {}
    when: dict[str, Operands | Change] = {}
    subcommands: dict[str, Entry] = {}


def _separate(names: str) -> list[str]:
    """The names of an entry; `cmd:del=erase` are two."""
    found: list[str] = []
    for name in names.split():
        one, *others = name.split("=") if name.startswith("cmd:") else [name]
        found += [one, *(f"cmd:{other}" for other in others)]
    return found


def load(folder: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """The entries of all files by their first name, and the other names with the entry each means."""
    programs: dict[str, Any] = {}
    aliases: dict[str, str] = {}
    for path in sorted(folder.glob("[a-z]*.yaml")):
        for names, raw in YAML(typ="safe", pure=True).load(path).items():
            first, *others = _separate(names)
            for name in (first, *others):
                if name in programs or name in aliases:
                    raise ValueError(f"{path.name}: `{name}` stands twice")
            try:
                entry = Entry.model_validate(raw)
            except ValidationError as error:
                raise ValueError(f"{path.name}: {first}: {error}") from None
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
    for path in sorted(folder.glob("[a-z]*.yaml")):
        for names, raw in YAML(typ="safe", pure=True).load(path).items():
            cmdlet = {"cmdlet", "net"} & set(raw.get("is", "").split())
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
