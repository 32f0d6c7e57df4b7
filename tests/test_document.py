"""YAML text to a model with places: what a table of broken files cannot say (`tests/errors` has those)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field
from ruamel.yaml.error import MarkedYAMLError

from ostiary import document
from ostiary.document import Flaw
from ostiary.document.node import find, where
from ostiary.document.reader import scalar
from ostiary.document.syntax import explained, far_escape
from ostiary.document.text import LIMIT
from ostiary.problems import PolicyError
from ostiary.rules import RuleFile


class Leaf(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    size: int = 0
    kind: Literal["big"] = "big"
    level: Literal[1, 2] = 1


class Tree(BaseModel):
    model_config = ConfigDict(extra="forbid")

    leaves: list[Leaf] = Field(default=[])
    on: str = ""
    free: dict[str, Any] = Field(default={})

    @staticmethod
    def checks(data: dict[str, Any]) -> Iterator[Flaw]:
        if data.get("on") == "fire":
            yield Flaw(("on",), "trees must not burn", at_key=True)


def load(text: str | bytes) -> tuple[Tree, document.Document]:
    return document.load(text, Tree, "tree.yaml")


def refused(text: str | bytes) -> list[str]:
    with pytest.raises(PolicyError) as caught:
        load(text)
    return [str(problem) for problem in caught.value.problems]


def test_a_model_and_where_everything_stands() -> None:
    tree, placed = load("leaves:\n  - name: a\n    size: 2\n  - {name: b}\n")
    assert [leaf.name for leaf in tree.leaves] == ["a", "b"]
    assert placed.line(("leaves", 1)) == 4
    assert placed.place(("leaves", 0, "size")) == (3, 11)
    assert placed.place(("leaves", 0, "size"), at_key=True) == (3, 5)
    assert placed.place((), at_key=True) == (1, 1)
    assert placed.place(("leaves", 0), at_key=True) == (2, 5)


@pytest.mark.parametrize("text", ["on: x\n", "\ufeffon: x\n", "on: x\r\n", "---\non: x\n...\n", b"\xef\xbb\xbfon: x\n"])
def test_marks_and_line_ends_do_not_matter(text: str | bytes) -> None:
    assert load(text)[0].on == "x"


def test_the_reader_of_one_file_knows_nothing_of_another() -> None:
    assert refused("%YAML 1.1\n---\non: yes\n")
    assert load("on: yes\n")[0].on == "yes"


TEXT = ["on", "off", "yes", "no", "y", "2027-01-31", "1_000", "12:30", "0b1", ".5.", "+", "9" * 30]
NUMBERS = [("010", 10), ("0o10", 8), ("0x1f", 31), ("-1", -1), ("+1", 1), ("1.", 1.0), (".5", 0.5), ("1e3", 1000.0)]
CONSTANTS = [("true", True), ("FALSE", False), ("null", None), ("~", None), ("", None)]


@pytest.mark.parametrize("text", TEXT)
def test_what_yaml_1_2_reads_as_text(text: str) -> None:
    assert scalar(text) == text
    assert load(f"on: {text}\n")[0].on == text


@pytest.mark.parametrize(("text", "value"), [*NUMBERS, *CONSTANTS])
def test_what_yaml_1_2_reads_as_something_else(text: str, value: Any) -> None:
    assert scalar(text) == value
    assert type(scalar(text)) is type(value)


def test_all_problems_of_types_and_checks_come_together_in_order() -> None:
    assert refused("on: fire\nleaves:\n  - {nam: a, size: big, kind: small}\n  - {name: b, level: 3}\nleafs: []\n") == [
        "tree.yaml:1:1: on: trees must not burn",
        "tree.yaml:3:6: leaves[0].nam: unknown key `nam`\n  help: did you mean `name`?",
        "tree.yaml:3:20: leaves[0].size: expected a whole number, found `big`",
        "tree.yaml:3:31: leaves[0].kind: expected `big`, found `small`",
        "tree.yaml:4:22: leaves[1].level: expected `1` or `2`, found a number, `3`",
        "tree.yaml:5:1: leafs: unknown key `leafs`\n  help: did you mean `leaves`?",
    ]


def test_a_key_one_level_too_high_is_sent_down() -> None:
    assert refused("size: 1\n") == ["tree.yaml:1:1: size: unknown key `size`\n  help: it belongs under `leaves`"]


def test_an_error_nobody_foresaw_is_told_without_its_words() -> None:
    class Odd(BaseModel):
        when: complex

    with pytest.raises(PolicyError, match=r"^odd\.yaml:1:7: when: expected another value, found `x`$"):
        document.load("when: x\n", Odd, "odd.yaml")


def test_null_is_a_value_where_anything_may_stand_and_nowhere_else() -> None:
    assert load("free: {a: null, b: [null]}\n")[0].free == {"a": None, "b": [None]}
    assert refused("on: null\n") == [
        "tree.yaml:1:1: on: the key `on` has no value\n  help: write a value or remove the line"
    ]
    assert refused("free: {a: ~}\n") == ['tree.yaml:1:8: free: the key `a` has no value\n  help: quote it: `"~"`']


def test_a_file_has_a_size() -> None:
    assert refused("# " + "x" * LIMIT) == ["tree.yaml: the file is too large: 4 MiB at most"]
    assert refused(b"\xff" * (LIMIT + 1)) == ["tree.yaml: the file is too large: 4 MiB at most"]


def test_problems_have_a_limit() -> None:
    assert len(refused("free:\n" + "  - &a x\n" * 500)) == 100
    assert len(refused("".join(f"k{n}: 1\n" for n in range(300)))) == 100


def test_a_place_that_is_not_there_is_the_one_above_it() -> None:
    _, placed = load("leaves: [{name: a}]\n")
    assert find(placed.root, ("leaves", 7, "x", "name"))[1] == ["leaves"]
    assert where(("a", 1, "b")) == "a[1].b"


def test_words_of_a_parser_that_nobody_knows() -> None:
    assert str(explained(MarkedYAMLError(problem="?"), "", "x.yaml")) == "x.yaml: this is not valid YAML"
    assert str(far_escape("", "x.yaml")) == "x.yaml: an escape in double quotes names no character"


TEXTS = st.text(st.sampled_from("ab:-#'\"[]{},&*!|>%@`? \n\t~0"), max_size=40)


@given(st.one_of(TEXTS, st.text(max_size=60), st.binary(max_size=60)))
def test_any_text_is_a_document_or_problems(text: str | bytes) -> None:
    try:
        document.load(text, RuleFile, "any.yaml")
    except PolicyError as error:
        found = error.problems
    else:
        return
    assert found
    assert all(problem.message and "\n" not in problem.message for problem in found)


KEYS = st.sampled_from(["version", "deny", "vars", "default", "rules", "name", "x"])


@given(st.dictionaries(KEYS, TEXTS, min_size=1))
def test_a_foreign_text_is_never_quoted(data: dict[str, str]) -> None:
    secret = "hunter2"
    text = "".join(f"{key}: {value}{secret}{value}\n" for key, value in data.items())
    try:
        document.parse(text, "any.yaml", foreign=True).validate(RuleFile)
    except PolicyError as error:
        found = error.problems
    else:
        return
    for problem in found:
        quoted = [*re.findall("`([^`]*)`", problem.message), *re.findall("`([^`]*)`", problem.help)]
        # A key may be told; everything else that the text holds may not.
        assert all(secret not in item or f"{item}:" in text or f"{item} :" in text for item in quoted)
        assert secret not in re.sub("`[^`]*`", "", f"{problem.message} {problem.help}")
