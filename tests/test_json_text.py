"""Settings files as text: what is not ours stays as it is, to the byte, comments and layout too."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ostiary.dialects import DIALECTS
from ostiary.dialects.base import Syntax
from ostiary.install import RegistrationError, hook_command, json_text, plan_install, plan_uninstall, registered
from ostiary.install import registrable as known
from ostiary.install.json_text import JsonTextError
from ostiary.problems import Problem

pytestmark = pytest.mark.no_cover

PLAIN, COMMENTED, TRAILING = DIALECTS["claude-code"], DIALECTS["gemini-cli"], DIALECTS["vscode"]
BY_SYNTAX = {"json": PLAIN, "comments": COMMENTED, "commas": TRAILING}


def install(text: str | None, agent: str = "gemini-cli", events: list[str] | None = None) -> str:
    dialect = DIALECTS[agent]
    return plan_install(dialect, text, hook_command(dialect, "/opt/python"), events).after


def uninstall(text: str, agent: str = "gemini-cli") -> str:
    return plan_uninstall(DIALECTS[agent], text).after


# --- texts with everything in them ----------------------------------------------------------------------------------

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6)
    | st.sampled_from(["// no comment", "/* no comment */", ',]"', "a\\", "\u2028"])
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
hooks = st.dictionaries(
    st.sampled_from(["PreToolUse", "BeforeTool", "Stop", "Halt"]),
    st.lists(
        st.fixed_dictionaries(
            {
                "hooks": st.lists(
                    st.dictionaries(st.text(max_size=4), values, min_size=1, max_size=2), min_size=1, max_size=3
                )
            },
            optional={"matcher": st.sampled_from(["", "*", "Bash"])},
        )
        | values,
        min_size=1,
        max_size=3,
    ),
    min_size=1,
    max_size=3,
)
files = st.builds(
    lambda rest, own: {**rest, **own},
    st.dictionaries(st.text(max_size=5).filter(lambda key: key != "hooks"), values, max_size=4),
    st.fixed_dictionaries({}, optional={"hooks": hooks}),
)
BLANKS = ["", "", " ", "\n", "\n  ", "\n    ", "\t", "\n\n\t"]
COMMENTS = [" // note\n", "//\n  ", '/* "a": {, */', "/**/", "\n  // one\n  // two, ]\n  ", " /* over\n lines */ "]


@st.composite
def texts(draw: st.DrawFn, value: Any, syntax: Syntax) -> str:
    """The value in any layout that a reader of the syntax takes."""
    gaps = st.sampled_from(BLANKS if syntax == "json" else [*BLANKS, *COMMENTS])

    def written(item: Any) -> str:
        if isinstance(item, dict):
            entries = [f"{json.dumps(key)}{draw(gaps)}:{draw(gaps)}{written(inner)}" for key, inner in item.items()]
        elif isinstance(item, list):
            entries = [written(inner) for inner in item]
        else:
            return json.dumps(item, ensure_ascii=draw(st.booleans()))
        text = ",".join(f"{draw(gaps)}{entry}{draw(gaps)}" for entry in entries) or draw(gaps)
        if entries and syntax == "commas" and draw(st.booleans()):
            text += f",{draw(gaps)}"
        return f"{{{text}}}" if isinstance(item, dict) else f"[{text}]"

    text = f"{draw(gaps)}{written(value)}{draw(gaps)}"
    text = text.replace("\n", "\r\n") if draw(st.booleans()) else text
    return f"\ufeff{text}" if draw(st.booleans()) else text


syntaxes = st.sampled_from(list(BY_SYNTAX))
layouts = st.sampled_from(
    [{"indent": 2}, {"indent": 4}, {"indent": "\t"}, {}, {"separators": (",", ":")}, {"indent": 0}]
)


def comments(text: str) -> list[str]:
    return [found["comment"] for found in json_text._COMMENT.finditer(text) if found["comment"]]


@given(files, syntaxes, st.data())
def test_uninstalling_undoes_installing(value: Any, syntax: Syntax, data: st.DataObject) -> None:
    text, dialect = data.draw(texts(value, syntax)), BY_SYNTAX[syntax]
    try:
        after = install(text, dialect.name)
    except RegistrationError:
        assert syntax == "commas"  # entries at events, of which some are no lists
        assume(False)
    assert set(registered(dialect, after)) == set(known(dialect))
    rest = {key: item for key, item in json_text.value(after, ()).items() if key != "hooks"}
    assert rest == {key: item for key, item in value.items() if key != "hooks"}
    assert comments(after) == comments(text)
    assert install(after, dialect.name) == after
    assert uninstall(after, dialect.name) == text
    assert uninstall(text, dialect.name) == text


IN_JSON = [name for name, dialect in DIALECTS.items() if dialect.registration.shape not in ("plugin", "scripts")]


@pytest.mark.parametrize("agent", IN_JSON)
@pytest.mark.parametrize("indent", [None, 2, "\t"])
def test_every_agent_gives_the_file_back(agent: str, indent: int | str | None) -> None:
    data = {"first": [1, {"a": {}}], **DIALECTS[agent].registration.fixed, "last": "x"}
    text = json.dumps(data, indent=indent)
    after = install(text, agent)
    assert registered(DIALECTS[agent], after)
    assert uninstall(after, agent) == text
    assert install(after, agent) == after


@given(files, layouts, st.booleans(), st.booleans())
def test_a_layout_is_kept(value: Any, layout: Any, ascii_only: bool, dos: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, **layout)
    if dos:
        text = text.replace("\n", "\r\n") + "\r\n"
    after = install(text)
    assert after.count("\n") == after.count("\r\n") or "\r\n" not in text
    assert uninstall(after) == text


@given(values, syntaxes, st.data())
def test_every_place_is_found_replaced_and_removed(value: Any, syntax: Syntax, data: st.DataObject) -> None:
    text = data.draw(texts({"root": value}, syntax))
    place: tuple[str | int, ...] = ("root",)
    found = value
    while isinstance(found, dict | list) and found and data.draw(st.booleans()):
        step = data.draw(st.sampled_from(sorted(found) if isinstance(found, dict) else range(len(found))))
        place, found = (*place, step), found[step]
    json_text.insist(text, syntax)
    assert json_text.value(text, place) == found
    changed = json_text.replaced(text, place, ["new", {"k": []}])
    removed = json_text.removed(text, place)
    node = json_text.find(text, place)
    assert node
    own = len(comments(text[node.start : node.end]))
    inner, gone = json_text.value(changed, ()), json_text.value(removed, ())
    for step in place[:-1]:
        inner, gone = inner[step], gone[step]
    assert inner[place[-1]] == ["new", {"k": []}]
    before = json_text.value(text, place[:-1])
    del before[place[-1]]
    assert gone == before
    assert len(comments(removed)) >= len(comments(text)) - own - _between(text, place)


def _between(text: str, place: json_text.Place) -> int:
    """The comments between a member's key and its value, which go with it."""
    parent, node = json_text.find(text, place[:-1]), json_text.find(text, place)
    assert parent
    assert node
    start = next(entry.start for entry in parent.entries if entry.node.start == node.start)
    return len(comments(text[start : node.start]))


