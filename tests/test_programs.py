"""Data about programs: that it is fresh and well formed, and that arguments are read by it."""

from __future__ import annotations

import importlib.util
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ostiary import programs
from ostiary.call import analyse
from ostiary.event import Event
from ostiary.facts import Given
from ostiary.programs import Arguments, arguments, lookup, model, refs, table
from ostiary.tools import TOOLS
from ostiary.words import Hole, Word, word

pytestmark = pytest.mark.no_cover

ROOT = Path(__file__).parent.parent
X = Hole("$X", "outside")
GLOB = Hole("*", "glob")


def tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


COMPILER = tool("compile_programs")
FACTS = tool("option_facts")


def read(*words: str | Word) -> Arguments:
    return arguments(tuple(word(item) if isinstance(item, str) else item for item in words))


def options(given_: Arguments) -> list[tuple[list[str], str | None]]:
    return [(sorted(used.names), None if used.value is None else str(used.value)) for used in given_.options]


def texts(words: tuple[Word, ...] | None) -> list[str] | None:
    return None if words is None else [str(item) for item in words]


def test_the_table_is_what_the_data_compiles_to() -> None:
    assert (ROOT / "src/ostiary/programs/table.txt").read_text("utf-8") == COMPILER.render(COMPILER.FOLDER / "data")


def test_every_program_can_be_built() -> None:
    def built(data: model.Program) -> int:
        inside = [lookup.subprogram(data, name) for name in data.subcommands]
        return 1 + sum(built(found) for found in inside if found is not None)

    assert sum(built(lookup._built((name,), table.PROGRAMS[name])) for name in table.PROGRAMS) > 800


def acting(path: tuple[str, ...], raw: Any) -> Iterator[tuple[str, ...]]:
    """The programs of the data that do something to operands of their own and have subcommands, too."""
    roles = {model.head(role.removesuffix("...")) for role in raw.get("operands", "").split()}
    if raw.get("subcommands") and roles - {"data", "text", "shape", "param", "effect"}:
        yield path
    for names, below in raw.get("subcommands", {}).items():
        yield from acting((*path, names.split("|")[0].split("=")[0]), below)


@pytest.mark.parametrize(
    "path", [path for name in table.PROGRAMS for path in acting((name,), lookup.raw_data(table.PROGRAMS[name]))]
)
def test_no_operand_is_taken_for_a_subcommand(path: tuple[str, ...]) -> None:
    found = read(*path, "no-subcommand", "/q/w")
    assert not found.unknown_subcommand
    assert len(found.subcommand) == len(path) - 1
    assert found.inner is not None or texts(found.operands) == ["no-subcommand", "/q/w"]
    known = next(iter(found.data.subcommands)) if found.data else ""
    assert read(*path, known).subcommand[len(path) - 1 :] == (known,)


def test_no_name_is_both_program_and_alias() -> None:
    assert not set(table.PROGRAMS) & set(table.ALIASES)
    assert set(table.ALIASES.values()) <= set(table.PROGRAMS)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("-a=frob", "is no role of a value"),
        ("-a!frob", "is no role of an option"),
        ("-a|b", "is no spelling"),
        ("-a -a", "stands twice"),
        ("-a=!", "is no option"),
    ],
)
def test_bad_options_are_refused(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        COMPILER.Entry.model_validate({"options": text})


@pytest.mark.parametrize(
    "raw",
    [
        {"operands": "frob..."},
        {"operands": "read... write..."},
        {"absent": "frob:."},
        {"is": "frob"},
        {"frob": "x"},
        {"stdin": "frob"},
    ],
)
def test_bad_entries_are_refused(raw: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"."):
        COMPILER.Entry.model_validate(raw)


def test_a_program_stands_once(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("x y: {}\ny: {}\n")
    with pytest.raises(ValueError, match="`y` stands twice"):
        COMPILER.load(tmp_path)
    (tmp_path / "a.yaml").write_text("x: {is: frob}\n")
    with pytest.raises(ValueError, match=r"a\.yaml: x"):
        COMPILER.load(tmp_path)


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("git", "git"),
        ("egrep", "grep"),
        ("python3.11", "python"),
        ("pip3", "pip"),
        ("g++-12", "gcc"),
        ("GIT", "git"),
        ("frob", None),
        ("frob3", None),
        ("7z", "7z"),
    ],
)
def test_known_as(name: str, entry: str | None) -> None:
    assert programs.known_as(name) == entry


def test_base_names() -> None:
    assert [programs.base_name(text) for text in ("/usr/bin/git", "C:\\Git\\git.exe", "npm.CMD", "git", "a/")] == [
        "git",
        "git",
        "npm",
        "git",
        "a",
    ]


