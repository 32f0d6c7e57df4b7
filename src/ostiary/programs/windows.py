"""Arguments as PowerShell's cmdlets and programs of Windows read them: names without case, abbreviations, slashes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from ostiary.expressions import expression
from ostiary.programs.arguments import Arguments, Reader, Used
from ostiary.programs.lookup import subprogram
from ostiary.programs.model import OptionData, Program, option_data
from ostiary.words import Hole, Word, joined, phrase, word

_COMMON: Final = tuple(
    map(
        option_data,
        (
            *("-Verbose|-vb", "-Debug|-db", "-ErrorAction|-ea=", "-WarningAction|-wa=", "-InformationAction|-infa="),
            *("-ErrorVariable|-ev=", "-WarningVariable|-wv=", "-InformationVariable|-iv=", "-OutVariable|-ov="),
            *("-OutBuffer|-ob=", "-PipelineVariable|-pv=", "-ProgressAction|-proga=", "-Confirm|-cf", "-WhatIf|-wi"),
        ),
    )
)
"""Parameters of every cmdlet (about_CommonParameters)."""

_PARAMETER: Final = expression("[-\u2013-\u2015](?:-$|[A-Za-z_?][^\\s:]*(?::|$))")
"""What starts as a parameter does; a text with blanks was in quotes."""


class CmdletReader(Reader):
    """Reads parameters of a cmdlet: `-name value`, `-name:value`, any unambiguous start of a name, no case. `full` are
    the words with the names of parameters in full."""

    def __init__(self, words: tuple[Word, ...], data: Program) -> None:
        super().__init__(words, data)
        self.full = [word(data.path[0]), *words[1:]]

    def read(self) -> Arguments:
        """What the words mean, with their names in full."""
        found = super().read()
        return found._replace(plain=tuple(self.full))

    def _word(self, item: Word) -> None:
        prefix = item.prefix
        if self.ended or not _PARAMETER.match(prefix):
            if item.many and not self.ended and item.holes[:1] == item.pieces[:1]:
                self.loose.append(item)  # `@x` may hold parameters
            self._value(item)
        elif item.text == "--":
            self.ended = True
        else:
            self._parameter(item, "-" + prefix[1:])

    def _value(self, item: Word) -> None:
        first = self._slots()
        if (first.rest or " ".join(first.first)) == "code:powershell" and not self.operands:
            item = phrase((item, *self.words[self.index :])) if "stops" in self.data.traits else item
            self.index = len(self.words) if "stops" in self.data.traits else self.index
        self._operand(item)

    def _parameter(self, item: Word, prefix: str) -> None:
        name, colon, _ = prefix.partition(":")
        value = item.after(len(name) + 1) if colon else None
        if not colon and item.holes:
            self.loose.append(item)
            return
        known = _parameters(self.data)
        exact = known.get(name.lower())
        found = [exact] if exact else _abbreviated(known, name.lower())
        if not found:
            self.options.append(Used(frozenset({name, name.lower()}), value, "shape", known=False))
        elif len(found) > 1:
            names = frozenset[str]().union(*(_spellings(self.data, data) for data in found))
            role = next((data.role for data in found if data.role), "")
            self.options.append(Used(names, value, "shape", role, ambiguous=True))
        else:
            self._given(found[0], value)

    def _given(self, data: OptionData, value: Word | None) -> None:
        """One known parameter. `-Force:$false` is a switch that is not set."""
        if not data.kind and value is not None:
            if value.text in ("$false", "0", "false"):
                return
            if value.holes:
                self.loose.append(value)
                return
            value = None
        self.full[self.index - 1] = _in_full(data, self.words[self.index - 1])
        shown = data._replace(names=_spellings(self.data, data))
        if data.kind == "$" and value is None and data.value.startswith("code:"):
            rest = self.words[self.index :]
            self.index = len(self.words)
            self.options.append(Used(shown.names, phrase(rest) if rest else None, data.value, data.role))
        else:
            self._take(shown, value)


def _in_full(data: OptionData, item: Word) -> Word:
    name = max(data.names, key=lambda name: (name != name.lower(), len(name)))
    rest = item.after(len(item.prefix.partition(":")[0]))
    return joined([name, *rest.pieces], item.many)


@lru_cache(maxsize=512)
def _parameters_of(options: tuple[OptionData, ...]) -> Mapping[str, OptionData]:
    found = {name.lower(): data for data in _COMMON for name in data.names}
    found.update({name.lower(): data for data in options for name in data.names})
    return found


def _parameters(data: Program) -> Mapping[str, OptionData]:
    """The parameters of a cmdlet by their names in lower case."""
    return _parameters_of(tuple(dict.fromkeys(data.options.values())))


def _abbreviated(known: Mapping[str, OptionData], name: str) -> list[OptionData]:
    """The parameters that a name can be the start of; the cmdlet's own before those of every cmdlet."""
    return list(dict.fromkeys(data for full, data in known.items() if full.startswith(name)))


