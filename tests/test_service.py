"""The resident service, real processes of it: whatever happens to one, every call is answered, and none looser."""

from __future__ import annotations

import json
import os
import resource
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import pytest

from ostiary import __version__
from ostiary.dialects import DIALECTS, unreadable
from ostiary.service.protocol import ALIVE, ANSWER, COLD, FRAME, Frame, Request, answer, framing, read
from ostiary.service.working import Tell, worked
from ostiary.sources import record
from payloads import AGENT, bash, raw, stop, tool
from processes import PROGRAM, SOURCE
from services import CLIENTS, World, alive, frames, python, until, verdict
from trees import plant

if sys.platform != "linux":
    pytest.skip("looks at processes as Linux shows them", allow_module_level=True)

DENY = 'version: 1\ndeny: ["Bash(rm *)"]\nallow: ["Bash(ls *)"]\n'


@pytest.fixture
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    with TemporaryDirectory(prefix="o", dir="/tmp") as name:  # the path of a socket has to be short
        base = Path(name).resolve()
        plant(base, {"config/policy.yaml": DENY, "project/.git": None})
        found = World(base, CLIENTS[getattr(request, "param", "python")]())
        try:
            yield found
        finally:
            found.end()


each_client = pytest.mark.parametrize("world", CLIENTS, indirect=True)


def rm(world: World) -> dict[str, Any]:
    return bash("rm x", str(world.project))


# What is answered


def payloads(world: World) -> dict[str, Any]:
    where = str(world.project)
    return {
        "deny": bash("rm x", where),
        "allow": bash("ls x", where),
        "nothing": bash("make", where),
        "a tool": tool("Read", {"file_path": f"{where}/a"}, where),
        "large": bash(f"rm x # {'y' * (10 << 20)}", where),
        "too large": b"{" + b" " * (17 << 20) + b"}",
        "nothing at all": b"",
        "no JSON": b"{",
        "another event": stop(where),
    }


@each_client
def test_answers_are_those_of_the_cold_command(world: World) -> None:
    world.serve()
    for name, payload in payloads(world).items():
        assert (name, world.said(payload)) == (name, world.hooked(payload))
    stopped = stop(str(world.project))
    assert world.said(stopped, "Stop") == world.hooked(stopped, "Stop") == (b"", b"", 0)
    assert world.rested()["calls"] == {"answered": len(payloads(world))}  # all but the one that is too large, and Stop


def test_handlers_run_in_the_agents_own_processes(world: World) -> None:
    rules = "rules: [{id: a, tool: Bash, run: {command: 'echo no >&2; exit 2'}}]"
    plant(
        world.base,
        {"config/policy.yaml": f"version: 1\n{rules}\n", "config/settings.yaml": "enable_shell_hooks: true\n"},
    )
    world.serve()
    assert world.said(rm(world)) == world.hooked(rm(world))
    assert b'"no"' in world.said(rm(world))[0]
    assert world.rested()["calls"] == {"left": 2}


def test_what_it_answers_is_recorded_once(world: World) -> None:
    """Whether a worker answered, or left the call to the agent's own processes (law L11)."""
    rules = "rules: [{id: a, tool: Read, run: {command: 'exit 0'}}]"
    policy, settings = f'version: 1\ndeny: ["Bash(rm *)"]\n{rules}\n', "enable_shell_hooks: true\n"
    plant(world.base, {"config/policy.yaml": policy, "config/settings.yaml": settings})
    world.serve()
    calls = [rm(world), b"{", tool("Read", {"file_path": "/a"}), bash("make")]
    for call in calls:
        world.said(call)
    lines = [said.line for said in record.lines(str(world.base / "config/state"), ("events", "stops"))]
    assert [line["said"] for line in lines] == ["deny", "deny", "none", "none"]
    assert [line.get("failure") for line in lines] == [None, "the hook's input is not JSON", None, None]
    assert ["handlers_ms" in line for line in lines] == [False, False, True, False]
    assert record.flaws(str(world.base / "config/state")) == ()


