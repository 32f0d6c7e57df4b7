"""Where the analysis of one part collects what the part does."""

from __future__ import annotations

from typing import Literal

from ostiary.call.model import Access, AccessKind, Opening, Origin
from ostiary.call.shapes import at_place, is_device, share_host
from ostiary.records import dataclass, field, replace
from ostiary.words import Word, joined, word


@dataclass(frozen=True, slots=True)
class Nested:
    """Something inside a part that runs on its own: a script (`code`), a program with its arguments (`words`), or a
    stretch that the text does not tell (`unknown`, with the reason). `language` is that of the code, or of the shell
    that looks the program up. `possible`: perhaps it does not run at all. `arguments` are the positional parameters of
    a shell's code from `$0` on, None if they are not known."""

    kind: Literal["code", "words", "unknown"]
    code: Word = field(default_factory=lambda: Word(()))
    language: str = "bash"
    words: tuple[Word, ...] = ()
    reason: str = ""
    possible: bool = False
    arguments: tuple[Word, ...] | None = None


@dataclass(slots=True)
class Gathered:
    """The accesses, nested scripts, texts and openings of one part, in the order they are found.

    `base` is the directory in which the part's paths are taken (`git -C b`). `possible` says that accesses are made
    elsewhere or perhaps not at all. `effects` says that the part does something that is no access. `runs` says that
    code was found that takes the place of code from the standard input; `runs_input` is the descriptor whose text runs
    where a word names one (`0` is the standard input, `?` one that is not told), empty otherwise. `windows`: paths are
    those of Windows, where a share is on another machine; `near` are the machines that hold the project's own folders.
    """

    accesses: list[Access] = field(default_factory=list)
    nested: list[Nested] = field(default_factory=list)
    content: list[str] = field(default_factory=list)
    openings: list[Opening] = field(default_factory=list)
    base: Word | None = None
    possible: bool = False
    effects: bool = False
    runs: bool = False
    runs_input: str = ""
    windows: bool = False
    near: frozenset[str] = frozenset()

    def path(self, target: Word, *kinds: AccessKind, certain: bool = True, origin: Origin = "argument") -> None:
        """An access of each kind to a path, unless it is a stream or a device that keeps nothing."""
        target = at_place(target)
        if is_device(target) or target.text == "":
            return
        place = self.placed(target)
        for kind in kinds:
            self.accesses.append(Access(kind, place, certain and not self.possible, origin))
        if self.windows and (host := share_host(place)) and host not in self.near:
            self.connect(word(host), certain)

    def placed(self, target: Word) -> Word:
        """The path in the directory that an option names for it."""
        if self.base is None or target.prefix.startswith(("/", "~")):
            return target
        if target.text == ".":
            return self.base
        return joined([*self.base.pieces, "/", *target.pieces])

    def narrow(self, only: tuple[str, ...], skipped: tuple[str, ...]) -> None:
        """Of the trees so far only files are read whose names fit."""
        self.accesses[:] = [
            replace(access, tree=access.tree._replace(only=only, skipped=skipped)) if access.tree else access
            for access in self.accesses
        ]

    def connect(self, host: Word | None, certain: bool = True) -> None:
        """A connection to a host, None for none."""
        if host is not None:
            self.accesses.append(Access("connect", host, certain and not self.possible))

    def text(self, item: Word) -> None:
        """A text that is printed or sent."""
        if item.text is not None:
            self.content.append(item.text)

    def run(self, code: Word, language: str, arguments: tuple[Word, ...] | None = None) -> None:
        """Code in the text."""
        self.runs = True
        self.nested.append(Nested("code", code, language, arguments=arguments))
