"""`command`: the programs a part runs, with their options and arguments (laws L1 to L3).

A part is seen in layers: `sudo env A=1 git push` runs `sudo`, `env` and `git`. Where doubt counts as a match every
layer is seen, else only those that inert wrappers lead to. All conditions of one `command` hold of the same layer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from ostiary import patterns
from ostiary.answers import MAYBE, NO, YES, Answer, every, negated, some
from ostiary.call.layers import SYSTEM_FOLDERS, possible_names, program_name
from ostiary.call.model import Invocation, Option
from ostiary.conditions import wrapped
from ostiary.conditions.chosen import choosing
from ostiary.conditions.named import base_name, names_of
from ostiary.conditions.view import Condition, Plan, Stance, View
from ostiary.records import NamedTuple
from ostiary.words import Word, phrase, word


class Layer(NamedTuple):
    """One layer of a part, in the view of its rule."""

    view: View
    invocation: Invocation


LayerCondition = Callable[[Layer], Answer]


def build(plan: Plan, stance: Stance) -> Condition:
    """`("command", conditions)`: the best answer over the layers that this stance sees."""
    condition = _over_layers(plan, stance)
    again = _once(condition)
    return lambda view: again(view) if view.bound else condition(view)


def _once(condition: Condition) -> Condition:
    """The same condition, asked once of each part: whatever accesses are bound, the program is the same."""
    key = object()

    def answer(view: View) -> Answer:
        about = (key, id(view.call), view.index)
        if about not in view.said:
            view.said[about] = condition(view)
        return view.said[about]

    return answer


def _over_layers(plan: Plan, stance: Stance) -> Condition:
    one = build_layer(plan[1], stance)
    others = _besides_program(plan[1], stance)
    named = _naming(plan[1])

    def condition(view: View) -> Answer:
        part = view.part
        if part.unparsed:
            return MAYBE
        best: Answer = NO
        for invocation in part.invocations:
            if stance.wide or invocation.transparent:
                answer = _judge(Layer(view, invocation), one, others)
                if (
                    answer == YES
                    and not stance.wide
                    and not wrapped.names_inner(invocation, lambda other: one(Layer(view, other)))
                ):
                    answer = MAYBE
                best = max(best, answer)
        if best == NO and stance.wide:
            best = wrapped.perhaps(view.part, named, lambda inner: one(Layer(view, inner)))
        return best

    return condition


def _judge(layer: Layer, one: LayerCondition, others: LayerCondition | None) -> Answer:
    """A program that is only a variable from outside (`$CC x.c`) is *maybe* only where another condition of the command
    answers yes on known words: else every `$CC` would meet every rule about a program."""
    answer = one(layer)
    if answer == MAYBE and layer.invocation.outside and (others is None or others(layer) != YES):
        return MAYBE if patterns.cut() else NO
    return answer


def build_layer(plan: Plan, stance: Stance) -> LayerCondition:
    """The condition on one layer."""
    match plan[0]:
        case "all":
            return every([build_layer(child, stance) for child in plan[1]])
        case "any":
            return some([build_layer(child, stance) for child in plan[1]])
        case "not":
            inner = build_layer(plan[1], stance.turned())
            return lambda layer: negated(inner(layer))
        case kind:
            return _LEAVES[kind](plan, stance)


def _besides_program(plan: Plan, stance: Stance) -> LayerCondition | None:
    """What the command says besides naming a program, None if nothing."""
    match plan[0]:
        case "all" | "any":
            rest = [found for child in plan[1] if (found := _besides_program(child, stance))]
            return (every if plan[0] == "all" else some)(rest) if rest else None
        case "not" | "program":
            return None
        case "line":
            return _arguments_of_line(plan[1])
        case _:
            return build_layer(plan, stance)


def _arguments_of_line(text: Plan) -> LayerCondition | None:
    _, _, rest = str(text[1]).partition(" ")
    if text[0] == "re" or not rest.strip("* "):
        return None
    match = patterns.matcher((text[0], rest))
    return lambda layer: match(phrase(layer.invocation.words[1:]))


def _naming(plan: Plan) -> Callable[[Word], bool]:
    """Whether a known word may be the program that a *yes* needs."""
    names = names_of(plan)
    if names is None:
        return lambda item: True
    match = _without_case(tuple(sorted(names)))
    return lambda item: match(word(program_name(item)[0] or ""), True) != NO


def _program(plan: Plan, stance: Stance) -> LayerCondition:
    match = _without_case(plan[1])

    def leaf(layer: Layer) -> Answer:
        invocation = layer.invocation
        if invocation.name is None:
            names = (invocation.words[0], *possible_names(invocation.words[0])) if invocation.words else ()
            written: Answer = max((match(name, invocation.folds) for name in names), default=MAYBE)
            return _unknown(stance) if written != NO or not invocation.words[0].prefix else NO
        if stance.wide or _trusted(invocation):
            called = (invocation.name, *invocation.aliases)
            return max(match(word(name), invocation.folds) for name in called)
        return match(invocation.words[0], invocation.folds)

    return leaf


def _without_case(texts: Plan) -> Callable[[Word, bool], Answer]:
    """A matcher that leaves case aside if it is told to, as Windows' shells do; an expression says that itself."""
    exact = patterns.any_of(texts)
    lower = tuple(text if text[0] == "re" else (text[0], text[1].lower(), *text[2:]) for text in texts)
    folded = patterns.any_of(lower)

    def match(item: Word, folds: bool) -> Answer:
        found = exact(item)
        return found if found == YES or not folds else max(found, folded(_lowered(item)))

    return match


