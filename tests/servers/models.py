"""A server that speaks the wire formats of Anthropic's Messages API and of OpenAI's chat completions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

ANSWERS = {
    "/v1/messages": lambda text: {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": text[:3]}, {"type": "text", "text": text[3:]}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    },
    "/v1/chat/completions": lambda text: {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
    },
}


class ModelServer(ThreadingHTTPServer):
    """Answers with `texts`, one after the other, then with `text`, and keeps what it was asked. `status` of another
    kind comes with `to` as its `Location`; `endless` means an answer that never ends."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self.texts: list[str] = []
        self.text = '{"ok": true}'
        self.status = 200
        self.to = ""
        self.endless = False
        self.asked: list[tuple[str, dict[str, str], dict[str, Any]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Request(BaseHTTPRequestHandler):
    server: ModelServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.asked.append((self.path, {key.lower(): value for key, value in self.headers.items()}, body))
        made = ANSWERS.get(self.path)
        text = self.server.texts.pop(0) if self.server.texts else self.server.text
        answer = made(text) if made and self.server.status == 200 else {"error": {"message": "SECRET WORDS"}}
        data = json.dumps(answer).encode()
        self.send_response(self.server.status if made else 404)
        self.send_header("content-type", "application/json")
        if self.server.to:
            self.send_header("location", self.server.to)
        self.send_header("content-length", str(len(data) + (1 << 30 if self.server.endless else 0)))
        self.end_headers()
        self.wfile.write(data)
        while self.server.endless:
            self.rfile.read(1)  # nothing comes until the client goes
            return

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def model_server() -> Iterator[ModelServer]:
    """The server, while it runs."""
    with ModelServer() as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
