"""Three-valued logic (law L2): a condition answers no, maybe or yes.

*Maybe* means that the text does not tell. Plain integers keep the algebra in one expression each: `all` is `min`,
`any` is `max`, `not` is `2 - answer`.
"""

from __future__ import annotations

from typing import Final, Literal

Answer = Literal[0, 1, 2]

NO: Final = 0
MAYBE: Final = 1
YES: Final = 2

NAMES: Final = ("no", "maybe", "yes")


def negated(answer: Answer) -> Answer:
    """`not`: yes and no swap, maybe stays."""
    return (YES, MAYBE, NO)[answer]
