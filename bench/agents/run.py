"""Real agents with Ostiary installed: silence, deny, ask, rewrite, other hooks, and hooks that break.

    python bench/agents/run.py [AGENT[@VERSION] ...] [--cases NAME,...] [--cache FOLDER] [--jobs N] [--keep]

Installs each agent with npm below FOLDER, and for each case makes a fresh home, runs `ostiary install --config-dir` in
it, starts a model on the loopback interface, lets the agent run without a person, and reads off the disk and off what
the model received what became of the call. Prints a table and whatever differs from the agent's own table in
`ostiary.dialects`; the exit code is 1 if anything does.

Network is used by npm alone: the agents run in namespaces of their own, which only Linux has.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

HERE: Final = Path(__file__).resolve().parent
_BOX: Final = ("--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc")
_SPARE: Final = 120  # seconds for everything but the agent


def lacking() -> Iterator[str]:
    """What this machine does not have."""
    for program in ("npm", "node", "unshare", "mount"):
        if shutil.which(program) is None:
            yield f"`{program}` is not there"
    if importlib.util.find_spec("ostiary") is None:
        yield "this interpreter has no Ostiary: `pip install -e .` first"
    if not sys.platform.startswith("linux"):
        yield "namespaces are only there on Linux"
    elif shutil.which("unshare") and subprocess.run([*_boxed(), "true"], capture_output=True).returncode:
        yield "this user may not make namespaces (`unshare`)"


def _boxed() -> tuple[str, ...]:
    user = () if os.geteuid() == 0 else ("--user", "--map-root-user")
    return ("unshare", *user, *_BOX)


class Job(NamedTuple):
    """A case with an agent."""

    agent: str
    case: str
    packages: Path
    seconds: int
    keep: bool


class Cell(NamedTuple):
    """What a job showed, in a word; `wrong` says what differs from the agent's table."""

    agent: str
    case: str
    word: str
    seconds: float
    wrong: str
    doctor: tuple[str, ...]
    log: str


def done(job: Job) -> Cell:
    """Runs a job."""
    from cases import CASES, Seen, promised, word  # after `lacking`: they need Ostiary
    from ostiary.dialects import DIALECTS

    folder = Path(tempfile.mkdtemp(prefix="ostiary-agent-"))
    command = [*_boxed(), sys.executable, str(HERE / "box.py"), job.agent, job.case, str(folder), str(job.packages)]
    try:
        result = subprocess.run(command, capture_output=True, timeout=job.seconds + _SPARE)
    except subprocess.TimeoutExpired:
        return Cell(job.agent, job.case, "?", 0, "the run did not end", (), "")
    finally:
        if not job.keep:
            shutil.rmtree(folder, ignore_errors=True)
    if result.returncode:
        return Cell(job.agent, job.case, "?", 0, "the run broke", (), result.stderr.decode(errors="replace"))
    seen = Seen(**json.loads(result.stdout))
    case = next(case for case in CASES if case.name == job.case)
    said, wanted = word(case, seen), promised(DIALECTS[job.agent], case)
    wrong = "" if said in wanted else f"its table promises {' or '.join(sorted(wanted))}"
    return Cell(job.agent, job.case, said, seen.seconds, wrong, tuple(seen.doctor), seen.log if wrong else "")


def jobs(options: argparse.Namespace) -> Iterator[Job]:
    """Everything to do, agent by agent; installs each."""
    from packages import installed

    from agents import AGENTS
    from cases import CASES, tried
    from ostiary.dialects import DIALECTS

    for wanted in options.agents or AGENTS:
        name, _, version = wanted.partition("@")
        agent = AGENTS[name]._replace(version=version) if version else AGENTS[name]
        packages = installed(name, agent, options.cache)
        for case in CASES:
            chosen = not options.cases or case.name in options.cases.split(",")
            if chosen and tried(DIALECTS[name], case, reviewed=bool(agent.reviewed)):
                yield Job(name, case.name, packages, case.seconds, options.keep)


def show(cell: Cell) -> None:
    print(f"{cell.agent}: {cell.case}: {cell.word} ({cell.seconds} s)", flush=True)
    for line in (*cell.doctor, *([f"WRONG: {cell.wrong}", cell.log] if cell.wrong else [])):
        print(f"    {line}")


def table(cells: list[Cell]) -> Iterator[str]:
    """The cells in Markdown: a row for each case."""
    agents = list(dict.fromkeys(cell.agent for cell in cells))
    found = {(cell.agent, cell.case): cell.word for cell in cells}
    yield f"| | {' | '.join(agents)} |"
    yield f"|---{'|---' * len(agents)}|"
    for case in dict.fromkeys(cell.case for cell in cells):
        yield f"| {case} | {' | '.join(found.get((agent, case), '') for agent in agents)} |"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("agents", nargs="*", metavar="AGENT[@VERSION]")
    parser.add_argument("--cases", default="", help="names, with commas")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "ostiary-agents")
    parser.add_argument("--jobs", type=int, default=1, help="cases at a time")
    parser.add_argument("--keep", action="store_true", help="leave the folders of the runs")
    options = parser.parse_args()
    if missing := list(lacking()):
        print("cannot run:", *missing, sep="\n  ")
        return 2
    try:
        todo = list(jobs(options))
    except (KeyError, OSError, subprocess.SubprocessError) as error:
        reason = getattr(error, "stderr", None) or b""
        print(f"cannot be installed: {error}", reason.decode(errors="replace"), sep="\n")
        return 2
    cells = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for cell in pool.map(done, todo):
            show(cell)
            cells.append(cell)
    print(*table(cells), sep="\n")
    return 1 if any(cell.wrong for cell in cells) else 0


if __name__ == "__main__":
    sys.exit(main())
