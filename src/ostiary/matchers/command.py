"""The `command` matcher."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Discriminator, PlainValidator, Tag, model_validator

from ostiary import patterns, programs
from ostiary.matchers.base import (
    Plan,
    Several,
    Spec,
    Text,
    Texts,
    Value,
    as_list,
    both,
    described,
    either,
    filled,
    parsed,
    refuse,
    text,
)
from ostiary.matchers.line import line_plan
from ostiary.spelling import shown

_OPTION: Final = re.compile(r"[-+/]\S+")


def _option(value: Any) -> str:
    if not _OPTION.fullmatch(text(value)):
        near = re.sub(r"\s.*", "", value.strip(), flags=re.DOTALL)
        dashes = "-" if len(near) == 1 else "--"
        help = f"did you mean `{dashes}{near}`?" if re.fullmatch("[A-Za-z][A-Za-z0-9-]*", near) else ""
        raise refuse(f"`{shown(value)}` is no option", help or "options start with `-`")
    option = text(value)
    name, joint, given = option.partition("=")
    if joint:
        raise refuse("the value of an option stands apart from its name", f'write `{{{name}: "{given}"}}`')
    if re.search(r"[*?\[]", option):
        raise refuse("an option is named in full", "abbreviations and twins are known: name one spelling")
    return option


Option = Annotated[str, PlainValidator(_option, json_schema_input_type=str)]
OptionList = Annotated[tuple[Option, ...], BeforeValidator(as_list, json_schema_input_type=str | list[str])]


class OptionValues(Value[dict[Option, Texts]]):
    """Options with the values (texts) they must have."""


class Environment(Value[dict[str, Texts]]):
    """Variables with the values (texts) they must have."""


def _shape(value: Any) -> str:
    return "<mapping>" if isinstance(value, dict) else "<list>"


Flags = Annotated[
    Annotated[OptionList, Tag("<list>")] | Annotated[OptionValues, Tag("<mapping>")], Discriminator(_shape)
]
Variables = Annotated[Annotated[Texts, Tag("<list>")] | Annotated[Environment, Tag("<mapping>")], Discriminator(_shape)]


def _words(value: Any) -> tuple[str, ...]:
    words = tuple(text(value).split())
    if not words or "[" in value or value.startswith("/"):
        raise refuse("a subcommand is plain words", "write it as it is typed, such as `remote add` or `* describe-*`")
    return words


def _word(value: Any) -> str:
    return _words(value)[0]


def _one_by_one(value: Any) -> Any:
    """The list of a subcommand's words. One that holds whole subcommands was meant as a choice."""
    if isinstance(value, list) and any(isinstance(item, str) and len(item.split()) > 1 for item in value):
        raise refuse("a list holds the words of one subcommand, one by one", _any_of(value))
    return filled(value)


def _any_of(subcommands: Iterable[Any]) -> str:
    """Help for what was meant as one of several."""
    choices = ", ".join(f"{{subcommand: {shown(str(item))}}}" for item in subcommands)
    return f"for one of several write `any: [{choices}]`"


Words = Annotated[tuple[str, ...], PlainValidator(_words, json_schema_input_type=str)]
WordList = Annotated[
    tuple[Annotated[str, PlainValidator(_word, json_schema_input_type=str)], ...], BeforeValidator(_one_by_one)
]
Subcommand = Annotated[
    Annotated[WordList, Tag("<list>")] | Annotated[Words, Tag("<text>")],
    Discriminator(lambda value: "<list>" if isinstance(value, list) else "<text>"),
]


def _named(value: Any) -> str:
    if not text(value).strip():
        raise refuse("an empty pattern names no program", 'write `"*"` for every program')
    return text(value)


def _program(value: Any) -> Plan:
    """The name of a program. Raises for what names none, so that a deny does not wait for it in vain."""
    plan = parsed(patterns.text_plan, _named(value))
    if plan[0] != "re" and re.search(r"[/\\]", value):
        base = re.split(r"[/\\]", value)[-1]
        raise refuse("a program is named without its folder", f"write `{shown(base)}`" if base else "")
    first, _, rest = value.strip().partition(" ")
    if plan[0] == "eq" and rest and programs.program(first):
        below = f"flag: {rest.split()[0]}" if rest.startswith("-") else f"subcommand: {rest.strip()}"
        raise refuse(f"`{shown(value)}` is more than a program", f"write `{{program: {first}, {shown(below)}}}`")
    return plan


Program = Annotated[Plan, PlainValidator(_program, json_schema_input_type=str)]