def test_places_that_are_not_there() -> None:
    text = '{"a": [1, {"b": 2}], "c": "x"}'
    for place in (("b",), ("a", 2), ("a", "b"), ("c", 0), ("c", "x"), ("a", 0, "b"), ("x", "y", "z")):
        assert json_text.find(text, place) is None
        assert json_text.value(text, place) is None


# --- where ours stands among comments -------------------------------------------------------------------------------

NOTED = """// mine
{
  "theme": "dark", // at night
  /* what runs
     beside */
  "hooks": {
    // lint
    "Stop": [] // nothing yet
  } // that is all
}
"""

NOTED_INSTALLED = """// mine
{
  "theme": "dark", // at night
  /* what runs
     beside */
  "hooks": {
    // lint
    "Stop": [], // nothing yet
    "BeforeTool": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "ours",
            "timeout": 60000
          }
        ]
      }
    ]
  } // that is all
}
"""


def test_ours_stands_behind_the_comments() -> None:
    after = install(NOTED, events=["BeforeTool"])
    assert re.sub(r'"command": ".*"', '"command": "ours"', after) == NOTED_INSTALLED
    assert uninstall(after) == NOTED


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"a": 1, "b": 2 /* b */, // c\n "d": 3}', '{"a": 1,  /* b */ // c\n "d": 3}'),
        ('{"a": 1, // a\n "b": 2 // b\n}', '{"a": 1 // a\n // b\n}'),
        ('{"b": 2 /* b */}', "{ /* b */}"),
        ('{ // x\n "b": 2,}', "{ // x\n}"),
        ('{"a": 1, /* a */ "b": 2, /* b */}', '{"a": 1, /* a */ /* b */}'),
        ('{"b": 2, "c": 3}', '{"c": 3}'),
        ('{"b": 2 , "c": 3}', '{"c": 3}'),
    ],
)
def test_comments_beside_what_is_removed_stay(before: str, after: str) -> None:
    assert json_text.removed(before, ("b",)) == after


