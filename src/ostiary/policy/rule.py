"""A rule in force: its plan, where it comes from, and its conditions, built when first needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from functools import cached_property
from typing import Literal

from ostiary import conditions
from ostiary.call.model import AccessKind
from ostiary.conditions import Condition, Stance
from ostiary.conditions.grounds import Grounds, build_grounds
from ostiary.decision import Verdict
from ostiary.policy.plan import ExceptionPlan, Plan, RulePlan
from ostiary.records import dataclass
from ostiary.tiers import TIER, TierName

RuleState = Literal["active", "observe", "untrusted", "gated"]

_OF_COMMANDS = frozenset({"command", "script", "script_is", *conditions.KIND_OF})
"""Conditions that a script in a file may meet."""

VERDICTS = {"": Verdict.NONE, **{str(verdict): verdict for verdict in Verdict}}


@dataclass(frozen=True, slots=True)
class Unit:
    """One rule file as it takes part in a policy: a source, or a file that a source includes.

    `order` is its place in the walk, `combine` and `contract` are what its file says. `identity` is `tier:name`, or
    `pack:name` for a pack. `only_stops` says that no one reviewed the source: of its rules only deny and ask act, each
    as if alone, and its texts are not for the model.
    """

    order: int
    tier: TierName
    identity: str
    label: str
    combine: str
    only_stops: bool = False
    reviewed: bool = True
    contract: str = "afk"

    @property
    def rank(self) -> int:
        """Rank of the tier, 0 highest."""
        return TIER[self.tier].rank


@dataclass(frozen=True, eq=False)
class Rule:
    """One rule of one unit, with the exceptions that reach it. Conditions are compiled on first use and kept; two rules
    are the same only if they are one object."""

    plan: RulePlan
    unit: Unit
    order: int
    state: RuleState = "active"
    exceptions: tuple[ExceptionPlan, ...] = ()

    @cached_property
    def identity(self) -> str:
        """`tier:source/id`, or `pack:git/id`."""
        return f"{self.unit.identity}/{self.plan.id}"

    @cached_property
    def verdict(self) -> Verdict:
        """What the rule decides; `none` for a rule that only writes fields."""
        return VERDICTS[self.plan.decision]

    @property
    def stops(self) -> bool:
        """Whether it denies, defers or asks."""
        return self.verdict > Verdict.ALLOW

    @property
    def changes(self) -> bool:
        """Whether it writes arguments or ends the session: what it must not be kept from by much work."""
        return self.plan.update_input is not None or self.plan.halt

    @property
    def only_stops(self) -> bool:
        """Whether it may only ask and deny, because nobody reviewed its source. A handler runs only where a person said
        so."""
        return self.unit.only_stops and not self.plan.handler

    @property
    def wary(self) -> bool:
        """Whether it also speaks where the text does not tell: it stops, or runs something that may."""
        return self.stops or self.plan.handler is not None

    @cached_property
    def stance(self) -> Stance:
        """How its conditions read what the text does not tell."""
        named = {leaf[0] for leaf in self._leaves()}
        return Stance(stops=self.wary, shells=not named.isdisjoint({"command", "script", "script_is"}))

    @cached_property
    def judges(self) -> bool:
        """Whether the rule may stop a call, and says something about commands or what they touch."""
        return self.wary and any(leaf[0] in _OF_COMMANDS for leaf in self._leaves())

    def _leaves(self) -> list[Plan]:
        plans = (self.plan.when, self.plan.unless)
        return [leaf for plan in plans if plan for leaf in conditions.leaves(plan)]

    @cached_property
    def kinds(self) -> tuple[AccessKind, ...]:
        """The kinds of access that the rule or an exception to it names."""
        return conditions.kinds(self.plan.when, self.plan.unless, *(item.when for item in self.exceptions))

    @cached_property
    def own_kinds(self) -> frozenset[AccessKind]:
        """The kinds of access in `when`: an allow covers of these only what matches."""
        return frozenset(conditions.kinds(self.plan.when))

    @cached_property
    def names_command(self) -> bool:
        """Whether the rule says something about commands, so that closure is asked of an allow (law L3)."""
        return any(leaf[0] == "command" for leaf in conditions.leaves(self.plan.when))

    @cached_property
    def grounds(self) -> Callable[[conditions.View], Grounds]:
        """Which of the things the rule names made it hold in a view."""
        return build_grounds(self.plan.when, self.stance)

    @cached_property
    def named_words(self) -> frozenset[str]:
        """Option spellings and environment variables that the rule names, which closure takes as meant (law L3)."""
        return frozenset(_named(self.plan.when))

    @cached_property
    def literal_words(self) -> frozenset[str]:
        """Subcommands and other words that the rule's commands name as they are."""
        return frozenset(_literals(self.plan.when))

    @cached_property
    def branches(self) -> tuple[tuple[tuple[AccessKind, ...], Condition], ...]:
        """Conditions of which one is needed, each with the kinds of access that it, what lifts it and exceptions name.
        Where a rule that stops has several, one of them need not be tried with every access of the others' kinds; what
        an allow covers depends on all kinds."""
        plans = self.plan.when[1] if self.stops and self.plan.when[0] == "any" else (self.plan.when,)
        lifting = (self.plan.unless, *(item.when for item in self.exceptions))
        return tuple((conditions.kinds(plan, *lifting), conditions.build(plan, self.stance)) for plan in plans)

    @cached_property
    def looks(self) -> Mapping[AccessKind, tuple[Condition, ...]]:
        """By kind, all conditions on accesses in the rule, what lifts it and exceptions: accesses of which they say the
        same are the same to it."""
        lifting = [plan for plan in (self.plan.unless, *(item.when for item in self.exceptions)) if plan]
        read = [(self.plan.when, self.stance), *((plan, self.stance.turned()) for plan in lifting)]
        found: dict[AccessKind, list[Condition]] = {}
        for kind, condition in (look for plan, stance in read for look in conditions.looks(plan, stance)):
            found.setdefault(kind, []).append(condition)
        return {kind: tuple(some) for kind, some in found.items()}

    @cached_property
    def unless(self) -> Condition | None:
        """What keeps it from speaking, None if nothing does."""
        return conditions.build(self.plan.unless, self.stance.turned()) if self.plan.unless else None

    @cached_property
    def lifts(self) -> tuple[tuple[ExceptionPlan, Condition], ...]:
        """The exceptions with their conditions; one without `when` lifts everywhere."""
        return tuple(
            (item, conditions.build(item.when or ("always",), self.stance.turned())) for item in self.exceptions
        )

    def expired(self, today: date) -> bool:
        """Whether the last day the rule acts has passed (UTC, inclusive)."""
        return expired(self.plan.expires, today)


