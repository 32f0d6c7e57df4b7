"""A model on the loopback interface that makes an agent call one tool: OpenAI's chat completions, streamed.

The first question with tools is answered with the call, everything else with a sentence. `requests` keeps what the
agent sent, so that a run can tell what the model was told.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Model(ThreadingHTTPServer):
    """The server; a context manager that runs it in a thread. `tool` and `arguments` are the call."""

    daemon_threads = True

    def __init__(self, tool: str, arguments: dict[str, Any]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.tool, self.arguments = tool, arguments
        self.requests: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        """Where agents find it."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def told(self, text: str) -> bool:
        """Whether any request held the text."""
        return any(text in json.dumps(request, ensure_ascii=False) for request in self.requests)

    def __enter__(self) -> Model:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Model

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        self.server.requests.append(body)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for chunk in self._chunks(body):
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")

    def _chunks(self, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
        calls = bool(body.get("tools")) and all(message["role"] != "tool" for message in body["messages"])
        yield self._chunk(self._call() if calls else {"content": "All done."}, None)
        yield self._chunk({}, "tool_calls" if calls else "stop")

    def _call(self) -> dict[str, Any]:
        function = {"name": self.server.tool, "arguments": json.dumps(self.server.arguments)}
        return {"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}]}

    def _chunk(self, delta: dict[str, Any], reason: str | None) -> dict[str, Any]:
        choice = {"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": reason}
        return {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "mock", "choices": [choice]}

    def log_message(self, *_: object) -> None:
        """Nothing: the report is the only output."""