def test_subcommands_have_one_name() -> None:
    assert programs.canonical_subcommand("npm", ("i",)) == ("install",)
    assert programs.canonical_subcommand("git", ("remote", "rm")) == ("remote", "remove")
    assert programs.canonical_subcommand("git", ("frob", "rm")) == ("frob", "rm")
    assert programs.canonical_subcommand("frob", ("i",)) == ("i",)
    with pytest.raises(KeyError):
        lookup._built(("git", "frob"), table.PROGRAMS["git"])


def test_inert_variables() -> None:
    assert programs.inert("LC_ALL")
    assert programs.inert("CI")
    assert not programs.inert("PATH")
    assert not programs.inert("path")
    assert programs.inert_in_script("file")
    assert not programs.inert_in_script("https_proxy")
    assert not programs.inert_in_script("npm_config_script_shell")
    assert not programs.inert_in_script("FILE")


def test_spellings_of_one_option_are_one() -> None:
    spellings = [("-f",), ("--force",), ("-uf",), ("-fu",)]
    for spelling in spellings:
        assert (["--force", "-f"], None) in options(read("git", "push", *spelling))


def test_values_are_attached_or_the_next_word() -> None:
    for given_ in (("-o", "x"), ("-ox",), ("--output", "x"), ("--output=x",), ("--outp", "x"), ("-no", "x"), ("-nox",)):
        assert (["--output", "-o"], "x") in options(read("sort", *given_))
    assert options(read("sort", "-o")) == [(["--output", "-o"], None)]


def test_optional_values_are_only_attached() -> None:
    found = read("sed", "-i", "s/a/b/", "f")
    assert options(found) == [(["--in-place", "-i"], None)]
    assert texts(found.operands) == ["s/a/b/", "f"]
    assert options(read("sed", "-i.bak")) == [(["--in-place", "-i"], ".bak")]
    assert options(read("ls", "--color", "x")) == [(["--color"], None)]


def test_abbreviations() -> None:
    assert options(read("git", "push", "--set-u")) == [(["--set-upstream", "-u"], None)]
    found = read("git", "push", "--force-w=x").options[0]
    assert found.names == {"--force-with-lease"}
    assert not found.ambiguous
    found = read("git", "push", "--forc").options[0]
    assert found.ambiguous
    found = read("tar", "--use=x").options[0]
    assert (found.role, str(found.value)) == ("execute", "x")
    found = read("find", "-exe", "x").options[0]
    assert not found.known  # long options with one dash are not abbreviated


def test_an_ambiguous_abbreviation_keeps_the_strictest_role() -> None:
    found = read("curl", "--o=x").options[0]
    assert found.ambiguous
    assert found.role == "write"


def test_two_dashes_end_options() -> None:
    found = read("rm", "--", "-f")
    assert options(found) == []
    assert texts(found.operands) == ["-f"]


def test_the_first_operand_ends_options_of_interpreters() -> None:
    found = read("python", "a.py", "-c", "x")
    assert options(found) == []
    assert texts(found.operands) == ["a.py", "-c", "x"]
    found = read("python", "-c", "x", "-m", "y")
    assert options(found) == [(["-c"], "x")]
    assert texts(found.operands) == ["-m", "y"]


def test_long_options_with_one_dash() -> None:
    assert options(read("terraform", "apply", "-auto-approve")) == options(read("terraform", "apply", "--auto-approve"))
    assert options(read("terraform", "plan", "-out=x", "-var", "y")) == [
        (["--out", "-out"], "x"),
        (["--var", "-var"], "y"),
    ]
    assert options(read("gcc", "-Idir", "-Wfrob")) == [(["--I", "-I"], "dir"), (["-Wfrob"], None)]


def test_short_options_longer_than_a_letter() -> None:
    assert options(read("wget", "-nv", "x")) == [(["--no-verbose", "-nv"], None)]
    assert options(read("node", "-pe", "1"))[0][1] == "1"


def test_numbers_and_pluses() -> None:
    assert options(read("head", "-5")) == [(["-5"], None)]
    assert options(read("vim", "+q", "f")) == [(["+"], "q")]
    assert options(read("dig", "+short")) == [(["+"], "short")]
    assert texts(read("date", "+%s").operands) == ["+%s"]


def test_negated_options_belong_to_their_program() -> None:
    known = [read("git", "diff", name).options[0].known for name in ("--no-cached", "--no-frob", "--help")]
    assert known == [True, False, True]


def test_commands_in_options() -> None:
    found = read("find", ".", "-exec", "rm", "{}", ";", "-print")
    assert [texts(used.words) for used in found.options] == [["rm", "{}"], []]
    assert [texts(used.words) for used in read("find", ".", "-exec", "rm").options] == [["rm"]]
    found = read("python", "-mpip", "install", "x")
    assert texts(found.options[0].words) == ["pip", "install", "x"]
    found = read("env", "-S", "a b", "c")
    assert str(found.options[0].value) == "a b c"


