"""Git's aliases, defined where they are used (`git -c alias.up='push --force' up`) or for later (`git config`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from ostiary.call.gather import Gathered, Nested
from ostiary.call.layers import Layer
from ostiary.call.roles import apply
from ostiary.programs import Arguments
from ostiary.records import replace
from ostiary.words import Hole, Word, joined, word


def aliased(layer: Layer) -> Iterator[Nested]:
    """The command that an alias stands for, if the subcommand is one that a `-c` of the same command defines. An alias
    for shell text is found where the option is read. Git splits the words as a shell does (its `alias.*` variables)."""
    if _may_be_alias(layer):
        yield from _stands_for(layer, _values(layer.arguments, layer.arguments.subcommand[0]))


def inherited(layers: tuple[Layer, ...], variables: tuple[tuple[str, Word], ...]) -> Iterator[Nested]:
    """The same of an alias that variables define: `GIT_CONFIG_VALUE_0` and its like (git's manual, git-config,
    ENVIRONMENT), or one that `--config-env` names."""
    if not layers or not _may_be_alias(layers[-1]):
        return
    given, known = layers[-1].arguments, dict(variables)
    alias = f"alias.{given.subcommand[0].lower()}"
    values: list[Word] = []
    for used in given.options:
        key, _, variable = (used.value.text or "").partition("=") if used.value is not None else ("", "", "")
        if "--config-env" in used.names and key.lower() == alias:
            values.append(known.get(variable, _UNTOLD))
    for name, value in variables:
        if name.startswith(_VALUE):
            key_of = known.get(_KEY + name.removeprefix(_VALUE), _UNTOLD).text
            values += [value] if key_of is None or key_of.lower() == alias else []
        elif name == "GIT_CONFIG_PARAMETERS" and alias in str(value).lower():
            values.append(_UNTOLD)
    yield from _stands_for(layers[-1], values)


_KEY: Final = "GIT_CONFIG_KEY_"
_VALUE: Final = "GIT_CONFIG_VALUE_"
_UNTOLD: Final = Word((Hole("", "outside"),))


def _may_be_alias(layer: Layer) -> bool:
    given = layer.arguments
    return given.unknown_subcommand and given.data is not None and given.data.path == ("git",)


def _stands_for(layer: Layer, values: Iterable[Word]) -> Iterator[Nested]:
    words, rest = layer.invocation.words, layer.arguments.plain[2:]
    before = words[1 : len(words) - len(rest) - 1]
    for value in values:
        found = _split(value)
        if found is None:
            yield Nested("unknown", value, reason="what an alias stands for is not told")
        elif found and not found[0].prefix.startswith("!"):
            yield Nested("words", words=(words[0], *before, *found, *rest))


def configured(layer: Layer) -> Iterator[Nested]:
    """What `git config KEY VALUE` makes other commands run later, perhaps."""
    given = layer.arguments
    if given.data is None or given.data.path not in (("git", "config"), ("git", "config", "set")):
        return
    rest = [*map(word, given.subcommand[len(given.data.path) - 1 :]), *given.operands]
    if len(rest) < 2 or rest[0].text is None:
        return
    key, value = rest[0].text, rest[1]
    found = _split(value) if key.lower().startswith("alias.") else ()
    if found is None:
        yield Nested("unknown", value, reason="what an alias stands for is not told", possible=True)
    elif found and not found[0].prefix.startswith("!"):
        yield Nested("words", words=(layer.invocation.words[0], *found), possible=True)
    out = Gathered()
    apply(out, "setting", joined([f"{key}=", *value.pieces]))
    yield from (replace(nested, possible=True) for nested in out.nested)


def _values(given: Arguments, name: str) -> Iterator[Word]:
    for used in given.options:
        if used.kind == "setting" and used.value is not None:
            key, equals, _ = used.value.prefix.partition("=")
            if equals and key.lower() == f"alias.{name.lower()}":
                yield used.value.after(len(key) + 1)


def _split(value: Word) -> tuple[Word, ...] | None:
    """The words of an alias, None if they are not told."""
    import shlex  # for aliases alone

    try:
        return None if value.text is None else tuple(map(word, shlex.split(value.text)))
    except ValueError:
        return None
