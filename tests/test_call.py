"""Calls: `tests/cases/call/*.yaml`, one command or tool call a row, and laws on any input.

A row has `text` (a shell script) or `tool` and `input`, perhaps `cwd` and `given`, and the `parts` that come of it. A
part lists only what is not empty: `run` (the innermost program and its words), `layers` (all programs, outermost first)
or `via`, `does` (accesses; `read?` is a possible one, `@output` an origin), `open` (openings), `refs`, `cwd` (unless it
is the row's), `is` (`pure`, `complete` or `possible`), `unparsed`, `from` and `to`. A row's `env` is that of its last
part.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as given_any
from hypothesis import strategies as st

from ostiary import programs
from ostiary.call import analyse, files, links, unmapped
from ostiary.call.code import MAX_CODE
from ostiary.call.layers import invocation_of
from ostiary.call.model import Access, Call, Opening, Part
from ostiary.call.roles import HANDLERS
from ostiary.event import Event
from ostiary.facts import SCRIPT_BYTES, Given
from ostiary.programs.model import VALUE_ROLES
from ostiary.tools import TOOLS
from ostiary.words import word
from tables import read_table

CASES = Path(__file__).parent / "cases" / "call"
CWD = "/w/app"
GIVEN = Given(home="/home/dev", start=CWD, roots=(CWD,), workdirs=(CWD,))


def rows() -> list[Any]:
    found = []
    for path in sorted(CASES.glob("*.yaml")):
        for row in read_table(path)["cases"]:
            name = row.get("text", row.get("tool", row.get("on")))
            found.append(pytest.param(row, id=f"{path.stem}: {name}"))
    return found


def access(item: Access) -> str:
    text = f"{item.kind}{'' if item.certain else '?'} {item.target}"
    return text if item.origin == "argument" else f"{text} @{item.origin}"


def opening(item: Opening) -> str:
    return f"{item.kind} {' '.join(sorted(item.names))}".strip()


def shown(part: Part, cwd: str | None) -> dict[str, Any]:
    """A part as a row writes it."""
    inner = part.invocations[-1] if part.invocations else None
    several = len(part.invocations) > 1
    entries: dict[str, Any] = {
        "run": [str(item) for item in inner.words] if inner else [],
        "layers": [item.name or "?" for item in part.invocations] if several else [],
        "via": list(inner.via) if inner and not several else [],
        "does": [access(item) for item in part.accesses],
        "open": [opening(item) for item in part.openings],
        "is": "possible" if part.possible else "pure" if part.pure else "complete" if part.complete else "",
        "unparsed": part.unparsed,
        "from": list(part.pipes_from),
        "to": list(part.pipes_to),
    }
    out = {key: value for key, value in entries.items() if value}
    if inner and not inner.transparent:
        out["transparent"] = False
    if inner and inner.refs is not None:
        out["refs"] = [str(ref) for ref in inner.refs]
    if part.cwd != cwd:
        out["cwd"] = part.cwd
    return out


def event(row: dict[str, Any]) -> Event:
    if "on" in row:
        return Event(name=row["on"], cwd=CWD)
    tool, arguments = row.get("tool", "bash"), row.get("input", {"command": row.get("text")})
    return Event.from_call(tool, arguments, row.get("cwd", CWD), input_complete=row.get("complete", True))


def analysed(text: str, **given: Any) -> Call:
    return analyse(Event.from_call("bash", {"command": text}, CWD), given.get("given", GIVEN), TOOLS)


@pytest.mark.parametrize("row", rows())
def test_case(row: dict[str, Any]) -> None:
    facts = Given(**{"home": "/home/dev", "start": CWD, "roots": (CWD,), "workdirs": (CWD,), **row.get("given", {})})
    call = analyse(event(row), facts, TOOLS)
    found = [shown(part, row.get("cwd", CWD)) for part in call.parts]
    assert found == row["parts"]
    assert call.limit == row.get("limit", "")
    assert call.unmapped == row.get("unmapped", False)
    if "content" in row:
        assert list(call.content) == row["content"]
    if "env" in row:
        assert {name: str(value) for name, value in call.parts[-1].environment} == row["env"]


def test_every_role_has_a_handler() -> None:
    assert set(HANDLERS) == VALUE_ROLES


def test_script_is_the_text_given_to_a_shell() -> None:
    assert analysed("ls").script == "ls"
    assert analyse(Event.from_call("read_file", {"file_path": "a"}, CWD), GIVEN, TOOLS).script is None


def test_a_shell_without_a_script_is_one_part_that_is_not_understood() -> None:
    for arguments in ({}, {"command": None}, {"command": ["rm", "a"]}):
        call = analyse(Event.from_call("bash", arguments, CWD), GIVEN, TOOLS)
        assert [part.unparsed for part in call.parts] == ["argument `command` is missing or no text"]
        assert call.limit


def test_links_beyond_the_bound_lead_anywhere() -> None:
    text = "; ".join(f"ln -s /srv/{number} y{number}" for number in range(links.MAX_LINKS + 1))
    *_, last = analysed(f"{text}; echo a > z").parts
    assert [access(item) for item in last.accesses] == ["write z @output", f"write? link{CWD}/z @output"]


def test_links_beyond_the_bound_lead_who_made_them_nowhere() -> None:
    names = " ".join(f"y{number}" for number in range(links.MAX_LINKS))
    (moving,) = analysed(f"mv {names} z").parts
    assert all(item.certain for item in moving.accesses)
    _, reading = analysed(f"mv {names} z; cat a").parts
    assert [access(item) for item in reading.accesses] == ["read a", f"read? link{CWD}/a"]


def test_texts_that_read_as_commands_have_a_bound() -> None:
    arguments = {"commands": [["rm", f"a{number}"] for number in range(unmapped.MAX_COMMANDS + 1)]}
    call = analyse(Event.from_call("mcp__sh__run", arguments, CWD), GIVEN, TOOLS)
    assert len(call.parts) == unmapped.MAX_COMMANDS + 1
    assert all(part.possible for part in call.parts[1:])
    assert call.limit == "more than 200 texts that read as commands"


def test_arguments_are_not_read_at_any_depth() -> None:
    deep: Any = "rm a"
    for _ in range(unmapped.MAX_NESTING + 2):
        deep = [deep]
    call = analyse(Event.from_call("mcp__sh__run", {"what": deep}, CWD), GIVEN, TOOLS)
    assert len(call.parts) == 1


def test_scripts_inside_scripts_have_a_bound() -> None:
    text = "rm a"
    for _ in range(5):
        text = f"eval {_quoted(text)}"
    assert analysed(text).parts[-1].program == "rm"
    # Quoting five times over is long already, so the bound is met with `sh` on here-documents.
    for level in range(12):
        text = f"sh <<'E{level}'\n{text}\nE{level}"
    call = analysed(text)
    assert "inside each other" in call.limit
    assert call.parts[-1].unparsed == call.limit


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def with_files(text: str, **texts: str) -> Call:
    """A call of which all files that it runs are given, by their names without `.sh`."""
    event = Event.from_call("bash", {"command": text}, CWD)
    return analyse(event, GIVEN, TOOLS, {f"{CWD}/{name}.sh": text for name, text in texts.items()})


def test_files_that_a_call_runs_are_named_once_each_until_they_are_given() -> None:
    call = with_files("./a.sh; sh b.sh x; sh b.sh y; ./b.sh", a="./c.sh\n")
    assert call.unread == (f"{CWD}/b.sh", f"{CWD}/c.sh")
    assert call.read == ("./c.sh\n",)
    assert [(part.text, part.source and part.source.label) for part in call.parts[4:]] == [("./c.sh", "./a.sh:1")]


def test_parts_of_files_say_where_they_stand() -> None:
    call = with_files("true; ./a.sh", a="for x in 1 2; do\n  rm $x\ndone\nrm 1\nsh -c 'rm 3\nrm 4'\n")
    labels = [(part.text, part.source and (part.source.label, part.source.carrier)) for part in call.parts[2:]]
    lines = [("rm $x", 2), ("rm $x", 2), ("rm 1", 4), ("sh -c 'rm 3\nrm 4'", 5), ("rm 3", 5), ("rm 4", 5)]
    assert labels == [(text, (f"./a.sh:{line}", 1)) for text, line in lines]


@pytest.mark.parametrize(
    ("text", "texts", "why"),
    [
        ("./a.sh", {"a": "#" * (SCRIPT_BYTES + 1)}, "the script is not read to its end (size)"),
        ("./a.sh", {"a": "rm a b c\n" * 9999}, "the script is not read to its end (steps)"),
        ("./a.sh", {"a": "sh -c 'rm a; rm b; rm c'\n" * 400}, "more than 1000 commands)"),
        ("./a.sh 1; ./a.sh 2; ./a.sh 3", {"a": "#" * SCRIPT_BYTES}, files.TOO_MUCH),
        (";".join(f"./a.sh {number}" for number in range(files.MAX_FILES + 1)), {"a": "ls"}, files.TOO_MUCH),
        (";".join(f"echo > $x/{number}" for number in range(900)) + ";bash *" * 60, {}, files.TOO_MUCH),
    ],
)
def test_files_have_bounds_that_say_nothing_about_the_rest(text: str, texts: dict[str, str], why: str) -> None:
    call = with_files(text, **texts)
    assert not call.limit
    last = call.parts[-1]
    assert last.unparsed.endswith(why)
    assert last.source is not None
    assert not last.source.settled


@pytest.mark.parametrize(
    "text",
    [
        "a" + " " * 100_000 + "b",
        "X = " + "y" * 100_000 + "\nall:\n\t" + "$(X)" * 7_000,
        " ".join(f"a{number}" for number in range(9_999)) + ":\n" + "\tls\n" * 9_999,
        "all: b\n" + "\n".join(f"{name}: {' '.join(f'a{number}' for number in range(3_000))}" for name in "bcde"),
        "X = $(X)$(X)$(X)\nall:\n\t$(X)\n",
    ],
)
def test_makefiles_cannot_be_made_to_cost_much(text: str) -> None:
    event = Event.from_call("bash", {"command": "make $GOAL"}, CWD)
    names = ("GNUmakefile", "makefile", "Makefile")
    call = analyse(event, GIVEN, TOOLS, {f"{CWD}/{name}": text if name == "Makefile" else None for name in names})
    assert len(call.parts) <= 1002


@pytest.mark.parametrize(("command", "file"), [("make", "Makefile"), ("npm test", "package.json")])
def test_long_build_files_are_in_doubt(command: str, file: str) -> None:
    event = Event.from_call("bash", {"command": command}, CWD)
    texts = dict.fromkeys((f"{CWD}/GNUmakefile", f"{CWD}/makefile"))
    last = analyse(event, GIVEN, TOOLS, {**texts, f"{CWD}/{file}": " " * (SCRIPT_BYTES + 1)}).parts[-1]
    assert (last.unparsed, last.source and last.source.settled) == ("the file is too long", False)


def test_long_code_of_an_interpreter_is_in_doubt() -> None:
    text = "import os\nos.system('rm a')\n"
    texts = {f"{CWD}/a.py": text, f"{CWD}/b.py": text + "#" * MAX_CODE}
    event = Event.from_call("bash", {"command": "python a.py; python b.py"}, CWD)
    *parts, last = analyse(event, GIVEN, TOOLS, texts).parts[2:]
    assert [part.text for part in parts] == ["a.py:1", "rm a"]
    assert (last.text, last.unparsed) == ("b.py", "the code is longer than what is analysed")
    assert last.source is not None
    assert not last.source.settled


def test_commands_have_a_bound() -> None:
    call = analysed("; ".join(["sh -c 'rm a; rm b; rm c; rm d'"] * 220))
    assert len(call.parts) <= 1002
    assert "more than 1000" in call.limit
    assert call.parts[-1].unparsed


def test_commands_of_one_script_have_a_bound() -> None:
    call = analysed("a;" * 1500)
    assert len(call.parts) <= 1001
    assert call.limit


def test_programs_found_by_exec_have_a_bound_too() -> None:
    call = analysed("find . " + "-exec find . " * 12 + "-exec rm a +")
    assert "inside each other" in call.limit


def test_code_has_a_bound() -> None:
    for program, code in (("python -c", "x;" * 12_000), ("awk", "x;" * 12_000), ("awk", "x " * 30_000)):
        assert analysed(f"{program} {_quoted(code)}").parts[-1].unparsed == "code longer than what is analysed"
    call = analysed("python <<'X'\n" + "x" * 70_000 + "\nX")
    assert call.limit or call.parts[-1].unparsed


def test_layers_have_a_bound() -> None:
    call = analysed("nice " * 60 + "rm a")
    assert len(call.parts[0].invocations) == 24


def test_a_directory_that_is_not_absolute_is_not_known() -> None:
    call = analyse(Event.from_call("bash", {"command": "cat a"}, "some/where"), GIVEN, TOOLS)
    assert call.parts[0].cwd is None
    assert analyse(Event.from_call("bash", {"command": "cat a"}, None), GIVEN, TOOLS).parts[0].cwd is None


def test_directories_on_windows() -> None:
    given = Given(home="C:/Users/dev", start="C:/w", windows=True)
    call = analyse(Event.from_call("bash", {"command": "cd sub && cat a"}, "C:\\w"), given, TOOLS)
    assert [part.cwd for part in call.parts] == ["C:/w", "C:/w/sub"]
    call = analyse(Event.from_call("bash", {"command": "cd 'D:\\x' && cat a"}, "C:\\w"), given, TOOLS)
    assert call.parts[1].cwd == "D:/x"


def test_an_abbreviation_that_fits_several_options_is_ambiguous() -> None:
    option = analysed("git push --forc").parts[0].invocations[0].options[0]
    assert option.ambiguous
    assert {"--force", "--force-with-lease"} <= option.names


def test_a_program_with_a_folder_is_not_bare() -> None:
    assert [analysed(text).parts[0].invocations[0].bare for text in ("git x", "/usr/bin/git x", "./git x")] == [
        True,
        False,
        False,
    ]


def test_a_program_in_other_case_is_the_program() -> None:
    assert analysed("GIT push").parts[0].program == "git"
    assert analysed("Rscript a.r").parts[0].program == "Rscript"
    assert analysed("UNKNOWN a").parts[0].program == "UNKNOWN"


def test_a_variable_from_outside_as_program() -> None:
    outside, computed = (analysed(text).parts[0].invocations[0] for text in ("$CC a.c", "$(printf cc) a.c"))
    assert outside.name is None
    assert outside.outside
    assert not computed.outside


def test_an_invocation_from_words() -> None:
    invocation = invocation_of((word("git"), word("push"), word("-f")))
    assert invocation.subcommand == ("push",)
    assert invocation.known
    assert invocation_of(()).name is None


def test_content_of_a_shell_call() -> None:
    call = analysed("cat > a <<'X'\nbody\nX\necho one two")
    assert call.content == ("body\n", "one", "two")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
TOOL_NAMES = st.sampled_from([*TOOLS.tools, "mcp__a__b", "other"]) | st.none()
ARGUMENTS = st.dictionaries(
    st.sampled_from(["command", "file_path", "url", "patch", "path", "edits", "x", "source"]) | st.text(max_size=4),
    JSON,
    max_size=4,
)


@pytest.mark.no_cover
@given_any(TOOL_NAMES, ARGUMENTS, st.none() | st.text(max_size=6), st.booleans())
def test_any_arguments_give_parts(tool: str | None, arguments: dict[str, Any], cwd: str | None, whole: bool) -> None:
    call = analyse(Event(tool=tool, input=arguments, cwd=cwd, input_complete=whole), GIVEN, TOOLS)
    assert call.parts
    assert whole or call.limit


NAMES = sorted(programs.lookup.PROGRAMS)
PIECES = [
    "-c",
    "-e",
    "-f",
    "--",
    "-x=y",
    "--out=a",
    "a/b",
    "$X",
    "'rm a'",
    "*",
    "{}",
    ";",
    "\\;",
    "push",
    "-",
    "a=b",
    "'",
]


@given_any(st.lists(st.sampled_from(NAMES + PIECES * 12), min_size=1, max_size=9))
def test_any_words_give_parts(words: list[str]) -> None:
    assert analysed(" ".join(words)).parts


CODERS = ["python -c", "node -e", "perl -e", "ruby -e", "php -r", "lua -e", "awk", "sed", "psql -c", "eval"]
SNIPPETS = [
    *("open(", ")", "'", '"', "`", ";", ",", "os.remove", "import", "as", "from", "a.b", "=", "+", "[", "]", "{", "}"),
    *(
        "#",
        "//",
        "\\",
        "$x",
        "|",
        "getline",
        ">",
        "print",
        "s/a/b/",
        "w",
        "e",
        "r",
        "y",
        "\n",
        "$",
        "@",
        "system",
        "eval",
    ),
    *("require('fs')", "<", "f'", "#{a}", "${b}", "Path('a').unlink()", "getattr(os, x)"),
]


@given_any(st.sampled_from(CODERS), st.lists(st.sampled_from(SNIPPETS), max_size=12))
def test_any_code_gives_parts(program: str, code: list[str]) -> None:
    assert analysed(f"{program} {_quoted(' '.join(code))}").parts


@given_any(st.sampled_from(NAMES), st.lists(st.sampled_from(["a", "-x", "--frob", "$X", "*"]), max_size=4))
def test_what_is_pure_only_reads(name: str, words: list[str]) -> None:
    for part in analysed(" ".join([_quoted(name), *words])).parts:
        if part.pure:
            assert part.complete
            assert all(item.kind == "read" for item in part.accesses)
        if part.complete:
            assert part.program == "" or not part.invocations[-1].loose
