"""`ostiary check`: everything that is wrong with rule files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Annotated, Final

import typer

from ostiary import conditions
from ostiary.commands.shared import console, options
from ostiary.commands.shared.absent import absent
from ostiary.commands.shared.exits import Exit, Refused
from ostiary.commands.shared.findings import (
    Format,
    FormatOption,
    as_data,
    counted,
    json_text,
    sorted_problems,
    status,
    warning,
)
from ostiary.commands.shared.world import engine, places, rules_or_warn
from ostiary.decision import Outcome
from ostiary.dialects import DIALECTS, Dialect, write
from ostiary.document import unknown
from ostiary.engine import Engine
from ostiary.evaluate.handling import MODELS
from ostiary.event import GATES, Event
from ostiary.perform.adapters import meant
from ostiary.policy import FilePlan, Gates, Rule, RulePlan, Unreached, unreached
from ostiary.policy.rule import VERDICTS
from ostiary.problems import Problem
from ostiary.records import NamedTuple, replace
from ostiary.sources.compiled import Compiled
from ostiary.sources.compiling import compile_source
from ostiary.sources.discover import DEFINITIONS, OWN, Holds, Source
from ostiary.sources.files import Unreadable, read
from ostiary.sources.places import Places

_NAMED: Final = 6  # rules in one warning


class Checked(NamedTuple):
    """What was looked at (names of files), the plans that came of it, and what is wrong."""

    files: tuple[str, ...]
    plans: tuple[FilePlan, ...]
    problems: tuple[Problem, ...]


def run(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE", help="Rule files; all in force if absent.")
    ] = None,
    *,
    agent: options.Agent = None,
    format: FormatOption = Format.TEXT,
    config_dir: options.ConfigDir = None,
    project: options.ProjectDir = None,
) -> None:
    """Tell everything that is wrong with rule files.

    Each problem has its place and the cure. With `--agent` it also says what that agent's hooks cannot tell or be
    told. Exits with 1 if there is an error; warnings alone are no error.
    """
    if agent is not None and agent not in DIALECTS:
        raise Refused("; ".join(unknown("agent", agent, DIALECTS)), Exit.USAGE)
    checked = _files(files, places(config_dir)) if files else _in_force(rules_or_warn(engine(config_dir, project)))
    limits = _limits(checked.plans, DIALECTS[agent]) if agent else ()
    problems = sorted_problems((*checked.problems, *_strangers(checked.plans), *absent(checked.plans), *limits))
    if format is Format.JSON:
        data = {"files": checked.files, "problems": [as_data(problem) for problem in problems]}
        console.document(json_text(data))
    else:
        _show(checked, problems)
    raise typer.Exit(status(problems))


def _in_force(loaded: Engine) -> Checked:
    waiting = (_waits(rule, loaded.gates) for rule in loaded.policy.inactive)
    warnings = map(warning, loaded.policy.warnings)
    return Checked(
        tuple(standing.label for standing in loaded.sources),
        tuple(standing.plan for standing in loaded.sources if standing.state == "current"),
        (*loaded.problems, *warnings, *waiting, *_without_model(loaded)),
    )


def _without_model(loaded: Engine) -> Iterator[Problem]:
    """Rules whose handler fails because it asks a model, and the settings name none."""
    for rule in loaded.policy.rules:
        handler = rule.plan.handler
        if rule.state != "active" or handler is None or handler.kind not in MODELS:
            continue
        if meant(loaded.settings.models, dict(handler.spec)["model"], rule.unit.tier) is None:
            whose = "the machine's settings" if rule.unit.tier == "managed" else "the settings"
            message = f"rule `{rule.plan.id}` asks a model, and {whose} name none"
            help = "name one under `models` in settings.yaml, as `default`"
            yield Problem(rule.unit.label, rule.plan.line, 0, "", message, help, "warning")


def _waits(rule: Rule, gates: Gates) -> Problem:
    message, help = f"rule `{rule.plan.id}` waits for review", "`ostiary trust` shows what it would permit"
    if rule.state == "gated" and rule.plan.handler:
        message, help = f"rule `{rule.plan.id}` runs nothing: {gates.shut(rule.unit.tier, rule.plan.handler.kind)}", ""
    return Problem(rule.unit.label, rule.plan.line, 0, "", message, help, "warning")


def _files(names: Iterable[str], here: Places) -> Checked:
    compiled = [(name, _compiled(_source(name), here)) for name in names]
    plans = tuple(result.plan for _, result in compiled if result.plan)
    return Checked(
        tuple(name for name, _ in compiled),
        plans,
        (
            *(problem for _, result in compiled for problem in result.problems),
            *(_dangling(missed) for plan in plans for missed in unreached(plan, "user")),
        ),
    )


def _compiled(source: Source, here: Places) -> Compiled:
    return Compiled(None, (source.problem,), ()) if source.problem else compile_source(source, here)


def _dangling(missed: Unreached) -> Problem:
    message = f"exception for `{missed.exception.rule}` {missed.why}"
    return Problem(missed.label, missed.exception.line, 0, "", message, severity="warning")


def _source(name: str) -> Source:
    path = os.path.abspath(name)
    folder = os.path.realpath(os.path.dirname(path))
    above = os.path.basename(os.path.dirname(path))
    holds: Holds = next((holds for holds in DEFINITIONS if holds == above), "rules")
    source = Source(tier="user", path=path, label=name, folder=folder, within=(), limit=OWN.file, holds=holds)
    if os.path.isdir(path):
        raise Refused(f"`{name}` is a folder; name the rule files in it", Exit.USAGE)
    try:
        return replace(source, raw=read(path, OWN.file))
    except FileNotFoundError:
        raise Refused(f"there is no file `{name}`", Exit.USAGE) from None
    except Unreadable as error:
        return source.broken(str(error))


def _limits(plans: Iterable[FilePlan], dialect: Dialect) -> Iterator[Problem]:
    """What this agent's hooks cannot tell the rules, or be told by them: each once for a file, at its first rule."""
    for file in (file for plan in plans for file in plan.whole):
        told: dict[str, list[RulePlan]] = {}
        for rule in file.rules:
            for message in (*_unknown_facts(rule, dialect), *_unsaid(rule, dialect)):
                told.setdefault(message, []).append(rule)
        for message, rules in told.items():
            yield Problem(file.label, rules[0].line, 0, "", f"{_named(rules)}: {message}", severity="warning")


