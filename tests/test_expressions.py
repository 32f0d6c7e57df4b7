"""Expressions that are compiled when they are used, and are all correct."""

from __future__ import annotations

import gc
import pkgutil
import re
from importlib import import_module

import pytest

import ostiary
from ostiary.expressions import expression

pytestmark = pytest.mark.no_cover


def test_an_expression_has_the_methods_of_a_compiled_one() -> None:
    late, compiled = expression("(a+)b?", re.IGNORECASE), re.compile("(a+)b?", re.IGNORECASE)
    for method in ("match", "fullmatch", "search", "findall"):
        assert str(getattr(late, method)("AAb")) == str(getattr(compiled, method)("AAb"))
    assert (late.sub("x", "aabc"), late.split("cab"), late.pattern) == ("xc", ["c", "a", ""], "(a+)b?")
    assert [found[1] for found in late.finditer("a aa")] == ["a", "aa"]


def test_what_an_expression_has_not() -> None:
    with pytest.raises(AttributeError, match=r"^groups$"):
        _ = expression("a").groups


def test_all_expressions_can_be_compiled() -> None:
    for module in pkgutil.walk_packages(ostiary.__path__, "ostiary."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    late = [found for found in gc.get_objects() if type(found) is type(expression(""))]
    assert len(late) > 50
    for found in late:
        re.compile(found.pattern, found.flags)
