"""What it takes to read policy again, from the save to the answer of the next call, by number of rules.

usage: python bench/reload.py [--rounds N] [--most RULES]

The rules are of mixed kinds (a program with an option, a path, a regular expression), in one file or in files of ten
rules each, of which one is changed. Each figure is the median of rounds, and stands beside reading the same text of all
rules once with the parser of ruamel.yaml, in the same round. `save to answer` goes through the work of the resident
service without its socket: a process that has answered before (`warm`), one whose plans were made by the watcher
meanwhile (`watched`), and one that is fresh and finds them in the cache (`cold`, without the start of Python).
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ruamel.yaml import YAML

from ostiary.commands import serve
from ostiary.service.protocol import Frame, Request
from ostiary.service.watcher import Watcher
from ostiary.service.working import Tell
from ostiary.sources.places import find_places

SIZES = (10, 100, 1_000, 10_000)
PART = 10
KINDS = (
    "  - {{id: r{n}, tool: Bash, when: {{command: {{program: prog{n}, flag: --force}}}}, decision: deny}}",
    "  - {{id: r{n}, when: {{writes: /srv/app{n}/**}}, decision: ask}}",
    "  - {{id: r{n}, tool: Bash, when: {{script: '/dang[e]r{n} +x/'}}, decision: deny}}",
)
TELL = Tell(lambda _agent, _event, _seconds: None, lambda _reading: None, lambda _verdict: None)


def text(numbers: range, edit: int) -> str:
    """A rule file; `edit` is the number of its version, which changes one rule in the middle."""
    rules = [KINDS[n % len(KINDS)].format(n=n) for n in numbers]
    rules.insert(
        len(rules) // 2, f"  - {{id: edited, tool: Bash, when: {{command: {{program: edit{edit}}}}}, decision: deny}}"
    )
    return "\n".join(("version: 1", "rules:", *rules, ""))


class World:
    """A folder of policy with so many rules, in one file or in several."""

    def __init__(self, base: Path, rules: int, parts: bool) -> None:
        self.config, self.project = base / "config", base / "project"
        self.files: dict[Path, range] = {}
        (self.config / "policy.d").mkdir(parents=True)
        (self.project / ".git").mkdir(parents=True)
        for start in range(0, rules, PART if parts else rules):
            numbers = range(start, min(start + PART, rules) if parts else rules)
            self.files[self.config / f"policy.d/{start:05}.yaml"] = numbers
        self.edit = 0
        for file in self.files:
            self._write(file)
        payload = {
            "hook_event_name": "PreToolUse",
            "session_id": "s",
            "cwd": str(self.project),
            "tool_name": "Bash",
            "tool_input": {"command": "x"},
        }
        self.payload = payload

    def _write(self, file: Path) -> None:
        fresh = file.with_name(f".{file.name}")
        numbers = self.files[file]
        fresh.write_text(text(numbers, self.edit).replace("id: edited", f"id: edited-{numbers.start}"))
        fresh.replace(file)

    def save(self) -> None:
        """Changes a file, so that the command `editN` is denied."""
        self.edit += 1
        self._write(list(self.files)[len(self.files) // 2])

    def ask(self, work: Callable[[Request, Tell], Frame]) -> None:
        """Asks about that command."""
        self.payload["tool_input"] = {"command": f"edit{self.edit}"}
        request = Request("", "claude-code", "PreToolUse", str(self.project), json.dumps(self.payload).encode())
        body = work(request, TELL).body
        assert b'"deny"' in body, body

    def work(self) -> Callable[[Request, Tell], Frame]:
        """What a worker does."""
        return serve.work(str(self.config))

    def watcher(self) -> Watcher:
        """A watcher that has read everything."""
        found = Watcher(find_places(str(self.config)), lambda _word, _said: None)
        found.told("view", [str(self.project), str(self.project), []])
        found.look()
        return found

    def parsed(self) -> None:
        """Reads the YAML of all files, and does nothing with it."""
        for file in self.files:
            for _ in YAML(typ="safe", pure=True).parse(file.read_text()):
                pass


def took(action: Callable[[], object]) -> float:
    """Milliseconds."""
    start = time.perf_counter()
    action()
    return (time.perf_counter() - start) * 1000


def round_of(world: World) -> Iterator[tuple[str, float]]:
    """One round."""
    yield "parse", took(world.parsed)
    warm = world.work()
    world.ask(warm)
    world.save()
    yield "warm", took(lambda: world.ask(warm))
    watcher = world.watcher()
    world.save()
    yield "watcher", took(watcher.look)
    yield "watched", took(lambda: world.ask(warm))
    fresh = world.work()
    yield "cold", took(lambda: world.ask(fresh))
    yield "asked again", min(took(lambda: world.ask(warm)) for _ in range(5))


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--most", type=int, default=SIZES[-1])
    given = options.parse_args()
    print("| rules | files | parse ms | warm ms | ratio | watcher ms | watched ms | ratio | cold ms | asked again ms |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for rules in (size for size in SIZES if size <= given.most):
        for parts in (False, True) if rules > PART else (False,):
            with tempfile.TemporaryDirectory() as name:
                world = World(Path(name).resolve(), rules, parts)
                rounds = [dict(round_of(world)) for _ in range(given.rounds)]
            ms = {key: statistics.median(found[key] for found in rounds) for key in rounds[0]}
            ratio = {key: statistics.median(found[key] / found["parse"] for found in rounds) for key in ms}
            cells = (
                f"{rules:,}",
                f"{len(world.files):,}",
                f"{ms['parse']:,.1f}",
                f"{ms['warm']:,.1f}",
                f"{ratio['warm']:.2f}",
                f"{ms['watcher']:,.1f}",
                f"{ms['watched']:,.1f}",
                f"{ratio['watched']:.2f}",
                f"{ms['cold']:,.1f}",
                f"{ms['asked again']:,.1f}",
            )
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