def _named(rules: list[RulePlan]) -> str:
    names = ", ".join(f"`{rule.id}`" for rule in rules[:_NAMED])
    more = f" and {len(rules) - _NAMED} more" if len(rules) > _NAMED else ""
    return f"{'rules' if rules[1:] else 'rule'} {names}{more}"


def _strangers(plans: Iterable[FilePlan]) -> Iterator[Problem]:
    """Rules about agents that do not exist: they would wait for them in vain."""
    for file in (file for plan in plans for file in plan.whole):
        for rule in file.rules:
            for kind, text, *_ in _agents(rule):
                if kind == "eq" and text not in DIALECTS:
                    message, help = unknown("agent", text, DIALECTS)
                    yield Problem(file.label, rule.line, 0, "", f"rule `{rule.id}`: {message}", help, "warning")


def _agents(rule: RulePlan) -> Iterator[tuple[str, ...]]:
    """The patterns of agents' names that a rule holds."""
    for leaf in (leaf for plan in (rule.when, rule.unless) if plan for leaf in conditions.leaves(plan)):
        yield from leaf[1] if leaf[0] == "agent" else ()


def _unknown_facts(rule: RulePlan, dialect: Dialect) -> Iterator[str]:
    named = {leaf[0] for plan in (rule.when, rule.unless) if plan for leaf in conditions.leaves(plan)}
    for fact in sorted(named & dialect.lacks):
        yield f"{dialect.name} does not tell `{fact}`: that condition is maybe for a deny or ask, no for an allow"


def _unsaid(rule: RulePlan, dialect: Dialect) -> Iterator[str]:
    """What becomes of the rule's verdict on each event, as the dialect's writer itself says it."""
    outcome = Outcome(verdict=VERDICTS[rule.decision], reason="check", halt=rule.halt, message=rule.message or None)
    events = [Event(agent=dialect.name, name=name) for name in rule.on]
    gated = tuple(rule.on) == GATES and any(map(dialect.of, events))  # any gate will do for a rule on all of them
    for event in events:
        if dialect.of(event) is None:
            if not gated:
                yield f"{dialect.name} has no event `{event.name}`"
            continue
        for item in write(dialect, event, replace(outcome, context=rule.context or None)).degraded:
            yield f"on `{event.name}`, {dialect.name} is told {item.said} for {item.wanted}: {item.why}"


def _show(checked: Checked, problems: list[Problem]) -> None:
    for problem in problems:
        console.show(console.problem_lines(problem))
    errors = sum(problem.severity == "error" for problem in problems)
    looked = f"{counted(len(checked.files), 'file')}, {counted(sum(plan.rule_count for plan in checked.plans), 'rule')}"
    console.say(f"{looked}: {counted(errors, 'error')}, {counted(len(problems) - errors, 'warning')}")
