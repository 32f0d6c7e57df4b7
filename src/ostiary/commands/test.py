"""`ostiary test`: the examples of every rule, and test suites."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import typer

from ostiary import suites
from ostiary.commands.shared import console, options
from ostiary.commands.shared.exits import Exit, Refused
from ostiary.commands.shared.findings import Format, FormatOption, as_data, counted, json_text, sorted_problems
from ostiary.commands.shared.world import content, engine, places, rules_or_warn
from ostiary.document import load
from ostiary.engine import Engine
from ostiary.explain import Line, span
from ostiary.policy import Policy
from ostiary.problems import PolicyError, Problem
from ostiary.records import NamedTuple
from ostiary.rules import RuleFile
from ostiary.sources.roots import find_roots

FOLDER = "tests"


class Found(NamedTuple):
    """A suite: its path, and the folder it was found in, None if a person named it."""

    path: str
    folder: str | None = None


class Report(NamedTuple):
    """What came out: problems of rule files and suites (errors only), judged cases, and how many examples hold."""

    problems: tuple[Problem, ...]
    results: tuple[suites.Result, ...]
    examples: int

    @property
    def failed(self) -> tuple[suites.Result, ...]:
        """The cases that do not hold."""
        return tuple(result for result in self.results if not result.holds)

    @property
    def holds(self) -> bool:
        """Whether everything is as it should be."""
        return not self.problems and not self.failed


def run(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="SUITE", help="Suites or folders of them; all of the policy's if absent."),
    ] = None,
    *,
    format: FormatOption = Format.TEXT,
    reviewed: Annotated[
        bool, typer.Option("--reviewed", help="Judge the project's rules as if a person had accepted them.")
    ] = False,
    config_dir: options.ConfigDir = None,
    project: options.ProjectDir = None,
) -> None:
    """Run the examples of rules, and test suites.

    Suites are the files `*.test.yaml` beside the rule files and in `tests/` there. A case gives a call or event and
    what must come out. Exits with 1 if anything does not hold.
    """
    loaded = rules_or_warn(engine(config_dir, project))
    found = _named(paths) if paths else _beside(places(config_dir).user, project)
    report = _report(loaded, found, _policy(loaded, reviewed))
    if format is Format.JSON:
        console.document(json_text(_data(report)))
    else:
        _show(report)
    raise typer.Exit(Exit.CLEAN if report.holds else Exit.FINDINGS)


def _named(paths: Iterable[str]) -> list[Found]:
    """The suites that a person named. Raises `Refused` for a folder without any."""
    found: list[Found] = []
    for path in paths:
        suites_here = list(_inside(path)) if os.path.isdir(path) else [Found(path)]
        if not suites_here:
            raise Refused(f"`{path}` holds no suite: their names end in `{suites.SUFFIX}`", Exit.USAGE)
        found += suites_here
    return found


def _beside(user: str, project: str | None) -> Iterator[Found]:
    folders = [user, *(folder.path for folder in find_roots(os.path.abspath(project or os.getcwd())).folders)]
    for folder in folders:
        for place in (folder, os.path.join(folder, FOLDER)):
            yield from _inside(place)


def _inside(folder: str) -> Iterator[Found]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    yield from (Found(os.path.join(folder, name), folder) for name in names if name.endswith(suites.SUFFIX))


def _policy(loaded: Engine, reviewed: bool) -> Policy:
    return loaded.reviewed if reviewed else loaded.policy


def _report(loaded: Engine, found: Iterable[Found], policy: Policy) -> Report:
    problems = [problem for problem in loaded.problems if problem.severity == "error"]
    results: list[suites.Result] = []
    for suite in found:
        try:
            results += suites.judge(suites.load(content(*suite), _shown(suite.path)), policy)
        except PolicyError as error:
            problems += error.problems
    sources = (standing.source for standing in loaded.sources if standing.state == "current")
    examples = sum(_examples(source.raw or b"", source.label) for source in sources if source.holds == "rules")
    return Report(tuple(sorted_problems(problems)), tuple(results), examples)


def _shown(path: str) -> str:
    """The path as people would write it: relative, if it lies below the current folder."""
    relative = os.path.relpath(path) if os.path.splitdrive(path)[0] == os.path.splitdrive(os.getcwd())[0] else path
    return path if relative.startswith(os.pardir) else relative


def _examples(raw: bytes, label: str) -> int:
    """How many examples a rule file has. They were judged when it was loaded: one that fails is a problem."""
    file, _ = load(raw, RuleFile, label)
    return sum(len(rule.examples.listed()) for rule in file.rules if rule.examples)


def _data(report: Report) -> dict[str, Any]:
    return {
        "passed": len(report.results) - len(report.failed),
        "failed": len(report.failed),
        "examples": report.examples,
        "problems": [as_data(problem) for problem in report.problems],
        "cases": [
            {
                "file": result.file,
                "line": result.line,
                "name": result.name,
                "holds": result.holds,
                "differences": [difference._asdict() for difference in result.differences],
            }
            for result in report.results
        ],
    }


def _show(report: Report) -> None:
    for problem in report.problems:
        console.show(console.problem_lines(problem))
    for result in report.failed:
        console.show(_failure(result))
    cases = f"{counted(len(report.results), 'case')}, {counted(len(report.failed), 'failure')}"
    console.say(f"{counted(report.examples, 'example')}, {cases}, {counted(len(report.problems), 'problem')}")


def _failure(result: suites.Result) -> Iterator[Line]:
    yield (span("FAIL ", "deny"), span(f"{result.file}:{result.line}: ", "title"), span(result.name))
    for difference in result.differences:
        yield (span(f"  {difference.key}", "label"),)
        yield (span(f"    - {_json(difference.wanted)}", "yes"),)
        yield (span(f"    + {_json(difference.got)}", "deny"),)
    for step in result.outcome.trail:
        yield (span(f"  {step.rule}:{step.line} {step.answer}: {step.why}", "quiet"),)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