class Command(Spec):
    """A program with its arguments, told by what they mean. Several keys must all hold, on the same command.

    when: {command: {program: git, subcommand: push, flag: [--force, -f], not: {flag: --force-with-lease}}}
    """

    program: Annotated[tuple[Program, ...], Several] | None = described(
        "names of the program (texts), without a folder; `pip` is not `pip3`, `pip*` is both"
    )
    subcommand: Subcommand | None = described(
        "the words that choose what the program does: `push`, `remote add` or `[remote, add]`; `*` and `?` stand for "
        "any text of one word: `* describe-*`"
    )
    flag: Flags | None = described(
        "options, one of which is given: order, clusters (`-uf`), twins, abbreviations and `--x=y` are seen through; "
        'a mapping names values as texts: `{--context: "prod-*"}`'
    )
    flags_only: OptionList | None = described("the only options that may be given")
    arg: Texts | None = described("texts, one of which fits a word that is no option")
    args: tuple[Text, ...] | None = described("the exact list of words after the program (texts)")
    refs: Texts | None = described(
        "git branches and tags (texts) that are pushed or touched; the current branch if none is named"
    )
    via: Texts | None = described("wrappers that run the program: `sudo`, `xargs` (texts)")
    env: Variables | None = described(
        "variables (texts), one of which the text sets for the program; a mapping names their values"
    )
    pipes_to: AnyCommand | None = described("the command that reads its output")
    pipes_from: AnyCommand | None = described("the command whose output it reads")
    all: tuple[AnyCommand, ...] | None = described("conditions that all hold")
    any: tuple[AnyCommand, ...] | None = described("conditions of which one holds")
    not_: AnyCommand | None = described("a condition that does not hold", "not")

    @model_validator(mode="before")
    @classmethod
    def _some_key(cls, value: Any) -> Any:
        if value == {}:
            raise refuse("the mapping is empty", 'write `program: "*"` for every command')
        return value

    @model_validator(mode="after")
    def _one_subcommand(self) -> Command:
        """Refuses `[push, fetch]`, which is no subcommand of anything, where it was meant as one of two."""
        names = [pattern[1] for pattern in self.program or () if pattern[0] == "eq"]
        words = self.subcommand or ()
        if len(words) > 1 and any(_two_subcommands(name, words) for name in names):
            raise refuse(f"`{shown(' '.join(words))}` is no subcommand, each of its words is one", _any_of(words))
        return self

    def plan(self) -> Plan:
        """What holds of the command."""
        return both([part for name in type(self).model_fields for part in self._parts(name, getattr(self, name))])

    def _parts(self, name: str, value: Any) -> Iterator[Plan]:
        if value is None:
            return
        if name in ("flag", "env"):
            yield (name, _pairs(name, value))
        elif name in ("pipes_to", "pipes_from", "not_"):
            yield (name.removesuffix("_"), value.plan())
        elif name == "subcommand":
            yield (name, (value,))
        elif name in ("all", "any"):
            yield (name, tuple(item.plan() for item in value))
        else:
            yield (name, value)


def _two_subcommands(program: str, words: tuple[str, ...]) -> bool:
    data = programs.program(program)
    if data is None or not all(word in data.subcommands for word in words):
        return False
    below = programs.subprogram(data, words[0])
    return below is None or words[1] not in below.subcommands


def _pairs(name: str, value: Any) -> tuple[tuple[Any, Plan | None], ...]:
    """Names with the values they must have, None for any. Names of variables are texts."""
    if isinstance(value, tuple):
        return tuple((item, None) for item in value)
    named = patterns.text_plan if name == "env" else str
    return tuple((named(key), item) for key, texts in value.root.items() for item in texts)


def _line(value: Any) -> Plan:
    """A command as text: a regular expression over its words, or the compact form."""
    if not text(value).strip():
        raise refuse("the text is blank", 'write `"*"` for every command')
    plan = parsed(patterns.text_plan, value)
    return ("line", plan, ()) if plan[0] == "re" else line_plan(value)


def _command_shape(value: Any) -> str:
    return "<mapping>" if isinstance(value, dict) else "<list>" if isinstance(value, list) else "<text>"


Line = Annotated[Plan, PlainValidator(_line, json_schema_input_type=str)]


class AnyCommand(
    Value[
        Annotated[
            Annotated[Line, Tag("<text>")]
            | Annotated[tuple[Line, ...], BeforeValidator(filled), Tag("<list>")]
            | Annotated[Command, Tag("<mapping>")],
            Discriminator(_command_shape),
        ]
    ]
):
    """A command that runs, wherever it stands in a script. A mapping of what must hold of it; or the compact form, a
    glob over its words joined by one blank: `git push --force*` (`X *` also fits the bare `X`); or a list of such
    texts, one of which must fit.

    when: {command: git push --force*}
    """

    def plan(self) -> Plan:
        """What holds of the command."""
        if isinstance(self.root, Command):
            return self.root.plan()
        if self.root and isinstance(self.root[0], tuple):
            return either(list(self.root))
        return self.root

    def compile(self) -> Plan:
        """The plan of this condition."""
        return ("command", self.plan())


Command.model_rebuild()
