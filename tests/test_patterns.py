"""Text patterns: globs against a plain reference, and words with holes against what the holes may hold."""

from __future__ import annotations

import fnmatch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ostiary import patterns
from ostiary.answers import MAYBE, NO, YES
from ostiary.words import Hole, Word, joined, word

letters = st.text(alphabet="ab/", max_size=8)
globs = st.text(alphabet="ab/*?", max_size=8)
HOLE = Hole("$X", "outside")
FILLS = ("", "a", "b", "/", "ab", "ba", "a/b", "bbbb")


@given(globs, letters)
def test_a_glob_matches_as_the_reference_does(pattern: str, text: str) -> None:
    assert patterns.glob_matches(pattern, text) == fnmatch.fnmatchcase(text, pattern)


@given(globs, letters, letters)
def test_a_hole_is_never_surer_than_its_fills(pattern: str, before: str, after: str) -> None:
    answer = patterns.matcher(("glob", pattern))(joined([before, HOLE, after]))
    fills = [patterns.glob_matches(pattern, before + fill + after) for fill in FILLS]
    assert answer != YES or all(fills)
    assert answer != NO or not any(fills)


@pytest.mark.parametrize(
    ("pattern", "text", "answer"),
    [
        ("git push *", "git push x", YES),
        ("git push *", "git push", NO),
        ("a[!b]c", "axc", YES),
        ("a[!b]c", "abc", NO),
        ("a[b-a]c", "abc", NO),
        ("a[!b-a]c", "abc", YES),
        (r"a\*c", "a*c", YES),
        (r"a\*c", "axc", NO),
        (r"\*", "x", NO),
        ("[]]", "]", YES),
        ("[a", "[a", YES),
        ("/^ab/", "abc", YES),
        ("/B/i", "abc", YES),
        ("/a.b/", "a\nb", NO),
        ("/a.b/s", "a\nb", YES),
        ("/a/g", "cab", YES),
        ("plain", "plain", YES),
        ("plain", "plain ", NO),
        ("", "", YES),
    ],
)
def test_text_patterns(pattern: str, text: str, answer: int) -> None:
    plan = patterns.text_plan(pattern)
    assert patterns.matcher(plan)(text) == answer
    assert patterns.matcher(plan)(word(text)) == answer
    assert patterns.any_of((plan, ("eq", "other")))(text) == answer


@pytest.mark.parametrize(
    ("pattern", "pieces", "answer"),
    [
        ("plain", ["pl", HOLE], MAYBE),
        ("plain", ["x", HOLE], NO),
        ("*", [HOLE], YES),
        ("a*", ["ab", HOLE], YES),
        ("a*c", ["a", HOLE, "b"], NO),
        ("/x/", [HOLE], MAYBE),
        ("a?c", ["a", HOLE, "c"], MAYBE),
        ("a[bx]c", ["a", HOLE, "c"], MAYBE),
        ("*[bx]", [HOLE, "b"], YES),
    ],
)
def test_words_with_holes(pattern: str, pieces: list[str | Hole], answer: int) -> None:
    plan = patterns.text_plan(pattern)
    assert patterns.matcher(plan)(joined(pieces)) == answer
    assert patterns.any_of((plan, ("eq", "zzz")))(Word(tuple(pieces))) == answer


def test_a_search_that_takes_too_long_is_maybe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "SEARCH_SECONDS", 1e-9)
    assert patterns.search(r"(a|b|ab)*(a|c)*\1*x", "", "ab" * 20000) == MAYBE


@pytest.mark.parametrize("pattern", ["/(/", "/[/", "/" + "(" * 500 + "/", "x" * (patterns.MAX_PATTERN + 1)])
def test_a_bad_pattern_is_refused_with_a_message(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"not a valid regular expression|longer than"):
        patterns.text_plan(pattern)


@pytest.mark.parametrize("text", ["/etc/passwd", "/x/ii", "/x/q", "//", "/x", "x/"])
def test_what_is_no_explicit_expression(text: str) -> None:
    assert patterns.explicit(text) is None


def test_a_meter_bounds_the_searches_of_a_block() -> None:
    meter = patterns.Meter(searches=2, late=1, seconds=1.0, steps=0)
    with patterns.metered(meter):
        assert [patterns.search("a", "", "a") for _ in range(3)] == [YES, YES, MAYBE]
        assert patterns.covers("a", "a") == MAYBE
    assert meter.cut
    assert patterns.search("a", "", "a") == YES


def test_a_meter_bounds_the_late_searches() -> None:
    meter = patterns.Meter(searches=9, late=1, seconds=1e-9, steps=0)
    with patterns.metered(meter):
        assert patterns.search(r"(a|b|ab)*(a|c)*\1*x", "", "ab" * 20000) == MAYBE
    assert meter.cut
