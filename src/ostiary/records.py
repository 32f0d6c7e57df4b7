"""Values: dataclasses and named tuples whose classes cost little to make.

A hook imports some hundred and fifty of them and uses a third. `dataclasses` compiles six functions for each and needs
`inspect`, `typing.NamedTuple` compiles every annotation: together a quarter of the time a hook takes. Here one function
is compiled, the one that makes a value, and only for classes with many values: it takes as long as a hundred of them do
without it, and most classes have a few in a hook.

To type checkers the names are those of the standard library, whose functions (`dataclasses.fields`, `asdict`,
`replace`) take these values, too. Records inherit no fields.
"""

from __future__ import annotations

from collections import _tuplegetter  # type: ignore[attr-defined]  # what its own named tuples read fields with
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

__all__ = ["NamedTuple", "dataclass", "field", "replace"]

Namespace = dict[str, Any]


class _Made:
    """A default that is made for each value."""

    __slots__ = ("factory",)

    def __init__(self, factory: Callable[[], Any]) -> None:
        self.factory = factory


def _field(*, default_factory: Callable[[], Any]) -> Any:
    return _Made(default_factory)


def _replace(value: Any, /, **changes: Any) -> Any:
    """The value with these fields changed."""
    kind = value.__class__
    for name in kind.__record__:
        if name not in changes:
            changes[name] = getattr(value, name)
    return kind(**changes)


def _dataclass(
    *, frozen: bool = False, slots: bool = False, kw_only: bool = False, eq: bool = True
) -> Callable[[type], type]:
    """Make a record of a class, as `dataclasses.dataclass` does with these arguments."""

    def make(cls: type) -> type:
        names = tuple(cls.__annotations__)
        defaults = {name: cls.__dict__[name] for name in names if name in cls.__dict__}
        space = {key: item for key, item in cls.__dict__.items() if key not in defaults and key not in _OWN}
        space |= {"__record__": names, "__repr__": _shown, "__dataclass_fields__": _Fields(defaults, kw_only)}
        space |= {key: item for key, item in defaults.items() if not isinstance(item, _Made) and not slots}
        if slots:
            space["__slots__"] = names
        if not kw_only:
            space["__match_args__"] = names
        space |= _compared(attrgetter(*names) if names else _nothing, frozen) if eq else {}
        if frozen:
            space |= _FROZEN
        made = type(cls.__name__, cls.__bases__, space)
        made.__qualname__ = cls.__qualname__
        made.__init__ = _first(made, _Plan(names, defaults, frozen, kw_only))  # type: ignore[misc]
        return made

    return make


_OWN: Final = ("__dict__", "__weakref__")


class _Plan:
    """What the function that makes a record is compiled from."""

    __slots__ = ("defaults", "frozen", "kw_only", "names")

    def __init__(self, names: tuple[str, ...], defaults: Namespace, frozen: bool, kw_only: bool) -> None:
        self.names, self.defaults, self.frozen, self.kw_only = names, defaults, frozen, kw_only

    def function(self, cls: type) -> Any:
        """The `__init__` of the class."""
        space: Namespace = {}
        parameters = ["self", *(["*"] if self.kw_only and self.names else [])]
        values: list[str] = []
        for name in self.names:
            default, value = self.defaults.get(name, _MISSING), name
            if isinstance(default, _Made):
                space["_made"] = _MISSING
                space[f"_make_{name}"] = default.factory
                value = f"_make_{name}() if {name} is _made else {name}"
                parameters.append(f"{name}=_made")
            elif default is _MISSING:
                parameters.append(name)
            else:
                space[f"_default_{name}"] = default
                parameters.append(f"{name}=_default_{name}")
            values.append(value)
        body = self._body(cls, values, space)
        source = f"def __init__({', '.join(parameters)}):\n " + "\n ".join(body or ["pass"])
        exec(source, space)  # noqa: S102 of names that stand in our own source, as `dataclasses` does
        function = space["__init__"]
        function.__qualname__ = f"{cls.__qualname__}.__init__"
        return function

    def _body(self, cls: type, values: list[str], space: Namespace) -> list[str]:
        """The assignments. Of what is frozen, many of them are made while the value is of a class that is not, which is
        twice as fast as going round its `__setattr__` for each."""
        pairs = list(zip(self.names, values, strict=True))
        body = [f"self.{name} = {value}" for name, value in pairs]
        if not self.frozen:
            return body
        if "__slots__" not in cls.__dict__:
            space["_set"] = object.__setattr__
            return [f"_set(self, {name!r}, {value})" for name, value in pairs]
        if len(body) < _MANY:
            space |= {f"_set_{name}": cls.__dict__[name].__set__ for name in self.names}
            return [f"_set_{name}(self, {value})" for name, value in pairs]
        space |= {"_turn": _TURN, "_open": type(cls.__name__, cls.__bases__, {"__slots__": self.names}), "_frozen": cls}
        return ["_turn(self, _open)", *body, "_turn(self, _frozen)"]


_MANY: Final = 4
_TURN: Final = object.__dict__["__class__"].__set__


_MISSING: Final = object()


_FEW: Final = 24


def _bound(
    names: tuple[str, ...], defaults: Namespace, args: tuple[Any, ...], named: Namespace
) -> Iterable[Any] | None:
    """The values of all fields in their order; None where the arguments do not fit, which the compiled function says in
    Python's words."""
    if len(args) == len(names) and not named:
        return args
    given = dict(zip(names, args, strict=False))
    if len(given) < len(args) or not given.keys().isdisjoint(named):
        return None
    values = {**defaults, **given, **named}
    return map(values.__getitem__, names) if values.keys() == set(names) else None


