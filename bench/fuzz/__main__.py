"""Fuzzes the analysis of shell scripts.

usage: python bench/fuzz [RUN ...] [--full] [--count N] [--seed N] [--processes N] [--corpora FOLDER]

Runs: `syntax` (against mvdan/sh, needs `bash` and `shfmt`), `system` (the same with the scripts of this machine),
`execution` (against what a real bash runs, needs `bash` and `bwrap`), `bounded` (nothing raises, steps are bounded),
`denied` (a denied command stays denied in other clothes), `data` (nothing is said about text that is only data),
`corpora` (how many of the commands in a folder of other projects' test data are unparsed). Without `--full` or
`--count` each takes one script in a hundred. The same seed and count give the same scripts. Exits with 1 if anything is
wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzz import execution, oracle, runs

NEEDS = {"syntax": oracle.absent, "system": oracle.absent, "execution": execution.absent}


def share(name: str, count: int, seed: int) -> runs.Result:
    """One process's part of a run."""
    return runs.RUNS[name][0](count, seed)


def whole(name: str, count: int, seed: int, processes: int) -> runs.Result:
    """A run on several processes."""
    counts: Counter[str] = Counter()
    findings: list[tuple[str, str]] = []
    each = [count // processes + (index < count % processes) for index in range(processes)]
    with ProcessPoolExecutor(processes) as pool:
        for some, found in pool.map(share, [name] * processes, each, [seed + index for index in range(processes)]):
            counts += some
            findings += found
    return runs.Result(counts, findings)


def show(name: str, result: runs.Result) -> None:
    """Print what a run came to."""
    print(f"{name}: {', '.join(f'{count:,} {what}' for what, count in sorted(result.counts.items()))}")
    for what, script in result.findings[:40]:
        print(f"  {what}\n    {script!r}")
    print(f"  {len(result.findings)} findings", flush=True)


def main() -> int:
    """Runs what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", metavar="RUN")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--corpora", type=Path)
    given = parser.parse_args()
    known = [*runs.RUNS, "corpora"]
    if not set(given.runs) <= set(known):
        parser.error(f"runs are {', '.join(known)}")
    wrong = 0
    for name in given.runs or known:
        missing = NEEDS[name]() if name in NEEDS else []
        if missing:
            print(f"{name}: not run, {', '.join(missing)} is not here")
        elif name == "corpora" and (given.corpora is None or not given.corpora.is_dir()):
            print("corpora: not run, --corpora names no folder")
        elif name == "corpora":
            show(name, runs.corpora(given.corpora))
        else:
            count = given.count or runs.RUNS[name][1] // (1 if given.full else 100)
            result = whole(name, count, given.seed, given.processes if name != "system" else 1)
            show(name, result)
            wrong += len(result.findings)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
