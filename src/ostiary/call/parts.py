"""Shell scripts to parts: one for each simple command, and for each command of the scripts inside them."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Final, TypeVar

from ostiary import programs, shell
from ostiary.call.aliases import inherited
from ostiary.call.closing import closing
from ostiary.call.descriptors import fed
from ostiary.call.found import piped, substituted
from ostiary.call.gather import Gathered, Nested
from ostiary.call.idle import does_nothing, may_matter
from ostiary.call.layers import Layer, is_inert, layers_of
from ostiary.call.links import followed
from ostiary.call.loaded import build_files, in_trusted_folder, run_by_path, runs_file
from ostiary.call.model import Opening, Part, Source
from ostiary.call.nested import inserted, read, takes_over
from ostiary.call.net import through_proxies
from ostiary.call.operands import touch
from ostiary.call.pipes import MAX_PIPES, connected
from ostiary.call.places import directory, in_fallbacks, near
from ostiary.call.repository import START, Moment, repository, stores, switched
from ostiary.call.streams import incoming, input_code, process_code, redirected, told_input
from ostiary.call.variables import read_otherwise, run_by
from ostiary.call.windows import piped_paths
from ostiary.call.wrapped import wrapped
from ostiary.facts import Given
from ostiary.records import dataclass, field, replace
from ostiary.shell import SHELLS
from ostiary.shell.limits import ENTRIES, Budget
from ostiary.shell.model import Command, Redirect
from ostiary.shell.scope import Variables
from ostiary.words import Word, phrase, word

MAX_DEPTH: Final = 8
"""Scripts inside scripts."""
MAX_PARTS: Final = 1000
"""Parts of one call."""

Environment = tuple[tuple[str, Word], ...]


@dataclass(frozen=True, slots=True)
class Around:
    """What surrounds a script: the directory it starts in, the programs outside of it, the environment they set, the
    openings they leave, and the neighbours of its carrier in a pipeline. `elsewhere`: it runs on another machine.
    `moment`: when its carrier runs. `possible`: perhaps it does not run. `stdin`: what its carrier finds on the
    standard input. `source`: the file that it stands in. `variables`: those that it finds in a shell which runs other
    texts, too, None if it has a shell of its own."""

    cwd: str | None
    depth: int = 0
    via: tuple[str, ...] = ()
    environment: Environment = ()
    openings: tuple[Opening, ...] = ()
    pipes_from: tuple[int, ...] = ()
    pipes_to: tuple[int, ...] = ()
    elsewhere: bool = False
    fallbacks: tuple[str | None, ...] = ()
    moment: Moment = START
    possible: bool = False
    stdin: tuple[Redirect, ...] = ()
    source: Source | None = None
    variables: Variables | None = None


@dataclass(slots=True)
class Builder:
    """Collects the parts of one call."""

    given: Given
    parts: list[Part] = field(default_factory=list)
    content: list[str] = field(default_factory=list)
    limit: str = ""
    moments: dict[int, Moment] = field(default_factory=dict)
    variables: set[tuple[str, Word]] = field(default_factory=set)
    budget: Budget = field(default_factory=Budget)

    def finished(self) -> tuple[Part, ...]:
        """The parts, each with what may have checked out another branch before it, and with what links lead to."""
        parts = connected(self.parts)
        if parts is None:
            self.limit = self.limit or f"more than {MAX_PIPES} pipes"
            parts = [*self.parts, Part("", unparsed=self.limit)]
        if all(part.idle for part in parts if not part.beside):  # they are all the call does
            parts = [replace(part, idle=False) for part in parts]
        return followed(switched(parts, self.moments), self.given)

    def script(self, text: str, language: str, around: Around, arguments: tuple[Word, ...] | None = None) -> None:
        """Add the parts of a script, then those of the scripts inside its commands."""
        if around.depth > MAX_DEPTH:
            self._beyond(text, f"more than {MAX_DEPTH} scripts inside each other")
            return
        parsed = shell.parse(text, language, self.budget, arguments, around.variables)
        commands = tuple(fed(item, around.stdin) for item in parsed.commands) if around.stdin else parsed.commands
        self.limit = self.limit or parsed.limit
        offset = len(self.parts)
        pending: list[tuple[int, tuple[Nested, ...], Around]] = []
        for command in commands:
            if len(self.parts) >= MAX_PARTS:
                self._beyond(command.text, f"more than {MAX_PARTS} commands")
                break
            self._spend(len(around.environment) // ENTRIES)
            nested, inside = self._command(command, commands, offset, around)
            pending.append((len(self.parts) - 1, nested, inside))
        for index, nested, inside in pending:
            self._nested(index, nested, inside)

    def _spend(self, steps: int) -> bool:
        """Count steps of a script; whether any are left."""
        self.budget.steps = max(0, self.budget.steps - steps)
        return self.budget.steps > 0

    def _beyond(self, text: str, reason: str) -> None:
        self.limit = self.limit or reason
        if len(self.parts) <= MAX_PARTS:
            self.parts.append(Part(text, unparsed=reason))

    def loads(self, layers: tuple[Layer, ...], out: Gathered, part: Part, around: Around) -> None:
        """Note which files' code a part runs, where those are read; `around` is what surrounds it there."""

    def _command(
        self, command: Command, commands: tuple[Command, ...], offset: int, around: Around
    ) -> tuple[tuple[Nested, ...], Around]:
        """Add one command's part; what is nested in it, and what surrounds that."""
        further = partial(piped, command, commands)
        words = substituted(command.words, commands)
        layers = layers_of(words, around.via, further, language=command.language, windows=self.given.windows)
        shares = self.given.windows or command.language != "bash"
        out = Gathered(possible=around.elsewhere, windows=shares, near=near(self.given))
        touch_layers(layers, out, command.language)
        redirected(command.redirects[len(around.stdin) :], out)
        self._standard_input(layers, command, commands, out)
        environment = _environment(command, layers, around)
        _by_environment(layers, environment, out)
        codes = self._read_codes(out)
        set_here = environment[len(around.environment) :]
        around_codes = (*wrapped(layers, touch_layers, codes), *run_by(set_here, self.variables, out))
        nested = (*codes, *around_codes, *read_otherwise(layers, environment), *inherited(layers, environment))
        openings = _distinct((*_openings(command, layers, around, environment), *out.openings))
        cwd = None if around.elsewhere else directory(command.cwd, around.cwd, self.given)
        instead = () if around.elsewhere else self._fallbacks(command, cwd, around)
        if instead:
            out.accesses.extend(in_fallbacks(tuple(out.accesses), instead))
        complete = not (nested or command.unparsed) and _is_complete(layers, out, openings)
        part = Part(
            command.text,
            tuple([layer.invocation for layer in layers]),
            _distinct(tuple(out.accesses)),
            cwd,
            environment,
            openings,
            complete,
            complete and all(access.kind == "read" for access in out.accesses),
            tuple([offset + index for index in command.reads_from]) or around.pipes_from,
            tuple([offset + index for index in command.feeds]) or around.pipes_to,
            command.unparsed,
            instead,
            repository(layers, out.base, command.assignments, environment),
            possible=around.possible,
            source=around.source,
            idle=complete and not (out.accesses or openings) and does_nothing(layers),
        )
        moment = self._moment(command, layers, offset, around)
        written = layers and runs_file(layers[-1].invocation, environment)
        if written or any(access.kind == "execute" for access in part.accesses):
            self.loads(layers, out, part, replace(inside(part, layers, around, out), moment=moment))
        self.parts.append(part)
        self.content.extend(out.content)
        if not nested:
            return nested, around
        stdin = incoming(command, commands)
        inner = inside(part, layers, around, out)
        return nested, replace(inner, stdin=stdin, moment=moment, variables=command.variables)

    def _moment(self, command: Command, layers: tuple[Layer, ...], offset: int, around: Around) -> Moment:
        """Note when a command runs, and what it checks out; the moment of the scripts inside it."""
        at = len(self.parts)
        moment = around.moment.at(at, [offset + place for place in command.after], command.again)
        self.moments[at] = moment if around.elsewhere else moment.checking_out([layer.arguments for layer in layers])
        return moment

    def _fallbacks(self, command: Command, cwd: str | None, around: Around) -> tuple[str | None, ...]:
        """The directories a command runs in if a `cd` failed, here or before the script around it."""
        if not command.fallbacks and not around.fallbacks:
            return ()
        found = [directory(item, around.cwd, self.given) for item in command.fallbacks]
        for base in around.fallbacks:
            found += [directory(item, base, self.given) for item in (command.cwd, *command.fallbacks)]
        return tuple(item for item in dict.fromkeys(found) if item != cwd)

    def _standard_input(
        self,
        layers: tuple[Layer, ...],
        command: Command,
        commands: tuple[Command, ...],
        out: Gathered,
    ) -> None:
        data = layers[-1].arguments.data if layers else None
        role, _, detail = data.stdin.partition(":") if data is not None else ("", "", "")
        if role:
            piped_paths(layers[-1], command, commands, out)
        language = detail if role == "code" else ""
        if (language and not out.runs) or out.runs_input:
            given = (word(layers[-1].invocation.name or ""), *layers[-1].arguments.operands)
            input_code(command, commands, language or "bash", out, given if language == "bash" else None)
        if role == "told":
            told_input(command, commands, detail, out)
        process_code(command, commands, language or "bash", out)

    def _read_codes(self, out: Gathered) -> tuple[Nested, ...]:
        """Read interpreter code and patches into the part itself; what is left are scripts, commands and unknown."""
        left: list[Nested] = []
        while out.nested:
            item = out.nested.pop(0)
            if item.kind != "code" or item.language in SHELLS:
                left.append(item)
            else:
                left += read(item.code, item.language, out)
        return tuple(left)

    def _nested(self, index: int, nested: tuple[Nested, ...], around: Around) -> None:
        for item in nested:
            if len(self.parts) >= MAX_PARTS:
                self._beyond(self.parts[index].text, f"more than {MAX_PARTS} commands")
                return
            inside = replace(around, possible=around.possible or item.possible)
            if item.kind == "unknown":
                self._unparsed(str(item.code) or self.parts[index].text, item.reason, inside)
            elif item.kind == "words":
                self.words(item.words, item.language, inside)
            else:
                self._code(item, inside)

    def _unparsed(self, text: str, reason: str, around: Around) -> None:
        """A stretch that was not understood, or cannot be told."""
        self.parts.append(Part(text, cwd=around.cwd, unparsed=reason, possible=around.possible, source=around.source))

    def words(self, words: tuple[Word, ...], language: str, around: Around) -> None:
        """Add a program with its arguments, then the scripts inside it."""
        command = fed(Command(str(phrase(words)), words, language=language, variables=around.variables), around.stdin)
        if around.depth > MAX_DEPTH:
            self._beyond(command.text, f"more than {MAX_DEPTH} scripts inside each other")
            return
        nested, inside = self._command(command, (command,), len(self.parts), around)
        self._nested(len(self.parts) - 1, nested, inside)

    def _code(self, item: Nested, around: Around) -> None:
        """A nested script. What a variable from outside holds is read as one word, but no allow covers it; text that is
        computed may hold any command."""
        code = item.code
        if not self._spend(len(code.pieces)):
            self._beyond(code.prefix, "the scripts inside each other have too many words")
            return
        text, live, made_up = inserted(code)
        if live:
            why = f"`{live[0].source}` may hold further commands"
            around = replace(around, openings=(*around.openings, Opening("unknown", frozenset(), why)))
        told = all(hole.kind == "outside" for hole in live) and (not code.holes or code.prefix or code.suffix)
        if not told:
            self._unparsed(str(code), _LATER, around)
        if code.text is not None or any(isinstance(piece, str) for piece in code.pieces):
            start = len(self.parts)
            if made_up:
                around = replace(around, variables=(*(around.variables or ()), *made_up))
            self.script(text, SHELLS[item.language], around, item.arguments)
            if told and takes_over(code, self.parts[start:]):
                self._unparsed(str(code), _LATER, around)