def test_options_with_two_values() -> None:
    found = read("jq", "--arg", "a", "b", ".x", "f")
    assert options(found) == [(["--arg"], "b")]
    assert texts(found.operands) == [".x", "f"]
    assert options(read("jq", "--arg")) == [(["--arg"], None)]


def test_clusters_without_a_dash() -> None:
    found = read("tar", "xzf", "a.tgz", "b")
    assert (["--file", "-f"], "a.tgz") in options(found)
    assert texts(found.operands) == ["b"]


def test_inner_commands() -> None:
    assert read("timeout", "5", "rm").inner == 2
    assert read("sudo", "-u", "bob", "A=1", "rm").inner == 4
    assert texts(read("env", "A=1", "B=2", "rm").assignments) == ["A=1", "B=2"]
    assert read("sudo", "-e", "f").inner is None
    assert read("nice").inner is None
    assert read("python", "-m").inner is None


def test_subcommands() -> None:
    found = read("git", "-C", "b", "remote", "-v", "add", "o", "u")
    assert found.subcommand == ("remote", "add")
    assert texts(found.plain) == ["git", "remote", "add", "o", "u"]
    found = read("git", "frob", "x")
    assert (found.subcommand, found.unknown_subcommand) == (("frob",), True)
    assert read("git", "--", "push").subcommand == ("push",)


def test_an_unknown_word_may_be_the_subcommand() -> None:
    found = read("git", Word((X,)), "push")
    assert found.subcommand == ()
    assert texts(found.loose) == ["$X"]
    found = read("git", Word(("a", X)), "push")
    assert (found.subcommand, texts(found.loose)) == ((), ["a$X"])


def test_words_that_may_be_options() -> None:
    found = read("git", "push", Word((X,)), Word((GLOB,)), Word(("-", X)), Word(("--", X)), Word(("--repo=", X)))
    assert texts(found.loose) == ["$X", "-$X", "--$X"]
    assert texts(found.operands) == ["$X", "*"]
    assert options(found) == [(["--repo"], "$X")]
    assert options(read("sort", Word(("-o", X)))) == [(["--output", "-o"], "$X")]


def test_unknown_programs_by_shape() -> None:
    found = read("frob", "sub", "-abc", "-a", "--x=y", "-k=v", "-", "z", Word((X,)), Word(("-o", X)), "--", "-q")
    assert options(found) == [
        (["-a", "-abc", "-b", "-c"], None),
        (["-a"], None),
        (["--x"], "y"),
        (["-k"], "v"),
        (["-o"], "$X"),
    ]
    assert [used.ambiguous for used in found.options] == [True, False, False, False, True]
    assert found.subcommand == ("sub", "-", "z")
    assert texts(found.operands) == ["sub", "-", "z", "$X", "-q"]
    assert texts(found.loose) == ["$X"]
    assert not any(used.known for used in found.options)


def test_assignments() -> None:
    assert programs.is_assignment(word("A=1"))
    assert programs.is_assignment(word("A+=1"))
    assert not programs.is_assignment(word("=1"))
    assert programs.split_assignment(word("A=1")) == ("A", word("1"))
    assert programs.split_assignment(word("A=")) == ("A", word(""))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("push", []),
        ("push origin", []),
        ("push origin @", []),
        ("push --repo=o main", ["main"]),
        ("push --tags", ["every ref"]),
        ("push o refs/heads/a refs/tags/b heads/c", ["a", "b", "c"]),
        ("push o a:refs/heads/b :c +d", ["b", "c", "d"]),
        ("fetch o a", None),
        ("fetch o +a:b", ["b"]),
        ("branch --edit-description", []),
        ("branch --contains x", None),
        ("branch -r", None),
        ("branch -dr o/x", ["o/x"]),
        ("tag", None),
        ("tag -v x", None),
        ("checkout --orphan x", ["x"]),
        ("rebase a", []),
        ("symbolic-ref HEAD refs/heads/x", ["HEAD"]),
        ("fast-import", ["every ref"]),
        ("reset --hard a", []),
        ("status", None),
        ("", None),
    ],
)
def test_refs(text: str, found: list[str] | None) -> None:
    assert texts(refs(read("git", *text.split()))) == found


def test_refs_with_holes() -> None:
    found = refs(read("git", "push", "o", Word(("a:", X))))
    assert texts(found) == ["$X"]
    assert refs(read("frob", "push")) is None
    assert texts(refs(read("git", "push", "o", ""))) == [""]


