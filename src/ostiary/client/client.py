"""A client of the service that needs nothing but Python.

    python -I -S client.py SOCKET MILLISECONDS -- COLD COMMAND

It hands a call to the service that listens at SOCKET and passes its answer on. Whatever is wrong with that, the cold
command takes the call: it is run in the place of this process, with what this one was sent. After so many milliseconds
it is told that the call failed instead, so that what is said then has one source (`docs/service.md`).

Nothing of the package is imported, and no module that is not built in: starting Python is nearly all that a hook costs.
"""

from __future__ import annotations

import _socket
import posix
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn

assert sys.platform != "win32"  # where there is no service

VERSION = "0.1.0"
MAGIC = b"OST1"
PAYLOAD = 16 << 20
FRAME = 4 << 20
SILENCE = 2.0  # seconds after which a service that says nothing hangs
CONNECT = 1.0
PIPE = 16384  # bytes that every system takes into a pipe before anybody reads
BLOCKED = 2

began = time.monotonic()


class Cold(Exception):
    """The cold command has to take the call, with these further arguments."""


def main(arguments: list[str]) -> NoReturn:
    """Answers one call and ends the process."""
    address, milliseconds, _, *command = arguments
    until = began + int(milliseconds) / 1000
    payload = b""
    try:
        occupy()
        payload = received()
        said = asked(address, named(command, "--agent"), named(command, "--event"), payload, until)
    except Cold as cold:
        run(command, payload, cold.args)
    except BaseException:
        run(command, payload, ())
    say(*said)


def named(command: list[str], option: str) -> str:
    """The value of an option in the cold command, empty if it has none."""
    return command[command.index(option) + 1] if option in command else ""


def occupy() -> None:
    """Keeps the places of standard streams that are closed: no connection is to be one."""
    while (descriptor := posix.open("/dev/null", posix.O_RDONLY)) < 3:
        pass
    posix.close(descriptor)


def received() -> bytes:
    """Standard input, up to one byte more than a payload may have."""
    if posix.isatty(0):
        return b""
    chunks, left = [], PAYLOAD + 1
    while left > 0:
        chunk = posix.read(0, min(left, 1 << 20))
        if not chunk:
            break
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)


def asked(address: str, agent: str, event: str, payload: bytes, until: float) -> tuple[int, bytes, bytes]:
    """Exit code, standard output and standard error, as the service answers. Raises anything else."""
    if len(payload) > PAYLOAD or not private(posix.lstat(address.rpartition("/")[0])):
        raise Cold
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.settimeout(min(CONNECT, left(until)))
    connection.connect(address)
    if peer(connection) != posix.geteuid():
        raise Cold
    connection.settimeout(min(SILENCE, left(until)))
    fields = (VERSION.encode(), agent.encode(*PLAIN), event.encode(*PLAIN), start(), payload)
    connection.sendall(MAGIC + b"".join(map(sized, fields)))
    while True:
        kind, body = frame(connection, until)
        if kind == b"A":
            return answer(body)
        if kind == b"F":
            raise Cold(*texts(body))
        if kind != b"H":
            raise Cold


PLAIN = ("utf-8", "surrogateescape")


def private(status: posix.stat_result) -> bool:
    """Whether a folder is one, and this user's alone."""
    return status.st_mode & 0o170077 == 0o040000 and status.st_uid == posix.geteuid()


def peer(connection: _socket.socket) -> int | None:
    """The user of the process at the other end, None where the system does not tell (ucred, xucred)."""
    if sys.platform == "linux":
        found = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
    elif sys.platform == "darwin":
        found = connection.getsockopt(0, 1, 76)
    else:
        return None
    return int.from_bytes(found[4:8], sys.byteorder)


def start() -> bytes:
    """The folder that this was started in, empty if it is gone."""
    try:
        return posix.getcwdb()
    except OSError:
        return b""


def sized(data: bytes) -> bytes:
    """Bytes behind their length."""
    return len(data).to_bytes(4, "big") + data


def left(until: float) -> float:
    """Seconds that are left. Raises `Cold`, with what failed, if there are none."""
    seconds = until - time.monotonic()
    if seconds <= 0:
        raise Cold(f"--failed=the service took longer than {until - began:g} seconds")
    return seconds


def frame(connection: _socket.socket, until: float) -> tuple[bytes, bytes]:
    """The kind and the body of the next frame, whole."""
    silent = time.monotonic() + SILENCE
    head = exactly(connection, 5, silent, until)
    size = int.from_bytes(head[1:], "big")
    if size > FRAME:
        raise Cold
    return head[:1], exactly(connection, size, silent, until)


def exactly(connection: _socket.socket, size: int, silent: float, until: float) -> bytes:
    """So many bytes."""
    data = b""
    while len(data) < size:
        seconds = min(silent - time.monotonic(), left(until))
        if seconds <= 0:
            raise Cold
        connection.settimeout(seconds)
        try:
            chunk = connection.recv(size - len(data))
        except TimeoutError:
            continue
        if not chunk:
            raise Cold
        data += chunk
    return data


def answer(body: bytes) -> tuple[int, bytes, bytes]:
    """Exit code, standard output and standard error in a body."""
    end = 5 + int.from_bytes(body[1:5], "big")
    if len(body) < max(end, 5):
        raise Cold
    return body[0], body[5:end], body[end:]


def texts(body: bytes) -> Iterator[str]:
    """The texts in a body, each behind its length."""
    while body:
        end = 4 + int.from_bytes(body[:4], "big")
        if len(body) < end:
            raise Cold
        yield body[4:end].decode(*PLAIN)
        body = body[end:]


def say(status: int, stdout: bytes, stderr: bytes) -> NoReturn:
    """Writes an answer and ends the process. One that cannot be written closes the gate by the exit code."""
    for descriptor, data in ((1, stdout), (2, stderr)):
        try:
            write(descriptor, data)
        except OSError:
            status = status or (BLOCKED if descriptor == 1 else 0)
    posix._exit(status)


def write(descriptor: int, data: bytes) -> None:
    """Writes all of it."""
    if data:
        posix.set_blocking(descriptor, True)
    while data:
        data = data[posix.write(descriptor, data) :]


def run(command: list[str], payload: bytes, more: tuple[str, ...]) -> NoReturn:
    """Becomes the cold command, which is sent the payload."""
    try:
        feed(payload)
        posix.execv(command[0], [*command, f"--spent={time.monotonic() - began:.3f}", *more])
    except BaseException:
        ends = named(command, "--event").lower().endswith(("stop", "afteragent"))
        say(0 if ends else BLOCKED, b"", f"Ostiary cannot be run: {command[0]}\n".encode(*PLAIN))


def feed(payload: bytes) -> None:
    """Puts the payload on standard input, for which it may take a process of its own."""
    source, target = posix.pipe()
    if len(payload) > PIPE and posix.fork() == 0:
        try:
            for descriptor in (0, 1, 2, source):
                posix.close(descriptor)
            write(target, payload)
        finally:
            posix._exit(0)
    if len(payload) <= PIPE:
        write(target, payload)
    posix.dup2(source, 0)
    posix.close(source)
    posix.close(target)


if __name__ == "__main__":
    main(sys.argv[1:])