_LATER: Final = "commands that are only known when they run"


def touch_layers(layers: tuple[Layer, ...], out: Gathered, language: str = "bash") -> None:
    """Add what each layer does, and the code that a program run by its path is."""
    for layer in layers:
        touch(layer, out, language)
        out.openings.extend(closing(layer))
        run_by_path(layer, out)
        build_files(layer, out)
        data = layer.arguments.data
        out.possible = out.possible or (data is not None and "elsewhere" in data.traits)


def _environment(command: Command, layers: tuple[Layer, ...], around: Around) -> Environment:
    set_here = [(item.name, item.value) for item in (*command.exported, *command.assignments)]
    for layer in layers:
        set_here += [programs.split_assignment(item) for item in layer.arguments.assignments]
    return (*around.environment, *set_here) if set_here else around.environment


def _by_environment(layers: tuple[Layer, ...], environment: Environment, out: Gathered) -> None:
    """What variables make a program touch. One that does nothing besides its accesses connects nowhere else."""
    if not layers or not environment:
        return
    data = layers[-1].arguments.data
    if data is None or "complete" not in data.traits:
        through_proxies(environment, out)
    stores(layers, environment, out)


def _openings(
    command: Command, layers: tuple[Layer, ...], around: Around, environment: Environment
) -> tuple[Opening, ...]:
    if environment is around.environment and not command.defined and command.language != "cmd":
        return around.openings
    found = list(around.openings)
    earlier = len(around.environment) + len(command.exported)
    for index in range(len(around.environment), len(environment)):
        opening = _set_for_it(environment[index][0], index < earlier)
        if opening is not None:
            found.append(opening)
    if command.language == "cmd":
        found += [
            Opening("unknown", frozenset(), f"`{hole}` may hold further commands") for hole in _live_holes(command)
        ]
    for layer in layers if command.defined else ():
        name = _defined(layer, command)
        if name:
            found.append(Opening("definition", frozenset({name}), f"the script defines `{name}`"))
    return tuple(found)


