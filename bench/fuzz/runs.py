"""The runs of the fuzzer: each makes so many scripts from a seed, and tells what became of them and what is wrong."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from fuzz import data, execution, laws, oracle
from fuzz.grammar import Grammar
from fuzz.mutation import joined, mutated, seeds
from ostiary.call.files import FileBuilder
from ostiary.call.parts import Around
from ostiary.decision import Verdict
from ostiary.shell import parse
from ostiary.shell.limits import STEPS

SYSTEM = ("/bin", "/sbin", "/usr", "/etc", "/lib", "/opt", "/var/lib/dpkg/info")


class Result(NamedTuple):
    """What became of scripts, and what is wrong with which."""

    counts: Counter[str]
    findings: list[tuple[str, str]]


def scripts(count: int, seed: int) -> Iterator[str]:
    """Half of the scripts come from the grammar, the others are mutated ones of the grammar and of the seeds."""
    random = Random(seed)
    grammar, known = Grammar(random), seeds()
    for number in range(count):
        kind = number % 4
        if kind < 2:
            yield grammar.script()
        else:
            origin = random.choice(known) if kind == 2 else grammar.script(random.choice((2, 4)))
            yield mutated(origin, random.choice(known), random)


def syntax(count: int, seed: int) -> Result:
    """Scripts compared with mvdan/sh."""
    return _compared(scripts(count, seed))


def _compared(texts: Iterator[str]) -> Result:
    counts: Counter[str] = Counter()
    findings: list[tuple[str, str]] = []
    for script in texts:
        found = oracle.compare(script)
        counts[found.verdict] += 1
        findings += [(what, script) for what in found.missed]
    return Result(counts, findings)


def system(count: int, seed: int) -> Result:
    """The shell scripts of this machine compared with mvdan/sh; `count` is how many at most."""
    found = sorted(_system_scripts())
    return _compared(iter(Random(seed).sample(found, min(count, len(found)))))


def _system_scripts() -> Iterator[str]:
    for folder in SYSTEM:
        for path in Path(folder).rglob("*"):
            if path.is_file() and not path.is_symlink() and 2 < path.stat().st_size < 100_000:
                start = path.open("rb").readline(100)
                if start.startswith(b"#!") and any(
                    start.rstrip().endswith(name) for name in (b"/sh", b"bash", b"sh -e")
                ):
                    yield path.read_text("utf-8", errors="replace")


def executed(count: int, seed: int) -> Result:
    """Scripts run in a sandbox, every fourth with line joins in it. `OSError` if there is no sandbox."""
    random = Random(seed)
    grammar = Grammar(random, runnable=True)
    counts: Counter[str] = Counter()
    findings: list[tuple[str, str]] = []
    with execution.Sandbox() as sandbox:
        for number in range(count):
            script = joined(grammar.script(), random) if number % 4 == 3 else grammar.script()
            ran = sandbox.run(script)
            if ran is None:
                counts["not ended"] += 1
                continue
            judged = execution.judge(script, ran)
            counts.update(scripts=1, files=len(ran.files), **judged._asdict() | {"missed": len(judged.missed)})
            findings += [(what, script) for what in judged.missed]
    return Result(counts, findings)


def bounded(count: int, seed: int) -> Result:
    """Scripts that are only read, as the call of a shell: nothing raises, and none takes more steps than there are."""
    counts: Counter[str] = Counter()
    findings: list[tuple[str, str]] = []
    for script in scripts(count, seed):
        builder = FileBuilder(execution.GIVEN, {})
        try:
            builder.script(script, "bash", Around(execution.HERE))
            builder.finished()
        except Exception as error:
            findings.append((f"{type(error).__name__}: {error}", script))
        counts[f"at most {10 ** len(str(STEPS - builder.budget.steps))} steps"] += 1
    return Result(counts, findings)


def kept(count: int, seed: int) -> Result:
    """Denied commands in other clothes stay denied."""
    rules, random = laws.policy(), Random(seed)
    counts: Counter[str] = Counter()
    findings: list[tuple[str, str]] = []
    for _ in range(count):
        case = laws.denied(random)
        said = laws.verdict(case.script, rules)
        counts[said.name.lower()] += 1
        if said < case.least:
            findings.append((f"{said.name.lower()} is less than {case.least.name.lower()}", case.script))
    return Result(counts, findings)


def quiet(count: int, seed: int) -> Result:
    """Nothing is said about text that is only data."""
    rules, random = laws.policy(), Random(seed)
    counts: Counter[str] = Counter()
    findings: list[tuple[str, str]] = []
    for _ in range(count):
        script = data.carried(random)
        said = laws.verdict(script, rules)
        counts[said.name.lower()] += 1
        if said != Verdict.NONE:
            findings.append((said.name.lower(), script))
    return Result(counts, findings)


def corpora(folder: Path) -> Result:
    """How many of the commands in other projects' test data are unparsed, and why; none is a finding."""
    counts: Counter[str] = Counter()
    findings: list[tuple[str, str]] = []
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            entry = json.loads(line)
            script = entry.get("input", {}).get("command")
            if entry.get("tool") != "Bash" or not isinstance(script, str):
                continue
            counts["commands"] += 1
            reasons = {command.unparsed for command in parse(script).commands if command.unparsed}
            counts.update(reasons)
            counts["unparsed"] += bool(reasons)
            counts["unparsed, and taken by bash"] += bool(reasons) and oracle.accepted(script)
    return Result(counts, findings)


Run = Callable[[int, int], Result]
# Each run with the number of its scripts in a full run.
RUNS: dict[str, tuple[Run, int]] = {
    "syntax": (syntax, 100_000),
    "system": (system, 10_000),
    "execution": (executed, 5_000),
    "bounded": (bounded, 1_000_000),
    "denied": (kept, 500_000),
    "data": (quiet, 50_000),
}
