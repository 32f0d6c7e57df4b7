"""Public bug reports about agents' permission rules, each as a policy and calls with the right answer.

usage: python bench/bugs.py [ID ...]

The reports are `../shared/cases/bugs.jsonl`; the policies that state their intents are ours
(`bench/bugs/policies.yaml`).
Every call whose answer is neither the expected one nor among those that are acceptable too is listed, and the exit
status is 1 if one of them is not explained in the policies.
"""

from __future__ import annotations

import io
import json
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from ruamel.yaml import YAML

from ostiary import dialects
from ostiary.build import compile_file
from ostiary.decision import Outcome
from ostiary.evaluate import evaluate
from ostiary.event import EVENTS, Event
from ostiary.facts import FactRequest, Given
from ostiary.perform import run
from ostiary.policy import Admitted, Policy, assemble, stand_in
from ostiary.problems import PolicyError
from ostiary.tools import TOOLS

HERE: Final = Path(__file__).resolve().parent
REPORTS: Final = HERE.parent.parent / "shared" / "cases" / "bugs.jsonl"
POLICIES: Final = HERE / "bugs" / "policies.yaml"

HOME: Final = "/home/dev"
PROJECT: Final = "/home/dev/app"
WINDOWS_HOME: Final = "C:/Users/dev"
WINDOWS_PROJECT: Final = "C:/work/app"

NAMES: Final = {
    "read": "read_file",
    "write": "write_file",
    "edit": "edit_file",
    "multi_edit": "edit_file",
    "apply_patch": "patch_apply",
    "web_fetch": "web_scrape",
    "task_list": "todo",
}
ARGUMENTS: Final = {"write_stdin": {"chars": "input"}}
TIERS: Final = {"managed": "managed", "policy": "user", "project": "project"}

Call = Mapping[str, Any]


class Wrong(NamedTuple):
    """A call that was answered otherwise. `explained` is the reason why the laws say so, empty for a mistake."""

    report: str
    place: int
    call: Call
    got: str
    explained: str


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine of a call: its links, the branch that is checked out, files and the volume's idea of case."""

    known: Given
    files: Mapping[str, str] = field(default_factory=dict)
    branch: str | None = None
    folds: bool = False

    def given(self, cwd: str | None) -> Given:  # noqa: ARG002 the values are fixed
        """What is known beforehand."""
        return self.known

    def answer(self, request: FactRequest) -> object:
        """The answer to one request."""
        if request.name == "resolve":
            return self._resolved(request.argument)
        if request.name == "kind":
            return self._kind(request.argument)
        if request.name == "listing":
            return self._listing(request.argument)
        return {"branch": self.branch, "folds_case": self.folds}.get(request.name)

    def _listing(self, folder: str) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for name in self.files:
            if name.startswith(f"{folder}/"):
                above, _, base = name[len(folder) + 1 :].rpartition("/")
                found[base] = (*found.get(base, ()), above)
        return found

    def _kind(self, path: str) -> str:
        if any(name.startswith(f"{path}/") for name in self.files):
            return "folder"
        return {"": "none", "dir": "folder", "symlink": "folder"}.get(
            self.files.get(path, "").partition(":")[0], "file"
        )

    def _resolved(self, path: str) -> str:
        links = {name: target[8:] for name, target in self.files.items() if target.startswith("symlink:")}
        for _ in range(10):
            link = next((name for name in links if f"{path}/".startswith(f"{name}/")), None)
            if link is None:
                break
            path = links[link] + path[len(link) :]
        return path


def load() -> dict[str, Any]:
    """The policies by report."""
    found: dict[str, Any] = YAML(typ="safe", pure=True).load(POLICIES.read_text("utf-8"))
    return found


def text_of(value: Any) -> bytes:
    """A policy as the text of a file."""
    stream = io.BytesIO()
    writer = YAML(typ="safe", pure=True)
    writer.representer.ignore_aliases = lambda _: True
    writer.dump(value, stream)
    return stream.getvalue()


def policy_of(entry: Mapping[str, Any], trusted: bool) -> Policy:
    """The policy of a report; a file that does not load is stood in for, as it is where it was never good."""
    admitted = []
    for key, tier in TIERS.items():
        files = entry.get(key, [])
        for file in files if isinstance(files, list) else [files]:
            plan = compile_file(text_of(file), f"{tier}.yaml").plan
            admitted.append(Admitted(tier, trusted or tier != "project", plan))  # type: ignore[arg-type]
    if "raw" in entry:
        try:
            plan = compile_file(entry["raw"], "user.yaml").plan
        except PolicyError as error:
            problem = error.problems[0]
            plan = stand_in(problem.file, problem.line, problem.message, managed=False)
        admitted.append(Admitted("user", True, plan))
    return assemble(admitted, dialects.tool_table(TOOLS))


def event_of(call: Call, setup: Mapping[str, Any], cwd: str) -> Event:
    """The event of a call, read by the agent's dialect where the report has the agent's payload."""
    fields: dict[str, Any] = {"cwd": cwd, "subagent": call.get("agent_type") or call.get("agent_id")}
    if "payload" in call:
        return _read(call["payload"], cwd)
    given, tool = call["input"], call["tool"]
    if tool == "mcp":
        pair = (given["server"], given["tool"])
        fields |= {"mcp": pair, "mcp_source": setup.get("mcp_servers", {}).get(pair[0])}
        return Event(tool="mcp__" + "__".join(pair), input=given["args"], **fields)
    names = ARGUMENTS.get(tool, {})
    return Event(tool=NAMES.get(tool, tool), input={names.get(key, key): given[key] for key in given}, **fields)