def test_an_edit_acts_on_the_next_call(world: World) -> None:
    plant(world.base, {"config/policy.yaml": "version: 1\nrulez: 1\n"})
    world.serve()
    steps = [("", "ask"), (DENY, "deny"), (DENY.replace("deny", "ask"), "ask"), ("version: 1\nrulez: 1\n", "ask")]
    for text, expected in [*steps, (DENY, "deny"), ("version: 1\nrulez: 1\n", "deny")]:
        if text:
            plant(world.base, {"config/policy.yaml": text})
        assert (text, verdict(world.said(rm(world)))) == (text, expected)


# Starting and ending


def test_the_first_call_starts_it_and_it_keeps_nothing_of_who_did(world: World) -> None:
    secret = {"PATH": os.defpath, "PYTHONPATH": "/evil", "LD_LIBRARY_PATH": "/evil", "TOKEN": "secret"}
    assert verdict(world.said(rm(world), env=secret)) == "deny"
    status = until(world.status)
    for pid in (status["pid"], status["watcher"]["pid"], *status["workers"]):
        found = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        assert sorted(filter(None, found)) == [b"LC_ALL=C.UTF-8", b"PATH=/usr/bin:/bin"]
        assert os.readlink(f"/proc/{pid}/cwd") == "/"
        assert {os.readlink(f"/proc/{pid}/fd/{number}") for number in range(3)} == {"/dev/null"}
        assert os.getsid(pid) != os.getsid(0)
    assert oct(os.lstat(world.address).st_mode) == "0o140600"
    assert oct(os.lstat(Path(world.address).parent).st_mode) == "0o40700"
    assert verdict(world.said(rm(world))) == "deny"
    assert world.rested()["calls"] == {"answered": 1}


def test_many_at_once_start_one(world: World) -> None:
    world.hooked(rm(world))  # compiles once, so that thirty processes need not
    clients = [world.client(rm(world)) for _ in range(30)]
    for client in clients:
        out, error = client.communicate(timeout=120)
        assert verdict((out, error, client.returncode)) == "deny"
    status = until(world.status)
    mine = {status["pid"], status["watcher"]["pid"], *status["workers"]}
    assert until(lambda: set(world.services()) <= mine)


def test_it_ends_when_nobody_asks(world: World) -> None:
    pid = world.serve("look=0.1, idle=0.5")
    assert verdict(world.said(rm(world))) == "deny"
    until(lambda: not alive(pid))
    assert not os.path.exists(world.address)


def test_it_ends_when_told_to(world: World) -> None:
    pid = world.serve()
    workers = world.rested()["workers"]
    os.kill(pid, signal.SIGTERM)
    until(lambda: not any(map(alive, (pid, *workers))))
    assert not os.path.exists(world.address)


def test_it_ends_when_its_socket_is_gone(world: World) -> None:
    pid = world.serve("look=0.1")
    os.unlink(world.address)
    assert verdict(world.said(rm(world))) == "deny"
    until(lambda: not alive(pid))


def test_it_ends_when_its_program_is_another_one(world: World) -> None:
    source = world.base / "source"
    shutil.copytree(Path(SOURCE) / "ostiary", source / "ostiary", ignore=shutil.ignore_patterns("__pycache__"))
    code = "import sys; sys.path.insert(0, sys.argv[1]); from ostiary.service.address import address; "
    code += "from ostiary.sources.places import find_places; print(address(find_places(sys.argv[2]), sys.argv[2]))"
    command = [sys.executable, "-I", "-c", code, str(source), str(world.config)]
    world.address = subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()
    pid = world.serve("look=0.1", source=str(source))
    (source / "ostiary/cold.py").write_text("")
    until(lambda: not alive(pid))


def test_another_version_is_left_alone_and_the_old_service_ends(world: World) -> None:
    pid = world.serve()
    with world.connected() as connection:
        connection.sendall(world.request(rm(world), "0.0.0"))
        assert [frame.kind for frame in frames(connection)] == [COLD]
    until(lambda: not alive(pid))


