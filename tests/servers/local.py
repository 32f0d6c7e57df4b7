"""A server on this machine that does with each connection what a test says, with and without a certificate."""

from __future__ import annotations

import json
import select
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

Serve = Callable[[socket.socket, bytes], None]


class Server:
    """A server on this machine that does with each connection what a test says, in a thread of its own."""

    def __init__(self, serve: Serve, context: ssl.SSLContext | None = None) -> None:
        self.requests: list[bytes] = []
        self._serve, self._context = serve, context
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.url = f"http{'s' if context else ''}://localhost:{self.port}"
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            with suppress(OSError), closing(connection):
                connection.settimeout(30)
                sock = self._context.wrap_socket(connection, server_side=True) if self._context else connection
                with closing(sock):
                    self._answer(sock)

    def _answer(self, sock: socket.socket) -> None:
        sent = received(sock)
        self.requests.append(sent)
        self._serve(sock, sent)

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join()

    @property
    def head(self) -> str:
        """The first request without its body."""
        return self.requests[0].partition(b"\r\n\r\n")[0].decode()

    @property
    def body(self) -> Any:
        return json.loads(self.requests[0].partition(b"\r\n\r\n")[2])


def received(sock: socket.socket) -> bytes:
    """A whole request."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += some(sock)
    head, _, body = data.partition(b"\r\n\r\n")
    length = next((int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
    while len(body) < length:
        body += some(sock)
    return head + b"\r\n\r\n" + body


def some(sock: socket.socket) -> bytes:
    data = sock.recv(65536)
    if not data:
        raise ConnectionError("there is no more")
    return data


def reply(text: str, status: str = "200 OK", *, more: str = "") -> Serve:
    data = f"HTTP/1.1 {status}\r\nContent-Length: {len(text.encode())}\r\n{more}\r\n{text}".encode()
    return lambda sock, sent: sock.sendall(data)


def raw(*pieces: bytes, pause: float = 0.0) -> Serve:
    def serve(sock: socket.socket, sent: bytes) -> None:
        for piece in pieces:
            sock.sendall(piece)
            time.sleep(pause)

    return serve


@contextmanager
def serving(serve: Serve, context: ssl.SSLContext | None = None) -> Iterator[Server]:
    server = Server(serve, context)
    try:
        yield server
    finally:
        server.close()


def leading_to(port: int) -> Serve:
    """A proxy that connects everybody with this port of this machine."""

    def serve(sock: socket.socket, sent: bytes) -> None:
        with closing(socket.create_connection(("127.0.0.1", port))) as other:
            sock.sendall(b"HTTP/1.1 200 Connected\r\nVia: here\r\n\r\n")
            ends = {sock: other, other: sock}
            while True:
                for end in select.select(list(ends), [], [], 30)[0]:
                    data = end.recv(65536)
                    if not data:
                        return
                    ends[end].sendall(data)

    return serve


def leading(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every name leads to this address."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET

    def look(host: str, port: int, **_: Any) -> list[Any]:
        return [(family, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(socket, "getaddrinfo", look)


def certified(folder: Path) -> Path:
    """The folder with a certificate for `localhost` and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl to make a certificate with")
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "key.pem")
    names = ("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "2")
    subprocess.run(
        ["openssl", "req", "-x509", *key, *names, "-out", "certificate.pem"],
        cwd=folder,
        check=True,
        capture_output=True,
        timeout=60,
    )
    return folder


def secure(authority: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority / "certificate.pem", authority / "key.pem")
    return context
