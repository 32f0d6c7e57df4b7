"""One rule on one part: the answer over all bindings, what lifts it, and what an allow covers (laws L2 and L3)."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from itertools import product
from math import prod
from typing import Final

from ostiary import conditions, patterns
from ostiary.answers import MAYBE, NO, YES, Answer
from ostiary.call.model import Access, AccessKind, Call, Part
from ostiary.conditions import Condition, View
from ostiary.conditions.grounds import RUN as GROUNDS_RUN
from ostiary.conditions.grounds import Grounds
from ostiary.conditions.view import Said
from ostiary.evaluate.budget import ACCESSES, BINDING
from ostiary.event import Event
from ostiary.facts import FactNeeded, FactRequest, Knowledge
from ostiary.patterns import Meter
from ostiary.policy import ExceptionPlan, Rule
from ostiary.policy.rule import expired
from ostiary.records import NamedTuple, dataclass, field
from ostiary.tools import ToolTable

RUN: Final = -1
"""The debt that a part's program runs; the other debts are positions in the part's accesses."""

MAX_BINDINGS: Final = 4096
"""Combinations of accesses that are tried for one rule on one part; beyond it the answer is *maybe*."""

MANY: Final = 16
"""Combinations from which on accesses that are the same to a rule are looked for."""

_NOTHING_MORE: Final = nullcontext()

Binding = dict[AccessKind, Access | None]


@dataclass(frozen=True, slots=True)
class Scene:
    """What all rules of one event see, and what their conditions said of it. `permitted`: a person was asked about the
    call before, and permitted it."""

    event: Event
    call: Call
    knowledge: Knowledge
    tools: ToolTable
    permitted: bool = False
    said: Said = field(default_factory=dict)

    def view(self, index: int, bound: Binding) -> View:
        """What conditions see of a part, with one access of each kind that a rule names."""
        call, position = self.call.at(index)
        return View(self.event, call, position, bound, self.knowledge, self.tools, self.said)

    def known(self, index: int) -> AbstractContextManager[None]:
        """What the part was read with, for conditions that read words again."""
        further = self.call.at(index)[0].defined.programs
        if not further:
            return _NOTHING_MORE
        from ostiary.programs import knowing  # late: few files define programs

        return knowing(further)


class Finding(NamedTuple):
    """A rule's answer on one part. `covered` are the debts an allow pays, `lifted` the exception that lifted it,
    `bound` the accesses that decided. `cut` says that there was too much to judge."""

    rule: Rule
    part: int
    answer: Answer
    bound: Binding
    covered: frozenset[int] = frozenset()
    lifted: ExceptionPlan | None = None
    cut: bool = False


def judge(rule: Rule, scene: Scene, index: int, budget: Meter) -> Finding:
    """The answer of a rule on one part; maybe without judging it once the budget is used up."""
    with scene.known(index):
        return _judged(rule, scene, index, budget)


def _judged(rule: Rule, scene: Scene, index: int, budget: Meter) -> Finding:
    part = scene.call.parts[index]
    if part.beside and rule.plan.decision == "allow":
        return Finding(rule, index, NO, {})
    tried: list[tuple[Binding, Condition]] = []
    for kinds, when in rule.branches:
        bindings = _bindings(rule, scene, index, kinds)
        if bindings is None or not budget.spend(BINDING * len(bindings)):
            return Finding(rule, index, MAYBE, {}, cut=True)
        tried += [(bound, when) for bound in bindings]
    found = _bound(rule, scene, index, *tried[0]) if len(tried) == 1 else _tried(rule, scene, index, tried)
    return found._replace(cut=True) if found.answer == MAYBE and budget.cut else found


def _tried(rule: Rule, scene: Scene, index: int, tried: list[tuple[Binding, Condition]]) -> Finding:
    """The best answer of several combinations."""
    best = Finding(rule, index, NO, tried[0][0])
    covered: set[int] = set()
    missing: dict[FactRequest, None] = {}
    for bound, when in tried:
        try:
            found = _bound(rule, scene, index, bound, when)
        except FactNeeded as needed:
            missing |= dict.fromkeys(needed.requests)
            continue
        covered |= found.covered
        if found.answer > best.answer or (found.lifted and not best.answer):
            best = found
        if found.answer == YES and rule.plan.decision != "allow":
            return best  # whatever the other accesses are
    if missing:
        raise FactNeeded(*missing)
    return best._replace(covered=frozenset(covered))


def _bound(rule: Rule, scene: Scene, index: int, bound: Binding, when: Condition) -> Finding:
    """The answer of one condition with one binding."""
    view = scene.view(index, bound)
    answer = when(view)
    lifted = None
    if answer != NO:
        answer, lifted = _lifted(rule, view, answer)
    if answer == MAYBE and view.part.source is not None and view.part.source.settled and not patterns.cut():
        answer = NO
    if view.part.possible:
        answer = min(answer, MAYBE)
    if answer != YES or rule.plan.decision != "allow":
        return Finding(rule, index, answer, bound, lifted=lifted)
    cheap = patterns.spend(len(view.part.accesses) // ACCESSES)
    paid = _covers(rule, scene.call.parts[index], view) if cheap else None
    return Finding(rule, index, MAYBE if paid is None else YES, bound, frozenset(paid or ()), lifted)


def _bindings(rule: Rule, scene: Scene, index: int, kinds: tuple[AccessKind, ...]) -> list[Binding] | None:
    """All combinations of one access per named kind; a kind without access is bound to None. Where they are many, only
    those that may differ to a rule that does not allow. None if they are too many to try."""
    if not kinds:
        return [{}]
    accesses = scene.call.parts[index].accesses
    choices: list[list[Access | None]] = [[a for a in accesses if a.kind == kind] or [None] for kind in kinds]
    if len(kinds) > 1 and rule.plan.decision != "allow" and prod(map(len, choices)) > MANY:
        choices = [_different(rule, scene, index, some) for some in choices]
    if prod(map(len, choices)) > MAX_BINDINGS:
        return None
    return [dict(zip(kinds, chosen, strict=True)) for chosen in product(*choices)]


def _different(rule: Rule, scene: Scene, index: int, accesses: list[Access | None]) -> list[Access | None]:
    """The accesses of one kind without those of which every condition of the rule says what it says of an earlier one:
    a hundred files that are moved come to a few combinations. Asks for what is not known of any of them."""
    found: dict[tuple[Answer, ...], Access | None] = {}
    missing: dict[FactRequest, None] = {}
    for access in accesses:
        if access is None or not patterns.spend(BINDING):
            return accesses
        view = scene.view(index, {access.kind: access})
        try:
            found.setdefault(tuple(look(view) for look in rule.looks[access.kind]), access)
        except FactNeeded as needed:
            missing |= dict.fromkeys(needed.requests)
    if missing:
        raise FactNeeded(*missing)
    return list(found.values())


def _lifted(rule: Rule, view: View, answer: Answer) -> tuple[Answer, ExceptionPlan | None]:
    """The answer after `unless` and exceptions. They lift a rule that may stop only on *yes*; an allow they withhold
    unless they are *no*."""
    lifting = YES if rule.wary else MAYBE
    if rule.unless and (said := rule.unless(view)) >= lifting:
        return (NO if said == YES or rule.wary else MAYBE), None
    today = view.knowledge.given.now.date()
    for exception, condition in rule.lifts:
        if not expired(exception.expires, today) and (said := condition(view)) >= lifting:
            return (NO, exception) if said == YES else (MAYBE, None)
    return answer, None


def _open(rule: Rule, part: Part) -> bool:
    """Whether something in the part can execute, write, connect or change how a program is found without the rule
    naming it (closure)."""
    for opening in part.openings:
        if opening.kind == "definition":
            return True
        if rule.plan.trailing and opening.kind in ("option", "unknown"):
            continue
        if opening.names.isdisjoint(rule.literal_words if opening.kind == "word" else rule.named_words):
            return True
    return False


def debts(part: Part) -> frozenset[int]:
    """What an allow has to cover: that the part runs, and each of its accesses. Nothing of what is beside the call, or
    does nothing."""
    return frozenset() if part.beside or part.idle else frozenset((RUN, *range(len(part.accesses))))


def _covers(rule: Rule, part: Part, view: View) -> set[int] | None:
    """The debts that an allow pays with this binding: of the kinds it names only what matched, of the others what its
    arguments and `<` touch if it names a tool or command (or nothing at all), and never the target of an output
    redirection. None where closure withholds it; a rule that allows a whole tool means all that is in the part."""
    grounds = rule.grounds(view)
    runs = names_run(grounds)
    if not (runs and not rule.names_command) and _open(rule, part):
        return None
    paid = {RUN} if runs or part.complete else set()
    for index, access in enumerate(part.accesses):
        if access.kind in rule.kinds and view.bound[access.kind] is not access:
            continue  # what `unless` and exceptions name is covered only where they did not lift it
        named = access.kind in grounds
        if named or (access.kind not in rule.own_kinds and runs and access.origin != "output"):
            paid.add(index)
    written = {part.accesses[index].target for index in paid if index >= 0 and part.accesses[index].kind == "write"}
    for index, access in enumerate(part.accesses):
        if access.origin == "implied" and access.target in written:
            paid.add(index)
    return paid


def names_run(grounds: Grounds) -> bool:
    """Whether the grounds name what runs: a tool or command, or no access, so that everything is meant."""
    return GROUNDS_RUN in grounds or not grounds


def explained(finding: Finding, scene: Scene) -> str:
    """Why the rule answered so, for people."""
    if finding.lifted:
        return f"lifted by an exception: {finding.lifted.reason}"
    if finding.cut:
        return "there is too much to judge"
    view = scene.view(finding.part, finding.bound)
    with scene.known(finding.part):
        why = conditions.why(finding.rule.plan.when, finding.rule.stance, view)
    return f"{why} (in {view.part.source.label})" if view.part.source else why
