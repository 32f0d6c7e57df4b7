"""A first look: `python3 tools/demo.py`.

Needs nothing but Python 3.11; makes its own environment in `.venv`. Writes a starter policy into a temporary folder,
then judges calls as a real agent's hook sends them, and shows each answer. Nothing that is judged is run.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from environment import ROOT, ensure, run

AGENT = "claude-code"
PAYLOADS = ROOT / "docs" / "demo" / "payloads.jsonl"


def main() -> None:
    """Sets up, then judges the sample calls."""
    python = str(ensure())
    ostiary = [python, "-I", "-m", "ostiary"]
    with tempfile.TemporaryDirectory(prefix="ostiary-demo-") as folder:
        place = Path(folder).resolve()
        config, project = place / "config", place / "project"
        project.mkdir()
        _say("A starter policy, checked and tested:")
        _run([*ostiary, "init", "--config-dir", str(config)])
        _run([*ostiary, "check", "--config-dir", str(config)])
        _run([*ostiary, "test", "--config-dir", str(config)])
        _say("Calls as an agent's hook sends them, and the answers it gets:")
        for line in PAYLOADS.read_text(encoding="utf-8").splitlines():
            _judge(ostiary, config, project, json.loads(line))
        _say("Why the last one? Every rule that was asked:")
        _run([*ostiary, "explain", "--config-dir", str(config), "--project", str(project), "git push -uf origin main"])
    print("\nNext: README.md, “A first policy in three minutes”.")


def _judge(ostiary: list[str], config: Path, project: Path, payload: dict[str, object]) -> None:
    payload["cwd"] = str(project)
    hook = [*ostiary, "hook", "--agent", AGENT, "--event", str(payload["hook_event_name"]), "--config-dir", str(config)]
    done = subprocess.run(hook, input=json.dumps(payload), capture_output=True, text=True, cwd=project, check=False)
    print(f"  {_call(payload)}")
    print(f"      {_answer(done.stdout) if done.returncode == 0 else done.stderr.strip()}", flush=True)


def _call(payload: dict[str, object]) -> str:
    arguments = payload["tool_input"]
    assert isinstance(arguments, dict)
    return f"{payload['tool_name']}: {next(iter(arguments.values()))}"


def _answer(stdout: str) -> str:
    if not stdout.strip():
        return "(silence: the agent decides as it always did)"
    said = json.loads(stdout).get("hookSpecificOutput", {})
    return f"{said.get('permissionDecision')}: {said.get('permissionDecisionReason')}"


def _say(text: str) -> None:
    print(f"\n{text}\n", flush=True)


def _run(command: list[str]) -> None:
    print(f"  $ ostiary {shlex.join(command[4:])}", flush=True)
    run(command)


if __name__ == "__main__":
    sys.exit(main())
