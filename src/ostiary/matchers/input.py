"""The `input` matcher."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import BeforeValidator, Discriminator, PlainValidator, StrictBool, Tag, model_validator
from pydantic_core import PydanticKnownError

from ostiary import patterns
from ostiary.matchers.base import Plan, Spec, Value, both, described, either, filled, parsed, refuse, text

Scalar = str | int | float | bool


def _scalar(value: Any) -> Scalar:
    if isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise refuse("expected text, a number or a boolean")


def _number(value: Any) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PydanticKnownError("float_type")
    return value


def _glob(value: Any) -> Plan:
    return ("glob", text(value))


def _regex(value: Any) -> Plan:
    plan = parsed(patterns.text_plan, text(value) if text(value).startswith("/") else f"/{value}/")
    if plan[0] != "re":
        raise refuse("expected a regular expression", "write it as `/.../`")
    return plan


AnyScalar = Annotated[Scalar, PlainValidator(_scalar, json_schema_input_type=Scalar)]
Number = Annotated[float, PlainValidator(_number, json_schema_input_type=float)]


class Comparison(Spec):
    """What an argument is compared with. Several keys must all hold."""

    equals: AnyScalar | None = described("the very value")
    in_: Annotated[tuple[AnyScalar, ...], BeforeValidator(filled)] | None = described("one of these values", "in")
    glob: Annotated[Plan, PlainValidator(_glob, json_schema_input_type=str)] | None = described(
        "a glob over the whole text"
    )
    regex: Annotated[Plan, PlainValidator(_regex, json_schema_input_type=str)] | None = described(
        "a regular expression that is searched in the text, with or without `/.../`"
    )
    exists: StrictBool | None = described("whether the argument is there at all")
    gt: Number | None = described("greater than; text that spells a number is compared as one")
    gte: Number | None = described("greater or equal")
    lt: Number | None = described("less than")
    lte: Number | None = described("less or equal")

    @model_validator(mode="before")
    @classmethod
    def _some_key(cls, value: Any) -> Any:
        if value == {}:
            raise refuse("the mapping is empty", "write a comparison, such as `exists: true`")
        return value

    def comparisons(self) -> Iterator[tuple[str, Any]]:
        """Each operator with its operand."""
        for name in type(self).model_fields:
            operand = getattr(self, name)
            if operand is not None:
                yield name.removesuffix("_"), operand


def _shape(value: Any) -> str:
    return "<mapping>" if isinstance(value, dict) else "<list>" if isinstance(value, list) else "<value>"


_One = Annotated[AnyScalar, Tag("<value>")]
_Many = Annotated[tuple[AnyScalar, ...], BeforeValidator(filled), Tag("<list>")]
_Mapping = Annotated[Comparison, Tag("<mapping>")]


def _checked(value: Any) -> Any:
    """Texts are patterns here; a bad one is told at its place."""
    if isinstance(value, str):
        parsed(patterns.text_plan, value)
    return value


class Argument(Value[Annotated[Annotated[_One | _Many | _Mapping, Discriminator(_shape)], BeforeValidator(_checked)]]):
    """What one argument must be: a text (see *Texts*), a number or a boolean; a list of which one must fit; or a
    mapping of comparisons."""

    def plan(self, path: tuple[str, ...]) -> Plan:
        """The plan for the argument at `path`."""
        if isinstance(self.root, Comparison):
            return ("input", tuple((path, operator, operand) for operator, operand in self.root.comparisons()))
        values = self.root if isinstance(self.root, tuple) else (self.root,)
        return either([("input", ((path, *_operation(value)),)) for value in values])


def _operation(value: Scalar) -> tuple[str, Any]:
    if not isinstance(value, str):
        return "equals", value
    plan = parsed(patterns.text_plan, value)
    operators = {"re": "regex", "glob": "glob"}
    return (operators[plan[0]], plan) if plan[0] in operators else ("equals", plan[1])


class Input(Value[dict[str, Argument]]):
    """Arguments of the tool, by their path: keys joined by `.`, a position in a list as its number; `"**"` is any text
    at any depth.

    when: {tool: mcp__payments__transfer, input: {amount: {gt: 1000}}}
    when: {mcp: {server: "*"}, input: {"**": "/AKIA[0-9A-Z]{16}/"}}

    Several arguments must all fit. Arguments that came truncated are *maybe*.
    """

    @model_validator(mode="before")
    @classmethod
    def _some_key(cls, value: Any) -> Any:
        if value == {}:
            raise refuse("the mapping is empty", 'write an argument, or `"**"` for any text')
        return value

    def compile(self) -> Plan:
        """The plan of this condition."""
        return both([argument.plan(tuple(path.split("."))) for path, argument in self.root.items()])
