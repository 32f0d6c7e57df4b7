"""What one decision costs in process, by number of rules, relative to parsing the same text once.

usage: python bench/decision.py [--rounds N]

Two mixes of rules that do not match the call: `indexed` (a program, a tool or an MCP server each) and `mixed` (the same
with one rule in ten about paths and one in ten about a regular expression, which are tried on every call). Every figure
is the median of rounds; the ratio is against `Parser.parse` of the same text in the same round.

A second table varies the call: a command with 10 to 1,000 operands, under 30 rules about paths that do not match.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

from tree_sitter import Language, Parser
from tree_sitter_bash import language

from ostiary.evaluate import evaluate
from ostiary.event import Event
from ostiary.facts import FixedFacts, Given
from ostiary.paths import path_plan
from ostiary.patterns import text_plan
from ostiary.perform import run
from ostiary.policy import Admitted, FilePlan, Policy, RulePlan, assemble

TEXT = "git log --oneline -20 origin/main | grep -v merge | sort | head -5 > out"
SIZES = (10, 100, 1_000, 10_000)
OPERANDS = (10, 100, 1_000)
FACTS = FixedFacts(Given(home="/home/dev", user="dev", start="/work", roots=("/work",), workdirs=("/work",)))


def rule(number: int, mixed: bool) -> RulePlan:
    """A deny rule that does not match TEXT."""
    kind = number % 10
    if mixed and kind == 8:
        when = ("reads", (path_plan(f"**/secret-{number}.pem"),))
    elif mixed and kind == 9:
        when = ("command", ("arg", (text_plan(f"/^forbidden-{number}$/"),)))
    elif kind % 3 == 0:
        when = ("mcp", (("eq", f"server{number}"),), None, None)
    elif kind % 3 == 1:
        when = ("tool", "exact", (f"mcp__server__tool{number}",))
    else:
        when = ("command", ("all", (("program", (("eq", f"program{number}"),)), ("flag", (("--force", None),)))))
    return RulePlan(f"r{number}", number, ("PreToolUse",), when, decision="deny", reason="no")


def policy(size: int, mixed: bool) -> Policy:
    """A policy of `size` rules."""
    file = FilePlan("bench", "bench.yaml", str(size), "strictest", tuple(rule(n, mixed) for n in range(size)))
    return assemble([Admitted("user", True, file)])


def timed(action: Callable[[], object], times: int) -> float:
    """Microseconds of one call, the lower decile of `times` calls: what it costs where nothing else runs."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        found.append(time.perf_counter() - start)
    return sorted(found)[times // 10] * 1e6


def path_policy() -> Policy:
    """Rules about reads, writes and deletes, ten each."""
    kinds = ("reads", "writes", "deletes")
    rules = tuple(
        RulePlan(f"{kind}-{n}", n, ("PreToolUse",), (kind, (path_plan(f"**/secret-{n}.pem"),)), decision="deny")
        for kind in kinds
        for n in range(10)
    )
    return assemble([Admitted("user", True, FilePlan("bench", "bench.yaml", "paths", "strictest", rules))])


def operands(rounds: int) -> None:
    """Print the table of calls."""
    parser = Parser(Language(language()))
    rules = path_policy()
    print(f"{'operands':>8} {'':>8} {'parse':>8} {'decide':>9} {'ratio':>7}")
    for count in OPERANDS:
        text = "git add " + " ".join(f"src/module{n}.py" for n in range(count))
        event, raw = Event.from_call("bash", {"command": text}, cwd="/work"), text.encode()
        decide = lambda event=event: run(evaluate(rules, event, FACTS.known), FACTS)  # noqa: E731
        pairs = [(timed(lambda raw=raw: parser.parse(raw), 20), timed(decide, 10)) for _ in range(rounds)]
        parse, cost = (statistics.median(column) for column in zip(*pairs, strict=True))
        ratio = statistics.median(cost / parse for parse, cost in pairs)
        print(f"{count:>8} {'paths':>8} {parse:>8.1f} {cost:>9.1f} {ratio:>7.1f}")


def main() -> None:
    """Print the tables."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rounds", type=int, default=9)
    rounds = arguments.parse_args().rounds
    parser = Parser(Language(language()))
    event = Event.from_call("bash", {"command": TEXT}, cwd="/work")
    raw = TEXT.encode()
    print(f"one decision on {len(TEXT)} characters, {rounds} rounds: median us, and the ratio to Parser.parse")
    print(f"{'rules':>8} {'mix':>8} {'parse':>8} {'decide':>9} {'ratio':>7}")
    for mixed in (False, True):
        for size in SIZES:
            rules = policy(size, mixed)
            times = 200 if not mixed or size <= 1_000 else 20
            decide = lambda rules=rules: run(evaluate(rules, event, FACTS.known), FACTS)  # noqa: E731
            decide()
            pairs = [(timed(lambda: parser.parse(raw), 200), timed(decide, times)) for _ in range(rounds)]
            parse, cost = (statistics.median(column) for column in zip(*pairs, strict=True))
            ratio = statistics.median(cost / parse for parse, cost in pairs)
            print(f"{size:>8} {'mixed' if mixed else 'indexed':>8} {parse:>8.1f} {cost:>9.1f} {ratio:>7.1f}")
    operands(rounds)


if __name__ == "__main__":
    main()