def test_versions_are_the_same() -> None:
    assert f'\nVERSION = "{__version__}"\n' in Path(python()[-1]).read_text()


# Faults


def crash(world: World, pid: int, worker: int) -> None:
    os.kill(worker, signal.SIGSEGV)
    os.kill(worker, signal.SIGCONT)


FAULTS: dict[str, tuple[str, Callable[[World, int, int], None]]] = {
    # what happens while a worker that does not go on has a call, and what the call comes to
    "the service is killed": ("cold", lambda world, pid, worker: os.kill(pid, signal.SIGKILL)),
    "the service stops": ("cold", lambda world, pid, worker: os.kill(pid, signal.SIGSTOP)),
    "the worker crashes": ("a process of Ostiary ended early", crash),
    "the worker is killed": (
        "a process of Ostiary ended early",
        lambda _, pid, worker: os.kill(worker, signal.SIGKILL),
    ),
    "the worker hangs": ("Ostiary took longer than 3 seconds", lambda world, pid, worker: None),
    "the policy is broken": (
        "Ostiary took longer than 3 seconds",
        lambda world, pid, worker: plant(world.base, {"config/policy.yaml": "rulez: 1\n"}),
    ),
}


@each_client
@pytest.mark.parametrize("fault", FAULTS)
def test_every_call_is_answered(fault: str, world: World) -> None:
    expected, happens = FAULTS[fault]
    pid = world.serve(limits="start=3.0")
    assert verdict(world.said(rm(world))) == "deny"
    worker = world.worker()
    os.kill(worker, signal.SIGSTOP)
    client = world.client(bash("ls x", str(world.project)))
    until(lambda: world.status()["busy"])  # type: ignore[index]
    happens(world, pid, worker)
    out, error = client.communicate(timeout=60)
    said = (out, error, client.returncode)
    if expected == "cold":
        assert verdict(said) == "allow"
    else:
        assert said == world.hooked(b"", "PreToolUse", f"--failed={expected}")
        assert verdict(said) == "deny"
        assert verdict(world.said(rm(world))) == "deny"
        assert not alive(worker)


def test_a_call_that_hangs_delays_no_other_and_shows_signs_of_life(world: World) -> None:
    world.serve("alive=0.1")
    worker = world.worker()
    os.kill(worker, signal.SIGSTOP)
    with world.connected() as connection:
        connection.sendall(world.request(rm(world)))
        found = frames(connection)
        assert [next(found).kind for _ in range(3)] == [ALIVE] * 3
        assert verdict(world.said(rm(world))) == "deny"
        os.kill(worker, signal.SIGCONT)
        assert next(frame.kind for frame in found if frame.kind != ALIVE) == ANSWER


def test_a_call_waits_for_no_worker_for_long(world: World) -> None:
    world.serve(limits="workers=1, wait=0.1")
    worker = world.worker()
    os.kill(worker, signal.SIGSTOP)
    with world.connected() as connection:
        connection.sendall(world.request(rm(world)))
        until(lambda: world.status()["busy"])  # type: ignore[index]
        assert verdict(world.said(rm(world))) == "deny"
        assert world.status()["calls"] == {"left": 1}  # type: ignore[index]


def test_an_answer_that_is_too_long_is_left_to_the_cold_path() -> None:
    request = Request(__version__, AGENT, "", "", b"")
    tell = Tell(lambda *_: None, lambda _: None)
    found = [
        worked(request, lambda _request, _tell, size=size: Frame(ANSWER, b"x" * size), tell).kind
        for size in (FRAME, FRAME + 1)
    ]
    assert found == [ANSWER, COLD]


