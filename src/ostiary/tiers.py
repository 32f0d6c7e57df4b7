"""The tiers: where rules come from and what each may do (law L6)."""

from __future__ import annotations

from typing import Final, Literal

from ostiary.records import dataclass

TierName = Literal["managed", "built-in", "user", "project", "plugin"]


@dataclass(frozen=True, slots=True)
class Tier:
    """One tier. `rank` orders the walk, 0 first and highest. `reviewed_by_default`: its files act without a review.
    `may_loosen`: once reviewed, its allows and rewrites act. `reaches_down`: its exceptions reach lower tiers.
    `apart`: it is not people's policy: its answers silence no default of a lower tier, and what a trail lists is what
    it has to say."""

    name: TierName
    rank: int
    reviewed_by_default: bool
    may_loosen: bool
    reaches_down: bool
    apart: bool = False


TIERS: Final[tuple[Tier, ...]] = (
    Tier("managed", 0, reviewed_by_default=True, may_loosen=True, reaches_down=True),
    # What Ostiary itself brings to stay what it is. Below the managed tier, whose exceptions alone reach it.
    Tier("built-in", 1, reviewed_by_default=True, may_loosen=True, reaches_down=False, apart=True),
    Tier("user", 2, reviewed_by_default=True, may_loosen=True, reaches_down=True),
    Tier("project", 3, reviewed_by_default=False, may_loosen=True, reaches_down=False),
    Tier("plugin", 4, reviewed_by_default=False, may_loosen=False, reaches_down=False),
)

TIER: Final[dict[str, Tier]] = {tier.name: tier for tier in TIERS}
