"""Four APIs of model vendors, each streamed and whole: what an agent sends, and how a call or a sentence is answered.

What comes next follows from the conversation that the agent sends, so a request that is tried again or one beside the
conversation (a title, a summary) does no harm.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, Final

Json = dict[str, Any]
Event = tuple[str | None, Json]
"""A streamed event: its name where the API names them, and its data."""

CALL: Final = "call_1"
_COUNT: Final = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}


class Wire(ABC):
    """One API. `path` fits the end of its address."""

    path: ClassVar[re.Pattern[str]]

    def streams(self, _path: str, body: Json) -> bool:
        """Whether the answer is wanted in pieces."""
        return bool(body.get("stream"))

    @abstractmethod
    def offers(self, body: Json) -> bool:
        """Whether the model may call tools."""

    @abstractmethod
    def heard(self, body: Json) -> bool:
        """Whether the conversation holds the result of a call."""

    @abstractmethod
    def call(self, tool: str, arguments: Json) -> Json:
        """The answer's content that calls a tool."""

    @abstractmethod
    def sentence(self, text: str) -> Json:
        """The answer's content that says something."""

    @abstractmethod
    def whole(self, path: str, content: Json) -> Json:
        """The answer as one document."""

    @abstractmethod
    def pieces(self, content: Json) -> Iterator[Event]:
        """The answer as events."""


class ChatCompletions(Wire):
    """OpenAI's first API, which most others copy."""

    path = re.compile(r"/chat/completions$")

    def offers(self, body: Json) -> bool:
        return bool(body.get("tools"))

    def heard(self, body: Json) -> bool:
        return any(message.get("role") == "tool" for message in body.get("messages", ()))

    def call(self, tool: str, arguments: Json) -> Json:
        function = {"name": tool, "arguments": json.dumps(arguments)}
        return {"content": None, "tool_calls": [{"index": 0, "id": CALL, "type": "function", "function": function}]}

    def sentence(self, text: str) -> Json:
        return {"content": text}

    def whole(self, _path: str, content: Json) -> Json:
        return self._with("", {"message": {"role": "assistant", **content}, "finish_reason": _finish(content)})

    def pieces(self, content: Json) -> Iterator[Event]:
        yield None, self._with(".chunk", {"delta": {"role": "assistant", **content}, "finish_reason": None})
        yield None, self._with(".chunk", {"delta": {}, "finish_reason": _finish(content)})

    def _with(self, kind: str, choice: Json) -> Json:
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        about = {"id": "1", "object": f"chat.completion{kind}", "created": 0, "model": "mock", "usage": usage}
        return {**about, "choices": [{"index": 0, **choice}]}


def _finish(content: Json) -> str:
    return "tool_calls" if "tool_calls" in content else "stop"


class Responses(Wire):
    """OpenAI's second API."""

    path = re.compile(r"/responses$")

    def offers(self, body: Json) -> bool:
        return bool(body.get("tools"))

    def heard(self, body: Json) -> bool:
        items = body.get("input")
        return isinstance(items, list) and any(str(item.get("type")).endswith("_output") for item in items)

    def call(self, tool: str, arguments: Json) -> Json:
        return {
            "type": "function_call",
            "id": "fc_1",
            "call_id": CALL,
            "name": tool,
            "arguments": json.dumps(arguments),
            "status": "completed",
        }

    def sentence(self, text: str) -> Json:
        content = [{"type": "output_text", "text": text, "annotations": []}]
        return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}

    def whole(self, _path: str, content: Json) -> Json:
        about = {"id": "resp_1", "object": "response", "created_at": 0, "model": "mock", "status": "completed"}
        return {**about, "output": [content], "usage": _COUNT}

    def pieces(self, content: Json) -> Iterator[Event]:
        whole = self.whole("", content)
        steps: tuple[tuple[str, Json], ...] = (
            ("created", {"response": {**whole, "status": "in_progress", "output": []}}),
            ("output_item.added", {"output_index": 0, "item": {**content, "status": "in_progress"}}),
            ("output_item.done", {"output_index": 0, "item": content}),
            ("completed", {"response": whole}),
        )
        for number, (kind, data) in enumerate(steps):
            yield f"response.{kind}", {"type": f"response.{kind}", "sequence_number": number, **data}


