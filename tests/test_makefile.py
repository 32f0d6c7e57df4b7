"""Makefiles that are too long, too deep or too manifold to be read: that is said, in bounded time."""

from __future__ import annotations

import pytest

from ostiary.call.makefile import MAX_LINES, MAX_TRIED, Recipe, recipes
from ostiary.call.makevalues import LENGTH, STEPS
from ostiary.words import word

LINES = "the makefile has too many lines"
GOALS = "the makefile has too many goals"
MUCH = "a text of the makefile stands for too much"
ALL = "all:\n\techo\n"


def read(text: str, *goals: str) -> list[Recipe]:
    return list(recipes(text, map(word, goals)))


def problems(text: str, *goals: str) -> list[str]:
    return [recipe.problem for recipe in read(text, *goals) if recipe.problem]


def test_blank_lines_are_no_limit() -> None:
    assert read("\n" * MAX_LINES + ALL) == [Recipe("echo", MAX_LINES + 2)]


DOUBLED = "".join(f"V{n} = $(V{n + 1})$(V{n + 1})\n" for n in range(20))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x:\n" * MAX_LINES + ALL, LINES),
        (
            "$(eval $(L))\n" + "define L\n" + "x = 1\n" * (MAX_LINES // 2 + 1) + "endef\n$(eval $(L))\n$(eval $(L))\n",
            LINES,
        ),
        (
            "".join(f"%.{n}: %.{n + 1}\n" for n in range(300)) + "all: " + " ".join(map(str, range(MAX_TRIED // 200))),
            GOALS,
        ),
        (f"L = {'x' * LENGTH}\nall:\n\techo $(L)$(L)\n", MUCH),
        (DOUBLED + "V20 =\nall:\n\techo $(V0)\n", MUCH),
        ("$(" * 100 + "\n" + ALL, MUCH),
        ("X := " + "${" * 100 + "\n" + ALL, MUCH),
        ("all:\n\techo " + "$(x)" * (STEPS + 1), MUCH),
    ],
)
def test_what_is_too_much_is_said_once(text: str, problem: str) -> None:
    assert problems(text) == [problem]
