"""A hook whose rule asks a model that settings name, and one whose rule calls a tool of an MCP server."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from payloads import AGENT, bash
from processes import hook
from servers.models import model_server
from trees import plant

SERVER = Path(__file__).parent / "servers" / "mcp_server.py"


def asked(base: Path, policy: str, settings: str, command: str, **environ: str) -> dict[str, Any]:
    """What the hook answers about a command."""
    plant(base, {"config/policy.yaml": policy, "config/settings.yaml": settings, "project": None})
    given = ("--agent", AGENT, "--event", "PreToolUse", "--config-dir", str(base / "config"))
    done = hook(bash(command, str(base / "project")), *given, cwd=base / "project", env=environ)
    assert (done.returncode, done.stderr) == (0, b"")
    answer: dict[str, Any] = json.loads(done.stdout or b"{}").get("hookSpecificOutput", {})
    return answer


def test_a_hook_asks_the_model_that_settings_name(tmp_path: Path) -> None:
    policy = 'version: 1\nrules: [{id: r, tool: Bash, run: {prompt: "safe?", continue_on_block: true}}]\n'
    with model_server() as server:
        settings = (
            f"models: {{default: {{provider: openai, model: m-1, base_url: {server.url}/v1, key_env: ACME_KEY}}}}"
        )
        server.text = '{"ok": false, "reason": "it is not safe"}'
        no = asked(tmp_path, policy, settings, "ls", ACME_KEY="k3y")
        assert no["permissionDecision"] == "deny"
        assert "it is not safe" in no["permissionDecisionReason"]
        server.text = '{"ok": true}'
        assert asked(tmp_path, policy, settings, "ls", ACME_KEY="k3y") == {}
        assert len(server.asked) == 2


def test_a_hook_has_a_model_look_at_files(tmp_path: Path) -> None:
    policy = 'version: 1\nrules: [{id: r, tool: Bash, run: {agent: "safe?"}}]\n'
    plant(tmp_path, {"project/app.py": "needle"})
    with model_server() as server:
        settings = f"models: {{default: {{provider: openai, model: m-1, base_url: {server.url}/v1}}}}"
        server.texts = ['{"read": "app.py"}']
        server.text = '{"ok": false, "reason": "it is not safe"}'
        said = asked(tmp_path, policy, settings, "ls")
        assert said["permissionDecision"] == "deny"
        assert "it is not safe" in said["permissionDecisionReason"]
        assert server.asked[1][2]["messages"][-1]["content"].endswith('<result>\n"needle"\n</result>')


@pytest.mark.skipif(sys.platform == "win32", reason="the program of the rule is for POSIX systems")
def test_a_hook_calls_a_tool_of_an_mcp_server(tmp_path: Path) -> None:
    run = {
        "mcp_tool": "say",
        "server": {"command": sys.executable, "args": [str(SERVER)]},
        "input": {"text": '{"decision": "deny", "reason": "no ${tool_input.command}"}'},
    }
    policy = json.dumps({"version": 1, "rules": [{"id": "r", "tool": "Bash", "run": run}]})
    said = asked(tmp_path, policy, "enable_shell_hooks: true", "ls a")
    assert said["permissionDecision"] == "deny"
    assert "no ls a" in said["permissionDecisionReason"]
