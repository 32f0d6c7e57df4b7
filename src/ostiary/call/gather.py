"""Where the analysis of one part collects what the part does."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ostiary.call.model import Access, AccessKind, Opening, Origin
from ostiary.call.shapes import is_device
from ostiary.words import Word, joined


@dataclass(frozen=True, slots=True)
class Nested:
    """Something inside a part that runs on its own: a script (`code`), a program with its arguments (`words`), or a
    stretch that the text does not tell (`unknown`, with the reason)."""

    kind: Literal["code", "words", "unknown"]
    code: Word = field(default_factory=lambda: Word(()))
    language: str = "bash"
    words: tuple[Word, ...] = ()
    reason: str = ""


@dataclass(slots=True)
class Gathered:
    """The accesses, nested scripts, texts and openings of one part, in the order they are found.

    `base` is the directory in which the part's paths are taken (`git -C b`). `possible` says that accesses are made
    elsewhere or perhaps not at all. `effects` says that the part does something that is no access. `runs` says that
    code was found that takes the place of code from the standard input.
    """

    accesses: list[Access] = field(default_factory=list)
    nested: list[Nested] = field(default_factory=list)
    content: list[str] = field(default_factory=list)
    openings: list[Opening] = field(default_factory=list)
    base: Word | None = None
    possible: bool = False
    effects: bool = False
    runs: bool = False

    def path(self, target: Word, *kinds: AccessKind, certain: bool = True, origin: Origin = "argument") -> None:
        """An access of each kind to a path, unless it is a stream or a device that keeps nothing."""
        if is_device(target) or target.text == "":
            return
        place = self.placed(target)
        for kind in kinds:
            self.accesses.append(Access(kind, place, certain and not self.possible, origin))

    def placed(self, target: Word) -> Word:
        """The path in the directory that an option names for it."""
        if self.base is None or target.prefix.startswith(("/", "~")):
            return target
        if target.text == ".":
            return self.base
        return joined([*self.base.pieces, "/", *target.pieces])

    def connect(self, host: Word | None, certain: bool = True) -> None:
        """A connection to a host, None for none."""
        if host is not None:
            self.accesses.append(Access("connect", host, certain and not self.possible))

    def text(self, item: Word) -> None:
        """A text that is printed or sent."""
        if item.text is not None:
            self.content.append(item.text)

    def run(self, code: Word, language: str) -> None:
        """Code in the text."""
        self.runs = True
        self.nested.append(Nested("code", code, language))
