"""What taking one shell text apart costs, relative to parsing the same text with tree-sitter-bash once.

usage: python bench/analysis.py [--rounds N] [--slow]

For texts of several kinds: `Parser.parse`, reading the text (`shell.parse`), and the whole analysis to parts and
accesses (`call.analyse`) with all facts given. `cold` is the analysis with the memories of words and programs emptied
before each round, as in a process that has just started. Figures are microseconds, medians over the rounds; ratios are
taken within a round. `steps` are those of the bound on reading (`shell.limits.STEPS`). Hostile texts are run fewer
times; `--slow` runs them as often as the others.
"""

from __future__ import annotations

import argparse
import functools
import gc
import statistics
import time
from collections.abc import Callable
from typing import Final, NamedTuple

from tree_sitter import Language, Parser
from tree_sitter_bash import language

from ostiary import shell
from ostiary.call import analyse
from ostiary.event import Event
from ostiary.facts import Given
from ostiary.shell.limits import STEPS, Budget
from ostiary.tools import TOOLS

GIVEN: Final = Given(home="/home/dev", user="dev", start="/work", roots=("/work",), workdirs=("/work",))
LONG: Final = 10_240

ORDINARY: Final = {
    "pipeline of 4 (70)": "git log --oneline -20 origin/main | grep -v merge | sort | head -5",
    "pipeline to file (72)": "git log --oneline -20 origin/main | grep -v merge | sort | head -5 > out",
    "pipeline of 2 (70)": "kubectl get pods --namespace staging --output wide | grep CrashLoopBack",
    "one word": "ls",
    "one command": "git status --short",
    "chain": "cd app && npm ci && npm test -- --watch=false && git add -A",
    "quoted": 'git commit -m \'fix: keep the door\' -m "the \\"old\\" key of $USER"',
    "substitution": 'echo "on $(git rev-parse --abbrev-ref HEAD) at $(date +%F)"',
    "loop": 'for f in a.py b.py c.py; do black "$f" && git add "$f"; done',
    "here-document": "cat > notes.md <<'EOF'\n# Notes\n\nRun `rm -rf /` never.\nEOF\n",
    "script in a script": "bash -c 'cd app && npm test | tail -20'",
}
SCRIPT: Final = """#!/bin/bash
set -euo pipefail
# build all of it
for d in api web cli; do
  (cd "$d" && npm ci && npm test)
done
if [ -f .env ]; then
  cp .env "$HOME/backup/.env"
fi
git log --oneline -20 | grep -v merge > log.txt
VERSION=$(git describe --tags)
docker build -t app:$VERSION .
"""


def _filled(unit: str, length: int = LONG) -> str:
    """A text of whole units, as long as fits."""
    return unit * (length // len(unit))


LONG_TEXTS: Final = {
    "script, 10 KB": _filled(SCRIPT),
    "one line, 10 KB": _filled("git add src/main.py && ") + "git commit -m done",
    "one quoted word, 10 KB": "git commit -m '" + "fix the door " * (LONG // 13) + "'",
    "one here-document, 10 KB": "cat > a.py <<'EOF'\n" + _filled("print('hello', 1)\n") + "EOF\n",
    "one python -c, 10 KB": 'python -c "' + _filled("x = [a for a in range(9)]\n") + '"',
    "many operands, 10 KB": "git add " + _filled("src/mod.py "),
}
HOSTILE: Final = {
    "deep $( )": "a $(" * 2_000 + ")" * 2_000,
    "deep ( )": "(" * 2_000 + "a" + ")" * 2_000,
    "deep quotes": 'a "$(' * 1_000 + ')"' * 1_000,
    "thousands of ;": "a;" * 5_000,
    "thousands of |": "a|" * 5_000 + "a",
    "one long word": "a" * 60_000,
    "one long path": "cat " + "../a/" * 12_000,
    "many braces": "rm " + "{a,b}" * 2_000,
    "many substitutions": "a $(b) " * 1_500,
    "many backticks": "a `b` " * 1_500,
    "many variables": "".join(f"A{n}=$A{n - 1}$A{n - 1}; " for n in range(1, 700)),
    "many here-documents": "cat <<A\nx\nA\n" * 900,
    "many options": "git push " + "-c a=b " * 1_500,
    "unclosed quote": "a 'b" + " c" * 5_000,
    "unclosed $((": "a " + "$((" * 3_000,
    "spaces": "a" + " " * 60_000 + "b",
    "backslashes": "a " + "\\" * 60_000,
    "equals": "A" + "=" * 60_000,
    "globs": "cat " + "*" * 30_000,
    "code of braces": "python -c '" + "{[(" * 5_000 + "'",
    "nested bash -c": "bash -c " * 2_000 + "a",
    "sed of commands": "sed '" + "s/a/b/w c;" * 3_000 + "'",
}


class Row(NamedTuple):
    """Microseconds of one round: parsing, reading, analysis, analysis without memories."""

    parse: float
    read: float
    analysis: float
    cold: float


def timed(action: Callable[[], object]) -> float:
    """Microseconds of one call: on a machine that does other things, too, only short runs are left alone."""
    start = time.perf_counter()
    action()
    return (time.perf_counter() - start) * 1e6


def memories() -> list[Callable[[], None]]:
    """What empties each memory of the package."""
    kind = type(functools.lru_cache(lambda: None))
    return [
        found.cache_clear
        for found in gc.get_objects()
        if isinstance(found, kind) and getattr(found, "__module__", "").startswith("ostiary.")
    ]


def rows(text: str, rounds: int) -> list[Row]:
    """Measure one text."""
    parser, raw = Parser(Language(language())), text.encode()
    event = Event.from_call("bash", {"command": text}, cwd="/work")
    whole = functools.partial(analyse, event, GIVEN, TOOLS)
    whole()
    forget = memories()
    found = []
    for _ in range(rounds):
        parse = timed(lambda: parser.parse(raw))
        read = timed(lambda: shell.parse(text))
        warm = timed(whole)
        for one in forget:
            one()
        found.append(Row(parse, read, warm, timed(whole)))
        whole()
    return found


def steps(text: str) -> int:
    """Steps of reading a text."""
    budget = Budget()
    shell.parse(text, budget=budget)
    return STEPS - budget.steps


def show(name: str, text: str, found: list[Row]) -> None:
    """Print one line."""
    parse, read, warm, cold = (statistics.median(column) for column in zip(*found, strict=True))
    late = sorted(row.analysis for row in found)[min(len(found) - 1, round(len(found) * 0.99))]
    reading = statistics.median(row.read / row.parse for row in found)
    ratio = statistics.median(row.analysis / row.parse for row in found)
    print(
        f"{name:>25} {len(text):>6} {steps(text):>6} {parse:>9.1f} {read:>9.1f} {reading:>6.1f}"
        f" {warm:>10.1f} {late:>10.1f} {ratio:>6.1f} {cold:>10.1f}"
    )


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rounds", type=int, default=501)
    arguments.add_argument("--slow", action="store_true")
    options = arguments.parse_args()
    print(f"{options.rounds} rounds: us, and ratios to Parser.parse")
    print(
        f"{'text':>25} {'chars':>6} {'steps':>6} {'parse':>9} {'read':>9} {'ratio':>6}"
        f" {'analysis':>10} {'p99':>10} {'ratio':>6} {'cold':>10}"
    )
    for texts, few in ((ORDINARY, 0), (LONG_TEXTS, 25), (HOSTILE, 5)):
        rounds = options.rounds if options.slow or not few else min(few, options.rounds)
        for name, text in texts.items():
            show(name, text, rows(text, rounds))


if __name__ == "__main__":
    main()