def _first(cls: Any, plan: _Plan) -> Callable[..., None]:
    """An `__init__` for the first values, then it puts the compiled one in its place."""
    put = object.__setattr__ if plan.frozen else setattr
    made = 0

    def __init__(self: Any, /, *args: Any, **named: Any) -> None:
        nonlocal made
        made += 1
        few = made <= _FEW and not (args and plan.kw_only)
        values = _bound(plan.names, plan.defaults, args, named) if few else None
        if values is None:
            cls.__init__ = plan.function(cls)
            cls.__init__(self, *args, **named)
            return
        for name, value in zip(plan.names, values, strict=True):
            put(self, name, value.factory() if value.__class__ is _Made else value)

    return __init__


def _nothing(value: Any) -> tuple[()]:  # noqa: ARG001 takes a value as `attrgetter` does
    return ()


def _compared(key: Callable[[Any], Any], frozen: bool) -> Namespace:
    """Equality by the fields, and the hash that belongs to it; none for what can be changed."""

    def __eq__(self: Any, other: Any) -> Any:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:
        return hash(key(self))

    return {"__eq__": __eq__, "__hash__": __hash__ if frozen else None}


def _shown(self: Any) -> str:
    items = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__record__)
    return f"{type(self).__qualname__}({items})"


def _set(self: Any, name: str, value: Any) -> None:  # noqa: ARG001 the signature of `__setattr__`
    from dataclasses import FrozenInstanceError  # slow to import, and nearly never needed

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(self: Any, name: str) -> None:  # noqa: ARG001 the signature of `__delattr__`
    from dataclasses import FrozenInstanceError  # as above

    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, name) for name in self.__record__)


def _set_state(self: Any, state: tuple[Any, ...]) -> None:
    for name, value in zip(self.__record__, state, strict=True):
        object.__setattr__(self, name, value)


_FROZEN: Final = {"__setattr__": _set, "__delattr__": _delete, "__getstate__": _state, "__setstate__": _set_state}


class _Fields:
    """What `dataclasses` keeps of a class, made when somebody asks."""

    __slots__ = ("defaults", "kw_only")

    def __init__(self, defaults: Namespace, kw_only: bool) -> None:
        self.defaults, self.kw_only = defaults, kw_only

    def __get__(self, value: object, cls: Any) -> Any:
        import dataclasses  # slow to import, and not needed by a hook

        space: Namespace = {"__annotations__": cls.__annotations__}
        for name, item in self.defaults.items():
            space[name] = dataclasses.field(default_factory=item.factory) if isinstance(item, _Made) else item
        twin: Any = dataclasses.dataclass(kw_only=self.kw_only)(type(cls.__name__, (), space))
        return twin.__dataclass_fields__


class _TupleMeta(type):
    """Makes a named tuple of a class whose base is `NamedTuple`."""

    def __new__(mcs, name: str, bases: tuple[type, ...], space: Namespace) -> Any:
        if not bases:
            return super().__new__(mcs, name, bases, space)
        names = tuple(space.get("__annotations__", ()))
        defaults = {key: space.pop(key) for key in names if key in space}
        for index, key in enumerate(names):
            space[key] = _tuplegetter(index, f"Alias for field number {index}")
        space |= {"__slots__": (), "_fields": names, "_field_defaults": defaults, "__match_args__": names}
        for key, item in _TUPLE.items():
            space.setdefault(key, item)
        made = type(name, (tuple,), space)
        made.__new__ = _first_tuple(made, names, defaults)  # type: ignore[method-assign]
        return made


def _first_tuple(cls: Any, names: tuple[str, ...], defaults: Namespace) -> Any:
    """A `__new__` for the first values, then it puts the compiled one in its place."""
    made = 0

    def __new__(kind: Any, /, *args: Any, **named: Any) -> Any:
        nonlocal made
        made += 1
        values = _bound(names, defaults, args, named) if made <= _FEW else None
        if values is not None:
            return tuple.__new__(kind, values)
        space: Namespace = {"_new": tuple.__new__}
        fields = "".join(f"{name}, " for name in names)
        exec(f"def __new__(_cls, {fields}): return _new(_cls, ({fields}))", space)  # noqa: S102 as above
        function = space["__new__"]
        function.__defaults__ = tuple(defaults.values())
        function.__qualname__ = f"{cls.__qualname__}.__new__"
        cls.__new__ = staticmethod(function)
        return function(kind, *args, **named)

    return staticmethod(__new__)


def _made_of(cls: Any, items: Iterable[Any]) -> Any:
    made = tuple.__new__(cls, items)
    if len(made) != len(cls._fields):
        raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
    return made


def _with(self: Any, /, **changes: Any) -> Any:
    made = self._make(map(changes.pop, self._fields, self))
    if changes:
        raise ValueError(f"Got unexpected field names: {list(changes)!r}")
    return made


def _shown_tuple(self: Any) -> str:
    items = ", ".join(f"{name}={item!r}" for name, item in zip(self._fields, self, strict=True))
    return f"{type(self).__name__}({items})"


_TUPLE: Final = {
    "_make": classmethod(_made_of),
    "_replace": _with,
    "_asdict": lambda self: dict(zip(self._fields, self, strict=True)),
    "__repr__": _shown_tuple,
    "__getnewargs__": lambda self: tuple(self),
}


class _Tuple(metaclass=_TupleMeta):
    """The base that marks a named tuple."""


if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
    from typing import NamedTuple
else:
    dataclass, field, replace, NamedTuple = _dataclass, _field, _replace, _Tuple