def _read(payload: Mapping[str, Any], cwd: str) -> Event:
    """A payload in the report's short form: tool and arguments are put where the agent's payloads have them."""
    dialect = dialects.DIALECTS[payload["agent"]]
    native, spec = next(
        (name, spec)
        for name, spec in dialect.events.items()
        if (kind := EVENTS.get(spec.canonical)) and kind.before_tool
    )
    inner = payload.get("toolCall", payload)
    tool = next(inner[key] for key in ("tool_name", "toolName", "tool", "name") if key in inner)
    arguments: Any = next((inner[key] for key in ("tool_input", "toolInput", "args") if key in inner), {})
    paths = {**dialect.fields, **spec.fields}
    full: dict[str, Any] = {key: value for key, value in payload.items() if key != "agent"}
    for name, value in (("tool", tool), ("input", arguments), ("cwd", cwd), ("event", native)):
        if paths.get(name):  # type: ignore[call-overload]
            _put(full, paths[name][0], value)  # type: ignore[index]
    return dialects.read(dialect, full, native)


def _put(into: dict[str, Any], path: tuple[Any, ...], value: Any) -> None:
    for key in path[:-1]:
        held = into.get(key)
        into[key] = dict(held) if isinstance(held, Mapping) else {}
        into = into[key]
    into[path[-1]] = value


def machine_of(call: Call, setup: Mapping[str, Any]) -> tuple[Machine, str]:
    """The facts of a call, and the directory it is made in."""
    windows = call.get("os") == "windows" or call["tool"] in ("powershell", "cmd")
    home, project = (WINDOWS_HOME, WINDOWS_PROJECT) if windows else (HOME, PROJECT)
    cwd = call.get("cwd", project).replace("\\", "/") if windows else call.get("cwd", project)
    start = project if f"{cwd}/".startswith(f"{project}/") else cwd
    roots = tuple(setup.get("working_directories", [start]))
    known = Given(home=home, user="dev", start=start, roots=roots[:1], workdirs=roots, windows=windows)
    folds = windows or call.get("fs") == "case-insensitive"
    return Machine(known, call.get("files", {}), call.get("git_branch", "topic"), folds), cwd


def answer(entry: Mapping[str, Any], call: Call, setup: Mapping[str, Any]) -> Outcome:
    """What the policy of a report makes of one of its calls."""
    machine, cwd = machine_of(call, setup)
    event = event_of(call, setup, cwd)
    return run(evaluate(policy_of(entry, call.get("trusted", "env_file" not in call)), event, machine.known), machine)


def wrong(report: Mapping[str, Any], entry: Mapping[str, Any]) -> Iterator[Wrong]:
    """The calls of a report that are answered otherwise or too late."""
    case = report["case"]
    for index, call in enumerate(case["calls"]):
        start = time.perf_counter()
        outcome = answer(entry, call, case.get("setup", {}))
        took = (time.perf_counter() - start) * 1e3
        got = {"none": "no-match"}.get(str(outcome.verdict), str(outcome.verdict))
        right = got in (call["expected"], *call.get("also_ok", ()))
        if right and outcome.updated_input != call.get("expected_input", outcome.updated_input):
            right, got = False, f"{got} with {outcome.updated_input}"
        if right and took > call.get("max_ms", 1e9):
            right, got = False, f"{got} after {took:.0f} ms"
        if not right:
            yield Wrong(report["id"], index, call, got, entry.get("otherwise", {}).get(index, ""))


def main() -> int:
    """Print what is answered otherwise, and the sums."""
    if not REPORTS.exists():
        print(f"{REPORTS} is not there: the reports are not part of this repository")
        return 2
    reports = [json.loads(line) for line in REPORTS.read_text("utf-8").split("\n") if line]
    policies, chosen = load(), set(sys.argv[1:])
    reports = [report for report in reports if not chosen or report["id"] in chosen]
    apart = [report for report in reports if "not_applicable" in policies[report["id"]]]
    judged = [report for report in reports if "not_applicable" not in policies[report["id"]]]
    found = [item for report in judged for item in wrong(report, policies[report["id"]])]
    calls = sum(len(report["case"]["calls"]) for report in judged)
    for item in found:
        call = item.call
        given = call["input"] if len(str(call["input"])) < 200 else f"{str(call['input'])[:200]}..."
        allowed = "|".join((call["expected"], *call.get("also_ok", ())))
        print(f"{item.report}[{item.place}] {call['tool']} {given}: {item.got}, not {allowed} ({call['why']})")
        print(f"    {item.explained}" if item.explained else "    WRONG")
    mistakes = sum(not item.explained for item in found)
    print(f"{len(judged)} reports with {calls} calls: {calls - len(found)} as expected, {mistakes} wrong,", end=" ")
    print(f"{len(found) - mistakes} otherwise with a reason; {len(apart)} reports are not applicable:")
    for report in apart:
        print(f"    {report['id']}: {policies[report['id']]['not_applicable']}")
    return 1 if mistakes else 0


if __name__ == "__main__":
    raise SystemExit(main())
