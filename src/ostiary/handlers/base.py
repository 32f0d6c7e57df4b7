"""What every handler is: what stands under `run:`, read from a rule file and compiled to a plan.

A handler kind is one module here with one model; its docstring is the user's documentation. Adding one takes the
module, a line of `handlers.Run`, and the performer of its plan in `ostiary.perform`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from ipaddress import ip_address
from typing import Annotated, Any, ClassVar, Final
from urllib.parse import SplitResult, urlsplit

from pydantic import Field, PlainValidator, StrictBool, WithJsonSchema

from ostiary.matchers.base import Spec, described, refuse, text
from ostiary.policy import HandlerPlan

_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m)")
_SECONDS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0}


def _duration(value: Any) -> float:
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    seconds = float(match[1]) * _SECONDS[match[2]] if match else 0.0
    if not seconds or not math.isfinite(seconds):
        raise refuse("expected a time", "write it with its unit: `500ms`, `10s` or `2m`")
    return seconds


Duration = Annotated[
    float, PlainValidator(_duration), WithJsonSchema({"type": "string", "pattern": f"^{_DURATION.pattern}$"})
]
"""A time in a rule file, as seconds."""


def _url(value: Any) -> str:
    try:
        url = urlsplit(text(value))
        host, _ = url.hostname, url.port
    except ValueError:
        raise refuse("this is no URL", "write `https://HOST/PATH`") from None
    if url.scheme not in ("http", "https") or not host or not text(value).isprintable() or " " in value:
        raise refuse("this is no URL", "write `https://HOST/PATH`")
    for wrong, message, help in _flaws(url, host):
        if wrong:
            raise refuse(message, help)
    return text(value)


def _flaws(url: SplitResult, host: str) -> Iterable[tuple[bool, str, str]]:
    secret = "put them into `headers`, as `$NAME` with the name under `allowed_env`"
    yield "@" in url.netloc, "a URL holds no user name and no password", secret
    yield bool(url.fragment), "a server never sees the part behind `#`", "remove it"
    yield "$" in url.netloc or "{" in url.netloc, "the host is fixed in the rule", "write it out"
    safe = url.scheme == "https" or host == "localhost" or _loopback(host)
    yield not safe, "what is sent could be read on the way", "write `https://`; `http://` leads to this machine alone"


def _loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


Url = Annotated[str, PlainValidator(_url, json_schema_input_type=str)]
"""The address of a server in a rule file. What is sent there must not be readable, or other, on the way."""


def _proxy(value: Any) -> str:
    found = re.fullmatch(r"http://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?", text(value))
    if not found or not 0 < int((found[2] or ":80")[1:]) < 65_536:
        raise refuse("this is no proxy", "write `http://HOST:PORT`")
    return text(value)


Proxy = Annotated[str, PlainValidator(_proxy, json_schema_input_type=str)]
"""The address of a proxy."""

PRIVATE: Final = "`true`: the host may have an address of a private network"
PROXY: Final = (
    "the proxy that leads to the server, `http://HOST:PORT`; with one nobody here knows which address that has"
)
CA_FILE: Final = "a file with the authorities to trust instead of the system's, beside the rule file"


class HandlerSpec(Spec):
    """What all handlers have."""

    kind: ClassVar[str]

    timeout: Duration | None = described("how long it may take: `500ms`, `10s`, `2m`; what the event allows if absent")
    async_: StrictBool = Field(
        default=False,
        alias="async",
        description="`true`: nobody waits for it, and what it says has no effect on the call",
    )
    rewake: StrictBool = Field(
        default=False, description="`true`, with `async`: a deny that it says later is brought to the model"
    )
    pure: StrictBool = Field(
        default=False, description="`true`: it has no effects, so it also judges a call that a rule rewrote"
    )

    def plan(self, folder: str) -> HandlerPlan:
        """The plan of a handler in a rule file in this absolute folder."""
        return HandlerPlan(
            self.kind,
            self.options(),
            folder,
            timeout=self.timeout,
            background=self.async_,
            rewake=self.rewake,
            pure=self.pure,
        )

    def options(self) -> tuple[tuple[str, Any], ...]:
        """The kind's own options as plain values."""
        raise AssertionError(f"{type(self).__name__} has no options")