def _spellings(program: Program, data: OptionData) -> frozenset[str]:
    """All spellings of a parameter in lower case, and its names as they are documented."""
    known = _parameters(program)
    starts = {
        name.lower()[:length]
        for name in data.names
        for length in range(2, len(name) + 1)
        if _abbreviated(known, name.lower()[:length]) == [data]
    }
    return data.names | starts | {name.lower() for name in data.names}


class MethodReader(Reader):
    """Reads arguments of a method: none of them is an option."""

    def _word(self, item: Word) -> None:
        self._operand(item)


class SlashReader(Reader):
    """Reads `/s/q`, `/x:value`, `/name value`, without case; programs that are no commands of cmd also take `-x`."""

    def _word(self, item: Word) -> None:
        prefix = item.prefix
        sign = prefix[:1]
        inner = self.data.path[0].startswith("cmd:")
        if self.ended or len(prefix) < 2 or (sign != "/" and (sign != "-" or inner)):
            super()._word(item) if sign == "+" else self._operand(item)
            return
        self._slash(item, "/" + prefix.lstrip(sign))

    def _slash(self, item: Word, prefix: str) -> None:
        skipped = len(item.prefix) - len(prefix)
        name, colon, _ = prefix.partition(":")
        found = self._find(name.lower())
        if found and found.kind == "$":
            return self._rest(found, item.after(skipped + len(name) + len(colon)))
        opening = self.data.options.get(name.lower()[:2])
        if not found and opening and opening.kind == "$":
            return self._rest(opening, item.after(skipped + 2))
        if not found and prefix.count("/") > 1 and not item.holes:
            return self._split(prefix)
        value = item.after(skipped + len(name) + 1) if colon else None
        if not colon and item.holes:
            self.loose.append(item)
            return None
        if found is None:
            return self._unknown(item, name, value)
        names = found.names | {"-" + name[1:] for name in found.names}
        self._take(found._replace(names=names, kind="" if colon or found.kind == "?" else found.kind), value)
        return None

    def _subcommand(self, item: Word) -> None:
        text = item.text
        lower = text is not None and subprogram(self.data, text.lower()) is not None
        super()._subcommand(word((text or "").lower()) if lower else item)

    def _find(self, name: str) -> OptionData | None:
        return self.data.options.get(name) or self.data.options.get("/" + name)

    def _unknown(self, item: Word, name: str, value: Word | None) -> None:
        """An option that the data does not know; `/tmp/x` may be a path that another shell meant."""
        self.options.append(Used(frozenset({name.lower(), "-" + name[1:].lower()}), value, "shape", known=False))
        if name.count("/") > 1:
            self._operand(item)

    def _split(self, prefix: str) -> None:
        pieces = [piece for piece in prefix.split("/") if piece]
        if not all(self._find("/" + piece.partition(":")[0].lower()) for piece in pieces):
            self._unknown(word(prefix), prefix, None)
            return
        for piece in pieces:
            self._slash(word("/" + piece), "/" + piece)

    def _rest(self, data: OptionData, value: Word) -> None:
        """`/c` takes everything behind it as one line."""
        rest = tuple(item for item in (value, *self.words[self.index :]) if item.pieces)
        self.index = len(self.words)
        line = rest[0] if len(rest) == 1 else phrase(tuple(_requoted(item) for item in rest))
        names = data.names | {"-" + name[1:] for name in data.names}
        self.options.append(Used(names, line if rest else None, data.value, data.role))


def _requoted(item: Word) -> Word:
    """A word as it stands in the line that a program gets: in quotes if it has a blank."""
    blank = any(isinstance(piece, str) and (" " in piece or "\t" in piece) for piece in item.pieces)
    quote: list[str | Hole] = ['"']
    return joined([*quote, *item.pieces, '"'], item.many) if blank else item
