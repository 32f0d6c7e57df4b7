"""HTTP servers as handlers: one POST of the event, one answer.

The address stands in the rule: nothing of an event is in it, no proxy of the environment and no redirection changes it.
Where a name leads is looked up first, and a private address is refused unless the rule permits it, so that who controls
a name server reaches nothing inside. The time counts for the whole exchange, however slowly a server speaks.
"""

from __future__ import annotations

import http.client
import io
import os
import socket
import ssl
from contextlib import closing
from functools import partial
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from threading import Thread
from typing import Any, Final
from urllib.parse import urlsplit

from ostiary.decision import Decision
from ostiary.perform.environment import of_headers
from ostiary.perform.headers import headers
from ostiary.perform.payload import encoded
from ostiary.perform.program import CANCELLED, CAPTURED, LATE
from ostiary.perform.replies import of_response
from ostiary.perform.runtime import Job

_HEADERS: Final = {"Content-Type": "application/json", "Accept": "application/json", "Connection": "close"}
_OURS: Final = frozenset(("host", "content-length", "transfer-encoding", *map(str.lower, _HEADERS)))
_LOOK: Final = 0.05

# Where clouds tell machines their keys, besides the link-local addresses.
_METADATA: Final = frozenset(("100.100.100.200", "fd00:ec2::254", "fd20:ce::254"))


class _Failed(Exception):
    """The exchange did not come about; the message says why."""


def perform(job: Job) -> Decision:
    """Sends the event and reads the answer."""
    try:
        status, body = _exchange(job)
    except _Failed as failed:
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
            raise _Failed("a header's value holds a character that no header may have") from None
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
            raise _Failed(f"the proxy answered with status {answer.status}")


def _connected(job: Job, host: str, port: int, *, private: bool) -> socket.socket:
    """A connection to the first address that answers."""
    failure: OSError | None = None
    for family, kind, protocol, _, address in _addresses(job, host, port):
        _refuse(str(address[0]), host, private=private)
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(_left(job))
            sock.connect(address)
        except OSError as error:
            sock.close()
            if isinstance(error, TimeoutError):
                raise _Failed(LATE) from None
            failure = error
            continue
        return sock
    raise failure or _Failed(f"`{host}` has no address")


def _addresses(job: Job, host: str, port: int) -> list[Any]:
    """Where a name leads. A system's look-up cannot be given a time, so a thread does it, which ends when it does."""
    found: list[Any] = []

    def look() -> None:
        try:
            found.append(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError):
            found.append([])

    thread = Thread(target=look, name="ostiary look-up", daemon=True)
    thread.start()
    thread.join(_left(job))
    if not found:
        raise _Failed(LATE)
    if not found[0]:
        raise _Failed(f"`{host}` has no address")
    addresses: list[Any] = found[0]
    return addresses


def _refuse(text: str, host: str, *, private: bool) -> None:
    """Raises for an address that a handler must not reach."""
    address = ip_address(text.partition("%")[0])
    address = _within(address)
    if address.is_link_local or str(address) in _METADATA or address.is_multicast or address.is_unspecified:
        raise _Failed(f"`{host}` leads to {address}, which is no server's address")
    if not (address.is_global or private or (address.is_loopback and _means_here(host))):
        raise _Failed(f"`{host}` leads to the private address {address}; the rule does not say `private: true`")


def _within(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The IPv4 address that an IPv6 one leads to, where a gateway would take it there (RFC 4291, 6052, 3056, 4380)."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1] or address


_NAT64: Final = IPv6Network("64:ff9b::/96")


def _means_here(host: str) -> bool:
    """Whether a host is written as this machine."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _wrapped(plain: socket.socket, host: str, job: Job) -> ssl.SSLSocket:
    """The connection with TLS, checked against the system's authorities: the environment names none (law L6)."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    places = ssl.get_default_verify_paths()
    authorities: str | None = job.options["ca_file"]
    if authorities:
        path = os.path.join(job.request.plan.folder, authorities)
        try:
            context.load_verify_locations(path)
        except OSError as error:
            raise _Failed(f"`{path}` cannot be read: {error.strerror or 'it holds no certificates'}") from None
    else:
        _load_authorities(context, places.openssl_cafile, places.openssl_capath)
    plain.settimeout(_left(job))
    try:
        return context.wrap_socket(plain, server_hostname=host)
    except TimeoutError:
        raise _Failed(LATE) from None


def _load_authorities(context: ssl.SSLContext, file: str, folder: str) -> None:
    for load in (
        partial(context.load_verify_locations, cafile=file),
        partial(context.load_verify_locations, capath=folder),
    ):
        try:
            load()
        except OSError:  # a system has the one or the other
            continue
    if not context.cert_store_stats()["x509_ca"] and hasattr(ssl, "enum_certificates"):
        for data, encoding, _ in ssl.enum_certificates("ROOT"):
            if encoding == "x509_asn":
                context.load_verify_locations(cadata=data)


def _left(job: Job) -> float | None:
    """The seconds that are left. Raises where none are or the answer is not wanted any more."""
    if job.cancelled:
        raise _Failed(CANCELLED)
    if job.left == 0:
        raise _Failed(LATE)
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
            raise _Failed(LATE) from None

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
