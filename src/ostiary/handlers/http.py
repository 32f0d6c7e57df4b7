"""`run: {http: ...}`: a server that is asked."""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar, Final

from pydantic import Field, PlainValidator, StrictBool

from ostiary.handlers.base import CA_FILE, PRIVATE, PROXY, HandlerSpec, Proxy, Url
from ostiary.matchers.base import Name, described, refuse, text

_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_OURS: Final = frozenset(("host", "content-length", "transfer-encoding", "connection", "content-type", "accept"))
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _headers(value: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, dict):
        raise refuse("expected a mapping of names to texts", 'write `headers: {Authorization: "Bearer $TOKEN"}`')
    for name, content in value.items():
        if not _HEADER.fullmatch(text(name)):
            raise refuse("this cannot be the name of a header", "use letters, digits and `-`")
        if name.lower() in _OURS:
            raise refuse("this header is written by Ostiary", "remove it")
        if not text(content).isprintable() or not content.isascii():
            raise refuse("a header holds plain ASCII text on one line")
    return tuple(value.items())


def _variables(value: Any) -> str:
    if not _VARIABLE.fullmatch(text(value)):
        raise refuse("this cannot be the name of a variable", "write it without `$`")
    return text(value)


Headers = Annotated[tuple[tuple[str, str], ...], PlainValidator(_headers, json_schema_input_type=dict[str, str])]
Variable = Annotated[str, PlainValidator(_variables, json_schema_input_type=str)]


class Http(HandlerSpec):
    """Sends the event as JSON to a server, with POST, and reads its answer like a command's output.

    A status of 2xx without a body says nothing, with a JSON object what that says; everything else is a failure. No
    redirection is followed and no proxy of the environment used; `https` is checked against the system's authorities.

        run: {http: "https://policy.example.com/check", headers: {Authorization: "Bearer $TOKEN"}, allowed_env: [TOKEN]}
    """

    kind: ClassVar[str] = "http"

    http: Url = Field(description="the URL: `https`, or `http` to this machine")
    headers: Headers = Field(default=(), description="further headers; `$NAME` and `${NAME}` are looked up in them")
    allowed_env: tuple[Variable, ...] = Field(
        default=(), description="the environment variables that `headers` may hold; any other is empty there"
    )
    private: StrictBool = Field(default=False, description=PRIVATE)
    proxy: Proxy | None = described(PROXY)
    ca_file: Name | None = described(CA_FILE)

    def options(self) -> tuple[tuple[str, Any], ...]:
        """The kind's own options as plain values."""
        return (
            ("url", self.http),
            ("headers", self.headers),
            ("allowed_env", self.allowed_env),
            ("private", self.private),
            ("ca_file", self.ca_file),
            ("proxy", self.proxy),
        )
