"""What programs do: `table.txt`, which `tools/compile_programs.py` makes of `programs/data/`.

The text is read as the modules of this package are, when it is imported. Its entries stay bytes until they are needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final


def _halves(loader: Any) -> tuple[bytes, list[bytes]]:
    """The sections, and the lines of the last one, the entries of programs."""
    data: bytes = loader.get_data(__file__.removesuffix("table.py") + "table.txt")
    sections, _, entries = data.partition(b"\n== programs\n")
    return sections, entries.split(b"\n")


_SECTIONS, _ENTRIES = _halves(__spec__.loader)
_TEXT: Final = dict(part.split("\n", 1) for part in _SECTIONS.decode().split("\n== ")[1:])


def _pairs(section: str) -> dict[str, str]:
    words = _TEXT[section].split()
    return dict(zip(words[::2], words[1::2], strict=True))


def _words(section: str) -> frozenset[str]:
    return frozenset(_TEXT.get(section, "").split())


class Entries(Mapping[str, str]):
    """Entries by name, in the order of their lines, each the text behind the name."""

    __slots__ = ("_lines",)

    def __init__(self, lines: dict[str, bytes | str]) -> None:
        self._lines = lines

    def __contains__(self, name: object) -> bool:
        return name in self._lines

    def __getitem__(self, name: str) -> str:
        found = self._lines[name]
        if isinstance(found, bytes):
            found = self._lines[name] = found.decode()[len(name) + 1 :]
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)


PROGRAMS: Final = Entries(dict(zip(_TEXT["names"].split(), _ENTRIES, strict=False)))
"""Entries as JSON texts by the first name of the program."""
ALIASES: Final = _pairs("aliases")
"""Further names, with the first name of the program each means."""
TWINS: Final = _pairs("twins")
"""Names that shells of Windows have for one command, with the first of them."""
INERT_VARIABLES: Final = _words("inert")
INERT_PREFIXES: Final = tuple(_TEXT["prefixes"].split())
OBEYED_VARIABLES: Final = _words("obeyed")
OBEYED_PREFIXES: Final = tuple(_TEXT["obeyed_prefixes"].split())
COMMAND_VARIABLES: Final = _words("commands")
COMMAND_PREFIXES: Final = tuple(_TEXT["command_prefixes"].split())
FILE_VARIABLES: Final = _words("files")
EXPANDED_VARIABLES: Final = _words("expanded")
AUTORUN: Final[Mapping[str, str]] = {
    name.removeprefix("autorun "): text for name, text in _TEXT.items() if name.startswith("autorun ")
}
"""Places whose content runs later, by scope: in each line a name and the patterns that need it, with tabs between."""
