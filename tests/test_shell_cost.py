"""What a shell text may cost (laws L7, L10), counted and not timed: calls of functions while it is read, and the size
of what comes of it. Hostile texts make a state grow with every command, and copy it with every next one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ostiary.call import analyse
from ostiary.event import Event
from ostiary.facts import Given
from ostiary.shell import Script, parse
from ostiary.shell.limits import PIECES, PLACE, STEPS, VALUE, Budget
from ostiary.tools import TOOLS

pytestmark = pytest.mark.no_cover

CALLS = 300_000
"""Calls of functions while one text is read: some 50 ms."""
ANALYSED = 1_500_000
"""Calls while it is taken apart."""
ENTRIES = 100_000
CHARACTERS = 1_000_000


def chain(count: int, one: Callable[[int], str]) -> str:
    return "".join(one(number) for number in range(1, count + 1))


HOSTILE: dict[str, Callable[[int], str]] = {
    "doubling": lambda n: "a=x; " + "a+=$a$a; " * n + "rm x",
    "doubling what is not set": lambda n: chain(n, lambda i: f"a{i}=$a{i - 1}$a{i - 1}; ") + "rm x",
    "doubling in loops": lambda n: "x=y; " + "for a in 1 2 3 4 5 6 7 8; do x=$x$x; done; " * n + "rm $x",
    "doubling arrays": lambda n: "a=(x y); " + 'a+=("${a[@]}" "${a[@]}"); ' * n + "rm x",
    "doubling parameters": lambda n: "set -- x y; " + 'set -- "$@" "$@"; ' * n + 'rm "$@"',
    "doubling functions": lambda n: (
        "f0() { x; }; " + chain(n, lambda i: f"f{i}() {{ f{i - 1}; f{i - 1}; }}; ") + "rm x"
    ),
    "functions in pipes": lambda n: "f() { " + "a; " * n + "}; " + "f | " * n + "b",
    "branches": lambda n: chain(n, lambda i: f"if a; then X{i}=$X{i - 1}; else X{i}=b; fi; "),
    "cases": lambda n: "case x in " + chain(n, lambda i: f"a{i}) X{i}=1;& ") + "esac",
    "directories": lambda n: "cd aaaa; " * n,
    "directories in a chain": lambda n: "cd aaaa && " * n + "rm x",
    "directories left": lambda n: "pushd $a/b; " * n,
    "assignments and calls": lambda n: "f() { a; }; " + chain(n, lambda i: f"A{i}=1; f; "),
    "assignments and substitutions": lambda n: chain(n, lambda i: f"A{i}=$(a); "),
    "assignments in a chain": lambda n: chain(n, lambda i: f"A{i}=1 && ") + "rm x",
    "declared integers": lambda n: chain(n, lambda i: f"declare -i A{i}=1; "),
    "functions before assignments": lambda n: "f() { a; }; " * n + chain(n, lambda i: f"A{i}=1; "),
    "groups in a pipe": lambda n: "{ " + "a; " * n + "} | { " + "b; " * n + "}",
    "redirections": lambda n: "exec >f >g >h; " * n + "a",
    "one long value": lambda n: "a='" + "x* " * n * 4 + "'; " + "rm $a; " * n,
    "tildes": lambda n: "a=" + "~:" * n * 4 + "; " + "rm $a; " * n,
    "aliases of aliases": lambda n: "alias a0=x; " + chain(n, lambda i: f"alias a{i}=a{i - 1}; ") + f"a{n} y",
    "evaluated": lambda n: "eval 'a=1; eval b'; " * n,
    "nested scripts": lambda n: "bash -c 'a | b' | " * n + "c",
    "a nested script again and again": lambda n: "{ " + "sh; " * n + "} <<E\n" + "a=$a$a; " * n + "\nE",
}


def counted(run: Callable[[], Any]) -> int:
    """The calls of Python functions while something runs."""
    count = 0

    def hook(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(hook)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count


def entries(script: Script) -> int:
    words = sum(1 + len(word.pieces) for command in script.commands for word in command.words)
    others = (len((*one.exported, *one.redirects, *one.reads_from, *one.feeds)) for one in script.commands)
    return words + sum(others)


def characters(script: Script) -> int:
    words = (word for command in script.commands for word in (*command.words, command.cwd, *command.fallbacks))
    return sum(len(str(word)) for word in words)


def within_bounds(text: str) -> None:
    budget = Budget()
    script = parse(text, "bash", budget)
    assert 0 <= budget.steps <= STEPS
    assert entries(script) <= ENTRIES
    assert characters(script) <= CHARACTERS
    assert counted(lambda: parse(text)) <= CALLS
    assert script.limit == "" or any(command.unparsed for command in script.commands)


@pytest.mark.parametrize("size", [10, 40, 300, 900])
@pytest.mark.parametrize("kind", HOSTILE)
def test_what_grows_is_bounded(kind: str, size: int) -> None:
    within_bounds(HOSTILE[kind](size)[:65_536])


@pytest.mark.parametrize("kind", HOSTILE)
def test_calls_are_bounded_too(kind: str) -> None:
    text = HOSTILE[kind](400)
    event = Event.from_call("bash", {"command": text}, "/w")
    given_facts = Given(home="/home/dev", start="/w", roots=("/w",), workdirs=("/w",))
    assert counted(lambda: analyse(event, given_facts, TOOLS)) <= ANALYSED


@given(st.lists(st.tuples(st.sampled_from(sorted(HOSTILE)), st.integers(1, 60)), min_size=1, max_size=4))
@settings(max_examples=60)
def test_what_grows_is_bounded_in_any_mixture(parts: list[tuple[str, int]]) -> None:
    within_bounds("\n".join(HOSTILE[kind](size) for kind, size in parts))


@pytest.mark.parametrize("kind", ["doubling", "doubling what is not set", "doubling arrays", "doubling parameters"])
def test_what_stands_behind_a_value_that_is_too_long_is_still_seen(kind: str) -> None:
    script = parse(HOSTILE[kind](60))
    assert (script.commands[-1].words[0].text, script.limit) == ("rm", "")


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("a=" + "x" * (VALUE + 1) + "; rm $a", VALUE),
        ("a='" + "x " * (PIECES + 1) + "'; rm $a", PIECES),
        ("cd " + "x" * (PLACE + 1) + "; rm a", PLACE),
    ],
)
def test_a_value_beyond_a_bound_is_not_told(text: str, bound: int) -> None:
    shorter = text.replace("xx", "x", 1).replace("x x x ", "x x ", 1)
    (*_, whole), (*_, beyond) = (parse(one).commands for one in (shorter, text))
    assert any(word.holes for word in (*beyond.words, beyond.cwd))
    assert not any(word.holes for word in (*whole.words, whole.cwd)), bound


def test_too_many_pipes_are_not_followed() -> None:
    script = parse("{ " + "a; " * 70 + "} | { " + "b; " * 70 + "}")
    assert (script.limit, script.commands[-1].unparsed) == ("links", "the script has too many pipes")


def test_texts_share_the_steps_of_a_budget() -> None:
    budget = Budget(300)
    limits = [parse("a b c d\n" * 20, "bash", budget).limit for _ in range(4)]
    assert (limits[0], limits[-1], budget.steps) == ("", "steps", 0)


def test_a_call_with_too_many_pipes_says_so() -> None:
    text = "bash -c '" + "a; " * 300 + "' | { " + "b; " * 60 + "}"
    call = analyse(Event.from_call("bash", {"command": text}, "/w"), Given(home="/home/dev", start="/w"), TOOLS)
    assert call.limit == call.parts[-1].unparsed == "more than 8192 pipes"