# --- what an agent does not read ------------------------------------------------------------------------------------

READS = {
    "claude-code": "the agent reads plain JSON: no comments, no commas at the end; mend the file, then try again",
    "gemini-cli": "the agent reads JSON with comments, but without commas at the end; mend the file, then try again",
    "vscode": "the agent reads JSON with comments and commas at the end; mend the file, then try again",
}


@pytest.mark.parametrize(
    ("agent", "text", "line", "column", "message"),
    [
        ("claude-code", '{"a": 1 // x\n}', 1, 9, "there is a comment"),
        ("claude-code", '{"a": 1 /* x */}', 1, 9, "there is a comment"),
        ("claude-code", '{"a": 1,}', 1, 8, "there is a comma after the last entry"),
        ("claude-code", '{"a": 1, /* x */}', 1, 10, "there is a comment"),
        ("gemini-cli", '{\n "a": 1 , // x\n}', 2, 9, "there is a comma after the last entry"),
        ("gemini-cli", '{"a": 1 /* x }', 1, 9, "the file is not JSON from here on"),
        ("gemini-cli", '{"a": 1 // x\r, "hooks": {}\n}', 1, 9, "the file is not JSON from here on"),
        ("gemini-cli", '{"a": 1 # x\n}', 1, 9, "the file is not JSON from here on"),
        ("gemini-cli", "// nothing\n", 2, 1, "the file is not JSON from here on"),
        ("gemini-cli", '{"hooks": {"Stop": [{"hooks": [], "hooks": []}]}}', 1, 35, "`hooks` is there twice"),
        ("gemini-cli", '{"hooks": {} /* a */,\n "hooks": {}}', 2, 2, "`hooks` is there twice"),
        ("vscode", '{"a": [,]}', 1, 8, "the file is not JSON from here on"),
        ("vscode", '{"a": [1,,]}', 1, 10, "the file is not JSON from here on"),
        ("vscode", '{"a": [/* x */ ,]}', 1, 16, "the file is not JSON from here on"),
    ],
)
def test_what_the_agent_would_not_read_is_refused(agent: str, text: str, line: int, column: int, message: str) -> None:
    problem = Problem("x.json", line, column, "", message, READS[agent])
    for plan in (lambda: install_at(agent, text), lambda: plan_uninstall(DIALECTS[agent], text, "x.json")):
        with pytest.raises(RegistrationError) as raised:
            plan()
        assert raised.value.problem == problem
    with pytest.raises(JsonTextError):
        registered(DIALECTS[agent], text)


def install_at(agent: str, text: str) -> object:
    return plan_install(DIALECTS[agent], text, hook_command(DIALECTS[agent], "/opt/python"), file="x.json")


def test_text_that_looks_like_a_comment_is_none() -> None:
    text = '{"url": "http://a.example/*", "b": "*/ //"}'
    assert uninstall(install(text, "claude-code"), "claude-code") == text
    assert re.sub(r"\s", "", json_text.without_comments(text + "//x")) == re.sub(r"\s", "", text)