def _lowered(item: Word) -> Word:
    return Word(tuple(piece.lower() if isinstance(piece, str) else piece for piece in item.pieces), item.many)


def _unknown(stance: Stance) -> Answer:
    """What an unknown word answers: under a negation, a rule that stops reads it as absent (law L2)."""
    return NO if stance.stops and stance.negated else MAYBE


def _trusted(invocation: Invocation) -> bool:
    written = str(invocation.words[0])
    folder = written[: len(written) - len(base_name(written))]
    return invocation.bare or folder in SYSTEM_FOLDERS


def _subcommand(plan: Plan, stance: Stance) -> LayerCondition:
    """The words before the operands. A program without data keeps its subcommand among the operands; where options
    with values may stand before it, it can be any run of them."""
    wanted = [choosing(words) for words in plan[1]]

    def leaf(layer: Layer) -> Answer:
        return max((chosen(layer.invocation, _unknown(stance)) for chosen in wanted), default=NO)

    return leaf


def _flag(plan: Plan, stance: Stance) -> LayerCondition:
    wanted = [(name, patterns.matcher(text) if text else None) for name, text in plan[1]]

    def leaf(layer: Layer) -> Answer:
        best: Answer = NO
        for option in layer.invocation.options:
            for name, match in wanted:
                if name in option.names or (layer.invocation.folds and _folded_in(name, option, layer, stance)):
                    answer = YES if match is None else match(option.value or "")
                    unsure = option.ambiguous and layer.invocation.known  # an unknown program may read `-rf` as letters
                    best = max(best, min(answer, _unknown(stance)) if unsure else answer)
        return max(best, _unknown(stance)) if layer.invocation.loose else best

    return leaf


def _folded_in(name: str, option: Option, layer: Layer, stance: Stance) -> bool:
    """Whether an option is the named one without case; of a program that the text does not tell, any start of the name
    is one for rules that stop."""
    lower = name.lower()
    if layer.invocation.name is None and stance.stops and not stance.negated:
        return any(len(given) > 1 and lower.startswith(given.lower()) for given in option.names)
    return lower in option.names


def _flags_only(plan: Plan, stance: Stance) -> LayerCondition:
    exact, lower = frozenset(plan[1]), frozenset(name.lower() for name in plan[1])

    def leaf(layer: Layer) -> Answer:
        allowed = exact | lower if layer.invocation.folds else exact
        for option in layer.invocation.options:
            if not (option.names <= allowed if option.ambiguous else option.names & allowed):
                return NO
        return MAYBE if layer.invocation.loose else YES

    return leaf


def _arg(plan: Plan, stance: Stance) -> LayerCondition:
    match = patterns.any_of(plan[1])

    def leaf(layer: Layer) -> Answer:
        invocation = layer.invocation
        given: tuple[Word | str, ...] = (*invocation.subcommand, *invocation.operands)
        best: Answer = max((match(word) for word in given), default=NO)
        if best == NO and any(match(word) != NO for word in invocation.loose):
            return _unknown(stance)
        return min(best, _unknown(stance)) if best == MAYBE else best

    return leaf


