"""Connections of the SDKs: what they may reach, and who has a say in that."""

from __future__ import annotations

import asyncio
import socket
import ssl
from pathlib import Path
from typing import Any

import httpx2
import pytest

from ostiary.perform.transport import Refused, Way, client
from servers.local import certified, leading, leading_to, reply, secure, serving

OPEN = Way()
UNSAID = "the rule does not say `private: true`"


def got(url: str, way: Way = OPEN) -> int | str:
    """The status of the answer, or why there is none."""

    async def asked() -> int | str:
        async with client(way) as http:
            try:
                return (await http.post(url, content=b"{}")).status_code
            except httpx2.TransportError as error:
                return str(error) if isinstance(error, Refused) else type(error).__name__

    return asyncio.run(asked())


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return certified(tmp_path_factory.mktemp("tls"))


def trusting(authority: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(authority / "certificate.pem")
    return context


def test_a_server_is_asked_by_its_name() -> None:
    with serving(reply("", "204 No Content")) as server:
        assert got(f"{server.url}/x?y=1") == 204
    assert server.head.startswith("POST /x?y=1 HTTP/1.1\r\n")
    assert f"\r\nHost: localhost:{server.port}\r\n" in server.head


@pytest.mark.parametrize(
    ("address", "private", "told"),
    [
        ("169.254.169.254", True, "`tools.example.com` leads to 169.254.169.254, which is no server's address"),
        ("fd00:ec2::254", True, "`tools.example.com` leads to fd00:ec2::254, which is no server's address"),
        ("10.0.0.1", False, f"`tools.example.com` leads to the private address 10.0.0.1; {UNSAID}"),
        ("::1", False, f"`tools.example.com` leads to the private address ::1; {UNSAID}"),
    ],
)
def test_what_leads_inside_is_refused(address: str, private: bool, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    leading(address, monkeypatch)
    assert got("https://tools.example.com/mcp", Way(private)) == told


def test_the_address_that_was_looked_at_is_the_one_that_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name server that says something else the second time changes nothing."""
    with serving(reply("")) as server:
        answers = iter(["127.0.0.1", "10.0.0.1", "10.0.0.1"])

        def look(host: str, port: int, **_: Any) -> list[Any]:
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(answers), port))]

        monkeypatch.setattr(socket, "getaddrinfo", look)
        assert got(f"http://tools.example.com:{server.port}/", Way(private=True)) == 200


def test_of_several_addresses_the_next_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(reply("")) as server:
        found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 1)) for address in ("127.0.0.2", "127.0.0.1")]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
        assert got(f"http://localhost:{server.port}/") == 200


def test_a_name_that_leads_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [])
    assert got("https://tools.example.com/") == "`tools.example.com` has no address"


def test_a_certificate_is_that_of_the_host(authority: Path) -> None:
    with serving(reply(""), secure(authority)) as server:
        assert got(server.url, Way(authorities=trusting(authority))) == 200
        assert got(server.url) == "ConnectError"
        assert got(f"https://127.0.0.1:{server.port}/", Way(authorities=trusting(authority))) == "ConnectError"


def test_no_redirection_is_followed() -> None:
    with serving(reply("")) as other, serving(reply("", "307 There", more=f"Location: {other.url}/\r\n")) as server:
        assert got(server.url) == 307
    assert other.requests == []


def test_only_a_proxy_that_was_named_is_used(authority: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(reply("")) as other, serving(reply(""), secure(authority)) as server:
        for name in ("http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, other.url)
        assert got(server.url, Way(authorities=trusting(authority))) == 200
        with serving(leading_to(server.port)) as proxy:
            way = Way(proxy=f"http://127.0.0.1:{proxy.port}", authorities=trusting(authority))
            assert got("https://localhost/", way) == 200
    assert other.requests == []
    assert proxy.requests[0].startswith(b"CONNECT localhost:443 HTTP/1.1\r\n")
