"""The Claude Agent SDK under a policy: its hooks, answered by an engine in the same process.

    options = ClaudeAgentOptions(cwd=project, hooks=hooks(Engine.load(project=project)))

The SDK hands a callback what Claude Code hands a command, and takes the same answers.
"""

from __future__ import annotations

import json
from typing import Any, get_args

from claude_agent_sdk import HookContext, HookMatcher
from claude_agent_sdk.types import HookEvent, HookInput, HookJSONOutput

from ostiary import Engine
from ostiary.dialects import DIALECTS, Unreadable, receive, write

AGENT = DIALECTS["claude-code"]
EVENTS: list[HookEvent] = [name for part in get_args(HookEvent) for name in get_args(part) or (part,)]


def hooks(engine: Engine) -> dict[HookEvent, list[HookMatcher]]:
    """Callbacks for every event. One that fails blocks the action instead of letting it pass."""

    async def answer(payload: HookInput, _tool_use_id: str | None, _context: HookContext) -> HookJSONOutput:
        event = receive(AGENT, json.dumps(payload).encode())
        if isinstance(event, Unreadable):
            raise ValueError(event.reason)
        said = write(AGENT, event, await engine.adecide(event))
        output: Any = json.loads(said.stdout or "{}")
        return output

    return {name: [HookMatcher(hooks=[answer], on_failure="block")] for name in EVENTS}