def _args(plan: Plan, stance: Stance) -> LayerCondition:
    wanted = [patterns.matcher(text) for text in plan[1]]

    def leaf(layer: Layer) -> Answer:
        given = layer.invocation.words[1:]
        if any(word.many for word in given):
            return _unknown(stance)
        if len(given) != len(wanted):
            return NO
        return min((match(word) for match, word in zip(wanted, given, strict=True)), default=YES)

    return leaf


def _refs(plan: Plan, stance: Stance) -> LayerCondition:
    from ostiary.conditions.place import no_file, on_branch  # late: few rules name refs

    match = patterns.any_of(plan[1])

    def leaf(layer: Layer) -> Answer:
        refs = layer.invocation.refs
        if refs is None:
            return NO
        answer = max(match(ref) for ref in refs) if refs else on_branch(layer.view, match)
        return (
            min(answer, no_file(layer.view, refs[0])) if layer.invocation.perhaps_path and answer and refs else answer
        )

    return leaf


def _via(plan: Plan, stance: Stance) -> LayerCondition:
    match = patterns.any_of(plan[1])
    return lambda layer: max((match(name) for name in layer.invocation.via), default=NO)


def _env(plan: Plan, stance: Stance) -> LayerCondition:
    wanted = [(patterns.matcher(name), patterns.matcher(value) if value else None) for name, value in plan[1]]

    def leaf(layer: Layer) -> Answer:
        best: Answer = NO
        for variable, held in layer.view.part.environment:
            for name, value in wanted:
                best = max(best, min(name(variable), value(held) if value else YES))
        return best

    return leaf


def _pipes(plan: Plan, stance: Stance) -> LayerCondition:
    neighbour = _once(_over_layers(("command", plan[1]), stance))
    direction = plan[0]

    def leaf(layer: Layer) -> Answer:
        best: Answer = NO
        for index in _along(layer.view, direction):
            best = max(best, neighbour(_at(layer.view, index)))
        return best

    return leaf


def _along(view: View, direction: str) -> Iterator[int]:
    """The parts that this part's output reaches through the pipeline, or that its input comes from."""
    seen: set[int] = set()
    pending = [view.index]
    while pending:
        part = view.call.parts[pending.pop()]
        for index in part.pipes_to if direction == "pipes_to" else part.pipes_from:
            if index not in seen:
                seen.add(index)
                pending.append(index)
                yield index


def _at(view: View, index: int) -> View:
    return View(view.event, view.call, index, {}, view.knowledge, view.tools, view.said)


def _line(plan: Plan, stance: Stance) -> LayerCondition:
    """A compact pattern over the words joined by one blank, base name first. Where doubt counts as a match also as it
    was written, and without global options."""
    match = _without_case((plan[1],))

    def leaf(layer: Layer) -> Answer:
        invocation = layer.invocation
        lines = _lines(invocation, stance.wide)
        best: Answer = max((match(line, invocation.folds) for line in lines), default=NO)
        return min(best, _unknown(stance)) if best == MAYBE else best

    return leaf


def _lines(invocation: Invocation, wide: bool) -> Iterator[Word]:
    if not invocation.words:
        return
    name = invocation.name
    if name is not None and (wide or _trusted(invocation)):
        for called in (name, *invocation.aliases):
            yield phrase((Word((called,)), *invocation.words[1:]))
    if wide or name is None or not _trusted(invocation):
        yield phrase(invocation.words)
    if name is None:
        for one in possible_names(invocation.words[0]):
            yield phrase((one, *invocation.words[1:]))
    if wide and invocation.plain:
        yield phrase(invocation.plain)
        if invocation.known and invocation.subcommand:  # `npm i x` is `npm install x`
            rest = invocation.plain[1 + len(invocation.subcommand) :]
            yield phrase((*map(word, (name or "", *invocation.subcommand)), *rest))
        for called in invocation.aliases:
            yield phrase((Word((called,)), *invocation.plain[1:]))


_LEAVES: Final[Mapping[str, Callable[[Plan, Stance], LayerCondition]]] = {
    "program": _program,
    "subcommand": _subcommand,
    "flag": _flag,
    "flags_only": _flags_only,
    "arg": _arg,
    "args": _args,
    "refs": _refs,
    "via": _via,
    "env": _env,
    "pipes_to": _pipes,
    "pipes_from": _pipes,
    "line": _line,
}
