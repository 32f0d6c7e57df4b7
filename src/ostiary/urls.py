"""Hosts: one parser for all spellings of URLs, and patterns over labels instead of substrings.

A host is named by its labels (`api.example.com`), an IPv4 address in any of its spellings, or an IPv6 address; case, a
trailing dot, user information and percent signs hide nothing. Programs disagree about `\\`, braces and odd characters
in a host: there the host is a hole.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from ostiary import patterns
from ostiary.answers import MAYBE, NO, YES, Answer
from ostiary.expressions import expression
from ostiary.words import Hole, Word, joined, word

Plan = tuple[Any, ...]
HostMatcher = Callable[[Word | str], Answer]

DEFAULT_PORTS: Final = frozenset({"21", "22", "80", "443", "9418"})
"""Ports that a URL without one may mean; only for a pattern with one of these is such a URL *maybe*."""

# Of http and its kin, programs also take fewer slashes: `http:/host`.
_SCHEME: Final = expression(
    r"[a-z][a-z0-9+.\-]*:(?=//)|(?:https?|ftps?|wss?):(?![0-9]+(?:[/?#]|\Z))(?=[^\s])", re.IGNORECASE
)
_LOCAL: Final = expression(r"(?:file|data|javascript|about|blob|mailto|tel|unix):", re.IGNORECASE)
_END: Final = expression(r"[/?#\\]")
_IPV4_PART: Final = expression(r"0[xX][0-9a-fA-F]*|[0-9]+")
_NAME: Final = expression(r"[\w.\-]+")


def host_plan(pattern: str) -> Plan:
    """The plan of a host pattern: `("any",)`, `("re", body, flags)` or `("host", labels, port)`.

    `*` is any host, `*.example.com` every host below that name but not the name itself, `*` inside a label any text of
    that label, `host:port` one port. Raises ValueError with a message for rule authors.
    """
    if found := patterns.explicit(pattern):
        patterns.compiled(*found)
        return ("re", *found)
    if pattern == "*":
        return ("any",)
    if "://" in pattern or "/" in pattern or "@" in pattern:
        raise ValueError(f"`{pattern}` is no host; write the host alone, as in `example.com` or `example.com:8080`")
    host, port = _host_and_port(pattern)
    if not host:
        raise ValueError("a host pattern cannot be empty")
    if port == "*":
        port = ""
    if port and not port.isdigit():
        raise ValueError(f"`{port}` in `{pattern}` is no port")
    if not re.fullmatch(r"[\w.\-*?\[\]:!]+", host):
        raise ValueError(f"`{pattern}` has a character that no host has")
    if "*" in host or "?" in host:
        labels = tuple(host.lower().rstrip(".").split("."))
        return ("host", ("**", *labels[1:]) if labels[0] == "*" and len(labels) > 1 else labels, port)
    return ("host", tuple(_labels(canonical(host))), port)


def matcher(plans: tuple[Plan, ...]) -> HostMatcher:
    """What the patterns say about a target `host[:port]`. A target with holes is at most maybe, except for `*`: what
    a variable holds may end the host and begin another one."""

    def match(target: Word | str) -> Answer:
        text = target if isinstance(target, str) else target.text
        if any(plan[0] == "any" for plan in plans):
            return YES
        if text is None:
            return MAYBE if plans else NO
        if not patterns.spend(len(plans)):
            return MAYBE
        host, port = _host_and_port(text)
        return max((_judge(plan, canonical(host), port) for plan in plans), default=NO)

    return match


def _judge(plan: Plan, host: str, port: str) -> Answer:
    if plan[0] == "re":
        return patterns.search(plan[1], plan[2], host)
    _, labels, wanted = plan
    if not _labels_match(labels, _labels(host)):
        return NO
    if not wanted or wanted == port:
        return YES
    return MAYBE if not port and wanted in DEFAULT_PORTS else NO


def _labels(host: str) -> list[str]:
    return [host] if ":" in host else host.split(".")


def _labels_match(wanted: tuple[str, ...], labels: list[str]) -> bool:
    if wanted[0] == "**":
        below = len(wanted) - 1
        return len(labels) > below and _labels_match(wanted[1:], labels[-below:])
    return len(wanted) == len(labels) and all(
        one == label or patterns.glob_matches(one, label) for one, label in zip(wanted, labels, strict=True)
    )


def shown(plan: Plan) -> str:
    """A plan as its author wrote it, for people."""
    if plan[0] == "any":
        return "*"
    if plan[0] == "re":
        return f"/{plan[1]}/{plan[2]}"
    _, labels, port = plan
    host = ".".join("*" if label == "**" else label for label in labels)
    return f"{host}:{port}" if port else host


def host_of(url: Word | str) -> Word | None:
    """`host[:port]` of a URL, with or without a scheme; None if it names no host (a `file:` URL, an empty text). Holes
    that may reach the host stay holes. Never raises."""
    known = word(url) if isinstance(url, str) else url
    text = known.text
    if text is None:
        return _host_of_pieces(known)
    text = text.strip("".join(map(chr, range(33))))
    if _LOCAL.match(text):
        return None
    scheme = _SCHEME.match(text)
    return _authority(text[scheme.end() :].lstrip("/") if scheme else text.removeprefix("//"))


def _unquoted(text: str) -> str:
    if "%" not in text:
        return text
    from urllib.parse import unquote  # needed for these few alone, and costs 2 ms

    return unquote(text)


def _authority(rest: str) -> Word | None:
    end = _END.search(rest)
    authority = rest[: end.start()] if end else rest
    if end and end[0] == "\\":  # to some readers a slash, to others part of the user's name
        return _unclear(rest)
    authority = _unquoted(authority.rpartition("@")[2])
    host, port = _host_and_port(authority)
    port = port if port.isdigit() else ""
    if not host:
        return None
    if not _clear(host):
        return _unclear(authority)
    name = canonical(host)
    if not name:
        return None
    return word(f"[{name}]:{port}" if port and ":" in name else _with_port(name, port))


def _with_port(host: str, port: str) -> str:
    return f"{host}:{port}" if port else host


def _clear(host: str) -> bool:
    return _NAME.fullmatch(host) is not None or (":" in host and re.fullmatch(r"[0-9a-fA-F:.%\w]+", host) is not None)


def _unclear(text: str) -> Word:
    return Word((Hole(text, "unparsed"),))


def _host_of_pieces(url: Word) -> Word:
    """The host of a URL with holes: known only where a slash ends it before the first hole."""
    prefix = url.prefix.lstrip()
    scheme = _SCHEME.match(prefix)
    rest = prefix[scheme.end() :].lstrip("/") if scheme else prefix
    if _END.search(rest):
        return _authority(rest) or joined(list(url.pieces))
    return joined([rest, *url.pieces[1:]] if url.prefix else list(url.pieces))


_FORCED: Final = expression(r"(?:git|hg|https?|s3|gcs)::")


def remote_of(target: Word) -> Word | None:
    """The host of a remote place as ssh, scp, rsync and git write it: a URL, `user@host:path` or `host:path`, perhaps
    behind the way to get it (`git::`, go-getter's "forced protocol"); None for a local path or a name without a
    colon."""
    if forced := _FORCED.match(target.prefix):
        target = target.after(forced.end())
    text = target.text
    if "://" in target.prefix:
        return host_of(target)
    prefix = target.prefix
    head, colon, _ = prefix.partition(":")
    if not colon or "/" in head or re.fullmatch(r"[A-Za-z]", head):
        unknown = text is None and "/" not in prefix and not prefix.startswith(("~", "."))
        return target if unknown and any(hole.kind != "glob" for hole in target.holes) else None
    return _authority(head.rpartition("@")[2]) if not head.startswith("[") else _authority(_bracketed(prefix))


def _bracketed(text: str) -> str:
    return text[: text.find("]") + 1]


def _host_and_port(text: str) -> tuple[str, str]:
    """Host without brackets, and port, of `host`, `host:port`, `[v6]` or `[v6]:port`; a bare IPv6 address has none."""
    if text.startswith("["):
        host, _, rest = text[1:].partition("]")
        return host, rest.removeprefix(":")
    if text.count(":") == 1:
        host, _, port = text.partition(":")
        return host, port.lstrip("0") or port
    return text, ""


def canonical(host: str) -> str:
    """One spelling of a host: lower case, no trailing dot, IDN as punycode, addresses in their usual form."""
    host = host.strip("[]").split("%")[0] if ":" in host else host
    if ":" in host:
        return _ipv6(host)
    if not host.isascii():
        host = _punycode(host)
    host = host.lower().rstrip(".")
    parts = host.split(".")
    if len(parts) <= 4 and all(_IPV4_PART.fullmatch(part) for part in parts):
        return _ipv4(parts) or host
    return host


def _punycode(host: str) -> str:
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return host


def _ipv4(parts: list[str]) -> str | None:
    """The dotted form of an address as `inet_aton` reads it: one to four decimal, octal or hexadecimal parts."""
    try:
        numbers = [_number(part) for part in parts]
    except ValueError:
        return None
    *heads, last = numbers
    if any(head > 255 for head in heads) or last >= 256 ** (5 - len(parts)):
        return None
    value = sum(head << (24 - 8 * index) for index, head in enumerate(heads)) + last
    return ".".join(str(value >> shift & 255) for shift in (24, 16, 8, 0))


def _number(part: str) -> int:
    if part[:2].lower() == "0x":
        return int(part[2:] or "0", 16)
    return int(part, 8) if part.startswith("0") and len(part) > 1 else int(part)


def _ipv6(host: str) -> str:
    import ipaddress  # needed for IPv6 alone, and costs 4 ms

    try:
        address = ipaddress.IPv6Address(host)
    except ValueError:
        return host.lower()
    if address.packed[:12] == _TRANSLATED:
        return ".".join(map(str, address.packed[12:]))
    return str(address.ipv4_mapped or address)


_TRANSLATED: Final = b"\x00\x64\xff\x9b" + bytes(8)
"""Where IPv4 is reached through IPv6 (RFC 6052)."""
