"""Records that are compared with what the standard library makes of the same classes."""

from __future__ import annotations

from ostiary import records


@records.dataclass(frozen=True, slots=True)
class Frozen:
    first: int
    second: str = "b"
    third: list[int] = records.field(default_factory=list)


@records.dataclass(slots=True, kw_only=True)
class Named:
    first: int = 1
    second: tuple[int, ...] = ()


@records.dataclass(frozen=True, eq=False)
class Open:
    """Has a dictionary, for what is computed later."""

    first: int
    second: int = 2


@records.dataclass(frozen=True, slots=True)
class Empty:
    pass


class Pair(records.NamedTuple):
    """Two."""

    first: int
    second: str = "b"

    @property
    def both(self) -> str:
        return f"{self.first}{self.second}"
