"""What is refused before its body is read: everything that a web page, another user or a sandbox could send. Pure."""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from ostiary.records import NamedTuple

LOOPBACK: Final = "127.0.0.1"

HEAD: Final = 16 << 10
"""Bytes that a head may have."""

BODY: Final = 10 << 20
"""Bytes that a body may have."""

_JSON: Final = "application/json"
# What a page in a browser sends and cannot leave out. `Sec-Fetch-Mode` alone comes from programs, too.
_PAGES: Final = ("origin", "sec-fetch-site", "sec-fetch-dest")

_METHODS: Final = {"/healthz": "GET", "/v1/status": "GET", "/metrics": "GET", "/v1/decide": "POST"}
_HOOK: Final = "/hook/"


class Reply(NamedTuple):
    """An answer. `kind` is its content type; `more` are further headers."""

    status: int
    body: bytes
    kind: str = _JSON
    more: tuple[tuple[str, str], ...] = ()


TOLD: Final = Reply(0, b"")
"""An answer that a worker gave by itself."""


class Door(NamedTuple):
    """What has to be shown at one entrance: a token, and the port that was meant. The socket, which only its user can
    open, has neither."""

    port: int = 0
    token: str = ""


class Head(NamedTuple):
    """The head of a request: `path` and `query` of its target, values of headers by their names in lower case."""

    method: str
    path: str
    query: str
    headers: Mapping[str, list[str]]

    @property
    def agent(self) -> str:
        """The agent whose hook it is, empty for anything else."""
        return self.path.removeprefix(_HOOK) if self.path.startswith(_HOOK) else ""

    def asked(self, name: str) -> str:
        """One value of the query, empty if it is not there once."""
        found = parse_qs(self.query).get(name, [])
        return found[0] if len(found) == 1 else ""

    def all(self, name: str) -> list[str]:
        """The values of a header."""
        return self.headers.get(name, [])


def head(method: bytes, target: bytes, headers: Iterable[tuple[bytes, bytes]]) -> Head:
    """The head of a request, from bytes that HTTP allows there."""
    named: dict[str, list[str]] = {}
    for name, value in headers:
        named.setdefault(name.decode("ascii").lower(), []).append(value.decode("latin-1"))
    try:
        parts = urlsplit(target.decode("ascii"))
    except ValueError:
        return Head(method.decode("ascii"), "", "", named)
    return Head(method.decode("ascii"), "" if parts.netloc else parts.path, parts.query, named)


def error(status: int, text: str, *more: tuple[str, str]) -> Reply:
    """An answer that says what is wrong."""
    return said(status, {"error": text}, *more)


def said(status: int, value: Any, *more: tuple[str, str]) -> Reply:
    """A value as an answer."""
    return Reply(status, json.dumps(value).encode(), more=more)


def refusal(asked: Head, door: Door, agents: Iterable[str]) -> Reply | None:
    """Why a request is not answered, None if it is."""
    return _long(asked) or _stranger(asked, door) or _elsewhere(asked, agents) or _body(asked)


def long_head() -> Reply:
    """The answer to a head that is too long."""
    return error(431, f"a head has at most {HEAD} bytes")


def _long(asked: Head) -> Reply | None:
    """Whether it is, all of which came at once."""
    lines = (len(name) + len(value) for name, values in asked.headers.items() for value in values)
    size = len(asked.path) + len(asked.query) + sum(lines)
    return long_head() if size > HEAD else None


def _stranger(asked: Head, door: Door) -> Reply | None:
    """Whether it is for somebody else, comes from a web page, or without the token."""
    if door.port and asked.all("host") != [f"{LOOPBACK}:{door.port}"]:
        return error(421, f"this is {LOOPBACK}:{door.port}, under no other name")
    if not asked.headers.keys().isdisjoint(_PAGES):
        return error(403, "web pages are not answered")
    if door.token and asked.path != "/healthz" and not _knows(asked, door.token):
        return error(401, "the token is missing, or is another one", ("WWW-Authenticate", "Bearer"))
    return None


def _knows(asked: Head, token: str) -> bool:
    """Whether the token was shown. How long this takes tells nothing about it."""
    found = asked.all("authorization")
    scheme, _, shown = found[0].partition(" ") if len(found) == 1 else ("", "", "")
    return scheme.lower() == "bearer" and hmac.compare_digest(shown.strip().encode("latin-1"), token.encode())


def _elsewhere(asked: Head, agents: Iterable[str]) -> Reply | None:
    """Whether there is nothing there, or not for this method."""
    if asked.agent and asked.agent not in agents:
        return error(404, "no such agent")
    method = "POST" if asked.agent else _METHODS.get(asked.path)
    if method is None:
        return error(404, "there is nothing here")
    return None if asked.method == method else error(405, f"only {method} is answered here", ("Allow", method))


def _body(asked: Head) -> Reply | None:
    """Whether its body cannot be one."""
    if any(size.isdigit() and int(size) > BODY for size in asked.all("content-length")):
        return too_long()
    kinds = [kind.partition(";")[0].strip().lower() for kind in asked.all("content-type")]
    if asked.method == "POST" and kinds != [_JSON]:
        return error(415, f"the body has to be {_JSON}")
    if any(coding.lower() != "identity" for coding in asked.all("content-encoding")):
        return error(415, "the body may not be compressed")
    return None


def too_long() -> Reply:
    """The answer to a body that is too long."""
    return error(413, f"a body has at most {BODY} bytes")
