"""What a person sees before they accept a project's rules, and how foreign text is shown."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ostiary.policy import ExceptionPlan, FilePlan, HandlerPlan, IncludePlan, RulePlan
from ostiary.trust import Permit, review
from ostiary.visible import hidden, visible

SILENT = "where the text does not tell, it says nothing"
DIGEST = "0123456789abcdef" * 4


def rule(id: str, line: int = 1, **fields: Any) -> RulePlan:
    return RulePlan(id, line, ("PreToolUse",), fields.pop("when", ("always",)), **fields)


def file(*rules: RulePlan, **fields: Any) -> FilePlan:
    values: dict[str, Any] = {"name": "p", "label": ".ostiary/policy.yaml", "digest": DIGEST, "combine": "strictest"}
    return FilePlan(**{**values, "rules": rules, **fields})


def permits(*rules: RulePlan, **fields: Any) -> list[tuple[str, str, str]]:
    return [(item.kind, item.rule, item.text) for item in review(file(*rules, **fields), "/r").permits]


@pytest.mark.parametrize(
    ("fields", "want"),
    [
        ({"decision": "allow"}, [("allow", "x", "every call")]),
        (
            {"decision": "allow", "when": ("tool", "exact", ("bash",)), "unless": ("mode", (("eq", "plan"),))},
            [("allow", "x", "tool bash unless mode plan")],
        ),
        ({"decision": "deny", "unless": ("prompt", ())}, []),
        ({"decision": "ask"}, []),
        ({"decision": "deny", "reason": "no"}, [("reason", "x", "deny says to the model: no")]),
        ({"decision": "defer"}, [("defer", "x", "every call")]),
        ({"update_input": (("command", "ls"), ("x", 1))}, [("rewrite", "x", "command := ls; x := 1 for every call")]),
        ({"update_output": ("redact", ("a",), "b")}, [("rewrite", "x", "output with b for a for every call")]),
        ({"update_output": ("set", "gone")}, [("rewrite", "x", "output := gone for every call")]),
        ({"context": "be quick"}, [("context", "x", "tells the model: be quick")]),
        ({"message": "hello"}, [("message", "x", "shows: hello")]),
        ({"decision": "deny", "halt": True}, [("halt", "x", "stops the session")]),
        ({"decision": "ask", "default": True}, [("default", "x", "ask where no other rule speaks")]),
        ({"decision": "allow", "default": True}, [("default", "x", "allow where no other rule speaks")]),
        (
            {"decision": "defer", "default": True, "when": ("tool", "all")},
            [("default", "x", "defer where no other rule speaks, for tool *")],
        ),
        (
            {"handler": HandlerPlan("command", (("command", "./x.sh"), ("args", None)))},
            [("handler", "x", "runs command (command: ./x.sh) for every call")],
        ),
        ({"decision": "deny", "uncertain": "none"}, [("uncertain", "x", SILENT)]),
        ({"decision": "deny", "observe": True}, [("observe", "x", "deny is recorded, and does not act")]),
        ({"context": "x", "observe": True}, [("observe", "x", "it is recorded, and does not act")]),
    ],
)  # fmt: skip
def test_what_waits(fields: dict[str, Any], want: list[tuple[str, str, str]]) -> None:
    assert permits(rule("x", **fields)) == want


def test_the_loosest_comes_first() -> None:
    many = [rule(f"d{number}", decision="deny") for number in range(2000)]
    found = review(file(rule("c", context="x"), *many, rule("a", 9, decision="allow"), rule("h", halt=True)), "/r")
    assert found.permits[0] == Permit("allow", "a", 9, "every call")
    assert [item.kind for item in found.permits] == ["allow", "context", "halt"]
    assert found.stops == 2000


def test_what_a_file_as_a_whole_does() -> None:
    when = ("prompt", (("eq", "go"),))
    exceptions = (
        ExceptionPlan("pack:git/x", None, "", "", 4),
        ExceptionPlan("y", when, "", "2027-01-31", 5),
        ExceptionPlan("z", None, "", "", 6),
    )
    y, z = rule("y", decision="deny"), rule("z", decision="ask")
    found = permits(y, z, combine="last", aliases=(("deploy", ("a", "b")),), exceptions=exceptions)
    assert found == [
        ("exception", "", "the exception for pack:git/x reaches no rule"),
        ("exception", "", "y does not act where prompt go until 2027-01-31"),
        ("exception", "", "z does not act anywhere"),
        ("combine", "", "the last rule that matches decides, not the strictest"),
        ("alias", "", "deploy = a, b"),
    ]


def test_included_files_count() -> None:
    pack = file(rule("a", decision="allow"), rule("d", decision="deny"), label="pack")
    team = file(rule("b", decision="allow"), label="team.yaml")
    includes = (IncludePlan("git", pack, ("d", "e"), True), IncludePlan("", team, (), False))
    found = review(file(rule("c", decision="deny"), includes=includes), "/r")
    assert [(item.kind, item.rule, item.text) for item in found.permits] == [
        ("allow", "pack:git/a", "every call"),
        ("allow", "team.yaml/b", "every call"),
        ("exception", "pack:git", "does not act: d, e"),
        ("observe", "pack:git", "everything is recorded, and does not act"),
    ]
    assert found.stops == 2


def test_a_word_belongs_to_the_content() -> None:
    found = review(file(), "/r")
    assert found.word == "01234567"
    assert found.accepted(" 01234567\n")
    assert not found.accepted("yes")
    assert not found.accepted("")
    assert not found.accepted(None)


def test_hidden_and_long_text_is_told() -> None:
    (hiding,) = permits(rule("a\x1b[1m", context="x\u202ey\U000e0041"))
    assert hiding == ("context", "a[1m", "tells the model: xy (2 hidden characters)")
    (long,) = permits(rule("a", context="y" * 1000))
    assert long[2].endswith("yyy ... (617 more characters)")


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("plain text", "plain text"),
        ("two\nlines\tand\r\nmore\u2028", "two lines and  more "),
        ("\x1b[31mred\x1b[0m", "[31mred[0m"),
        ("\x9b31m \x1b]0;title\x07", "31m ]0;title"),
        ("a\u202eb\u2066c\u200bd\ufeffe\u00adf", "abcdef"),
        ("v\ufe0f\U000e0101 \u3164h\u115f", "v h"),
        ("tag\U000e0068\U000e0069", "tag"),
        ("half\ud800 private\ue000", "half private"),
        ("naïve 日本 é 😀", "naïve 日本 é 😀"),
    ],
)
def test_visible(text: str, want: str) -> None:
    assert visible(text) == want
    assert hidden(text) == len(text) - len(want)


@given(st.text())
def test_shown_text_is_one_line_without_controls(text: str) -> None:
    shown = visible(text)
    assert len(shown.splitlines()) <= 1
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in shown)
    assert visible(shown) == shown
