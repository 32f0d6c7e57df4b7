"""The parts of a call together with those of the scripts that it runs from files.

The texts of files are facts. What was not given is named in `Call.unread`; whoever judges the call may ask for it and
analyse the call again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ostiary.call.gather import Gathered, Nested
from ostiary.call.layers import Layer
from ostiary.call.loaded import ADRIFT, Loaded, Piece, loaded, others, pieces, programs_run
from ostiary.call.model import Part, Source
from ostiary.call.parts import Around, Builder
from ostiary.call.written import Written
from ostiary.facts import SCRIPT_BYTES, Given
from ostiary.records import NamedTuple, dataclass, replace
from ostiary.shell import SHELLS
from ostiary.shell.limits import Budget
from ostiary.shell.model import Command
from ostiary.words import word

MAX_FILES: Final = 64
"""Files of one call whose text is read, each use counted."""
MAX_TEXT: Final = 2 * SCRIPT_BYTES
"""Characters of the files of one call that are read."""
STEPS: Final = 30_000
"""Steps that the scripts in files may cost together, as those of a call's own text are counted."""

TOO_MUCH: Final = "the files that the call runs are too many or too long"


class _Use(NamedTuple):
    """One use of a file: by which part, in which surroundings, and the uses that led there, oldest first."""

    file: Loaded
    around: Around
    carrier: int
    chain: tuple[tuple[str, str], ...]

    @property
    def key(self) -> tuple[str, str]:
        return self.file.path, " ".join(map(str, (*(self.file.arguments or ()), *self.file.goals)))


@dataclass(slots=True)
class _Reading:
    """The piece that is being read: its file and text, how deep its own commands are, where the last one was found."""

    use: _Use
    piece: Piece
    at: int = -1

    def label(self, command: Command) -> str:
        """The file and line of a command. Commands come in the order of the text; those of unrolled loops again."""
        found = self.piece.text.find(command.text, self.at + 1)
        self.at = max(found if found >= 0 else self.piece.text.find(command.text), 0)
        return self.on(self.piece.line + self.piece.text.count("\n", 0, self.at))

    def on(self, line: int) -> str:
        return f"{self.use.file.name}:{line}"


