"""The examples in `docs/embedding`, run with the packages that they are for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from ostiary import Engine
from trees import plant

FOLDER = Path(__file__).parent.parent / "docs" / "embedding"
POLICY = """
version: 1
deny: ["Bash(rm *)"]
ask: ["Bash(git push*)"]
allow: ["Bash(ls *)"]
rules:
  - {id: slower, when: {command: {program: make}}, update_input: {command: make -j1}, decision: allow}
  - {id: secrets, on: PostToolUse, update_output: {redact: /s3cr3t/}}
  - {id: stop, when: {command: {program: shutdown}}, decision: deny, reason: the machine stays on, halt: true}
"""


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    monkeypatch.syspath_prepend(str(FOLDER))
    plant(tmp_path, {"config/policy.yaml": POLICY, "project": None, "managed": None})
    return Engine.load(config_dir=tmp_path / "config", project=tmp_path / "project", managed=tmp_path / "managed")


class Shell:
    """A tool that runs nothing, and what it was to run."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def made(self) -> Any:
        from agents import function_tool

        @function_tool
        def run_shell(command: str) -> str:
            """Run a command."""
            self.ran.append(command)
            return f"ran {command}, s3cr3t"

        return run_shell


def calls(engine: Engine, shell: Shell, command: str) -> Any:
    """How a run ends in which a model calls the tool once."""
    from agents.testing import ScriptedModel, assistant_message, function_call
    from openai_agent import guarded

    from agents import Agent, RunConfig, Runner

    call = function_call("run_shell", {"command": command}, call_id="call-1")
    model = ScriptedModel([[call], [assistant_message("done")]])
    agent = guarded(Agent(name="a", tools=[shell.made()], model=model), engine, "/w", {"run_shell": "bash"})
    result = asyncio.run(Runner.run(agent, "go", run_config=RunConfig(tracing_disabled=True)))
    return agent, result


def outputs(result: Any) -> list[str]:
    return [item.output for item in result.new_items if item.type == "tool_call_output_item"]


def skip_without_openai_agents() -> None:
    pytest.importorskip("agents.testing", reason="`openai-agents` is not installed")


@pytest.mark.parametrize(
    ("command", "ran", "output"),
    [
        ("ls a", ["ls a"], "ran ls a, [redacted]"),
        ("make all", ["make -j1"], "ran make -j1, [redacted]"),
        ("rm -rf a", [], "rule `user:policy/deny:Bash(rm *)` says deny"),
    ],
)
def test_tools_of_openai_agents_are_judged(command: str, ran: list[str], output: str, engine: Engine) -> None:
    skip_without_openai_agents()
    shell = Shell()
    _, result = calls(engine, shell, command)
    assert (shell.ran, outputs(result), result.final_output) == (ran, [output], "done")


@pytest.mark.parametrize(("approved", "ran"), [(True, ["git push"]), (False, [])])
def test_a_question_interrupts_a_run_of_openai_agents(approved: bool, ran: list[str], engine: Engine) -> None:
    skip_without_openai_agents()
    from agents import RunConfig, Runner

    shell = Shell()
    agent, result = calls(engine, shell, "git push")
    (question,) = result.interruptions
    assert shell.ran == []
    state = result.to_state()
    (state.approve if approved else state.reject)(question)
    asyncio.run(Runner.run(agent, state, run_config=RunConfig(tracing_disabled=True)))
    assert shell.ran == ran


def test_a_question_that_nobody_answered_is_a_no(engine: Engine) -> None:
    skip_without_openai_agents()
    from agents.tool_context import ToolContext
    from openai_agent import guarded

    from agents import Agent

    shell, text = Shell(), '{"command": "git push"}'
    (tool,) = guarded(Agent(name="a", tools=[shell.made()]), engine, "/w", {"run_shell": "bash"}).tools
    context = ToolContext(None, tool_name="run_shell", tool_call_id="call-1", tool_arguments=text)
    assert "says ask" in asyncio.run(tool.on_invoke_tool(context, text))  # type: ignore[union-attr]
    assert shell.ran == []