def expired(last_day: str, today: date) -> bool:
    """Whether `YYYY-MM-DD` lies before today; an empty text never does."""
    return bool(last_day) and date.fromisoformat(last_day) < today


def _named(plan: Plan) -> list[str]:
    """The option and variable names anywhere in the commands of a condition that stand without `not`."""
    match plan[0]:
        case "all" | "any":
            return [name for child in plan[1] for name in _named(child)]
        case "command":
            return _named(plan[1])
        case "flag":
            return [name for name, _ in plan[1]]
        case "flags_only":
            return list(plan[1])
        case "env":
            return [name[1] for name, _ in plan[1]]
        case "line":
            return list(plan[2])
        case _:
            return []


def _literals(plan: Plan) -> list[str]:
    """The words without a sign of a pattern anywhere in the commands of a condition that stand without `not`."""
    match plan[0]:
        case "all" | "any":
            return [word for child in plan[1] for word in _literals(child)]
        case "command":
            return _literals(plan[1])
        case "subcommand":
            return [word for words in plan[1] for word in words]
        case "arg" | "args":
            return [text[1] for text in plan[1] if text[0] == "eq"]
        case "line" if plan[1][0] != "re":
            return [word for word in str(plan[1][1]).split() if not set(word) & set("*?[")]
        case _:
            return []
