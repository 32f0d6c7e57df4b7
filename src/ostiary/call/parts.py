"""Shell scripts to parts: one for each simple command, and for each command of the scripts inside them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from ostiary import programs, shell
from ostiary.call.code import SHELLS, read_code
from ostiary.call.gather import Gathered, Nested
from ostiary.call.layers import Layer, is_inert, layers_of
from ostiary.call.model import Opening, Part
from ostiary.call.operands import closing, touch
from ostiary.call.patch import read_patch
from ostiary.call.places import directory, in_fallbacks
from ostiary.call.streams import input_code, redirected
from ostiary.facts import Given
from ostiary.programs import head
from ostiary.shell.model import Command
from ostiary.words import Word, phrase

MAX_DEPTH: Final = 8
"""Scripts inside scripts."""
MAX_PARTS: Final = 1000
"""Parts of one call."""
SYSTEM_FOLDERS: Final = ("/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/")
"""Folders that only an administrator writes; a program named by a path in one of them is the program of that name."""

Environment = tuple[tuple[str, Word], ...]


@dataclass(frozen=True, slots=True)
class Around:
    """What surrounds a script: the directory it starts in, the programs outside of it, the environment they set, the
    openings they leave, and the neighbours of its carrier in a pipeline. `elsewhere`: it runs on another machine."""

    cwd: str | None
    depth: int = 0
    via: tuple[str, ...] = ()
    environment: Environment = ()
    openings: tuple[Opening, ...] = ()
    pipes_from: tuple[int, ...] = ()
    pipes_to: tuple[int, ...] = ()
    elsewhere: bool = False
    fallbacks: tuple[str | None, ...] = ()


@dataclass(slots=True)
class Builder:
    """Collects the parts of one call."""

    given: Given
    parts: list[Part] = field(default_factory=list)
    content: list[str] = field(default_factory=list)
    limit: str = ""

    def script(self, text: str, language: str, around: Around) -> None:
        """Add the parts of a script, then those of the scripts inside its commands."""
        if around.depth > MAX_DEPTH:
            self._beyond(text, f"more than {MAX_DEPTH} scripts inside each other")
            return
        parsed = shell.parse(text, language)
        self.limit = self.limit or parsed.limit
        offset = len(self.parts)
        pending: list[tuple[int, tuple[Nested, ...], Around]] = []
        for command in parsed.commands:
            if len(self.parts) >= MAX_PARTS:
                self._beyond(command.text, f"more than {MAX_PARTS} commands")
                break
            nested, inside = self._command(command, parsed.commands, offset, around)
            pending.append((len(self.parts) - 1, nested, inside))
        for index, nested, inside in pending:
            self._nested(index, nested, inside)

    def _beyond(self, text: str, reason: str) -> None:
        self.limit = self.limit or reason
        if len(self.parts) <= MAX_PARTS:
            self.parts.append(Part(text, unparsed=reason))

    def _command(
        self, command: Command, commands: tuple[Command, ...], offset: int, around: Around
    ) -> tuple[tuple[Nested, ...], Around]:
        """Add one command's part; what is nested in it, and what surrounds that."""
        layers = layers_of(command.words, around.via)
        out = Gathered(possible=around.elsewhere)
        touch_layers(layers, out)
        redirected(command.redirects, out)
        self._standard_input(layers, command, commands, out)
        nested = self._read_codes(out)
        environment = _environment(command, layers, around)
        openings = _distinct((*_openings(command, layers, around, environment), *out.openings))
        cwd = None if around.elsewhere else directory(command.cwd, around.cwd, self.given)
        instead = () if around.elsewhere else self._fallbacks(command, cwd, around)
        out.accesses.extend(in_fallbacks(tuple(out.accesses), instead))
        complete = not (nested or command.unparsed) and _is_complete(layers, out, openings)
        part = Part(
            command.text,
            tuple(layer.invocation for layer in layers),
            _distinct(tuple(out.accesses)),
            cwd,
            environment,
            openings,
            complete,
            complete and all(access.kind == "read" for access in out.accesses),
            tuple(offset + index for index in command.reads_from) or around.pipes_from,
            tuple(offset + index for index in command.feeds) or around.pipes_to,
            command.unparsed,
            instead,
        )
        self.parts.append(part)
        self.content.extend(out.content)
        return nested, _inside(part, layers, around, out) if nested else around

    def _fallbacks(self, command: Command, cwd: str | None, around: Around) -> tuple[str | None, ...]:
        """The directories a command runs in if a `cd` failed, here or before the script around it."""
        found = [directory(item, around.cwd, self.given) for item in command.fallbacks]
        for base in around.fallbacks:
            found += [directory(item, base, self.given) for item in (command.cwd, *command.fallbacks)]
        return tuple(item for item in dict.fromkeys(found) if item != cwd)

    def _standard_input(
        self, layers: tuple[Layer, ...], command: Command, commands: tuple[Command, ...], out: Gathered
    ) -> None:
        data = layers[-1].arguments.data if layers else None
        if data is not None and head(data.stdin) == "code" and not out.runs:
            input_code(command, commands, data.stdin.partition(":")[2], out)

    def _read_codes(self, out: Gathered) -> tuple[Nested, ...]:
        """Read interpreter code and patches into the part itself; what is left are scripts, commands and unknown."""
        left: list[Nested] = []
        while out.nested:
            item = out.nested.pop(0)
            if item.kind != "code" or item.language in SHELLS:
                left.append(item)
            elif item.language == "patch":
                if item.code.text is None or not read_patch(item.code.text, out):
                    left.append(Nested("unknown", item.code, reason="patch that was not understood"))
            else:
                read_code(item.code, item.language, out)
        return tuple(left)

    def _nested(self, index: int, nested: tuple[Nested, ...], around: Around) -> None:
        for item in nested:
            if len(self.parts) >= MAX_PARTS:
                self._beyond(self.parts[index].text, f"more than {MAX_PARTS} commands")
                return
            if item.kind == "unknown":
                self.parts.append(Part(str(item.code) or self.parts[index].text, cwd=around.cwd, unparsed=item.reason))
            elif item.kind == "words":
                self._words(item.words, around)
            else:
                self._code(item, around)

    def _words(self, words: tuple[Word, ...], around: Around) -> None:
        command = Command(str(phrase(words)), words)
        if around.depth > MAX_DEPTH:
            self._beyond(command.text, f"more than {MAX_DEPTH} scripts inside each other")
            return
        nested, inside = self._command(command, (command,), len(self.parts), around)
        self._nested(len(self.parts) - 1, nested, inside)

    def _code(self, item: Nested, around: Around) -> None:
        """A nested script. What a variable from outside holds is read as one word, but no allow covers it; text that is
        computed may hold any command."""
        code = item.code
        if code.holes:
            why = f"`{code.holes[0].source}` may hold further commands"
            around = replace(around, openings=(*around.openings, Opening("unknown", frozenset(), why)))
        if any(hole.kind != "outside" for hole in code.holes) or (code.holes and not code.prefix and not code.suffix):
            self.parts.append(Part(str(code), cwd=around.cwd, unparsed="commands that are only known when they run"))
        if code.text is not None or any(isinstance(piece, str) for piece in code.pieces):
            self.script(str(code), SHELLS[item.language], around)


