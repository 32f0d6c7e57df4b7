"""The files that say what programs do: those that are shipped, and `programs/*.yaml` of users.

The notation of options, operands and subcommands is that of `programs.model`; this is its specification.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, RootModel, Tag

from ostiary.document import Flaw
from ostiary.matchers.base import parsed, refuse, text
from ostiary.programs import model
from ostiary.rules.schema import portable
from ostiary.spelling import nearest, shown

_NAME: Final = re.compile(r"[^\s/\\:=|]+")
_OPTION: Final = re.compile(r"[-+/]\S*")


def _known(role: str, roles: Iterable[str], of: str) -> None:
    """Raises for a word that is none of the roles."""
    if role not in roles:
        near = nearest(role, sorted(roles))
        raise refuse(f"`{shown(role)}` is no role of {of}", f"did you mean `{near}`?" if near else "")


def _role(value: Any) -> str:
    """A role of a value, perhaps with its language: `code:python`."""
    _known(model.head(text(value)), model.VALUE_ROLES, "a value")
    return text(value)


def _stdin(value: Any) -> str:
    """What the standard input is: a role, or `told:diff` for a text that is read only where the call holds it."""
    return text(value) if model.head(text(value)) == "told" else _role(value)


def _words(value: Any) -> list[str]:
    if value == "":
        return []
    if not text(value).strip():
        raise refuse("the text is blank", "remove the key")
    return text(value).split()


def _traits(value: Any) -> str:
    words = _words(value)
    for word in words:
        if word not in model.TRAITS:
            near = nearest(word, sorted(model.TRAITS))
            raise refuse(f"`{shown(word)}` is no trait of a program", f"did you mean `{near}`?" if near else "")
    return " ".join(words)


def _options(value: Any) -> str:
    words = _words(value)
    seen: set[str] = set()
    for word in words:
        names = _option(word)
        if twice := sorted(seen & names):
            raise refuse(f"the option `{shown(twice[0])}` stands twice", "remove one of them")
        seen |= names
    return " ".join(words)


def _option(word: str) -> frozenset[str]:
    """The names of one option. Raises for one that is not well written."""
    try:
        data = model.option_data(word)
    except ValueError:
        raise refuse(f"`{shown(word)}` is no option", "write it like `-o|--output=write`") from None
    for name in data.names:
        if not _OPTION.fullmatch(name):
            raise refuse(f"`{shown(name)}` is no spelling of an option", "begin it with `-`, `+` or `/`")
    _known(model.head(data.value), model.VALUE_ROLES, "a value")
    _known(data.role, model.OPTION_ROLES, "an option")
    return data.names


def _operands(value: Any) -> str:
    words = _words(value)
    parsed(model.slots, " ".join(words))
    found = model.slots(" ".join(words))
    for role in (*found.first, *found.last, *([found.rest] if found.rest else [])):
        _known(model.head(role), model.VALUE_ROLES, "a value")
    return " ".join(words)


def _touches(value: Any) -> str:
    words = _words(value)
    for word in words:
        role, path = model.touch(word)
        if not role or not path:
            raise refuse(f"`{shown(word)}` names no role and path", "write it like `write:~/.npmrc`")
        _known(model.head(role), model.VALUE_ROLES, "a value")
    return " ".join(words)


def _shape(value: Any) -> str:
    return "<text>" if isinstance(value, str) else "<mapping>"


def _key(value: Any) -> str:
    """The names of an entry, separated by blanks."""
    if not text(value).strip():
        raise refuse("the name is blank", "write the program's name")
    return text(value)


Role = Annotated[str, BeforeValidator(_role)]
Stdin = Annotated[str, BeforeValidator(_stdin)]
Operands = Annotated[str, BeforeValidator(_operands)]
Touches = Annotated[str, BeforeValidator(_touches)]
Traits = Annotated[str, BeforeValidator(_traits)]
Options = Annotated[str, BeforeValidator(_options)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Change(_Strict):
    """What options change about the rest; the roles of the operands alone may be written as text."""

    operands: Operands | None = Field(None, description="roles of the operands instead")
    values: dict[str, Role] | None = Field(None, description="roles of the values of other options instead")
    also: Touches | None = Field(None, description="what is always touched instead; empty for nothing")
    absent: Touches | None = Field(None, description="what is touched where no operand stands instead")


Changes = Annotated[Annotated[Operands, Tag("<text>")] | Annotated[Change, Tag("<mapping>")], Discriminator(_shape)]


class Entry(_Strict):
    """What one program or subcommand does. Without any key it may touch the operands that read as paths."""

    traits: Traits | None = Field(None, alias="is", description="traits, separated by blanks: `complete`, `stops` ...")
    options: Options | None = Field(
        None, description="options, separated by blanks: `-o|--output=write`, `--force`, `-e=command!execute`"
    )
    operands: Operands | None = Field(
        None, description="roles of the operands by position: `read... write`; possible accesses by shape if absent"
    )
    absent: Touches | None = Field(None, description="what is touched where no operand stands: `read:.`")
    also: Touches | None = Field(None, description="what is always touched: `write:~/.npmrc`")
    stdin: Stdin | None = Field(None, description="what the standard input is, where it runs: `code:bash`")
    keys: dict[str, Role] | None = Field(None, description="roles of values of operands like `key=value`, by key")
    when: dict[str, Changes] | None = Field(None, description="what options change: `{-l|--list: data...}`")
    subcommands: dict[str, Entry] | None = Field(
        None, description="subcommands: `install=i|ci` are two, of which the first has two names"
    )


class Shipped(RootModel[dict[Annotated[str, BeforeValidator(_key)], Entry]]):
    """Names of programs, several separated by blanks, and what each does."""

    model_config = ConfigDict(frozen=True)


class Programs(Shipped):
    """The same in a file of a user, who names no commands of shells of Windows."""

    @staticmethod
    def checks(data: dict[str, Any]) -> Iterator[Flaw]:
        """Names that cannot be a program's, or that stand twice."""
        seen: set[str] = set()
        for key, entry in data.items():
            for name in str(key).split():
                if not _NAME.fullmatch(name):
                    help = "write the name alone, without a folder"
                    yield Flaw((key,), f"`{shown(name)}` is no name of a program", help, at_key=True)
                elif name in seen:
                    yield Flaw((key,), f"the program `{shown(name)}` stands twice", "remove one of them", at_key=True)
                seen.add(name)
            if taken := sorted({"cmdlet", "idle", "net"}.intersection(_given_traits(entry))):
                help = "that is for what shells themselves have, and shipped"
                yield Flaw((key, "is"), f"a program of yours cannot be `{taken[0]}`", help)


def _given_traits(entry: Any) -> list[str]:
    traits = entry.get("is") if isinstance(entry, dict) else None
    return traits.split() if isinstance(traits, str) else []


def names_of(key: str) -> list[str]:
    """The names of an entry; `cmd:del=erase` are two."""
    found: list[str] = []
    for name in key.split():
        one, *others = name.split("=") if name.startswith("cmd:") else [name]
        found += [one, *(f"cmd:{other}" for other in others)]
    return found


def programs_schema() -> dict[str, Any]:
    """The JSON schema (draft 7) of files of programs, for editors."""
    schema = portable(Programs.model_json_schema())
    return {key: value for key, value in schema.items() if key != "required"} | {"title": "Ostiary programs file"}
