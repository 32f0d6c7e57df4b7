"""Where a host leads, what of that a handler may reach, and who vouches for a server.

A name is looked up before it is used, and a private address is refused unless the rule permits it, so that who controls
a name server reaches nothing inside. The environment has no say (law L6).
"""

from __future__ import annotations

import os
import socket
import ssl
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from threading import Thread
from typing import Any, Final

from ostiary.perform.program import LATE
from ostiary.perform.runtime import Job

# Where clouds tell machines their keys, besides the link-local addresses.
_METADATA: Final = frozenset(("100.100.100.200", "fd00:ec2::254", "fd20:ce::254"))

_NAT64: Final = IPv6Network("64:ff9b::/96")


class Failed(Exception):
    """A server was not reached; the text says why."""


class LookUp:
    """A look-up of where a name leads, in a thread of its own: a system's cannot be given a time, so it is left alone
    where it takes too long. `done` is called in the thread as soon as it is over."""

    def __init__(self, host: str, port: int, done: Callable[[], object] = bool) -> None:
        self._host, self._port, self._done = host, port, done
        self._found: list[Any] | None = None
        self._thread = Thread(target=self._look, name="ostiary look-up", daemon=True)
        self._thread.start()

    def _look(self) -> None:
        try:
            self._found = socket.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            self._found = []
        self._done()

    def addresses(self, seconds: float | None = None) -> list[Any]:
        """Where it leads, as `socket.getaddrinfo` says it, to one address at least, waiting so long for it. Raises
        `Failed`."""
        self._thread.join(seconds)
        if self._found is None:
            raise Failed(LATE)
        if not self._found:
            raise Failed(f"`{self._host}` has no address")
        return self._found


def permitted(text: str, host: str, *, private: bool) -> str:
    """The address, which a host leads to. Raises `Failed` for one that a handler must not reach."""
    address = _within(ip_address(text.partition("%")[0]))
    if address.is_link_local or str(address) in _METADATA or address.is_multicast or address.is_unspecified:
        raise Failed(f"`{host}` leads to {address}, which is no server's address")
    if not (address.is_global or private or (address.is_loopback and _means_here(host))):
        raise Failed(f"`{host}` leads to the private address {address}; the rule does not say `private: true`")
    return text


def _within(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The IPv4 address that an IPv6 one leads to, where a gateway would take it there (RFC 4291, 6052, 3056, 4380)."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1] or address


def _means_here(host: str) -> bool:
    """Whether a host is written as this machine."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def authorities(job: Job) -> ssl.SSLContext | None:
    """What checks certificates by the authorities that the rule names, None where it names none. Raises `Failed`."""
    if not job.options["ca_file"]:
        return None
    path, context = (
        os.path.join(job.request.plan.folder, job.options["ca_file"]),
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
    )
    try:
        context.load_verify_locations(path)
    except OSError as error:
        raise Failed(f"`{path}` cannot be read: {error.strerror or 'it holds no certificates'}") from None
    return context
