"""The service over HTTP, real processes of it: who is refused, and that answers are those of the hook."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from ostiary.service.protocol import Malformed
from ostiary.service.web.entrance import others
from ostiary.sources import record
from payloads import bash, raw, stop, tool
from services import World, python, until, verdict
from trees import plant

if sys.platform != "linux":
    pytest.skip("looks at processes as Linux shows them", allow_module_level=True)

POLICY = 'version: 1\ndeny: ["Bash(rm *)"]\nallow: ["Bash(ls *)"]\n'
SETTINGS = "http: {listen: true, shared_host: true}\n"
HOOK = "/hook/claude-code?event=PreToolUse"
JSON = "application/json"

Answer = tuple[int, dict[str, str], bytes]


class Site:
    """A service that listens on a port, and what it is sent."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.state = world.config / "state"

    @property
    def port(self) -> int:
        return int((self.state / "http/port").read_text())

    @property
    def token(self) -> str:
        return (self.state / "http/token").read_text().strip()

    def headers(self, **more: str | None) -> dict[str, str]:
        """What has to be shown, and what is shown in place of it (None: nothing)."""
        usual = {"Host": f"127.0.0.1:{self.port}", "Authorization": f"Bearer {self.token}", "Content-Type": JSON}
        found = {**usual, **{name.replace("_", "-"): value for name, value in more.items()}}
        return {name: value for name, value in found.items() if value is not None}

    def connected(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def ask(self, body: Any = b"{}", path: str = HOOK, method: str = "POST", **headers: str | None) -> Answer:
        """What one request comes to."""
        data = body if isinstance(body, bytes) else raw(body)
        fields = {"Content-Length": str(len(data)), **self.headers(**headers)}
        with self.connected() as connection:
            with suppress(BrokenPipeError, ConnectionResetError):  # it was refused before
                connection.sendall(head(f"{method} {path} HTTP/1.1", fields) + data)
            return answer(connection, method)

    def told(self) -> dict[str, Any] | None:
        """What the service says of itself, None while it begins anew."""
        with suppress(OSError, Malformed):
            return self.world.status()
        return None

    def said(self, payload: Any, path: str = HOOK) -> tuple[bytes, bytes, int]:
        """What a hook is told, as a client has it."""
        status, _, body = self.ask(payload, path)
        assert status == 200, body
        return body, b"", 0


def head(line: str, fields: dict[str, str]) -> bytes:
    lines = [line, *(f"{name}: {value}" for name, value in fields.items())]
    return "".join(f"{one}\r\n" for one in [*lines, ""]).encode()


def answer(connection: socket.socket, method: str = "POST") -> Answer:
    response = http.client.HTTPResponse(connection, method=method)
    response.begin()
    return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()


def error(found: Answer) -> tuple[int, str]:
    return found[0], json.loads(found[2]).get("error", "")


@pytest.fixture
def world() -> Iterator[World]:
    with TemporaryDirectory(prefix="o", dir="/tmp") as name:
        base = Path(name).resolve()
        plant(base, {"config/policy.yaml": POLICY, "config/settings.yaml": SETTINGS, "project/.git": None})
        found = World(base, python())
        try:
            yield found
        finally:
            found.end()


@pytest.fixture
def site(world: World) -> Site:
    world.serve("receive=5.0, look=0.1")
    return Site(world)


# What is answered


def test_answers_are_those_of_the_hook(site: Site) -> None:
    where = str(site.world.project)
    payloads = {
        "deny": bash("rm x", where),
        "allow": bash("ls x", where),
        "nothing": bash("make", where),
        "a tool": tool("Read", {"file_path": f"{where}/a"}, where),
        "large": bash(f"rm x # {'y' * (9 << 20)}", where),
        "nothing at all": b"",
        "no JSON": b"{",
        "another event": stop(where),
    }
    for name, payload in payloads.items():
        assert (name, site.said(payload)) == (name, site.world.hooked(payload))
    assert site.world.rested()["calls"] == {"answered": len(payloads)}


DIALECTS: dict[str, tuple[str, dict[str, Any]]] = {
    "qwen-code": ("PreToolUse", {"tool_name": "run_shell_command", "timestamp": "2026-01-01T00:00:00Z"}),
    "grok": ("PreToolUse", {"hookEventName": "pre_tool_use", "sessionId": "s", "toolName": "run_terminal_command"}),
}


@pytest.mark.parametrize("agent", DIALECTS)
def test_every_dialect_is_answered_as_its_hook(agent: str, site: Site) -> None:
    event, fields = DIALECTS[agent]
    payload = bash("rm x", str(site.world.project), **fields)
    command = site.world.cold(event)
    command[command.index("claude-code")] = agent
    words = [word for word in command if word not in ("--socket", site.world.address)]
    done = subprocess.run(words, input=raw(payload), capture_output=True, check=False, cwd="/", timeout=60)
    assert site.said(payload, f"/hook/{agent}?event={event}") == (done.stdout, done.stderr, done.returncode)
    assert b"deny" in done.stdout


def test_handlers_run_in_a_process_of_their_own(site: Site) -> None:
    rules = "rules: [{id: a, tool: Bash, run: {command: 'echo no >&2; exit 2'}}]"
    plant(
        site.world.base,
        {"config/policy.yaml": f"version: 1\n{rules}\n", "config/settings.yaml": f"{SETTINGS}enable_shell_hooks: true"},
    )
    payload = bash("make", str(site.world.project))
    assert site.said(payload) == site.world.hooked(payload)


def test_a_worker_that_dies_closes_the_gate_and_it_is_recorded(site: Site) -> None:
    with site.connected() as connection:
        worker = site.world.worker()
        os.kill(worker, signal.SIGSTOP)
        body = raw(bash("ls x", str(site.world.project)))
        connection.sendall(head(f"POST {HOOK} HTTP/1.1", site.headers(Content_Length=str(len(body)))) + body)
        until(lambda: site.world.status()["busy"])  # type: ignore[index]
        os.kill(worker, signal.SIGKILL)
        os.kill(worker, signal.SIGCONT)
        status, _, said = answer(connection)
    assert (status, verdict((said, b"", 0))) == (200, "deny")
    assert b"because policy could not judge it: a process of Ostiary ended early" in said
    lines = [said.line for said in record.lines(str(site.state), ("events", "stops"))]
    assert [line.get("failure") for line in lines] == ["a process of Ostiary ended early"]


def test_what_only_an_exit_code_says_is_no_success(site: Site) -> None:
    plant(site.world.base, {"config/policy.yaml": "version: 1\nrules: [{id: a, on: TaskCompleted, decision: deny, "
                            "reason: not done}]\n"})  # fmt: skip
    payload = {"hook_event_name": "TaskCompleted", "session_id": "s1", "cwd": str(site.world.project), "task_id": "1"}
    assert error(site.ask(payload, "/hook/claude-code?event=TaskCompleted")) == (403, "not done")


def test_a_hung_service_says_nothing(site: Site) -> None:
    pid = site.world.status()["pid"]  # type: ignore[index]
    with site.connected() as connection:
        os.kill(pid, signal.SIGSTOP)
        connection.settimeout(0.5)
        connection.sendall(head(f"POST {HOOK} HTTP/1.1", site.headers(Content_Length="0")))
        with pytest.raises(TimeoutError):
            connection.recv(1)
        os.kill(pid, signal.SIGCONT)
        connection.settimeout(30)
        assert answer(connection)[0] == 200


# Who is refused


def refusals(site: Site) -> dict[str, tuple[Answer, tuple[int, str]]]:
    port, kinds = site.port, (415, "the body has to be application/json")
    stranger, page = (421, f"this is 127.0.0.1:{port}, under no other name"), (403, "web pages are not answered")
    unknown = (401, "the token is missing, or is another one")
    long = (413, "a body has at most 10485760 bytes")
    return {
        "no token": (site.ask(Authorization=None), unknown),
        "another token": (site.ask(Authorization=f"Bearer {'x' * 43}"), unknown),
        "a part of the token": (site.ask(Authorization=f"Bearer {site.token[:-1]}"), unknown),
        "the token, said otherwise": (site.ask(Authorization=f"Basic {site.token}"), unknown),
        "an empty token": (site.ask(Authorization="Bearer "), unknown),
        "a name that leads here": (site.ask(Host=f"evil.example:{port}"), stranger),
        "another port": (site.ask(Host="127.0.0.1"), stranger),
        "a name for here": (site.ask(Host=f"localhost:{port}"), stranger),
        "a page": (site.ask(Origin="https://evil.example"), page),
        "a page without an origin": (site.ask(Origin="null"), page),
        "a page from here": (site.ask(Sec_Fetch_Site="same-origin"), page),
        "a form": (site.ask(Content_Type="text/plain"), kinds),
        "no kind": (site.ask(Content_Type=None), kinds),
        "compressed": (site.ask(Content_Encoding="gzip"), (415, "the body may not be compressed")),
        "too long": (site.ask(b"x" * (11 << 20)), long),
        "said to be too long": (site.ask(Content_Length=str(1 << 40)), long),
        "an unknown agent": (site.ask(path="/hook/nobody"), (404, "no such agent")),
        "no agent": (site.ask(path="/hook/"), (404, "there is nothing here")),
        "nothing": (site.ask(path="/"), (404, "there is nothing here")),
        "a proxy's request": (site.ask(path=f"http://127.0.0.1:{port}{HOOK}"), (404, "there is nothing here")),
        "another method": (site.ask(method="GET"), (405, "only POST is answered here")),
        "a question of a page": (site.ask(method="OPTIONS"), (405, "only POST is answered here")),
        "another version": (site.ask(path=f"{HOOK} HTTP/2.0\r\nx:"), (505, "only HTTP/1.1 is spoken here")),
        "two lengths": (site.ask(Content_Length="2\r\nContent-Length: 3"), (400, "this is no request of HTTP/1.1")),
        "a long head": (site.ask(X="x" * (20 << 10)), (431, "a head has at most 16384 bytes")),
        "an endless head": (site.ask(X="x" * (1 << 20)), (431, "a head has at most 16384 bytes")),
    }


def test_who_is_refused(site: Site) -> None:
    for name, (found, expected) in refusals(site).items():
        assert (name, error(found), found[1].get("connection")) == (name, expected, "close")
        assert not [header for header in found[1] if header.startswith("access-control")]
    assert set(site.world.rested()["calls"]) == {"refused"}


def test_a_head_has_no_body(site: Site) -> None:
    status, headers, body = site.ask(method="HEAD", path="/healthz", body=b"")
    assert (status, headers["allow"], body) == (405, "GET", b"")


def test_health_needs_no_token_and_tells_nothing(site: Site) -> None:
    status, headers, body = site.ask(b"", "/healthz", "GET", Authorization=None)
    assert (status, json.loads(body), headers["content-type"]) == (200, {"status": "ok"}, JSON)
    for path in ("/v1/status", "/metrics"):
        assert site.ask(b"", path, "GET", Authorization=None)[0] == 401


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_is_refused_with_the_token(site: Site) -> None:
    code = "import encodings.idna,os,socket,sys; os.setuid(65534)\n"
    code += "c = socket.create_connection(('127.0.0.1', int(sys.argv[1])))\n"
    code += "try:\n c.sendall(sys.argv[2].encode()); print(c.recv(9))\nexcept OSError: print(b'')"
    asked = head("GET /v1/status HTTP/1.1", site.headers()).decode()
    done = subprocess.run([sys.executable, "-c", code, str(site.port), asked], capture_output=True, check=True)
    assert done.stdout == b"b''\n"


def test_the_files_are_private(site: Site) -> None:
    assert [oct(path.stat().st_mode & 0o777) for path in (site.state / "http", site.state / "http/token")] == [
        "0o700",
        "0o600",
    ]
    assert len(site.token) == 43


# How it is said


def test_a_connection_is_kept(site: Site) -> None:
    body = raw(bash("rm x", str(site.world.project)))
    with site.connected() as connection:
        for _ in range(3):
            connection.sendall(head(f"POST {HOOK} HTTP/1.1", site.headers(Content_Length=str(len(body)))) + body)
            status, headers, said = answer(connection)
            assert (status, headers.get("connection"), verdict((said, b"", 0))) == (200, None, "deny")


def test_requests_may_come_before_answers(site: Site) -> None:
    bodies = [raw(bash(command, str(site.world.project))) for command in ("rm x", "ls x", "rm y")]
    sent = [head(f"POST {HOOK} HTTP/1.1", site.headers(Content_Length=str(len(body)))) + body for body in bodies]
    with site.connected() as connection:
        connection.sendall(b"".join(sent))
        connection.shutdown(socket.SHUT_WR)
        with connection.makefile("rb") as file:
            data = file.read()
    assert [part.split(b'"')[0] for part in data.split(b'permissionDecision":"')[1:]] == [b"deny", b"allow", b"deny"]


def test_a_body_in_chunks_that_is_waited_for(site: Site) -> None:
    body = raw(bash("rm x", str(site.world.project)))
    fields = site.headers(Transfer_Encoding="chunked", Expect="100-continue")
    with site.connected() as connection:
        connection.sendall(head(f"POST {HOOK} HTTP/1.1", fields))
        assert connection.recv(100).startswith(b"HTTP/1.1 100 ")
        for piece in (body[:10], body[10:]):
            connection.sendall(b"%x\r\n%b\r\n" % (len(piece), piece))
        connection.sendall(b"0\r\n\r\n")
        status, _, said = answer(connection)
    assert (status, verdict((said, b"", 0))) == (200, "deny")


def test_chunks_are_bounded_too(site: Site) -> None:
    fields = site.headers(Transfer_Encoding="chunked")
    with site.connected() as connection:
        connection.sendall(head(f"POST {HOOK} HTTP/1.1", fields))
        with suppress(BrokenPipeError, ConnectionResetError):
            for _ in range(12):
                connection.sendall(b"%x\r\n%b\r\n" % (1 << 20, b"x" * (1 << 20)))
        assert answer(connection)[0] == 413


def test_who_is_slow_is_cut_off(world: World) -> None:
    world.serve("receive=0.5")
    site = Site(world)
    with site.connected() as connection:
        connection.sendall(b"POST /hook/claude-code HT")
        assert error(answer(connection)) == (408, "the request did not come in time")
    with site.connected() as connection:
        assert connection.recv(1) == b""


def test_half_a_request_is_none(site: Site) -> None:
    with site.connected() as connection:
        connection.sendall(head(f"POST {HOOK} HTTP/1.1", site.headers(Content_Length="10")) + b"{")
        connection.shutdown(socket.SHUT_WR)
        assert answer(connection)[0] == 400


# Its life


def test_another_program_on_its_port(world: World) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        plant(world.base, {"config/settings.yaml": f"http: {{listen: true, port: {port}, shared_host: true}}\n"})
        world.serve("look=0.1")
        problem = f"port {port} of 127.0.0.1 cannot be had: address already in use"
        assert world.status()["http"] == {"address": "", "problem": problem}  # type: ignore[index]
        assert verdict(world.said(bash("rm x", str(world.project)))) == "deny"
    found = until(lambda: (said := world.status()) and said["http"]["address"] and said["http"])
    assert found == {"address": f"http://127.0.0.1:{port}", "problem": ""}


def test_the_port_is_kept_and_it_does_not_end_for_rest(world: World) -> None:
    world.serve("idle=0.1, look=0.1")
    site = Site(world)
    port, token = site.port, site.token
    assert site.ask(bash("rm x", str(world.project)))[0] == 200
    os.kill(world.status()["pid"], signal.SIGTERM)  # type: ignore[index]
    until(lambda: world.status() is None)
    world.serve("idle=0.1, look=0.1")
    assert (site.port, site.token) == (port, token)


SILENT = {
    "nothing is said": "",
    "it is said otherwise": "http: {port: 7070}\n",
    "the file is broken": "http: {listen: yes please}\n",
    "the project says so": "",
}


@pytest.mark.parametrize("case", SILENT)
def test_it_listens_only_where_the_user_says_so(case: str, world: World) -> None:
    plant(world.base, {"config/settings.yaml": SILENT[case], "project/.ostiary/settings.yaml": SETTINGS})
    world.serve()
    assert world.status()["http"] == {"address": "", "problem": ""}  # type: ignore[index]
    assert not (world.config / "state/http").exists()


def test_settings_act_on_a_service_that_runs(site: Site) -> None:
    plant(site.world.base, {"config/settings.yaml": "http: {listen: false}\n"})
    until(lambda: (said := site.told()) and not said["http"]["address"])
    with pytest.raises(ConnectionRefusedError):
        site.connected()


OTHERS = {
    "nobody": ([(0, "root", "/bin/bash"), (33, "www", "/bin/sh"), (1000, "me", "/bin/bash")], [1000, 0], ()),
    "an account": ([(1000, "me", "/bin/sh"), (1001, "she", "/bin/bash")], [], ("she",)),
    "an account that cannot log in": ([(1001, "app", "/usr/sbin/nologin"), (1002, "x", "/bin/false")], [], ()),
    "a session": ([], [1000, 70000], ("70000",)),
    "the same one twice": ([(1001, "she", "")], [1001], ("she",)),
}


@pytest.mark.parametrize("case", OTHERS)
def test_who_shares_the_machine(case: str) -> None:
    accounts, sessions, expected = OTHERS[case]
    assert others(accounts, sessions, 1000) == expected


# The socket speaks it, too


def test_the_socket_needs_no_token(world: World) -> None:
    plant(world.base, {"config/settings.yaml": ""})
    world.serve()
    body = raw(bash("rm x", str(world.project)))
    for method, path, wanted in (("POST", HOOK, b'"deny"'), ("GET", "/metrics", b"ostiary_verdicts_total")):
        with world.connected() as connection:
            data = body if method == "POST" else b""
            fields = {"Host": "x", "Content-Type": JSON, "Content-Length": str(len(data))}
            connection.sendall(head(f"{method} {path} HTTP/1.1", fields) + data)
            status, _, said = answer(connection)
        assert (status, wanted in said) == (200, True)


def test_what_is_counted(site: Site) -> None:
    for command in ("rm x", "rm x", "ls x"):
        site.said(bash(command, str(site.world.project)))
    lines = site.ask(b"", "/metrics", "GET")[2].decode().splitlines()
    assert 'ostiary_verdicts_total{agent="claude-code",verdict="deny"} 2' in lines
    assert 'ostiary_verdicts_total{agent="claude-code",verdict="allow"} 1' in lines
    assert 'ostiary_call_seconds_bucket{le="+Inf"} 3' in lines
    assert "ostiary_workers_killed_total 0" in lines
    assert "ostiary_policy_problems 0" in lines
    (policy,) = (line for line in lines if line.startswith("ostiary_policy_info{"))
    assert policy.split('"')[1] == site.world.status()["reloads"][-1]["generation"]  # type: ignore[index]


# Canonical events


def decided(site: Site, **event: Any) -> Answer:
    return site.ask(event, "/v1/decide")


def test_a_canonical_event_comes_to_an_outcome(site: Site) -> None:
    where = str(site.world.project)
    status, _, body = decided(site, tool="bash", input={"command": "rm x"}, cwd=where, agent="mine", session="s")
    found = json.loads(body)
    assert (status, found["verdict"], found["parts"][0]["text"]) == (200, "deny", "rm x")
    assert found["event"] == {"agent": "mine", "name": "PreToolUse", "tool": "bash", "session": "s"}
    status, _, body = decided(site, event="UserPromptSubmit", prompt="hello")
    assert (status, json.loads(body)["verdict"]) == (200, "none")
    lines = [said.line for said in record.lines(str(site.state), ("events", "stops"))]
    assert [(line["agent"], line["event"], line["said"]) for line in lines] == [
        ("mine", "PreToolUse", "deny"),
        ("api", "UserPromptSubmit", "none"),
    ]


UNFIT: dict[str, tuple[Any, str]] = {
    "no JSON": (b"{", "it is not JSON"),
    "no object": (b"[]", "it is no object"),
    "no tool": ({}, "`tool` is missing"),
    "a tool that is no text": ({"tool": 1}, "`tool` is no text, or an empty one"),
    "arguments that are none": ({"tool": "bash", "input": []}, "`input` is no object"),
    "folders that are none": ({"tool": "bash", "workdirs": [1]}, "`workdirs` is no list of texts"),
    "an answer that is none": ({"tool": "bash", "interactive": 1}, "`interactive` is no true or false"),
    "an unknown event": ({"event": "PreToolUs"}, "unknown event `PreToolUs`; did you mean `PreToolUse`?"),
    "an agent with hooks": (
        {"tool": "bash", "agent": "claude-code"},
        "`agent` is an agent that has hooks; its events go to `/hook/`, and its sessions are its own",
    ),
    "an unknown key": (
        {"tool": "bash", "inputs": {}},
        "it has a key that is none of: agent, cwd, event, input, interactive, mcp_source, mode, output, project, "
        "prompt, session, start, subagent, tool, workdirs",
    ),
}


def test_what_is_no_canonical_event(site: Site) -> None:
    for name, (body, expected) in UNFIT.items():
        assert (name, error(site.ask(body, "/v1/decide"))) == (name, (422, expected))
