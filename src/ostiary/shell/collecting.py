"""Commands of a PowerShell or cmd text as they are collected."""

from __future__ import annotations

from ostiary.records import dataclass, field, replace
from ostiary.shell import limits
from ostiary.shell.model import Command
from ostiary.shell.pieces import UNCHANGED, directory
from ostiary.shell.scope import FALLBACKS, UNKNOWN_DIRECTORY
from ostiary.shell.syntax import Unreadable
from ostiary.words import Word, joined, word


@dataclass(slots=True)
class Drafts:
    """The commands so far, and the directory at this place; `fallbacks` are those it is if a change of it failed.
    `again`: what stands at this place may run more than once, or later."""

    language: str
    commands: list[Command] = field(default_factory=list)
    cwd: Word = UNCHANGED
    fallbacks: tuple[Word, ...] = ()
    defined: set[str] = field(default_factory=set)
    again: bool = False

    def add(self, command: Command) -> int:
        """Add a command where the text is; its position. `Unreadable` if there are too many."""
        if len(self.commands) >= limits.COMMANDS:
            raise Unreadable("the script has too many commands", "commands")
        here = replace(command, cwd=self.cwd, fallbacks=self.fallbacks, language=self.language, again=self.again)
        self.commands.append(here)
        return len(self.commands) - 1

    def link(self, before: list[int], after: list[int]) -> None:
        """The commands at `before` write into those at `after`."""
        for position in before:
            one = self.commands[position]
            self.commands[position] = replace(one, feeds=(*one.feeds, *after))
        for position in after:
            one = self.commands[position]
            self.commands[position] = replace(one, reads_from=(*one.reads_from, *before))

    def moved(self, target: Word | None) -> None:
        """A change of directory, None to one that the text does not tell; where it fails the old one stays."""
        before = self.cwd
        self.cwd = UNKNOWN_DIRECTORY if target is None else _directory(before, target)
        self.stay((*self.fallbacks, before))

    def stay(self, fallbacks: tuple[Word, ...]) -> None:
        """Set the directories of failed changes; too many of them are one that the text does not tell."""
        known = tuple(item for item in dict.fromkeys(fallbacks) if item != self.cwd)
        self.fallbacks = known if len(known) <= FALLBACKS else (UNKNOWN_DIRECTORY,)

    def unsettled(self, before: Word) -> None:
        """After commands that may not have run: a directory that they changed is not known."""
        if self.cwd != before:
            self.cwd = UNKNOWN_DIRECTORY

    def done(self, text: str) -> tuple[Command, ...]:
        """The finished commands of the text, at least one."""
        names = frozenset(self.defined)
        if not self.commands:
            return (Command(text, language=self.language),)
        return tuple(replace(command, defined=names) for command in self.commands)


def _directory(base: Word, target: Word) -> Word:
    """Where a change of directory leads; Windows' separators are brought to the one that paths are kept with."""
    slashed = joined([piece.replace("\\", "/") if isinstance(piece, str) else piece for piece in target.pieces])
    found = slashed if slashed.prefix[1:2] == ":" else directory(base, slashed)
    return word(found.prefix + "/") if len(found.pieces) == 1 and found.prefix[1:] == ":" else found
