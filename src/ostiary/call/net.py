"""What programs that talk to other machines call their places: URLs among other words, images, modules, tunnels."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from ostiary import urls
from ostiary.call.gather import Gathered, Nested
from ostiary.expressions import expression
from ostiary.words import Hole, Word, word

Reader = Callable[[Gathered, Word, bool], bool]
"""Adds what a word connects to; False if the word is no such place."""

PROXIES: Final = frozenset(f"{name}_proxy" for name in ("http", "https", "ftp", "all", "socks", "rsync", "grpc"))
"""Variables, in lower case, that name a host through which programs connect."""

_URL: Final = expression(r"(?:[\w.\[\],-]+\s*@\s*)?(?=[A-Za-z][A-Za-z0-9+.-]*://)")
_HOSTED: Final = {
    "github:": "github.com",
    "gitlab:": "gitlab.com",
    "bitbucket:": "bitbucket.org",
    "gist:": "gist.github.com",
}
_REGISTRY: Final = expression(r"(?:[a-z-]+://)?((?:[^/\s]*[.:][^/\s]*|localhost))/")
_MODULE: Final = expression(r"([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)/")
_CONNINFO: Final = expression(r"(?:^|\s)host(?:addr)?\s*=\s*'?([^\s']+)")
_PEER: Final = expression(r"(?:tcp|udp|openssl|ssl|sctp|dtls|dccp)[46]?(?:-connect|-sendto|-datagram)?:", re.IGNORECASE)
_RELAY: Final = expression(r"(?:socks4a?|socks5(?:-connect)?|proxy(?:-connect)?):", re.IGNORECASE)
_SHELL: Final = expression(r"(?:exec|system|shell):", re.IGNORECASE)
_FILE: Final = expression(r"(?:open|file|create|creat|gopen):", re.IGNORECASE)


def url(out: Gathered, item: Word, certain: bool) -> bool:
    """A URL with a scheme, also behind the name of what is found there (`x @ https://...`)."""
    found = _URL.match(item.prefix)
    if not found:
        return False
    item = item.after(found.end())
    if item.prefix[:7].lower() == "file://":
        out.path(item.after(7), "read", certain=certain)
    else:
        out.connect(urls.host_of(item), certain)
    return True


def package(out: Gathered, item: Word, certain: bool) -> bool:
    """What is installed: a URL, `git@host:path`, `github:a/b`."""
    for name, host in _HOSTED.items():
        if item.prefix.startswith(name):
            out.connect(word(host), certain)
            return True
    if url(out, item, certain):
        return True
    host_part = urls.remote_of(item) if "@" in item.prefix.partition(":")[0].partition("/")[0] else None
    if host_part is None or item.prefix.startswith("@"):
        return False
    out.connect(host_part, certain)
    return True


def image(out: Gathered, item: Word, certain: bool) -> bool:
    """An image of a registry that is named; without one, it is what the configuration says."""
    found = _REGISTRY.match(item.prefix)
    if found:
        out.connect(urls.host_of(found[1]), certain)
    return True


def module(out: Gathered, item: Word, certain: bool) -> bool:  # noqa: ARG001 readers share one signature
    """A module named by where it is; a proxy may be asked instead."""
    found = _MODULE.match(item.prefix)
    if found:
        out.connect(word(found[1].lower()), certain=False)
    return found is not None


def run_module(out: Gathered, item: Word, certain: bool) -> bool:
    """A module or a file that is run."""
    module(out, item, certain)
    return False


def database(out: Gathered, item: Word, certain: bool) -> bool:
    """A URL, or `host=... dbname=...`."""
    if not url(out, item, certain):
        for found in _CONNINFO.finditer(str(item)):
            out.connect(word(found[1]), certain)
    return True


def forward(out: Gathered, item: Word, certain: bool) -> bool:
    """`[bind:]port:host:port` of a tunnel: the host at its other end."""
    parts = re.split(r":(?![^\[]*\])", str(item))
    if len(parts) > 2:
        out.connect(urls.host_of(f"{parts[-2]}:{parts[-1]}") if not item.holes else _unknown(item), certain)
    return True


def jump(out: Gathered, item: Word, certain: bool) -> bool:
    """The hosts that a connection goes through, one after another."""
    if item.holes:
        out.connect(_unknown(item), certain)
        return True
    for host in str(item).split(","):
        if host and host.lower() != "none":
            out.connect(urls.host_of(host), certain)
    return True


def connect_to(out: Gathered, item: Word, certain: bool) -> bool:
    """`host:port:host:port`, of which the last two are connected to instead."""
    parts = re.split(r":(?![^\[]*\])", str(item))
    if len(parts) > 2 and parts[2]:
        out.connect(urls.host_of(":".join(parts[2:4]).rstrip(":")) if not item.holes else _unknown(item), certain)
    return True


def resolve(out: Gathered, item: Word, certain: bool) -> bool:
    """`[+]host:port:address[,address]`: the addresses."""
    addresses = str(item).split(":", 2)[2:]
    for address in addresses[0].split(",") if addresses else ():
        out.connect(urls.host_of(address) if not item.holes else _unknown(item), certain)
    return True


def socat(out: Gathered, item: Word, certain: bool) -> bool:
    """An address of socat (its manual): a host, a file or a command, with options after commas."""
    text = str(item).partition(",")[0]
    if found := _PEER.match(text):
        out.connect(urls.host_of(text[found.end() :]), certain)
    elif found := _RELAY.match(text):
        for host in text[found.end() :].split(":")[:2]:
            out.connect(urls.host_of(host), certain)
    elif found := _SHELL.match(text):
        out.nested.append(Nested("code", item.after(min(found.end(), len(item.prefix))), "bash"))
    elif found := _FILE.match(text):
        out.path(word(text[found.end() :]), "read", "write", certain=certain)
    return True


def through_proxies(variables: Iterable[tuple[str, Word]], out: Gathered) -> None:
    """The hosts through which the part connects, if it does; those that other variables name are perhaps connected to:
    a registry, a server, a database."""
    connects = any(access.kind == "connect" for access in out.accesses)
    for name, value in variables:
        if name.lower() in PROXIES:
            out.connect(urls.host_of(value), certain=connects)
        elif _URL.match(value.prefix) and value.prefix[:5].lower() != "file:":
            for one in _SEPARATOR.split(str(value)) if not value.holes else (value,):
                out.connect(urls.host_of(one), certain=False)
        elif name in _HOST_VARIABLES:
            out.connect(urls.host_of(value), certain=False)


_SEPARATOR: Final = expression(r"[,|](?=[a-z+]+://)|,(?:direct|off)")
_HOST_VARIABLES: Final = frozenset(
    ("PGHOST", "PGHOSTADDR", "MYSQL_HOST", "REDIS_HOST", "SMTPSERVER", "NNTPSERVER", "RSYNC_PROXY")
)


def git_setting(out: Gathered, item: Word, certain: bool) -> None:
    """`key=value` or a key of git's settings that says where git connects: a proxy, a remote, another address instead
    of a remote's (its manual: `url.BASE.insteadOf`)."""
    found = _SETTING_KEY.match(item.prefix)
    if found is None:
        return
    if found["base"]:
        out.connect(urls.remote_of(word(found["base"])), certain)
    elif found.end() < len(item.prefix) or len(item.pieces) > 1:
        proxy = found["proxy"] is not None
        target = item.after(found.end())
        out.connect(urls.host_of(target) if proxy else urls.remote_of(target), certain)


_SETTING_KEY: Final = expression(
    r"(?:url\.(?P<base>.+)\.(?:push)?insteadof|(?P<proxy>(?:http|core|remote)\.(?:.*\.)?(?:git)?proxy)"
    r"|remote\..*\.(?:push)?url|submodule\..*\.url|http\.(?:.*\.)?(?:url))=",
    re.IGNORECASE,
)


def _unknown(item: Word) -> Word:
    return Word((Hole(str(item), "computed"),))


ROLES: Final[Mapping[str, tuple[Reader, str]]] = {
    "place": (url, "shape"),
    "location": (url, "read"),
    "uri": (url, "data"),
    "package": (package, "shape"),
    "image": (image, "data"),
    "module": (module, "shape"),
    "database": (database, "data"),
    "forward": (forward, "data"),
    "jump": (jump, "data"),
    "connect-to": (connect_to, "data"),
    "resolve": (resolve, "data"),
    "socat": (socat, "data"),
    "run-module": (run_module, "run"),
}
"""Roles of words, and the role of those that are no such place."""
