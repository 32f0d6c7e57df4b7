"""HTTP servers as handlers, asked for real."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from handling import open_files, request, say
from ostiary.decision import Decision, Verdict
from ostiary.event import Event
from ostiary.perform.replies import TOO_LONG
from servers.local import Serve, certified, leading, leading_to, raw, reply, secure, serving

LATE = Decision(failure="it took too long")


def ask(url: str, event: Event | None = None, *, runtime: dict[str, Any] | None = None, **said: Any) -> Decision:
    asked = request("http", event=event or Event.from_call("bash", {"command": "ls"}), url=url, **said)
    return say(asked, **(runtime or {}))


def test_the_event_is_posted_and_the_answer_counts() -> None:
    with serving(reply('{"decision":"deny","reason":"r"}')) as server:
        assert ask(f"{server.url}/check?a=b") == Decision(verdict=Verdict.DENY, reason="r")
    lines = server.head.split("\r\n")
    assert lines[0] == "POST /check?a=b HTTP/1.1"
    assert {"Content-Type: application/json", f"Host: localhost:{server.port}", "Connection: close"} <= set(lines)
    assert server.body["tool_input"] == {"command": "ls"}


@pytest.mark.parametrize(
    ("serve", "want"),
    [
        (reply("", "204 No Content"), Decision()),
        (reply(""), Decision()),
        (reply("[]"), Decision(failure="the server's answer is no JSON object")),
        (reply("no", "404 Not Found"), Decision(failure="the server answered with status 404")),
        (reply('{"decision":"allow"}', "500 Oops"), Decision(failure="the server answered with status 500")),
        (reply("x" * 64_001), TOO_LONG),
        (raw(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 10_000_000), None),
        (raw(b"rubbish\r\n\r\n"), Decision(failure="the server does not speak HTTP: BadStatusLine")),
        (raw(b""), Decision(failure="the server cannot be reached: RemoteDisconnected")),
        (
            raw(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}"),
            Decision(failure="the server does not speak HTTP: IncompleteRead"),
        ),
        (
            raw(b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 200),
            Decision(failure="the server does not speak HTTP: HTTPException"),
        ),
        (raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"), Decision()),
        (raw(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), Decision()),
    ],
)
def test_whatever_a_server_answers_there_is_a_decision(serve: Serve, want: Decision | None) -> None:
    with serving(serve) as server:
        said = ask(server.url)
    assert said == (want or TOO_LONG)


def test_no_redirection_is_followed() -> None:
    with serving(reply('{"decision":"allow"}')) as other:
        for status in ("301 Moved", "302 Found", "307 Temporary", "308 Permanent"):
            with serving(reply("", status, more=f"Location: {other.url}/\r\n")) as server:
                assert ask(server.url) == Decision(failure=f"the server answered with status {status[:3]}")
    assert other.requests == []


def test_no_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(reply('{"decision":"allow"}')) as proxy, serving(reply("")) as server:
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        assert ask(server.url) == Decision()
    assert proxy.requests == []


def test_a_proxy_that_the_rule_names(authority: Path) -> None:
    with serving(reply('{"decision":"ask"}'), secure(authority)) as server, serving(leading_to(server.port)) as proxy:
        via = {"proxy": f"http://127.0.0.1:{proxy.port}", "ca_file": "certificate.pem"}
        asked = request("http", authority, url="https://localhost/x", **via, headers=(("A", "secret"),))
        assert say(asked) == Decision(verdict=Verdict.ASK)
        assert say(request("http", authority, url="https://example.com/", **via)) == Decision(
            failure="the connection is not safe: CERTIFICATE_VERIFY_FAILED"
        )
    assert proxy.requests[0] == b"CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\n\r\n"
    assert proxy.requests[1].startswith(b"CONNECT example.com:443 ")


def test_a_proxy_that_refuses_or_does_not_answer() -> None:
    for serve, failure in (
        (reply("no", "407 Who are you"), "the proxy answered with status 407"),
        (raw(b"", pause=0.6), "it took too long"),
        (raw(b"rubbish\r\n\r\n"), "the server does not speak HTTP: BadStatusLine"),
    ):
        with serving(serve) as proxy:
            said = ask("https://policy.example.com/", proxy=f"http://localhost:{proxy.port}", timeout=0.3)
            assert said == Decision(failure=failure)


def test_headers_that_say_how_a_request_is_read_are_not_the_rules() -> None:
    headers = (
        ("content-length", "1"),
        ("Transfer-Encoding", "chunked"),
        ("HOST", "x"),
        ("Content-type", "y"),
        ("A", "b"),
    )
    with serving(reply("")) as server:
        assert ask(server.url, headers=headers) == Decision()
    lines = [line.partition(":")[0].lower() for line in server.head.split("\r\n")[1:]]
    assert sorted(lines) == ["a", "accept", "accept-encoding", "connection", "content-length", "content-type", "host"]


@pytest.mark.parametrize(
    "serve",
    [
        raw(b"", pause=0.6),
        raw(*[b"HTTP/1.1 200 OK\r\n", *[b"A: b\r\n"] * 50], pause=0.02),
        raw(*[b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", *[b"x"] * 50], pause=0.02),
    ],
)
def test_a_server_that_speaks_slowly_or_not_is_late(serve: Serve) -> None:
    with serving(serve) as server:
        began = time.monotonic()
        assert ask(server.url, timeout=0.2) == LATE
        assert time.monotonic() - began < 20


def test_a_server_that_does_not_read_is_late() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        big = Event.from_call("write_file", {"content": "x" * 20_000_000})
        assert ask(url, big, timeout=0.3) == LATE


def test_an_answer_that_is_not_wanted_any_more_is_not_waited_for() -> None:
    class Flag:
        cancelled = False

    flag = Flag()

    def serve(sock: socket.socket, sent: bytes) -> None:
        flag.cancelled = True
        sock.recv(1)

    with serving(serve) as server:
        assert ask(server.url, runtime={"cancel": flag}) == Decision(failure="it was cancelled")


def test_variables_in_headers_only_where_the_rule_permits_them() -> None:
    environ = {"T": "secret", "OTHER": "o"}
    headers = (("Authorization", "Bearer $T"), ("X-Other", "a$OTHER."), ("X-Braces", "${T}x"), ("X-Price", "$5"))
    with serving(reply("")) as server:
        ask(server.url, headers=headers, allowed_env=("T",), runtime={"environ": environ})
        ask(server.url, headers=headers, allowed_env=("T", "NONE"), runtime={"environ": {}})
    assert "\r\nAuthorization: Bearer secret\r\nX-Other: a.\r\nX-Braces: secretx\r\nX-Price: $5" in server.head
    assert b"\r\nAuthorization: Bearer\r\nX-Other: a.\r\nX-Braces: x\r\n" in server.requests[1]


def test_a_plugin_is_lent_no_secrets() -> None:
    environ = {"GH_TOKEN": "secret", "COLOR": "red", "LENT_KEY": "key"}
    options = {
        "headers": (("X", "$GH_TOKEN-$COLOR-$LENT_KEY"),),
        "allowed_env": tuple(environ),
        "passed": ("LENT_KEY",),
    }
    with serving(reply("")) as server:
        ask(server.url, tier="plugin", runtime={"environ": environ}, **options)
    assert server.head.endswith("\r\nX: -red-key")


def test_a_variable_that_would_make_a_header_is_refused_and_not_shown() -> None:
    for value in ("a\r\nX: y", "a\nb", "\u20ac"):
        with serving(reply("")) as server:
            said = ask(server.url, headers=(("A", "$T"),), allowed_env=("T",), runtime={"environ": {"T": value}})
            assert said == Decision(failure="a header's value holds a character that no header may have")
            assert server.requests == []


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "fe80::1",
        "100.100.100.200",
        "fd00:ec2::254",
        "0.0.0.0",
        "::",
        "224.0.0.1",
        "::ffff:169.254.169.254",
    ],
)
def test_some_addresses_are_no_servers(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    leading(address, monkeypatch)
    shown = "169.254.169.254" if "ffff" in address else address
    for private in (False, True):
        said = ask("https://policy.example.com/", private=private)
        assert said == Decision(failure=f"`policy.example.com` leads to {shown}, which is no server's address")


# 10.0.0.1 as gateways write it: NAT64, 6to4, Teredo
WITHIN = ("64:ff9b::a00:1", "2002:a00:1::", "2001:0:4136:e378:8000:63bf:f5ff:fffe")


@pytest.mark.parametrize(
    "address",
    ["10.0.0.1", "192.168.1.1", "172.16.0.1", "127.0.0.1", "::1", "fd00::1", "100.64.0.1", "::ffff:10.0.0.1", *WITHIN],
)
def test_a_name_that_leads_inside_is_refused_unless_the_rule_permits_it(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    leading(address, monkeypatch)
    shown = "10.0.0.1" if "ffff" in address or address in WITHIN else address
    told = f"`policy.example.com` leads to the private address {shown}; the rule does not say `private: true`"
    assert ask("https://policy.example.com/") == Decision(failure=told)


def test_a_name_that_leads_inside_with_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(reply("")) as server:
        leading("127.0.0.1", monkeypatch)
        assert ask(f"http://policy.example.com:{server.port}/", private=True) == Decision()


def test_a_name_that_leads_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", nowhere)
    assert ask("https://policy.example.com/") == Decision(failure="`policy.example.com` has no address")


def test_a_look_up_that_hangs_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    go = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: go.wait(60) and [])
    assert ask("https://policy.example.com/", timeout=0.1) == LATE
    go.set()


def test_nobody_listens() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        port = listening.getsockname()[1]
    assert ask(f"http://127.0.0.1:{port}/") == Decision(failure="the server cannot be reached: Connection refused")


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return certified(tmp_path_factory.mktemp("tls"))


def test_a_server_with_a_certificate(authority: Path) -> None:
    with serving(reply('{"decision":"ask"}'), secure(authority)) as server:
        asked = request("http", authority, url=f"{server.url}/", ca_file="certificate.pem")
        assert say(asked) == Decision(verdict=Verdict.ASK)


def test_a_certificate_that_nobody_vouches_for(authority: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even the environment of the hook."""
    monkeypatch.setenv("SSL_CERT_FILE", str(authority / "certificate.pem"))
    monkeypatch.setenv("SSL_CERT_DIR", str(authority))
    monkeypatch.setenv("SSLKEYLOGFILE", str(authority / "keys.log"))
    with serving(reply('{"decision":"allow"}'), secure(authority)) as server:
        said = ask(f"{server.url}/")
    assert said == Decision(failure="the connection is not safe: CERTIFICATE_VERIFY_FAILED")
    assert server.requests == []
    assert not (authority / "keys.log").exists()