class Messages(Wire):
    """Anthropic's API."""

    path = re.compile(r"/messages(/count_tokens)?$")

    def streams(self, path: str, body: Json) -> bool:
        return not path.endswith("count_tokens") and super().streams(path, body)

    def offers(self, body: Json) -> bool:
        return bool(body.get("tools"))

    def heard(self, body: Json) -> bool:
        said = [message.get("content") for message in body.get("messages", ())]
        return any(
            block.get("type") == "tool_result" for blocks in said if isinstance(blocks, list) for block in blocks
        )

    def call(self, tool: str, arguments: Json) -> Json:
        return {"type": "tool_use", "id": "toolu_1", "name": tool, "input": arguments}

    def sentence(self, text: str) -> Json:
        return {"type": "text", "text": text}

    def whole(self, path: str, content: Json) -> Json:
        if path.endswith("count_tokens"):
            return {"input_tokens": 10}
        about = {"id": "msg_1", "type": "message", "role": "assistant", "model": "mock", "stop_sequence": None}
        return {**about, "content": [content], "stop_reason": self._stop(content), "usage": _COUNT}

    def pieces(self, content: Json) -> Iterator[Event]:
        text = content["type"] == "text"
        start = {**content, "text": ""} if text else {**content, "input": {}}
        told = {"text": content["text"]} if text else {"partial_json": json.dumps(content["input"])}
        kind = "text_delta" if text else "input_json_delta"
        opened = {**self.whole("", content), "content": [], "stop_reason": None}
        ended = {"stop_reason": self._stop(content), "stop_sequence": None}
        steps: tuple[tuple[str, Json], ...] = (
            ("message_start", {"message": opened}),
            ("content_block_start", {"index": 0, "content_block": start}),
            ("content_block_delta", {"index": 0, "delta": {"type": kind, **told}}),
            ("content_block_stop", {"index": 0}),
            ("message_delta", {"delta": ended, "usage": {"output_tokens": 5}}),
            ("message_stop", {}),
        )
        yield from ((name, {"type": name, **data}) for name, data in steps)

    def _stop(self, content: Json) -> str:
        return "tool_use" if content["type"] == "tool_use" else "end_turn"


class GenerateContent(Wire):
    """Google's API."""

    path = re.compile(r":(streamGenerateContent|generateContent|countTokens)$")

    def streams(self, path: str, _body: Json) -> bool:
        return path.endswith(":streamGenerateContent")

    def offers(self, body: Json) -> bool:
        return any(group.get("functionDeclarations") for group in body.get("tools", ()))

    def heard(self, body: Json) -> bool:
        return any("functionResponse" in part for said in body.get("contents", ()) for part in said.get("parts", ()))

    def call(self, tool: str, arguments: Json) -> Json:
        return {"functionCall": {"id": CALL, "name": tool, "args": arguments}, "thoughtSignature": "c2ln"}

    def sentence(self, text: str) -> Json:
        return {"text": text}

    def whole(self, path: str, content: Json) -> Json:
        if path.endswith(":countTokens"):
            return {"totalTokens": 10}
        candidate = {"index": 0, "content": {"role": "model", "parts": [content]}, "finishReason": "STOP"}
        usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "mock", "responseId": "1"}

    def pieces(self, content: Json) -> Iterator[Event]:
        yield None, self.whole("", content)


WIRES: Final[tuple[Wire, ...]] = (ChatCompletions(), Responses(), Messages(), GenerateContent())


def wire_at(path: str) -> Wire | None:
    """The API of an address, None for another one."""
    return next((wire for wire in WIRES if wire.path.search(path)), None)