def test_a_halt_ends_a_run_of_openai_agents(engine: Engine) -> None:
    skip_without_openai_agents()
    from openai_agent import Halted

    shell = Shell()
    with pytest.raises(Halted, match="the machine stays on"):
        calls(engine, shell, "shutdown now")
    assert shell.ran == []


def test_tools_of_openai_agents_that_cannot_be_judged_are_refused(engine: Engine) -> None:
    skip_without_openai_agents()
    from openai_agent import guarded

    from agents import Agent, WebSearchTool

    with pytest.raises(TypeError, match="not web_search"):
        guarded(Agent(name="a", tools=[WebSearchTool()]), engine, "/w", {})


class Claude:
    """What the SDK talks to in place of Claude Code: asks its hooks once about each payload, then ends."""

    def __init__(self, payloads: list[dict[str, Any]]) -> None:
        self.payloads = payloads
        self.answers: dict[str, Any] = {}
        self.sent: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def connect(self) -> None:
        pass

    async def write(self, data: str) -> None:
        message = json.loads(data)
        if message["type"] == "control_request":
            said = {"commands": [], "hook_on_failure_supported": True, "hooks_applied": True}
            answer = {"subtype": "success", "request_id": message["request_id"], "response": said}
            await self.sent.put({"type": "control_response", "response": answer})
            hooks = message["request"].get("hooks") or {}
            for number, payload in enumerate(self.payloads):
                (matcher,) = hooks[payload["hook_event_name"]]
                assert matcher["onFailure"] == "block"
                asks = {"subtype": "hook_callback", "callback_id": matcher["hookCallbackIds"][0], "input": payload}
                await self.sent.put({"type": "control_request", "request_id": str(number), "request": asks})
        elif message["type"] == "control_response":
            response = message["response"]
            self.answers[response["request_id"]] = response.get("response", response.get("error"))

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        while True:
            yield await self.sent.get()

    async def close(self) -> None:
        pass

    def is_ready(self) -> bool:
        return True

    async def end_input(self) -> None:
        pass


async def answered(engine: Engine, payloads: list[dict[str, Any]]) -> list[Any]:
    """What the SDK says to Claude Code about these payloads."""
    from claude_agent import hooks
    from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, Transport

    claude = type("Fake", (Claude, Transport), {})(payloads)
    async with ClaudeSDKClient(ClaudeAgentOptions(hooks=hooks(engine)), transport=claude):
        while len(claude.answers) < len(payloads):
            await asyncio.sleep(0)
    return [claude.answers[str(number)] for number in range(len(payloads))]


def payload(event: str, **more: Any) -> dict[str, Any]:
    common = {"session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/w", "permission_mode": "default"}
    return {**common, "hook_event_name": event, **more}


def bash(command: str) -> dict[str, Any]:
    return payload("PreToolUse", tool_name="Bash", tool_input={"command": command}, tool_use_id="t")


def test_hooks_of_the_claude_agent_sdk_are_answered(engine: Engine) -> None:
    pytest.importorskip("claude_agent_sdk", reason="`claude-agent-sdk` is not installed; it brings 380 MB of programs")
    asked = [bash("rm -rf a"), bash("git push"), bash("ls a"), bash("echo"), payload("Stop", stop_hook_active=False)]
    answers = asyncio.run(answered(engine, asked))
    said = [answer.get("hookSpecificOutput", {}).get("permissionDecision") for answer in answers]
    assert said == ["deny", "ask", "allow", None, None]
    assert answers[-1] == {}


def test_a_hook_of_the_claude_agent_sdk_that_cannot_be_read_fails(engine: Engine) -> None:
    pytest.importorskip("claude_agent_sdk", reason="`claude-agent-sdk` is not installed; it brings 380 MB of programs")
    (answer,) = asyncio.run(answered(engine, [payload("PreToolUse", tool_name=3)]))
    assert isinstance(answer, str)
