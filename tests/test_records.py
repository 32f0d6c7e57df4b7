"""Records are what `dataclasses` and `typing.NamedTuple` make of the same class, where it can be told apart."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import runpy
import typing
from collections.abc import Callable
from typing import Any

import pytest

import kinds
from kinds import Empty, Frozen, Named, Open, Pair
from ostiary import records
from ostiary.problems import Problem


@dataclasses.dataclass(frozen=True, slots=True)
class FrozenTwin:
    first: int
    second: str = "b"
    third: list[int] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(slots=True, kw_only=True)
class NamedTwin:
    first: int = 1
    second: tuple[int, ...] = ()


@dataclasses.dataclass(frozen=True, eq=False)
class OpenTwin:
    first: int
    second: int = 2


@dataclasses.dataclass(frozen=True, slots=True)
class EmptyTwin:
    pass


class PairTwin(typing.NamedTuple):
    first: int
    second: str = "b"


TWINS: list[tuple[Any, Any]] = [(Frozen, FrozenTwin), (Named, NamedTwin), (Open, OpenTwin), (Empty, EmptyTwin)]
USES: dict[str, Callable[[Any], object]] = {
    "nothing given": lambda kind: kind(),
    "by position": lambda kind: kind(1, "x"),
    "too many": lambda kind: kind(1, 2, 3, 4),
    "by name": lambda kind: kind(first=1, second=(2,)),
    "unknown name": lambda kind: kind(first=1, other=2),
    "equal": lambda kind: kind(first=1) == kind(first=1),
    "different": lambda kind: kind(first=1) == kind(first=2),
    "another type": lambda kind: kind(first=1) == (1, "b"),
    "assigned": lambda kind: setattr(kind(first=1), "first", 2),
    "deleted": lambda kind: delattr(kind(first=1), "first"),
    "hashed": lambda kind: len({hash(one) for one in [kind(first=1, second=()), kind(first=1, second=())]}),
    "fields": lambda kind: [(one.name, one.default, one.init, one.kw_only) for one in dataclasses.fields(kind)],
    "factories": lambda kind: [one.default_factory for one in dataclasses.fields(kind)],
    "as a dictionary": lambda kind: dataclasses.asdict(kind(first=1)),
    "matched": lambda kind: getattr(kind, "__match_args__", ()),
    "slots": lambda kind: getattr(kind, "__slots__", None),
}


MANY = 100
"""More values of a class than are made before its function is compiled."""


def fresh(kind: Any, values: int) -> Any:
    """The same class once more, of which so many values were made."""
    assert kinds.__file__
    again = runpy.run_path(kinds.__file__)[kind.__name__]
    for _ in range(values):
        again(*("first",) if kind in (Frozen, Open, Pair) else ())
    return again


def result(use: Callable[[Any], object], kind: Any) -> str:
    """What comes of it, with the classes' names made equal."""
    try:
        found = repr(use(kind))
    except (AttributeError, TypeError) as error:
        found = f"{type(error).__name__}: {error}"
    return found.replace("Twin", "")


@pytest.mark.parametrize("values", [0, MANY])
@pytest.mark.parametrize("twins", TWINS, ids=lambda twins: twins[0].__name__)
@pytest.mark.parametrize("use", USES)
def test_a_record_is_a_dataclass(twins: tuple[Any, Any], use: str, values: int) -> None:
    ours, theirs = twins
    assert result(USES[use], fresh(ours, values)) == result(USES[use], theirs)


@pytest.mark.parametrize(
    "value", [Frozen(1, third=[2]), Named(second=(1,)), Empty(), Pair(1), Problem("f", 1, 1, "", "m")]
)
def test_a_record_can_be_copied_and_stored(value: Any) -> None:
    for other in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert (other, type(other)) == (value, type(value))


def test_a_frozen_record_takes_no_new_attribute() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError, match=r"^cannot assign to field 'other'$"):
        Frozen(1).other = 2  # type: ignore[attr-defined]


def test_defaults_are_made_for_each_value() -> None:
    assert Frozen(1).third is not Frozen(1).third


def test_a_record_with_changes() -> None:
    assert records.replace(Frozen(1), second="x") == dataclasses.replace(Frozen(1), second="x") == Frozen(1, "x")
    assert records.replace(Open(1), second=3).second == 3
    with pytest.raises(TypeError, match=r"^Frozen.__init__\(\) got an unexpected keyword argument 'other'$"):
        records.replace(Frozen(1), other=1)


PAIRS: dict[str, Callable[[Any], object]] = {
    "nothing given": lambda kind: kind(),
    "by position": lambda kind: kind(1, "x"),
    "by name": lambda kind: kind(second="x", first=1),
    "too many": lambda kind: kind(1, 2, 3),
    "changed": lambda kind: kind(1)._replace(second="x"),
    "changed wrongly": lambda kind: kind(1)._replace(other=1),
    "as a dictionary": lambda kind: kind(1)._asdict(),
    "made": lambda kind: kind._make([1, 2]),
    "made of too few": lambda kind: kind._make([1]),
    "fields": lambda kind: (kind._fields, kind._field_defaults, kind.__match_args__),
    "a tuple": lambda kind: (kind(1) == (1, "b"), hash(kind(1)) == hash((1, "b")), kind(1)[1], kind(1).second),
    "assigned": lambda kind: setattr(kind(1), "first", 2),
    "new attribute": lambda kind: setattr(kind(1), "other", 2),
    "slots": lambda kind: kind.__slots__,
}


@pytest.mark.parametrize("values", [0, MANY])
@pytest.mark.parametrize("use", PAIRS)
def test_a_named_tuple_is_a_named_tuple(use: str, values: int) -> None:
    ours, theirs = (result(lambda kind: _said(PAIRS[use], kind), kind) for kind in (fresh(Pair, values), PairTwin))
    assert ours == theirs


@pytest.mark.parametrize("kind", [Frozen, Named, Open, Empty, Pair])
def test_only_a_class_with_many_values_is_compiled(kind: Any) -> None:
    made = [vars(fresh(kind, values)) for values in (1, MANY)]
    first, compiled = (one.get("__init__") or one["__new__"].__func__ for one in made)
    assert first.__code__.co_filename == records.__file__
    assert compiled.__code__.co_filename == "<string>"


def _said(use: Callable[[Any], object], kind: Any) -> object:
    try:
        return use(kind)
    except ValueError as error:
        return str(error)


def test_a_named_tuple_keeps_what_its_class_says() -> None:
    assert (Pair(1).both, Pair.__doc__, Pair.__qualname__, Pair.__module__) == ("1b", "Two.", "Pair", "kinds")


def test_problems_are_sorted_by_place() -> None:
    problems = [Problem("b", 1, 1, "", "m"), Problem("a", 2, 1, "", "m"), Problem("a", 1, 3, "", "m")]
    assert [(one.file, one.line) for one in sorted(problems)] == [("a", 1), ("a", 2), ("b", 1)]