def test_connections_that_say_nothing_give_way(world: World) -> None:
    pid = world.serve("receive=60.0")
    most = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = min(10_000, most[1] - 100)
    resource.setrlimit(resource.RLIMIT_NOFILE, (count + 100, most[1]))
    try:
        connections = [socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) for _ in range(count)]
        for connection in connections:
            connection.connect(world.address)
        assert verdict(world.said(rm(world))) == "deny"
        assert world.rested()["calls"] == {"refused": count - 255, "answered": 1}
        assert len(os.listdir(f"/proc/{pid}/fd")) < 300
        with connections[0]:
            assert list(frames(connections[0])) == []
        for connection in connections:
            connection.close()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, most)


def test_a_worker_whose_client_went_away_ends(world: World) -> None:
    world.serve("alive=0.1")
    worker = world.worker()
    os.kill(worker, signal.SIGSTOP)
    with world.connected() as connection:
        connection.sendall(world.request(rm(world)))
        assert next(frames(connection)).kind == ALIVE
    until(lambda: not alive(worker))


@each_client
def test_a_client_keeps_its_own_deadline(world: World) -> None:
    world.serve()
    worker = world.worker()
    os.kill(worker, signal.SIGSTOP)
    said = world.said(rm(world), milliseconds=1500)
    assert verdict(said) == "deny"
    assert b"the service took longer than 1.5 seconds" in said[0]


# Others on our path


def silent(connection: socket.socket) -> None:
    connection.recv(1 << 20)
    connection.recv(1)  # until the client goes away


def saying(data: bytes, pieces: int = 1 << 20) -> Callable[[socket.socket], None]:
    def say(connection: socket.socket) -> None:
        connection.recv(1 << 20)
        for start in range(0, len(data), pieces):
            connection.sendall(data[start : start + pieces])

    return say


WHOLE = answer(0, '{"a": 1}', "")
OTHERS: dict[str, tuple[Callable[[socket.socket], None], bytes | None]] = {
    "it ends at once": (lambda connection: None, None),
    "it says nothing": (silent, None),
    "it is no service": (saying(b"HTTP/1.1 200 OK\r\n\r\n{}"), None),
    "an unknown frame": (saying(b"X\0\0\0\0"), None),
    "a frame that is too long": (saying(b"A\xff\xff\xff\xff"), None),
    "an answer that ends early": (saying(WHOLE.pack()[:-1]), None),
    "an answer with a wrong length": (saying(b"A\0\0\0\5\0\0\0\0\7"), None),
    "an answer that is too short": (saying(b"A\0\0\0\1\0"), None),
    "the cold path": (saying(b"C\0\0\0\0"), None),
    "arguments that end early": (saying(b"F\0\0\0\6\0\0\0\5ab"), None),
    "an answer in pieces": (saying(b"H\0\0\0\0" * 3 + WHOLE.pack(), 1), b'{"a": 1}'),
}


@each_client
@pytest.mark.parametrize("other", OTHERS)
def test_others_on_our_path_are_not_believed(other: str, world: World) -> None:
    talk, expected = OTHERS[other]
    cold = world.hooked(rm(world))[0]
    os.makedirs(os.path.dirname(world.address), 0o700)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(world.address)
        listening.listen()

        def serve() -> None:
            with listening.accept()[0] as connection:
                talk(connection)

        thread = Thread(target=serve)
        thread.start()
        assert world.said(rm(world)) == (cold if expected is None else expected, b"", 0)
        thread.join()
    if expected is None:
        assert until(world.status)["version"] == __version__  # the cold path put ours in its place