def test_a_certificate_of_another_name(authority: Path) -> None:
    with serving(reply('{"decision":"allow"}'), secure(authority)) as server:
        asked = request("http", authority, url=f"https://127.0.0.1:{server.port}/", ca_file="certificate.pem")
        assert say(asked) == Decision(failure="the connection is not safe: CERTIFICATE_VERIFY_FAILED")


def test_a_server_that_does_not_finish_its_greeting_is_late(authority: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        assert ask(f"https://127.0.0.1:{listening.getsockname()[1]}/", timeout=0.2) == LATE


def test_a_server_that_speaks_no_tls(authority: Path) -> None:
    with serving(raw(b"HTTP/1.1 400 no\r\n\r\n")) as server:
        said = ask(f"https://localhost:{server.port}/", timeout=5)
    assert said.failure.startswith(
        ("the connection is not safe: ", "the server cannot be reached: ", "it took too long")
    )


def test_authorities_that_are_not_there(tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        url = f"https://127.0.0.1:{listening.getsockname()[1]}/"
        said = say(request("http", tmp_path, url=url, ca_file="none.pem"))
    assert said == Decision(failure=f"`{tmp_path}/none.pem` cannot be read: No such file or directory")


def test_nothing_stays_open(authority: Path) -> None:
    serves = (reply(""), raw(b"rubbish\r\n\r\n"), raw(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"))
    contexts = (None, secure(authority))
    ask("http://127.0.0.1:1/")
    before = open_files(), threading.active_count()
    for serve, context in product(serves, contexts):
        with serving(serve, context) as server:
            for _ in range(20):
                ask(server.url, timeout=5)
    assert (open_files(), threading.active_count()) == before
