"""Path patterns: `tests/cases/paths/*.yaml`, their grammar, and laws.

A row has `pattern` (one or a list) or `outside`, `path` and the answers `wide` and `narrow`. In a path `<$X>` is a
variable from outside, `<*>` a pathname pattern, `<(x)>` something computed, `<=**>` and `<=x>` what a program finds.
`cwd`, `given`, `links`, `folds`, `homes` change what is known.
"""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as given_any
from hypothesis import settings
from hypothesis import strategies as st

from ostiary import paths
from ostiary.answers import MAYBE, NAMES, NO, YES
from ostiary.facts import FactName, FactNeeded, FactRequest, FixedFacts, Given, Knowledge
from ostiary.paths import PathMatcher, Tree, matcher, outside, path_plan, shown, tree_matcher
from ostiary.paths.glob import can_match, path_matches, segment_matches
from ostiary.paths.spelling import FLAT
from ostiary.patterns import Meter, metered
from ostiary.words import Hole, HoleKind, Word, joined, word
from tables import read_table

pytestmark = pytest.mark.no_cover

CASES = Path(__file__).parent / "cases" / "paths"
KINDS: dict[str, HoleKind] = {"$": "outside", "(": "computed", "=": "found"}
HOME, START, OTHER = "/home/dev", "/w/app", "/w/lib"


class Known(Knowledge):
    """Knowledge that answers at once, and remembers what was asked."""

    def __init__(self, given: Given, answers: dict[FactRequest, object]) -> None:
        super().__init__(given)
        self.facts = FixedFacts(given, answers)
        self.asked: list[FactRequest] = []

    def ask(self, name: FactName, argument: str) -> object:
        request = FactRequest(name, argument)
        self.asked.append(request)
        return self.facts.answer(request)


def known(given: dict[str, Any] | None = None, **answers: dict[str, object]) -> Known:
    base: dict[str, Any] = {"home": HOME, "start": START, "roots": (START, OTHER), "workdirs": ("/w",)}
    facts = Given(**{**base, **{k: tuple(v) if isinstance(v, list) else v for k, v in (given or {}).items()}})
    requests = {
        FactRequest(name, argument): value  # type: ignore[arg-type]
        for name, found in answers.items()
        for argument, value in (found or {}).items()
    }
    return Known(facts, requests)


def target(text: str) -> Word:
    """A path with its holes in angle brackets."""
    pieces: list[str | Hole] = []
    for part in re.split(r"(<[^<>]*>)", text):
        inner = part[1:-1]
        if not part.startswith("<"):
            pieces.append(part)
        else:
            kind = KINDS.get(inner[0], "glob")
            pieces.append(Hole(inner.removeprefix("="), kind))
    return joined(pieces)


def rows() -> list[Any]:
    found = []
    for path in sorted(CASES.glob("*.yaml")):
        for row in read_table(path)["cases"]:
            name = f"{path.stem}: {row.get('pattern', row.get('outside'))} {row['path']}"
            found.append(pytest.param(row, id=name))
    return found


def build(row: dict[str, Any], wide: bool) -> PathMatcher:
    if "outside" in row:
        return outside(row["outside"], wide)
    patterns = row["pattern"] if isinstance(row["pattern"], list) else [row["pattern"]]
    return matcher(tuple(path_plan(pattern) for pattern in patterns), wide)


@pytest.mark.parametrize("row", rows())
def test_case(row: dict[str, Any]) -> None:
    for reading in ("wide", "narrow"):
        knowledge = known(
            row.get("given"),
            resolve=row.get("links", {}),
            folds_case=row.get("folds", {}),
            home_of=row.get("homes", {}),
        )
        answer = build(row, reading == "wide")(target(row["path"]), row.get("cwd", START), knowledge)
        assert NAMES[answer] == row[reading], reading


