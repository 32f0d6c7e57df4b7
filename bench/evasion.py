"""Ways round a deny rule that agents' own engines were seen to miss: each must be held.

usage: python bench/evasion.py

The probes are `../shared/cases/conformance/evasion-probes.jsonl`: one deny rule (a program, or a program with its
subcommand) and one command each. The rule is written as the compact entry `Bash(WORDS *)`; as no rule about `rm` speaks
of code that deletes by itself, its intent has a second rule, `deletes: ["**"]`. A probe is *held* by a deny, *asked*
where the text does not tell (law L2), and *missed* otherwise; the exit status is 1 if one is missed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ostiary.build import compile_file
from ostiary.evaluate import evaluate
from ostiary.event import Event
from ostiary.facts import FixedFacts, Given
from ostiary.perform import run
from ostiary.policy import Admitted, Policy, assemble

PROBES: Final = Path(__file__).resolve().parents[2] / "shared/cases/conformance/evasion-probes.jsonl"
FACTS: Final = FixedFacts(
    Given(home="/home/u", user="u", start="/home/u/proj", roots=("/home/u/proj",), workdirs=("/home/u/proj",))
)


def policy(words: str) -> Policy:
    """Everything is allowed but one command."""
    deletes = {"id": "deletes", "when": {"deletes": ["**"]}, "decision": "deny", "reason": "nothing is deleted"}
    rules = [deletes] if words == "rm" else []
    text = json.dumps({"version": 1, "allow": ["Bash"], "deny": [f"Bash({words} *)"], "rules": rules})
    return assemble([Admitted("user", True, compile_file(text, "user.yaml").plan)])


def command(given: Mapping[str, Any]) -> str:
    """The shell text of a native call."""
    argv = given.get("argv")
    return str(argv[2] if argv else given.get("command", given.get("cmd", "")))


def verdict(probe: Mapping[str, Any]) -> str:
    """What our rule says of a probe."""
    words = probe["note"].split('"')[1]
    event = Event.from_call("bash", {"command": command(probe["call"]["input"])}, cwd="/home/u/proj")
    return str(run(evaluate(policy(words), event, FACTS.known), FACTS).verdict)


def main() -> int:
    """Print every probe that is not denied, and the sums."""
    if not PROBES.exists():
        print(f"{PROBES} is not there: the probes are not part of this repository")
        return 2
    probes = [json.loads(line) for line in PROBES.read_text("utf-8").split("\n") if line]
    sums: Counter[str] = Counter()
    for probe in probes:
        said = verdict(probe)
        kind = {"deny": "held", "ask": "asked"}.get(said, "missed")
        sums[kind] += 1
        sums[f"{kind}, missed natively"] += bool(probe["context"]["native_misses"])
        if kind != "held":
            print(f"{kind} {probe['id']} {command(probe['call']['input'])!r}")
    print(f"{len(probes)} probes: " + ", ".join(f"{count} {kind}" for kind, count in sorted(sums.items()) if count))
    return 1 if sums["missed"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
