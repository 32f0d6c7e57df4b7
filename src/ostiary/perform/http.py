"""HTTP servers as handlers: one POST of the event, one answer.

The address stands in the rule: nothing of an event is in it, no proxy of the environment and no redirection changes it.
The time counts for the whole exchange, however slowly a server speaks.
"""

from __future__ import annotations

import http.client
import io
import socket
import ssl
from contextlib import closing
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

from ostiary.decision import Decision
from ostiary.perform.environment import of_headers
from ostiary.perform.headers import headers
from ostiary.perform.network import Failed, LookUp, authorities, permitted
from ostiary.perform.payload import encoded
from ostiary.perform.program import CANCELLED, CAPTURED, LATE
from ostiary.perform.replies import of_response
from ostiary.perform.runtime import Job

_HEADERS: Final = {"Content-Type": "application/json", "Accept": "application/json", "Connection": "close"}
_OURS: Final = frozenset(("host", "content-length", "transfer-encoding", *map(str.lower, _HEADERS)))
_LOOK: Final = 0.05


def perform(job: Job) -> Decision:
    """Sends the event and reads the answer."""
    try:
        status, body = _exchange(job)
    except Failed as failed:
        return Decision(failure=str(failed))
    except ssl.SSLError as error:
        return Decision(failure=f"the connection is not safe: {error.reason or type(error).__name__}")
    except OSError as error:
        return Decision(failure=f"the server cannot be reached: {error.strerror or type(error).__name__}")
    except http.client.HTTPException as error:
        return Decision(failure=f"the server does not speak HTTP: {type(error).__name__}")
    return of_response(status, body, job.request.contract)


def _exchange(job: Job) -> tuple[int, bytes]:
    url = urlsplit(job.options["url"])
    host, secure = url.hostname or "", url.scheme == "https"
    port = url.port or (443 if secure else 80)
    own = headers(job.options["headers"], of_headers(job), job.runtime.environ)
    sent = _HEADERS | {name: value for name, value in own.items() if name.lower() not in _OURS}
    body = encoded(job.payload)
    with (
        closing(_reached(job, host, port)) as plain,
        closing(_wrapped(plain, host, job) if secure else plain) as sock,
    ):
        connection = http.client.HTTPConnection(host, port)
        connection.sock = _Line(sock, job)  # it has what is used of a socket
        try:
            connection.request("POST", f"{url.path or '/'}{'?' + url.query if url.query else ''}", body, sent)
        except ValueError:  # its text would show the value
            raise Failed("a header's value holds a character that no header may have") from None
        with closing(connection.getresponse()) as answer:
            found = answer.read(CAPTURED + 1)
            missing = answer.length
    if missing and len(found) <= CAPTURED:
        raise http.client.IncompleteRead(found, missing)
    return answer.status, found


def _reached(job: Job, host: str, port: int) -> socket.socket:
    """A connection to the server, through the proxy that the rule names, if it does."""
    if not job.options["proxy"]:
        return _connected(job, host, port, private=job.options["private"])
    proxy = urlsplit(job.options["proxy"])
    sock = _connected(job, proxy.hostname or "", proxy.port or 80, private=True)
    try:
        _pass_through(_Line(sock, job), f"[{host}]:{port}" if ":" in host else f"{host.encode('idna').decode()}:{port}")
    except BaseException:
        sock.close()
        raise
    return sock


def _pass_through(line: _Line, place: str) -> None:
    """Have a proxy connect the line to a place."""
    line.sendall(f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode())
    with closing(http.client.HTTPResponse(line, method="CONNECT")) as answer:  # type: ignore[arg-type]  # as above
        answer.begin()
        if not 200 <= answer.status < 300:
            raise Failed(f"the proxy answered with status {answer.status}")


def _connected(job: Job, host: str, port: int, *, private: bool) -> socket.socket:
    """A connection to the first address that answers."""
    failure: OSError | None = None
    for family, kind, protocol, _, address in LookUp(host, port).addresses(_left(job)):
        permitted(str(address[0]), host, private=private)
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(_left(job))
            sock.connect(address)
        except OSError as error:
            sock.close()
            if isinstance(error, TimeoutError):
                raise Failed(LATE) from None
            failure = error
            continue
        return sock
    assert failure  # there is at least one address
    raise failure


def _wrapped(plain: socket.socket, host: str, job: Job) -> ssl.SSLSocket:
    """The connection with TLS, checked against the authorities of the rule or the system's: the environment names none
    (law L6)."""
    context = authorities(job) or _of_system()
    plain.settimeout(_left(job))
    try:
        return context.wrap_socket(plain, server_hostname=host)
    except TimeoutError:
        raise Failed(LATE) from None


def _of_system() -> ssl.SSLContext:
    context, places = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), ssl.get_default_verify_paths()
    for load in (
        partial(context.load_verify_locations, cafile=places.openssl_cafile),
        partial(context.load_verify_locations, capath=places.openssl_capath),
    ):
        try:
            load()
        except OSError:  # a system has the one or the other
            continue
    if not context.cert_store_stats()["x509_ca"] and hasattr(ssl, "enum_certificates"):
        for data, encoding, _ in ssl.enum_certificates("ROOT"):
            if encoding == "x509_asn":
                context.load_verify_locations(cadata=data)
    return context


def _left(job: Job) -> float | None:
    """The seconds that are left. Raises where none are or the answer is not wanted any more."""
    if job.cancelled:
        raise Failed(CANCELLED)
    if job.left == 0:
        raise Failed(LATE)
    return job.left


class _Line:
    """A connection in which no step takes longer than what is left of the whole. Who made it closes it."""

    def __init__(self, sock: socket.socket, job: Job) -> None:
        self._sock, self._job = sock, job

    def sendall(self, data: bytes) -> None:
        """Send it all."""
        self._sock.settimeout(_left(self._job))
        try:
            self._sock.sendall(data)
        except TimeoutError:
            raise Failed(LATE) from None

    def makefile(self, _mode: str) -> io.BufferedReader:
        """What comes back."""
        return io.BufferedReader(_Incoming(self._sock, self._job))

    def close(self) -> None:
        """Nothing is to be done."""


class _Incoming(io.RawIOBase):
    """What a server says, as it comes."""

    def __init__(self, sock: socket.socket, job: Job) -> None:
        self._sock, self._job = sock, job

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what is there, waiting for the first of it."""
        while True:
            left = _left(self._job)
            self._sock.settimeout(_LOOK if left is None else min(left, _LOOK))
            try:
                return self._sock.recv_into(buffer)
            except TimeoutError:
                continue
