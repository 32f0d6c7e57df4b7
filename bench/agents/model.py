"""A model on the loopback interface that makes an agent call one tool.

A question with tools and without the result of a call is answered with the call, everything else with a sentence.
`requests` keeps what the agent sent, so that a run can tell what the model was told.
"""

from __future__ import annotations

import gzip
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from wires import Event, Json, Wire, wire_at

_PATIENCE: Final = 3  # an agent that does not take the call is given something else


class Model(ThreadingHTTPServer):
    """The server; a context manager that runs it in a thread. `tool` and `arguments` are the call."""

    daemon_threads = True

    def __init__(self, tool: str, arguments: Json) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.tool, self.arguments = tool, arguments
        self.requests: list[Json] = []
        self.calls = 0
        self.heard = False
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """Where agents find it, without a path."""
        return f"http://127.0.0.1:{self.server_port}"

    def told(self, text: str) -> bool:
        """Whether any request held the text."""
        return any(text in json.dumps(request, ensure_ascii=False) for request in self.requests)

    def answer(self, wire: Wire, body: Json) -> Json:
        """The content of the answer to a request."""
        with self._lock:
            self.requests.append(body)
            self.heard = self.heard or wire.heard(body)
            wanted = wire.offers(body) and not wire.heard(body) and self.calls < _PATIENCE
            self.calls += wanted
        return wire.call(self.tool, self.arguments) if wanted else wire.sentence("All done.")

    def handle_error(self, *_: Any) -> None:
        """Nothing: an agent that hangs up early is no failure of the server."""

    def __enter__(self) -> Model:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Model

    def do_GET(self) -> None:
        models = [{"id": "mock", "object": "model", "created": 0, "owned_by": "mock"}]
        found = self.path.partition("?")[0].endswith("/models")
        self._whole({"object": "list", "data": models} if found else {}, 200 if found else 404)

    def do_POST(self) -> None:
        path, body = self.path.partition("?")[0], self._body()
        wire = wire_at(path)
        if wire is None:  # telemetry and the like
            self._whole({}, 200)
            return
        content = self.server.answer(wire, body)
        if wire.streams(path, body):
            self._head("text/event-stream", 200)
            for event in wire.pieces(content):
                self._event(event)
            self.wfile.write(b"data: [DONE]\n\n" if path.endswith("/chat/completions") else b"")
        else:
            self._whole(wire.whole(path, content), 200)

    def _body(self) -> Json:
        size = int(self.headers.get("content-length", 0))
        data = self.rfile.read(size) if self._sized() else b"".join(self._chunks())
        found = json.loads(gzip.decompress(data) if self.headers.get("content-encoding") == "gzip" else data or b"{}")
        return found if isinstance(found, dict) else {}

    def _sized(self) -> bool:
        return "chunked" not in self.headers.get("transfer-encoding", "")

    def _chunks(self) -> list[bytes]:
        found = []
        while size := int(self.rfile.readline().partition(b";")[0] or b"0", 16):
            found.append(self.rfile.read(size))
            self.rfile.readline()
        return found

    def _event(self, event: Event) -> None:
        name, data = event
        self.wfile.write(f"event: {name}\n".encode() if name else b"")
        self.wfile.write(f"data: {json.dumps(data)}\n\n".encode())

    def _whole(self, data: Json, status: int) -> None:
        self._head("application/json", status)
        self.wfile.write(json.dumps(data).encode())

    def _head(self, kind: str, status: int) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("connection", "close")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing: the report is the only output."""
