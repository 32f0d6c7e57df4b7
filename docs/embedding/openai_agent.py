"""The OpenAI Agents SDK under a policy: an agent whose tools are judged before each call and after it.

    agent = guarded(Agent(name="coder", tools=[run_shell]), engine, project, {"run_shell": "bash"})

A deny is what the model gets for a result. A question interrupts the run until it is approved. A halt ends the run. A
rewrite changes the arguments, a redaction the result, and context is added to it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.tool_context import ToolContext

from agents import Agent, AgentsException, FunctionTool, RunContextWrapper
from ostiary import Engine, Event, Outcome, Verdict

QUESTIONS = (Verdict.ASK, Verdict.DEFER)


class Halted(AgentsException):
    """The policy ends the run."""


def guarded(agent: Agent[Any], engine: Engine, folder: str, names: Mapping[str, str]) -> Agent[Any]:
    """The agent, under the policy of an engine. `folder` is where its tools work, absolute; `names` are those that
    rules have for its tools, where they are others. Raises TypeError for an agent with tools that it cannot hold: those
    that run elsewhere, and those of MCP servers. Agents that it hands over to are guarded on their own."""
    loose = [tool.name for tool in agent.tools if not isinstance(tool, FunctionTool)]
    if loose or agent.mcp_servers:
        raise TypeError(f"only function tools can be judged, not {', '.join(loose) or 'those of MCP servers'}")
    held = [
        _guarded(tool, engine, folder, names.get(tool.name, tool.name))
        for tool in agent.tools
        if isinstance(tool, FunctionTool)
    ]
    return agent.clone(tools=held)


def _guarded(tool: FunctionTool, engine: Engine, folder: str, name: str) -> FunctionTool:
    async def judged(arguments: dict[str, Any], **more: Any) -> Outcome:
        return await engine.adecide(Event.from_call(name, arguments, cwd=folder, interactive=True, **more))

    async def asks(context: RunContextWrapper[Any], arguments: dict[str, Any], call_id: str) -> bool:
        always = tool.needs_approval
        own = always if isinstance(always, bool) else await always(context, arguments, call_id)
        return own or (await judged(arguments)).verdict in QUESTIONS

    async def invoke(context: ToolContext[Any], text: str) -> Any:
        arguments = json.loads(text or "{}")
        before = await judged(arguments)
        if before.halt:
            raise Halted(before.message or _reason(before))
        asked = before.verdict in QUESTIONS and not context.is_tool_approved(tool.name, context.tool_call_id)
        if asked or before.verdict == Verdict.DENY:
            return _reason(before)
        if before.updated_input is not None:
            arguments, text = dict(before.updated_input), json.dumps(dict(before.updated_input))
        output = await tool.on_invoke_tool(context, text)
        after = await judged(arguments, name="PostToolUse", output=output)
        if after.halt:
            raise Halted(after.message or _reason(after))
        output = output if after.updated_output is None else after.updated_output
        added = [before.context, after.context, _reason(after) if after.verdict == Verdict.DENY else None]
        return "\n".join([str(output), *filter(None, added)]) if any(added) else output

    return replace(tool, on_invoke_tool=invoke, needs_approval=asks)


def _reason(outcome: Outcome) -> str:
    """What the model is told."""
    return outcome.model_reason or outcome.reason or "the policy does not permit this"