@given(
    st.sampled_from([*table.PROGRAMS, "frob"]),
    st.lists(st.sampled_from(["-a", "-abc", "--x", "--x=y", "--", "-", "+x", "a", "A=b", ";", ""]), max_size=6),
    st.lists(st.sampled_from([X, GLOB, "-", "--", "a", "=", "x"]), max_size=3),
)
def test_reading_arguments_never_raises(name: str, given_: list[str], pieces: list[str | Hole]) -> None:
    mixed = Word(tuple(pieces), many=True)
    found = read(name, *given_, mixed, *given_)
    assert found.plain[0].text == name
    assert found.inner is None or 0 < found.inner < 2 + 2 * len(given_)


RUNNING = frozenset({"argv", "command", "shell", "starts"})
INNER = ("rm", "-r", "x")
BEFORE = {"data": "1", "host": "box", "image": "img", "url": "https://x.example"}


def running_forms() -> list[tuple[str, ...]]:
    """The command lines in which a program's data says that it runs another one."""
    found: list[tuple[str, ...]] = []
    for name in sorted(table.PROGRAMS):
        if not name.startswith(("cmd:", "ps:")):
            found += _forms(lookup._built((name,), table.PROGRAMS[name]), name.lower() != name)
    return found


def _forms(data: model.Program, cased: bool) -> list[tuple[str, ...]]:
    if "cmdlet" in data.traits or "net" in data.traits or "slashes" in data.traits or cased:
        return []
    forms = [(*data.path, *words) for slots in (data.operands,) for words in _operands(slots)]
    for option in {id(item): item for item in data.options.values()}.values():
        name = min(option.names, key=lambda one: (one.count("-"), one))
        if model.head(option.value) == "command" and option.kind in ("", "="):
            forms.append((*data.path, name, "rm -r x"))
        elif model.head(option.value) == "argv" and option.kind in ("$", ";"):
            forms.append((*data.path, name, *INNER))
    inside = [lookup.subprogram(data, name) for name in sorted(set(data.subcommands.values()))]
    return forms + [form for below in inside if below is not None for form in _forms(below, False)]


def _operands(slots: model.Slots) -> list[tuple[str, ...]]:
    roles = [*slots.first, *([slots.rest] if slots.rest else [])]
    for place, role in enumerate(roles):
        if model.head(role) in RUNNING:
            before = tuple(BEFORE.get(model.head(one), "f") for one in roles[:place])
            return [(*before, "rm -r x") if role == "command" else (*before, *INNER)]
    return []


def test_programs_that_run_others_are_no_looser_than_unknown_ones() -> None:
    forms = running_forms()
    assert len(forms) > 150
    runs = {form: _programs_of(form) for form in forms}
    assert {form for form, programs in runs.items() if "rm" not in programs} == set()


def _programs_of(form: tuple[str, ...]) -> set[str | None]:
    call = analyse(Event.from_call("bash", {"command": shlex.join(form)}, "/work"), Given(home="/h"), TOOLS)
    return {invocation.name for part in call.parts for invocation in part.invocations}


def fact(names: list[str], values: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "names": names,
        "values": values,
        "optional": values > 0,
        "equals": False,
        "path": False,
        "everywhere": False,
        **more,
    }


def command(name: str, *options: dict[str, Any], below: tuple[Any, ...] = ()) -> dict[str, Any]:
    return {"names": [name], "options": list(options), "below": list(below)}


def test_options_are_compared_with_completion_data() -> None:
    options = [
        *(fact(["-m", "--message"]), fact(["-n"], 0), fact(["-x", "--x-from"], path=True), fact(["--y="], equals=True)),
        *(fact(["--amend"]), fact(["--author"], 0), fact(["-S"]), fact(["++"]), fact(["-F"], 0, optional=True)),
    ]
    everywhere = fact(["--zeal"], everywhere=True)
    spec = command("git", everywhere, below=(command("commit", *options), command("frobnicate")))
    report = FACTS.compare("git", spec)
    assert report.commands == ("git frobnicate",)
    assert [(" ".join(gap.where), gap.names, gap.ours) for gap in report.gaps] == [
        ("git", ("--zeal",), "unknown"),
        ("git commit", ("-x", "--x-from"), "unknown"),
        ("git commit", ("--amend",), "flag"),
        ("git commit", ("--author",), "value"),
        ("git commit", ("-S",), "attached"),
        ("git commit", ("--zeal",), "unknown"),
    ]
    assert list(FACTS.skeleton(report.gaps)) == [
        "git: {options: --zeal=}",
        "git commit: {options: -x|--x-from=shape --zeal=}",
    ]
    assert FACTS.compare("frobnicate", spec).commands == ("frobnicate",)
