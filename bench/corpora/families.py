"""The corpora, what their verdicts mean, and how our packs answer their calls."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from ostiary.build import compile_file
from ostiary.decision import Verdict
from ostiary.evaluate import evaluate
from ostiary.event import Event
from ostiary.facts import FactRequest, FixedFacts, Given
from ostiary.perform import run
from ostiary.policy import Admitted, Policy, assemble

POLICIES: Final = Path(__file__).resolve().parents[2] / "policies"
KINDS: Final = ("unsafe", "unallowed", "missed", "false")

Row = dict[str, Any]


class Family(NamedTuple):
    """Corpora whose verdicts mean the same: the packs that answer, and by kind of disagreement the verdicts that it is
    counted among."""

    packs: tuple[str, ...]
    kinds: Mapping[str, tuple[str, ...]]


class Disagreement(NamedTuple):
    """A call that we answer otherwise; `digest` names it."""

    kind: str
    digest: str
    text: str
    wanted: str
    got: Verdict


_ALLOWS: Final = Family(("baseline", "readonly"), {"unsafe": ("ask", "deny"), "unallowed": ("allow",)})
_BLOCKS: Final = Family(("baseline",), {"missed": ("deny",), "false": ("allow", "none")})

CORPORA: Final[dict[str, Family]] = {
    "dippy": _ALLOWS,
    "cc-toolgate": _ALLOWS,
    "dcg": _BLOCKS,
    "cc-safety-net": _BLOCKS,
    "nah": _BLOCKS,
    "openmoat": _BLOCKS,
}

_TOOLS: Final = {
    "Bash": "bash",
    "Read": "read_file",
    "Write": "write_file",
    "Edit": "edit_file",
    "Delete": "delete_file",
    "Grep": "grep",
    "Glob": "glob",
    "WebFetch": "web_scrape",
}
_HOMES: Final = {"/p": "/Users/me"}
_HOME: Final = "/home/dev"
_PROJECT: Final = "/home/dev/app"
_NAMED: Final = re.compile(r"fixture (\S+)")
_KINDS: Final = {"missing": "none", "directory": "folder"}


def rows(path: Path) -> Iterator[Row]:
    """The calls of a file, each with the machine that its note names (`CORPUS-fixtures.json`)."""
    beside = path.with_name(f"{path.stem}-fixtures.json")
    machines = json.loads(beside.read_text("utf-8")) if beside.exists() else {}
    with path.open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            named = _NAMED.search(row.get("note", ""))
            fixture = machines.get("observation_fixtures", {}).get(named[1]) if named else None
            homes = [one["home"] for one in machines.get("ctx_fixtures", {}).values()]
            yield {**row, "machine": {**fixture, "home": homes[0]}} if fixture else row


def disagreements(family: Family, calls: Iterable[Row]) -> Iterator[Disagreement]:
    """The calls that the packs answer otherwise."""
    for row in calls:
        got = verdict(family.packs, row)
        kind = _kind(family, row["expected"], got)
        if kind:
            yield Disagreement(kind, digest(row), _shown(row), row["expected"], got)


def _kind(family: Family, wanted: str, got: Verdict) -> str:
    for kind, verdicts in family.kinds.items():
        stops = got >= Verdict.ASK
        wrong = {"unsafe": got == Verdict.ALLOW, "unallowed": got != Verdict.ALLOW, "missed": not stops, "false": stops}
        if wanted in verdicts and wrong[kind]:
            return kind
    return ""


def digest(row: Row) -> str:
    """What names a call."""
    said = json.dumps([row["tool"], row["input"], row.get("cwd")], sort_keys=True)
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def verdict(packs: tuple[str, ...], row: Row) -> Verdict:
    """What the packs say to a call, on the machine of its row, else on one with nothing on it but its folders."""
    machine = row.get("machine", {})
    cwd = row.get("cwd") or machine.get("cwd") or _PROJECT
    roots = tuple(root["path"] for root in machine.get("roots", ())) or (cwd,)
    home = machine.get("home") or _HOMES.get(cwd, _HOME)
    given = Given(home=home, user="dev", start=roots[0], roots=roots, workdirs=roots)
    event = Event.from_call(_TOOLS[row["tool"]], row["input"], cwd, agent="claude-code", session="s")
    facts = FixedFacts(given, dict(_answers(machine.get("paths", ()))))
    return run(evaluate(policy(packs), event, facts.known), facts).verdict


def _answers(paths: Iterable[Mapping[str, Any]]) -> Iterator[tuple[FactRequest, object]]:
    """What is known of the paths of a machine."""
    for path in paths:
        yield FactRequest("kind", path["resolved"]), _KINDS.get(path["kind"], "file")
        yield FactRequest("resolve", path["resolved"]), path.get("realpath") or path["resolved"]


@cache
def policy(packs: tuple[str, ...]) -> Policy:
    """The packs as a user's policy."""
    return assemble([Admitted("user", True, _plan(name)) for name in packs])


def _plan(name: str) -> Any:
    path = POLICIES / f"{name}.yaml"
    file, _ = compile_file(path.read_bytes(), str(path))
    return file


def _shown(row: Row) -> str:
    return row["input"].get("command") or f"{row['tool']} {json.dumps(row['input'])}"
