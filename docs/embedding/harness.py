"""A small agent harness with Ostiary inside: every step of its loop is an event that policy and handlers judge.

    agent = Agent(Engine.load(project="."), model, {"bash": run_bash}, approve)
    print(agent.run("tidy up"))
    agent.close()

`model` takes the conversation and returns what it says next: a text, or a call of a tool. `approve` asks a person.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ostiary import Dispatched, Engine, Event


class ToolCall(NamedTuple):
    """What a model wants to be done."""

    tool: str
    input: Mapping[str, Any]


Model = Callable[[list[str]], str | ToolCall]
Tools = Mapping[str, Callable[[Mapping[str, Any]], str]]
Approve = Callable[[ToolCall, str], bool]


class Halted(Exception):
    """Policy ended the run."""


class Agent:
    """One session of an agent."""

    def __init__(self, engine: Engine, model: Model, tools: Tools, approve: Approve, cwd: str = ".") -> None:
        self.engine, self.model, self.tools, self.approve, self.cwd = engine, model, tools, approve, cwd
        self.session = uuid.uuid4().hex
        self.conversation: list[str] = []
        started = self.event("SessionStart", data={"source": "startup"})
        if started.done.blocked:
            raise Halted(started.outcome.reason)
        self.conversation += self.texts(started, "session")

    def run(self, prompt: str) -> str:
        """Works on a prompt until the model has nothing more to do; gives its last words."""
        submitted = self.event("UserPromptSubmit", prompt=prompt)
        if submitted.done.blocked or submitted.done.asks:
            return f"not submitted: {submitted.outcome.reason}"
        self.conversation.append("\n".join([*self.texts(submitted, "prompt"), prompt]))
        while True:
            self.conversation += [result.context for result in self.engine.results() if result.context]
            said = self.model(self.conversation)
            if isinstance(said, ToolCall):
                self.conversation.append(self.call(said))
                continue
            self.conversation.append(said)
            stopped = self.event("Stop")
            if not stopped.done.blocked:
                return said
            self.conversation += self.texts(stopped, "next turn")

    def call(self, wanted: ToolCall) -> str:
        """The result of a tool call, or why it did not run."""
        before = self.event("PreToolUse", wanted)
        told = self.texts(before, "result")
        if before.done.blocked:
            return "\n".join(["The call was denied.", *told])
        call = wanted if before.done.input is None else wanted._replace(input=before.done.input)
        if before.done.asks and not self.approve(call, before.outcome.reason or ""):
            return "\n".join(["A person refused the call.", *told])
        try:
            output = self.tools[call.tool](call.input)
        except Exception as error:
            output = f"The tool failed: {error}"
            after = self.event("PostToolUseFailure", call, output=output)
        else:
            after = self.event("PostToolUse", call, output=output)
        shown = output if after.done.output is None else str(after.done.output)
        return "\n".join([shown, *told, *self.texts(after, "result")])

    def close(self) -> None:
        """Ends the session."""
        self.event("SessionEnd", data={"reason": "other"})

    def event(self, name: str, call: ToolCall | None = None, **fields: Any) -> Dispatched:
        """Dispatches one event of this session."""
        common = {"name": name, "agent": "example", "session": self.session, "cwd": self.cwd, **fields}
        event = Event.from_call(call.tool, call.input, **common) if call else Event(**common)
        found = self.engine.dispatch(event)
        if found.done.message:
            print(found.done.message)
        if found.done.halt:
            raise Halted(found.outcome.reason)
        return found

    @staticmethod
    def texts(found: Dispatched, place: str) -> list[str]:
        """What an answer wants to be said there."""
        return [item.text for item in found.done.deliveries if item.place == place]
