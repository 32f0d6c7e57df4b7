"""Three-valued logic (law L2): a condition answers no, maybe or yes.

*Maybe* means that the text does not tell. Plain integers keep the algebra in one expression each: `all` is `min`,
`any` is `max`, `not` is `2 - answer`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal, TypeVar

T = TypeVar("T")
Answer = Literal[0, 1, 2]

NO: Final = 0
MAYBE: Final = 1
YES: Final = 2

NAMES: Final = ("no", "maybe", "yes")


def negated(answer: Answer) -> Answer:
    """`not`: yes and no swap, maybe stays."""
    return (YES, MAYBE, NO)[answer]


def every(conditions: Sequence[Callable[[T], Answer]]) -> Callable[[T], Answer]:
    """`all` of some conditions: the least answer. What stands behind a *no* is not asked."""
    if len(conditions) == 1:
        return conditions[0]

    def condition(subject: T) -> Answer:
        least: Answer = YES
        for one in conditions:
            answer = one(subject)
            if answer == NO:
                return NO
            if answer < least:
                least = answer
        return least

    return condition


def some(conditions: Sequence[Callable[[T], Answer]]) -> Callable[[T], Answer]:
    """`any` of some conditions: the best answer. What stands behind a *yes* is not asked."""
    if len(conditions) == 1:
        return conditions[0]

    def condition(subject: T) -> Answer:
        most: Answer = NO
        for one in conditions:
            answer = one(subject)
            if answer == YES:
                return YES
            if answer > most:
                most = answer
        return most

    return condition