def touch_layers(layers: tuple[Layer, ...], out: Gathered) -> None:
    """Add what each layer does, and the code that a program run by its path is."""
    for layer in layers:
        touch(layer, out)
        out.openings.extend(closing(layer))
        _run_by_path(layer, out)
        data = layer.arguments.data
        out.possible = out.possible or (data is not None and "elsewhere" in data.traits)


def _run_by_path(layer: Layer, out: Gathered) -> None:
    program = layer.invocation.words[0]
    written = str(program)
    if "/" in written and not any(isinstance(piece, str) and "/" in piece for piece in program.pieces):
        return  # the slash is in what a variable was written as
    if ("/" in written or "\\" in written) and not _in_trusted_folder(written):
        out.path(program, "execute")


def _in_trusted_folder(written: str) -> bool:
    return any(written.startswith(folder) and "/" not in written[len(folder) :] for folder in SYSTEM_FOLDERS)


def _environment(command: Command, layers: tuple[Layer, ...], around: Around) -> Environment:
    set_here = [(item.name, item.value) for item in (*command.exported, *command.assignments)]
    for layer in layers:
        set_here += [programs.split_assignment(item) for item in layer.arguments.assignments]
    return (*around.environment, *set_here)


def _openings(
    command: Command, layers: tuple[Layer, ...], around: Around, environment: Environment
) -> tuple[Opening, ...]:
    found = list(around.openings)
    earlier = len(around.environment) + len(command.exported)
    for index, (variable, _) in enumerate(environment):
        harmless = programs.inert_in_script if index < earlier else programs.inert
        if index >= len(around.environment) and not harmless(variable):
            found.append(Opening("assignment", frozenset({variable}), f"`{variable}` is set for it"))
    for layer in layers:
        name = layer.invocation.name
        if name is not None and name in command.defined:
            found.append(Opening("definition", frozenset({name}), f"the script defines `{name}`"))
    return tuple(found)


T = TypeVar("T")


def _distinct(items: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(items)) if len(items) > 1 else items


def _is_complete(layers: tuple[Layer, ...], out: Gathered, openings: tuple[Opening, ...]) -> bool:
    """Whether the part does nothing besides its accesses."""
    if out.effects or out.possible or any(opening.kind != "option" for opening in openings):
        return False
    return all(_does_no_more(layer, layer is layers[-1]) for layer in layers)


def _does_no_more(layer: Layer, innermost: bool) -> bool:
    """Whether the program is complete, or the wrapper inert, for the options used: all of them known, none of its words
    perhaps an option."""
    given, invocation = layer.arguments, layer.invocation
    if given.data is None or given.loose or not ("complete" in given.data.traits if innermost else is_inert(given)):
        return False
    found = invocation.bare or _in_trusted_folder(str(invocation.words[0]))
    return found and all(used.known for used in given.options)


def _inside(part: Part, layers: tuple[Layer, ...], around: Around, out: Gathered) -> Around:
    """What surrounds the scripts inside a part."""
    names = tuple(layer.invocation.name or str(layer.invocation.words[0]) for layer in layers)
    remote = around.elsewhere or out.possible or any(name in _REMOTE for name in names)
    inherited = tuple(opening for opening in part.openings if opening.kind == "assignment")
    return Around(
        None if remote else part.cwd,
        around.depth + 1,
        (*around.via, *names),
        part.environment,
        tuple(dict.fromkeys((*around.openings, *inherited))),
        part.pipes_from,
        part.pipes_to,
        remote,
        () if remote else part.fallbacks,
    )


_REMOTE: Final = frozenset({"ssh", "autossh", "mosh"})
"""Programs whose shell text runs on another machine."""
