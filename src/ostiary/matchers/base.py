"""What every matcher is: a specification read from a rule file, compiled to a plan.

A matcher is one module here with one pydantic model. `compile()` gives its plan, `lints()` what deserves a warning. Its
docstring is the user's documentation. Adding one takes the module, a field of `matchers.Condition`, and the condition
that reads its plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any, ClassVar, Final, Generic, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, RootModel
from pydantic_core import PydanticCustomError, PydanticKnownError

from ostiary import paths, patterns, urls
from ostiary.records import NamedTuple

Plan = tuple[Any, ...]
T = TypeVar("T")


class Lint(NamedTuple):
    """Something legal that does not do what it seems to. `location` is relative to the value that has it."""

    location: tuple[str | int, ...]
    message: str
    help: str = ""


def refuse(message: str, help: str = "") -> PydanticCustomError:
    """An error for a validator to raise: one lowercase sentence in YAML's words, and the cure."""
    return PydanticCustomError("ostiary", "{message}", {"message": message, "help": help})


class Spec(BaseModel):
    """A mapping in a rule file: only known keys, never changed after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    def compile(self) -> Plan:
        """The plan of this condition."""
        raise AssertionError(f"{type(self).__name__} is no condition")

    def lints(self, names: frozenset[str]) -> Iterator[Lint]:  # noqa: ARG002 most conditions have none
        """What deserves a warning; `names` are the names of tools known."""
        return iter(())


class Value(RootModel[T], Generic[T]):
    """A single value in a rule file that is a condition by itself."""

    model_config = ConfigDict(frozen=True)

    def compile(self) -> Plan:
        """The plan of this condition."""
        raise AssertionError(f"{type(self).__name__} is no condition")

    def lints(self, names: frozenset[str]) -> Iterator[Lint]:  # noqa: ARG002 most conditions have none
        """What deserves a warning; `names` are the names of tools known."""
        return iter(())


def _pattern(parse: Callable[[str], Plan], blank: bool = False) -> Callable[[Any], Plan]:
    def validate(value: Any) -> Plan:
        if not blank and not text(value).strip():
            raise refuse("an empty pattern matches nothing", "remove it, or write `*`")
        return parsed(parse, text(value))

    return validate


def parsed(parse: Callable[[str], Plan], text: str) -> Plan:
    """The plan of a pattern. What its parser has to say becomes an error of type `pattern`: its words may hold text of
    the file."""
    try:
        return parse(text)
    except ValueError as error:
        raise PydanticCustomError("pattern", "{message}", {"message": str(error), "help": ""}) from None


def as_list(value: Any) -> Any:
    """One value as a list of one; a list must not be empty."""
    if isinstance(value, dict):
        raise refuse("expected text or a list of texts, found a mapping")
    return filled(value) if isinstance(value, list) else [value]


def filled(value: Any) -> Any:
    """A list that is not empty, or whatever else it is."""
    if value == []:
        raise refuse("the list is empty", "remove the key or fill the list")
    return value


def text(value: Any) -> str:
    """The value, which must be text."""
    if not isinstance(value, str):
        raise PydanticKnownError("string_type")
    return value


def refuse_typographic(text: str) -> None:
    """Raises for a text in typographic quotes, as word processors and web pages make them: YAML takes them for part of
    the text, which would then name nothing."""
    if text[:1] in _OPENING or text[-1:] in _CLOSING:
        raise refuse("typographic quotes are part of the text", 'write straight ones: `"..."`')


_OPENING: Final = tuple("“”„‟‘’‚‛«»")
_CLOSING: Final = _OPENING


def _name(value: Any) -> str:
    if not text(value).strip():
        raise refuse("the text is blank")
    return text(value)


Several = BeforeValidator(as_list, json_schema_input_type=str | list[str])

Name = Annotated[str, PlainValidator(_name, json_schema_input_type=str)]
Names = Annotated[tuple[Name, ...], Several]
Text = Annotated[Plan, PlainValidator(_pattern(patterns.text_plan, blank=True), json_schema_input_type=str)]
Texts = Annotated[tuple[Text, ...], Several]
PathPattern = Annotated[Plan, PlainValidator(_pattern(paths.path_plan), json_schema_input_type=str)]
Paths = Annotated[tuple[PathPattern, ...], Several]
HostPattern = Annotated[Plan, PlainValidator(_pattern(urls.host_plan), json_schema_input_type=str)]
Hosts = Annotated[tuple[HostPattern, ...], Several]


class TextsValue(Value[Texts]):
    """A condition that one of several texts must fit. `kind` is the plan's."""

    kind: ClassVar[str]

    def compile(self) -> Plan:
        """The plan of this condition."""
        return (self.kind, self.root)


def both(plans: list[Plan]) -> Plan:
    """All of the plans, as one."""
    return plans[0] if len(plans) == 1 else ("all", tuple(plans))


def either(plans: list[Plan]) -> Plan:
    """Any of the plans, as one."""
    return plans[0] if len(plans) == 1 else ("any", tuple(plans))


def described(text: str, alias: str | None = None, *, hidden: bool = False) -> Any:
    """An optional key with its documentation. A hidden one is no help to people who mistyped another."""
    return Field(default=None, alias=alias, description=text, exclude=hidden or None)
