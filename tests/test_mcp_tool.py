"""Tools of MCP servers as handlers, called from servers that are written with the official SDK."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from handling import request, say
from ostiary.decision import Decision, Verdict
from ostiary.event import Event
from servers.local import leading, reply, serving

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="process groups are those of POSIX systems")

SERVER = Path(__file__).parent / "servers" / "mcp_server.py"
EDIT = Event.from_call("edit_file", {"file_path": "/w/a.py", "edits": [1, {"new": "x"}]}, cwd="/w")


def call(folder: Path, tool: str, where: dict[str, Any], arguments: object = None, **more: Any) -> Decision:
    options = {"timeout": 90.0, "tool": tool, "input": json.dumps(arguments or {}), **where}
    return say(request("mcp_tool", folder, EDIT, more.pop("contract", "afk"), **options), **more)


def started(**more: Any) -> dict[str, Any]:
    return {"command": (sys.executable, str(SERVER)), **more}


class Written:
    """A cancellation that comes once a file was written."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def cancelled(self) -> bool:
        return self.path.exists() and bool(self.path.read_text())


def processes(path: Path) -> list[int]:
    return [int(number) for number in path.read_text().split()]


def gone(number: int) -> bool:
    """Whether a process ended; one that nobody reaped did."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def wait_for(numbers: list[int]) -> None:
    """Until these ended: a kill takes a moment."""
    while not all(map(gone, numbers)):
        os.sched_yield()


def open_things() -> tuple[int, int]:
    return threading.active_count(), len(os.listdir("/proc/self/fd"))


def test_the_text_of_a_tool_is_read_like_the_output_of_a_command(tmp_path: Path) -> None:
    arguments = {"file": "${tool_input.file_path}", "all": ["${tool_input.edits}", "${tool_input.none}"], "n": 1}
    before = open_things()
    said = call(tmp_path, "arguments", started(), {"given": arguments})
    given = {"file": "/w/a.py", "all": ['[1,{"new":"x"}]', ""], "n": 1}
    assert said == Decision(context=json.dumps(given, sort_keys=True))
    assert open_things() == before


def test_a_server_gets_a_clean_environment_and_the_folder_of_its_rule(tmp_path: Path) -> None:
    environ = {"LANG": "C", "GITHUB_TOKEN": "t", "LD_PRELOAD": "x", "PATH": "/evil"}
    said = call(tmp_path, "environment", started(environment=(("MARK", "1"),)), environ=environ, home="/home/u")
    folder, *names = (said.context or "").split()
    assert folder == str(tmp_path)
    assert {"LANG", "MARK", "PATH", "HOME", "OSTIARY_EVENT"} <= set(names)
    assert not {"GITHUB_TOKEN", "LD_PRELOAD"} & set(names)


def test_a_result_marked_as_an_error_is_a_failure(tmp_path: Path) -> None:
    said = call(tmp_path, "fail", started(), {"text": "boom"})
    assert said == Decision(failure="the tool `fail` reports an error: Error executing tool fail")


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="this system does not show its processes as files")
def test_a_call_that_is_cancelled_ends_the_server_and_what_it_started(tmp_path: Path) -> None:
    pids, before = tmp_path / "pids", open_things()
    said = call(tmp_path, "hang", started(), {"pid_file": str(pids)}, cancel=Written(pids))
    assert said == Decision(failure="it was cancelled")
    wait_for(processes(pids))
    assert open_things() == before


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="this system does not show its processes as files")
def test_what_a_server_leaves_behind_ends_with_it(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    assert call(tmp_path, "leave", started(), {"pid_file": str(pids)}) == Decision()
    wait_for(processes(pids))


def test_a_message_without_an_end_is_a_failure(tmp_path: Path) -> None:
    assert call(tmp_path, "flood", started()) == Decision(failure="the server refuses the call: Connection closed")


def test_lines_that_are_no_messages_are_passed_over(tmp_path: Path) -> None:
    said = call(tmp_path, "rubbish", started())
    assert said == Decision(verdict=Verdict.DENY, reason="heard through the noise")


def test_a_server_that_dies_is_a_failure(tmp_path: Path) -> None:
    assert call(tmp_path, "die", started()) == Decision(failure="the server refuses the call: Connection closed")


@pytest.mark.parametrize(
    ("command", "failure"),
    [
        (("./missing",), "`{folder}/missing` cannot be started: No such file or directory"),
        (("no-such-program",), "there is no program `no-such-program` in the folders of the system"),
        (("true",), "the server refuses the call: Connection closed"),
        (("sleep", "600"), "it took too long"),
    ],
)
def test_what_is_no_server_is_a_failure(command: tuple[str, ...], failure: str, tmp_path: Path) -> None:
    before = open_things()
    said = call(tmp_path, "say", {"command": command, "timeout": 0.5 if "sleep" in command else 60.0})
    assert said == Decision(failure=failure.format(folder=tmp_path))
    assert open_things() == before


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server behind an address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with subprocess.Popen([sys.executable, SERVER, "http", str(port)], stderr=subprocess.DEVNULL) as server:
        while not answers(port):
            assert server.poll() is None
            os.sched_yield()
        yield f"http://127.0.0.1:{port}/mcp"
        server.kill()


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def test_texts_of_a_tool_are_lines(address: str, tmp_path: Path) -> None:
    texts = ['{"decision": "deny",', '"reason": "r"}']
    said = call(tmp_path, "lines", {"url": address}, {"texts": texts})
    assert said == Decision(verdict=Verdict.DENY, reason="r")


@pytest.mark.parametrize(
    ("contract", "text", "decision"),
    [
        ("afk", '{"continue": false, "reason": "r"}', Decision(verdict=Verdict.DENY, reason="r")),
        ("claude", '{"continue": false, "stopReason": "r"}', Decision(halt=True, message="r")),
        ("afk", "plain words", Decision()),
        ("afk", "", Decision()),
    ],
)
def test_a_tool_answers_under_the_contract_of_its_rule(
    contract: str, text: str, decision: Decision, address: str, tmp_path: Path
) -> None:
    assert call(tmp_path, "say", {"url": address}, {"text": text}, contract=contract) == decision


@pytest.mark.parametrize(
    ("written", "came"),
    [
        ("Bearer $TOKEN", "Bearer t0k"),
        ("${TOKEN}x", "t0kx"),
        ("Bearer $SECRET", "Bearer"),
        ("Bearer ${UNSET}!", "Bearer !"),
    ],
)
def test_headers_hold_variables_that_are_let_in(written: str, came: str, address: str, tmp_path: Path) -> None:
    where = {"url": address, "headers": (("x-token", written),), "allowed_env": ("TOKEN", "UNSET")}
    said = call(tmp_path, "header", where, {"name": "x-token"}, environ={"TOKEN": "t0k", "SECRET": "s"})
    assert said == Decision(verdict=Verdict.DENY, reason=came)


def test_a_proxy_of_the_environment_is_not_used(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert call(tmp_path, "say", {"url": address}, {"text": ""}) == Decision()


@pytest.mark.parametrize(
    ("path", "failure"),
    [
        ("/elsewhere", "the server refuses the call: Not Found"),
        ("", "the server refuses the call: Not Found"),
    ],
)
def test_an_address_without_a_server_is_a_failure(path: str, failure: str, address: str, tmp_path: Path) -> None:
    assert call(tmp_path, "say", {"url": address.removesuffix("/mcp") + path}) == Decision(failure=failure)


def test_where_a_name_leads_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leading("10.0.0.1", monkeypatch)
    told = "`tools.example.com` leads to the private address 10.0.0.1; the rule does not say `private: true`"
    assert call(tmp_path, "say", {"url": "https://tools.example.com/mcp"}) == Decision(failure=told)


def test_a_name_that_leads_inside_with_permission(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leading("127.0.0.1", monkeypatch)
    where = {"url": address.replace("127.0.0.1", "localhost"), "private": True}
    assert call(tmp_path, "say", where, {"text": ""}) == Decision()


def test_authorities_that_are_not_there(tmp_path: Path) -> None:
    where = {"url": "https://tools.example.com/mcp", "ca_file": "none.pem"}
    told = f"`{tmp_path}/none.pem` cannot be read: No such file or directory"
    assert call(tmp_path, "say", where) == Decision(failure=told)


def test_a_proxy_that_the_rule_names(tmp_path: Path) -> None:
    with serving(reply("no", "407 Who are you")) as proxy:
        where = {"url": "https://tools.example.com/mcp", "proxy": f"http://127.0.0.1:{proxy.port}"}
        said = call(tmp_path, "say", where)
    assert said == Decision(failure="`https://tools.example.com/mcp` cannot be reached: ProxyError")
    assert proxy.requests[0].startswith(b"CONNECT tools.example.com:443 HTTP/1.1\r\n")


def test_an_address_that_nobody_answers_at_is_a_failure(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/mcp"
        said = call(tmp_path, "say", {"url": url})
    assert said == Decision(failure=f"`{url}` cannot be reached: ConnectError")


def test_an_address_that_never_answers_ends_with_the_time(tmp_path: Path) -> None:
    before = open_things()
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        where = {"url": f"http://127.0.0.1:{silent.getsockname()[1]}/mcp", "timeout": 0.3}
        assert call(tmp_path, "say", where) == Decision(failure="it took too long")
    assert open_things() == before