class FileBuilder(Builder):
    """Collects the parts of a call, then those of the scripts in files. `texts` are what is known of files, by absolute
    path: None where a file is not read. `unread` are the files that are not among them, `read` the texts of the others
    that were read, `written` the files that the call itself writes."""

    __slots__ = ("length", "read", "reading", "texts", "unread", "uses", "written")

    def __init__(self, given: Given, texts: Mapping[str, str | None]) -> None:
        super().__init__(given)
        self.texts = texts
        self.unread: dict[str, None] = {}
        self.read: dict[str, str] = {}
        self.written = Written(given)
        self.uses: list[_Use] = []
        self.reading: _Reading | None = None
        self.length = 0

    def finished(self) -> tuple[Part, ...]:
        """The parts of the call and then, of each file, what runs there."""
        before, own = self.limit, (self.budget, list(self.content))
        self.uses = [use for use in self.uses if not use.file.path.startswith(ADRIFT) or self._writes(use.file)]
        self.budget = Budget(STEPS)
        for number, use in enumerate(self.uses):  # grows meanwhile
            if number >= MAX_FILES or not self._file(use):
                self._skip(use, TOO_MUCH)
                break
        self.reading, self.limit = None, before
        self.budget, self.content = own
        return super().finished()

    def loads(self, layers: tuple[Layer, ...], out: Gathered, part: Part, around: Around) -> None:
        """Note the files of a part; not those of another machine, and none a second time below itself."""
        if around.elsewhere or out.possible or part.unparsed:
            return
        chain = (*self.reading.use.chain, self.reading.use.key) if self.reading else ()
        at = part.source.carrier if part.source else len(self.parts)
        for file in (*loaded(layers, out.accesses, part.cwd, self.given), *programs_run(layers, part)):
            use = _Use(file, around, at, chain)
            if use.key not in chain:
                self.uses.append(use)

    def _file(self, use: _Use) -> bool:
        """Add what runs of a file; False where that is too much to read."""
        path = use.file.path
        for source in self.written.sources(use.file.target, path):
            text = self.written.text(source)
            if source in self.written.untold and source == path:
                self._skip(use, "commands that are only known when they run", cut=False)
            possible = use.file.possible or source != path
            if text is not None and not self._text(use._replace(file=use.file._replace(possible=possible)), text):
                return False
        if self.written.exhausted:
            return False
        if path.startswith(ADRIFT):
            return True
        if path not in self.texts:
            self.unread[path] = None
            return True
        text = self.texts[path]
        if text is None:
            self.uses += (use._replace(file=other) for other in others(use.file, self.given))
            return True
        self.read[path] = text
        return self._text(use, text)

    def _text(self, use: _Use, text: str) -> bool:
        self.length += len(text)
        if self.length > MAX_TEXT:
            return False
        for piece in pieces(use.file, text):
            if piece.problem:
                self._skip(use, piece.problem)
                continue
            self.limit = ""
            self.reading = _Reading(use, piece)
            self._piece(piece, use)
            if self.limit:
                self._skip(use, f"the script is not read to its end ({self.limit})")
                return True
        return True

    def _piece(self, piece: Piece, use: _Use) -> None:
        assert self.reading is not None
        source = Source(self.reading.on(piece.line), use.carrier)
        possible = use.around.possible or use.file.possible or piece.possible
        around = replace(use.around, source=source, possible=possible, variables=None if use.file.own else ())
        if use.file.language == "npm":  # scripts run where their manifest is
            around = replace(around, cwd=use.file.path.rpartition("/")[0])
        if piece.language in SHELLS:
            self.script(piece.text, SHELLS[piece.language], around, piece.arguments)
        else:
            self._interpreted(piece, use, replace(around, possible=True))

    def _interpreted(self, piece: Piece, use: _Use, around: Around) -> None:
        """Code of an interpreter: most of it stands in functions, of which it is not told whether they run."""
        from ostiary.call.code import MAX_CODE, read_code  # late: most calls run no interpreter

        if len(piece.text) > MAX_CODE:
            self._skip(use, "the code is longer than what is analysed")
            return
        out = Gathered()
        read_code(word(piece.text), piece.language, out)
        nested, out.nested = tuple(out.nested), []
        accesses = tuple(dict.fromkeys(out.accesses))
        assert around.source is not None
        part = Part(around.source.label, accesses=accesses, cwd=around.cwd, possible=True, source=around.source)
        self.parts.append(part)
        self._nested(len(self.parts) - 1, nested, around)

    def _command(
        self, command: Command, commands: tuple[Command, ...], offset: int, around: Around
    ) -> tuple[tuple[Nested, ...], Around]:
        """Add one command's part; one that stands in a file itself gets its line there."""
        if self.reading and around.source and around.depth == self.reading.use.around.depth:
            around = replace(around, source=around.source._replace(label=self.reading.label(command)))
        at = len(self.parts)
        found = super()._command(command, commands, offset, around)
        self.written.note(command, commands, self.parts[at])
        return found

    def _writes(self, file: Loaded) -> bool:
        """Whether the call writes what may be this file, or has too many files to tell."""
        return bool(self.written.sources(file.target, file.path)) or self.written.exhausted

    def _beyond(self, text: str, reason: str) -> None:
        """A bound that was hit. In a file it says nothing about the rest of the call."""
        self.limit = self.limit or reason
        if self.reading is None:
            super()._beyond(text, reason)

    def _skip(self, use: _Use, reason: str, cut: bool = True) -> None:
        """A file, or the rest of one, that is not read: rules that stop are in doubt about it."""
        source = Source(use.file.name, use.carrier, settled=False, cut=cut)
        self.parts.append(Part(use.file.name, unparsed=reason, source=source))
