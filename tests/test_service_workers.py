"""The workers of the service, with work of the tests' own: what becomes of a call whatever its worker does."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from ostiary.service.protocol import ANSWER, FAILED
from processes import SOURCE

if sys.platform == "win32":
    pytest.skip("there is no service", allow_module_level=True)

_CODE = f"""
import asyncio, os, signal, sys, time
sys.path.insert(0, {SOURCE!r})
from ostiary.service.protocol import Request, answer
from ostiary.service.workers import Limits, Pool

def work(request, tell):
    exec(request.payload.decode())
    return answer(0, str(os.getpid()), "")

async def main():
    pool = Pool(work, Limits(start=1.0, most=30.0, calls=2, memory=1 << 30), print)
    for code in sys.argv[1:]:
        frame = await pool.answer(Request("", "agent", "event", "", code.encode()))
        print(repr((frame.kind, frame.body)))
    pool.close()
    print(len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0)

asyncio.run(main())
"""


def answers(*calls: str) -> list[tuple[bytes, bytes]]:
    """What comes of calls, one after the other, that are code."""
    command = [sys.executable, "-I", "-c", _CODE, *calls]
    done = subprocess.run(command, capture_output=True, timeout=60, check=True, text=True)
    *frames, _ = map(ast.literal_eval, done.stdout.splitlines())
    return frames


def told(*arguments: str) -> bytes:
    return b"".join(len(text).to_bytes(4, "big") + text for text in map(str.encode, arguments))


ENDED = "--failed=a process of Ostiary ended early"
ROWS: dict[str, tuple[str, tuple[str, ...]]] = {
    "it raises": ("raise ValueError('secret')", ("--failed=Ostiary failed: ValueError",)),
    "it crashes": ("os.kill(os.getpid(), signal.SIGSEGV)", (ENDED,)),
    "it exits": ("sys.exit(0)", ("--failed=Ostiary failed: SystemExit",)),
    "it exits at once": ("os._exit(0)", (ENDED,)),
    "it takes all memory": ("bytearray(1 << 31)", ("--failed=Ostiary failed: MemoryError",)),
    "it is late": ("time.sleep(60)", ("--failed=Ostiary took longer than 1 seconds",)),
    "it crashes once it told": (
        "tell.about('vscode', 'PreToolUse', 9.0); os.kill(os.getpid(), signal.SIGSEGV)",
        (ENDED, "--of=vscode:PreToolUse"),
    ),
    "it is late for what it told": (
        "tell.about('vscode', None, 0.2); time.sleep(60)",
        ("--failed=Ostiary took longer than 0.2 seconds", "--of=vscode:"),
    ),
    "it ignores being ended": (
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)",
        ("--failed=Ostiary took longer than 1 seconds",),
    ),
}


@pytest.mark.parametrize("row", ROWS)
def test_a_call_that_comes_to_nothing_fails_and_the_next_one_does_not(row: str) -> None:
    code, arguments = ROWS[row]
    failed, after = answers(code, "")
    assert failed == (FAILED, told(*arguments))
    assert after[0] == ANSWER


def test_a_worker_answers_several_calls_and_is_replaced() -> None:
    first, second, third = answers("", "", "")
    assert first == second != third


def test_a_call_may_take_longer_than_one_that_tells_nothing() -> None:
    assert answers("tell.about('vscode', 'PreToolUse', 9.0); time.sleep(1.5)")[0][0] == ANSWER
