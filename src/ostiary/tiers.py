"""The tiers: where rules come from and what each may do (law L6)."""

from __future__ import annotations

from typing import Final, Literal

from ostiary.records import dataclass

TierName = Literal["managed", "user", "project", "plugin"]


@dataclass(frozen=True, slots=True)
class Tier:
    """One tier. `rank` orders the walk, 0 first and highest. `reviewed_by_default`: its files act without a review.
    `may_loosen`: once reviewed, its allows and rewrites act. `reaches_down`: its exceptions reach lower tiers."""

    name: TierName
    rank: int
    reviewed_by_default: bool
    may_loosen: bool
    reaches_down: bool


TIERS: Final[tuple[Tier, ...]] = (
    Tier("managed", 0, reviewed_by_default=True, may_loosen=True, reaches_down=True),
    Tier("user", 1, reviewed_by_default=True, may_loosen=True, reaches_down=True),
    Tier("project", 2, reviewed_by_default=False, may_loosen=True, reaches_down=False),
    Tier("plugin", 3, reviewed_by_default=False, may_loosen=False, reaches_down=False),
)

TIER: Final[dict[str, Tier]] = {tier.name: tier for tier in TIERS}