@each_client
@pytest.mark.parametrize("kind", ["another user's folder", "a folder that others may enter", "a link", "a file"])
def test_a_folder_that_is_not_ours_alone_is_not_believed(kind: str, world: World) -> None:
    folder = Path(world.address).parent
    cold = world.hooked(rm(world))
    folder.parent.mkdir(0o700, exist_ok=True)
    elsewhere = world.base / "elsewhere"
    elsewhere.mkdir(0o700)
    if kind == "a link":
        folder.symlink_to(elsewhere)
    elif kind == "a file":
        folder.write_text("")
    else:
        folder.mkdir(0o700)
        if kind == "a folder that others may enter":
            folder.chmod(0o755)
        elif os.geteuid():
            pytest.skip("only root can give a folder away")
        else:
            os.chown(folder, 65534, 65534)
    if kind != "a file":
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listening.bind(world.address)
        listening.listen()
        listening.settimeout(0)
        assert world.said(rm(world)) == cold
        with pytest.raises(BlockingIOError):
            listening.accept()
        listening.close()
    assert world.said(rm(world)) == cold


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_is_not_answered(world: World) -> None:
    world.serve()
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        try:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            for path in [Path(world.address), *Path(world.address).parents]:  # as if all of them were open
                if os.lstat(path).st_uid == 0 and str(path).startswith(str(world.base)):
                    os.chmod(path, 0o777)
            for path in world.base.parents[:2]:
                os.chmod(path, 0o755)
            os.setuid(65534)
            connection.connect(world.address)
            connection.sendall(world.request(rm(world)))
            theirs.sendall(b"<" + connection.recv(1 << 16) + b">")
        except OSError as error:
            theirs.sendall(f"<{type(error).__name__}>".encode())
        finally:
            os._exit(0)
    theirs.close()
    with ours:
        assert ours.recv(1 << 16) in (b"<>", b"<ConnectionResetError>", b"<BrokenPipeError>")
    os.waitpid(child, 0)
    assert world.rested()["calls"] == {"refused": 1}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@each_client
def test_another_users_service_is_not_believed(world: World) -> None:
    cold = world.hooked(rm(world))
    os.makedirs(os.path.dirname(world.address), 0o700)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listening.bind(world.address)
    ready, tell = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setuid(65534)
            listening.listen()
            os.write(tell, b"x")
            connection = listening.accept()[0]
            connection.sendall(answer(0, "{}", "").pack())
            connection.recv(1)
        finally:
            os._exit(0)
    os.read(ready, 1)
    listening.close()
    assert world.said(rm(world)) == cold
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


# Who speaks to the service


REQUESTS: dict[str, bytes] = {
    "another magic": b"OST0" + b"\0" * 20,
    "a version that is too long": b"OST1\0\0\1\0",
    "a payload that is too long": b"OST1" + b"\0\0\0\0" * 4 + b"\1\0\0\1",
    "a word that is unknown": b"OST1" + b"\0\0\0\0" * 2 + b"\0\0\0\3die" + b"\0\0\0\0" * 2,
    "an end before the end": b"OST1\0\0\0\5",
}


@pytest.mark.parametrize("request_", REQUESTS)
def test_what_is_no_request_is_not_answered(request_: str, world: World) -> None:
    world.serve("receive=1.0")
    with world.connected() as connection:
        connection.sendall(REQUESTS[request_])
        assert list(frames(connection)) == []
    assert verdict(world.said(rm(world))) == "deny"


def test_a_request_in_pieces(world: World) -> None:
    world.serve()
    with world.connected() as connection:
        for byte in world.request(rm(world)):
            connection.sendall(bytes([byte]))
        with connection.makefile("rb") as file:
            frame = read(framing(), file)
    assert (frame.kind, b'"deny"' in frame.body) == (ANSWER, True)


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare")
def test_who_lives_in_a_sandbox_is_left_to_itself(world: World) -> None:
    world.serve()
    code = "import socket,sys; c=socket.socket(socket.AF_UNIX); c.connect(sys.argv[1]); "
    code += "c.sendall(sys.stdin.buffer.read()); print(c.recv(1))"
    command = ["unshare", "--net", sys.executable, "-c", code, world.address]
    done = subprocess.run(command, input=world.request(rm(world)), capture_output=True, timeout=30, check=False)
    if done.returncode:
        pytest.skip("there are no namespaces to be had here")
    assert done.stdout == b"b'C'\n"


# Clients where something is wrong