@pytest.mark.parametrize(
    ("pattern", "plan"),
    [
        ("/etc/passwd", ("path", "root", ("etc", "passwd"), False)),
        ("/etc/", ("path", "root", ("etc",), True)),
        ("/", ("path", "root", (), False)),
        ("~", ("path", "home", (), False)),
        ("~/.ssh/**", ("path", "home", (".ssh", "**"), False)),
        ("./src", ("path", "start", ("src",), False)),
        (".", ("path", "start", (), False)),
        (".env", ("path", "float", (".env",), False)),
        ("$workdirs/out/", ("path", "workdirs", ("out",), True)),
        ("a//./b", ("path", "float", ("a", "b"), False)),
        ("**/**/x", ("path", "float", ("**", "x"), False)),
        ("c:\\Windows\\x", ("path", "root", ("C:", "Windows", "x"), False)),
        ("C:/", ("path", "root", ("C:",), True)),
        (r"/\.env$/", ("re", r"\.env$", "")),
        ("/secret/i", ("re", "secret", "i")),
        ("/a|b/", ("re", "a|b", "")),
        ("/srv/x", ("path", "root", ("srv", "x"), False)),
        ("/srv/app/i", ("path", "root", ("srv", "app", "i"), False)),
        ("/srv/[i]", ("path", "root", ("srv", "[i]"), False)),
        ("/home/sys", ("path", "root", ("home", "sys"), False)),
    ],
)
def test_grammar(pattern: str, plan: tuple[Any, ...]) -> None:
    assert path_plan(pattern) == plan


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("", "a path pattern cannot be empty"),
        ("!a", "`!a` begins with `!`, which excludes nothing here; write the exclusion under `unless`"),
        ("~bob/x", "`~bob/x` names another user's home; write its absolute path"),
        ("$HOME/x", "`$HOME/x` begins with a variable; only `$workdirs/` is known, and `~/` for the home"),
        ("a/../b", "`a/../b` has a `..` segment; write where it leads"),
        ("**.env", "`**` must stand alone between slashes in `**.env`; did you mean `**/*.env`"),
        ("a[b", "`[` is never closed in `a[b`; write `[[]` for the character itself"),
        ("a\0", "a path cannot hold a NUL character"),
        ("x" * 3000, "pattern of 3000 characters is longer than 2000"),
        ("/a(/", "`a(` is not a valid regular expression: missing ) at position 2"),
    ],
)
def test_bad_patterns(pattern: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        path_plan(pattern)


@pytest.mark.parametrize(
    "pattern", ["/etc/passwd", "/etc/", "~/.ssh/**", "./src/", "$workdirs/a", ".env", r"/\.env$/i", "/"]
)
def test_a_plan_is_shown_as_it_was_written(pattern: str) -> None:
    assert shown(path_plan(pattern)) == pattern


def test_facts_are_asked_only_where_they_matter() -> None:
    def asked(pattern: str, path: str, wide: bool) -> list[str]:
        knowledge = known()
        matcher((path_plan(pattern),), wide)(word(path), START, knowledge)
        return [f"{request.name} {request.argument}" for request in knowledge.asked]

    assert asked("**/.env", ".env", True) == []
    assert asked("**/.env", "a", True) == ["resolve /w/app/a"]
    assert asked("**/.env", "a", False) == []
    assert asked("**/.env", ".ENV", True) == ["folds_case /w/app/.ENV", "resolve /w/app/.ENV", "folds_case /w/app/.ENV"]
    assert asked("~/.ssh/**", "~bob/x", True)[0] == "home_of bob"


def test_an_unanswered_fact_is_asked_for() -> None:
    with pytest.raises(FactNeeded):
        matcher((path_plan("a"),), True)(word("b"), START, Knowledge(Given(start=START)))


def test_no_pattern_matches_nothing() -> None:
    assert matcher((), True)(word("a"), START, known()) == NO
    assert matcher((), True)(word("a"), START, known(resolve={f"{START}/a": None})) == NO


def test_one_segment() -> None:
    assert segment_matches("a*b?[cd]", "axxbyc")
    assert not segment_matches("a*b", "ab/c")
    assert segment_matches("*a*b*", "xxaxxbxx")
    assert not segment_matches("[!a]", "a")
    assert segment_matches("**", "x")


def test_long_paths_can_match_anything() -> None:
    assert can_match(("a",), "/" + "x" * 5000)
    assert can_match(("w", "*a"), f"/w/{FLAT}{'x' * 300}a")
    assert not can_match(("w", "*b"), f"/w/{FLAT}{'x' * 100}a")


SEGMENTS = st.lists(st.sampled_from(["a", "b", "ab", "*", "a*", "?b", "**", "[ab]", ".env", ".*"]), max_size=4)
NAMES_IN_PATHS = st.lists(st.sampled_from(["a", "b", "ab", "abb", ".env", "cab"]), max_size=4)


@given_any(SEGMENTS, NAMES_IN_PATHS)
def test_both_machines_agree_on_known_paths(pattern: list[str], names: list[str]) -> None:
    if names:
        path = "/" + "/".join(names)
        assert path_matches(tuple(pattern), tuple(names)) == can_match(tuple(pattern), path)


FILLS = st.lists(st.sampled_from(["a", "b", "a/b", "..", "", "/etc", "a/../..", "x y"]), min_size=2, max_size=2)
WITH_HOLES = st.lists(st.sampled_from(["<$X>", "a", "/", "b/", "./", "../", "<$Y>", "/etc/"]), min_size=1, max_size=5)
PATTERNS = st.sampled_from(
    [
        "/etc/**",
        "**/a",
        "a",
        "./a/**",
        "a/b",
        "/w/app/b",
        "**",
        "b*",
        "~/a",
        "$workdirs/*",
        "/a",
        "*",
        "a/",
        "/w/*/a/**",
    ]
)


@given_any(PATTERNS, WITH_HOLES, FILLS, st.booleans())
@settings(max_examples=1500)
def test_the_answer_holds_whatever_variables_hold(pattern: str, parts: list[str], fills: list[str], wide: bool) -> None:
    text = "".join(parts)
    match = matcher((path_plan(pattern),), wide)
    answer = match(target(text), START, known())
    filled = text.replace("<$X>", fills[0]).replace("<$Y>", fills[1])
    if not filled:
        return
    real = match(word(filled), START, known())
    if answer == NO:
        assert real == NO
    # The root itself has no name, and a star asks for one; nothing else may escape a yes.
    if answer == YES:
        assert real == YES or paths.spelled(word(filled), START, known()).text == "/"


GLOB_FILLS = st.sampled_from(["a", "b", "ab", "a.b"])


@given_any(PATTERNS, st.lists(st.sampled_from(["<*>", "a", "/", "b/", "/etc/"]), min_size=1, max_size=5), GLOB_FILLS)
@settings(max_examples=1000)
def test_the_answer_holds_whatever_a_glob_finds(pattern: str, parts: list[str], fill: str) -> None:
    text = "".join(parts)
    match = matcher((path_plan(pattern),), True)
    answer, real = (match(target(item), START, known()) for item in (text, text.replace("<*>", fill)))
    assert answer in (real, MAYBE)


@given_any(st.lists(PATTERNS, min_size=2, max_size=20), WITH_HOLES, st.booleans(), st.booleans())
def test_a_long_list_says_what_its_patterns_say(patterns: list[str], texts: list[str], wide: bool, folds: bool) -> None:
    plans = tuple(map(path_plan, patterns))
    links = {f"{START}/a": "/etc/A", "/etc": f"{START}/b", "/b": None}
    facts = known(folds_case=dict.fromkeys(("/", START, "/etc"), folds), resolve=links)
    path = target("".join(texts))
    one_by_one = max(matcher((plan,), wide)(path, START, facts) for plan in plans)
    assert matcher(plans, wide)(path, START, facts) == one_by_one


@given_any(PATTERNS, WITH_HOLES)
def test_narrow_is_never_wider(pattern: str, parts: list[str]) -> None:
    text = "".join(parts)
    wide, narrow = (matcher((path_plan(pattern),), reading)(target(text), START, known()) for reading in (True, False))
    assert narrow <= wide


@given_any(st.text(max_size=30), st.none() | st.just("/w"), st.booleans(), st.booleans())
def test_any_text_is_a_path(text: str, cwd: str | None, wide: bool, windows: bool) -> None:
    knowledge = known({"windows": windows})
    matcher((path_plan("**/.env"), path_plan("~/x/"), path_plan("./y")), wide)(word(text), cwd, knowledge)
    outside("project", wide)(word(text), cwd, knowledge)
    spelling = paths.spelled(word(text), cwd, knowledge).text
    assert not {".", ".."} & set(spelling.split("/"))


@given_any(st.text(max_size=30))
def test_any_text_is_a_pattern_or_refused(text: str) -> None:
    with contextlib.suppress(ValueError):
        matcher((path_plan(text),), True)(word("a/b"), START, known())


@pytest.mark.parametrize(
    ("pattern", "root", "found"),
    [
        ("a/b", word("/work"), MAYBE),
        ("./a/b", word("/work"), MAYBE),
        ("a/b", word("/work/a"), MAYBE),
        ("a/b", word("/work/a/b"), NO),
        ("a/b", word("/work/c"), NO),
        ("/work/a", word("/"), MAYBE),
        ("/srv/a", word("/work"), NO),
        ("a/b", word("/srv/a"), MAYBE),
        ("**/*.pem", word("/work"), NO),
        ("/a.b$/", word("/work"), NO),
        ("a/b", Word(("/work", Hole("*", "glob"))), NO),
    ],
)
def test_a_tree_is_asked_for_the_literal_names_of_a_pattern(pattern: str, root: Word, found: object) -> None:
    knowledge = Knowledge(Given(start="/work", roots=("/work",)))
    for path in ("/work/a", "/work/a/b", "/work/c/a/b", "/work/a/a/b", "/work/a/b/a/b", "/srv/a/a/b", "/srv/a/b"):
        knowledge.answers[FactRequest("kind", path)] = (
            "file" if path in ("/work/a", "/work/a/b", "/srv/a/b") else "none"
        )
    for path in ("/", "/work", "/work/a", "/work/a/b", "/work/c", "/srv/a"):
        knowledge.answers[FactRequest("listing", path)] = {}
    assert tree_matcher((path_plan(pattern),))(root, Tree(), None, knowledge) == found


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.parametrize("target", [word("a/.env"), word("a/notes"), Word((Hole("$X", "outside"), "/notes"))])
def test_a_path_that_takes_too_many_steps_is_maybe(target: Word, wide: bool) -> None:
    match = matcher((path_plan("**/.env"), path_plan("/srv/**"), path_plan("**/a*")), wide)
    knowledge = Known(Given(start=START), {})
    whole = match(target, START, knowledge)
    for left in range(60):
        meter = Meter(searches=0, late=0, seconds=0, steps=left)
        with metered(meter):
            assert match(target, START, knowledge) == (MAYBE if meter.steps < 0 else whole)
        assert meter.cut == (meter.steps < 0)
    assert not meter.cut