def _defined(layer: Layer, command: Command) -> str:
    """The name under which the script defines what a layer runs, empty if it does not."""
    invocation = layer.invocation
    if invocation.name is None:
        return ""
    if not invocation.folds:
        return invocation.name if invocation.name in command.defined else ""
    names = {invocation.name.lower(), str(invocation.words[0]).lower(), *invocation.aliases}
    return next((name for name in sorted(command.defined) if name.lower() in names), "")


@lru_cache(maxsize=4096)
def _set_for_it(variable: str, earlier: bool) -> Opening | None:
    """What an allow must name of a variable that is set for a command, or was set `earlier` in the script."""
    harmless = programs.inert_in_script if earlier else programs.inert
    return None if harmless(variable) else Opening("assignment", frozenset({variable}), f"`{variable}` is set for it")


def _live_holes(command: Command) -> list[str]:
    """Variables of cmd, which reads what they hold as a part of the line."""
    return list(dict.fromkeys(hole.source for item in command.words for hole in item.holes if hole.source[:1] in "%!$"))


T = TypeVar("T")


def _distinct(items: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(items)) if len(items) > 1 else items


def _is_complete(layers: tuple[Layer, ...], out: Gathered, openings: tuple[Opening, ...]) -> bool:
    """Whether the part does nothing besides its accesses."""
    if out.effects or out.possible or (openings and any(opening.kind != "option" for opening in openings)):
        return False
    return all(_does_no_more(layer, layer is layers[-1]) for layer in layers)


def _does_no_more(layer: Layer, innermost: bool) -> bool:
    """Whether the program is complete, or the wrapper inert, for the options used: all of them known, none of its words
    perhaps an option."""
    given, invocation = layer.arguments, layer.invocation
    runs_itself = innermost or given.inner is None
    if (
        given.data is None
        or any(may_matter(given.data, item) for item in given.loose)
        or not ("complete" in given.data.traits if runs_itself else is_inert(given))
    ):
        return False
    found = invocation.bare or in_trusted_folder(str(invocation.words[0]))
    return found and (not given.options or all(used.known for used in given.options))


def inside(part: Part, layers: tuple[Layer, ...], around: Around, out: Gathered) -> Around:
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
        possible=around.possible,
        source=around.source,
    )


_REMOTE: Final = frozenset({"ssh", "autossh", "mosh"})
"""Programs whose shell text runs on another machine."""