@each_client
@pytest.mark.parametrize("closed", ["the other end", "this end", "this end, and standard input"])
def test_a_client_whose_output_is_closed_closes_the_gate(closed: str, world: World) -> None:
    world.serve()
    reading, writing = os.pipe()
    os.close(reading)
    if closed == "the other end":
        client = world.client(rm(world), stdout=writing)
        client.communicate(timeout=60)
        status = client.returncode
    else:
        less = "<&- >&-" if "input" in closed else ">&-"
        line = shlex.join([*world.program, world.address, "20000", "--", *world.cold()])
        status = subprocess.run(
            ["sh", "-c", f"{line} {less}"], input=raw(rm(world)), timeout=60, check=False
        ).returncode
    os.close(writing)
    assert status == 2


@each_client
@pytest.mark.parametrize(("event", "status"), [("PreToolUse", 2), ("SubagentStop", 0)])
def test_a_client_without_a_cold_command_closes_the_gate(event: str, status: int, world: World) -> None:
    command = [*world.program, world.address, "1000", "--", "/nowhere/python", "--event", event]
    done = subprocess.run(command, input=b"{}", capture_output=True, timeout=30, check=False)
    assert (done.returncode, done.stdout) == (status, b"")
    assert done.stderr == b"Ostiary cannot be run: /nowhere/python\n"


@each_client
def test_a_client_that_is_sent_much_passes_it_on(world: World) -> None:
    out = world.base / "out"
    code = f"import sys; open({str(out)!r}, 'wb').write(sys.stdin.buffer.read())"
    payload = b"x" * (10 << 20)
    command = [*world.program, world.address, "9000", "--", sys.executable, "-c", code]
    subprocess.run(command, input=payload, timeout=60, check=True)
    assert out.read_bytes() == payload


# What people type


def test_people_end_it_and_start_it_anew(world: World) -> None:
    def typed(*words: str) -> tuple[int, str]:
        command = [*PROGRAM, *words, "--config-dir", str(world.config)]
        done = subprocess.run(command, capture_output=True, timeout=60, check=False, start_new_session=True)
        return done.returncode, (done.stdout + done.stderr).decode()

    if "refused" in typed("restart")[1]:
        pytest.skip("an agent started these tests")
    pid = world.status()["pid"]  # type: ignore[index]
    assert verdict(world.said(rm(world))) == "deny"
    report = json.loads(typed("status", "--json")[1])
    assert (report["service"]["pid"], report["service"]["calls"]) == (pid, {"answered": 1})
    (reload,) = report["service"]["reloads"]
    assert f"reloads\n{reload['read'][:19].replace('T', ' ')}" in typed("status")[1]
    assert f"service     process {pid}, for 0 min; calls: 1 answered; p50" in typed("status")[1]
    status, said = typed("restart")
    until(lambda: not alive(pid))
    fresh = world.status()["pid"]  # type: ignore[index]
    assert (status, said) == (0, f"started, process {fresh}\n")
    assert typed("stop") == (0, f"ended, process {fresh}\n")
    assert typed("stop") == (0, "no service runs\n")
    assert "service     none runs" in typed("status")[1]


WRONG = ["--config-dir", "--config-dir=", "--port 1", "--config-dir /nowhere/x", "--config-dir ", "--socket /nowhere/x"]


@pytest.mark.parametrize("words", WRONG)
def test_a_service_that_cannot_be_says_why(words: str) -> None:
    done = subprocess.run([*PROGRAM, "serve", *words.split(" ")], capture_output=True, timeout=60, check=False)
    assert done.returncode in (1, 2)
    assert done.stderr.startswith(b"ostiary: ")
    assert done.stderr.count(b"\n") == 1


def test_a_call_that_failed_is_answered_as_the_event_that_it_was(world: World) -> None:
    reason = "a process of Ostiary ended early"
    said = world.hooked(b"", "PreToolUse", f"--failed={reason}", "--of=vscode:PreToolUse")
    wanted = unreadable(DIALECTS["vscode"], "PreToolUse", reason)
    assert said == (wanted.stdout.encode(), wanted.stderr.encode(), wanted.status)
