"""Python functions as handlers, an embedder's own and those in files."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from handling import request, say
from ostiary.decision import Decision, Verdict
from ostiary.event import Event

LATE = Decision(failure="it took too long")


def call(function: Any, **said: Any) -> Decision:
    runtime = {name: said.pop(name) for name in ("deadline", "cancel", "loop") if name in said}
    return say(request("function", name="f", **said), functions={"f": function}, **runtime)


def raising(error: BaseException) -> Any:
    def handler(event: Event) -> None:
        raise error

    return handler


def test_what_a_function_returns_is_what_it_says() -> None:
    own = Decision(verdict=Verdict.ASK, reason="r")
    assert call(lambda event: None) == Decision()
    assert call(lambda event: own) == own
    assert call(lambda event: {"decision": "block", "reason": event.input["command"]}).reason == "ls"
    assert call(lambda event: {"continue": False}, contract="claude") == Decision(halt=True)
    assert call(lambda event: "no").failure == "it returned str, which is neither a decision nor a mapping nor None"


@pytest.mark.parametrize("contract", ["afk", "claude"])
def test_a_function_that_raises_blocks(contract: str) -> None:
    for error, reason in (
        (ValueError("bad"), "bad"),
        (KeyError(), "the handler gave no reason: KeyError"),
        (SystemExit("gone"), "gone"),
        (RecursionError("deep"), "deep"),
        (TimeoutError("its own"), "its own"),
    ):
        assert call(raising(error), contract=contract) == Decision(verdict=Verdict.DENY, reason=reason)


def test_an_interrupt_is_no_answer() -> None:
    with pytest.raises(KeyboardInterrupt):
        call(raising(KeyboardInterrupt()))


def test_a_function_that_is_gone_is_a_failure() -> None:
    assert say(request("function", name="f")) == Decision(failure="it is not registered any more")


def test_a_late_answer_counts_only_where_it_stops_the_call() -> None:
    def late(answer: Any) -> Any:
        def handler(event: Event, *, cancel: Any) -> Any:
            while not cancel.cancelled:
                time.sleep(0.001)
            return answer

        return handler

    assert call(late({"decision": "allow"}), timeout=0.05) == LATE
    assert call(late(None), timeout=0.05) == LATE
    assert call(late({"decision": "deny", "reason": "r"}), timeout=0.05) == Decision(verdict=Verdict.DENY, reason="r")
    assert call(late({"continue": False}), timeout=0.05, contract="claude") == Decision(halt=True)


def test_a_cancellation_goes_before_what_a_function_says() -> None:
    class Flag:
        cancelled = False

    flag = Flag()

    def handler(event: Event) -> Any:
        flag.cancelled = True
        return {"decision": "block"}

    assert call(handler, cancel=flag) == Decision(failure="it was cancelled")


def test_asynchronous_functions() -> None:
    async def answer(event: Event) -> Any:
        await asyncio.sleep(0)
        return {"decision": "ask"}

    async def hang(event: Event) -> Any:
        await asyncio.sleep(1000)

    async def fail(event: Event) -> Any:
        raise TimeoutError("its own")

    assert call(answer) == Decision(verdict=Verdict.ASK)
    assert call(hang, timeout=0.05) == LATE
    assert call(fail) == Decision(verdict=Verdict.DENY, reason="its own")


def test_asynchronous_functions_run_in_the_loop_of_their_owner() -> None:
    loops: list[asyncio.AbstractEventLoop] = []

    async def answer(event: Event) -> Any:
        loops.append(asyncio.get_running_loop())
        return {"decision": "ask"}

    async def hang(event: Event) -> Any:
        await asyncio.sleep(1000)

    async def main() -> tuple[Decision, Decision]:
        loop = asyncio.get_running_loop()
        said = await asyncio.to_thread(call, answer, loop=loop)
        late = await asyncio.to_thread(call, hang, loop=loop, timeout=0.05)
        assert loops == [loop]
        return said, late

    assert asyncio.run(main()) == (Decision(verdict=Verdict.ASK), LATE)


def test_an_asynchronous_function_inside_of_a_loop_that_waits_has_a_loop_of_its_own() -> None:
    async def answer(event: Event) -> Any:
        await asyncio.sleep(0)
        return {"decision": "ask"}

    async def main() -> tuple[Decision, Decision]:
        return call(answer), call(answer, loop=asyncio.get_running_loop())

    assert asyncio.run(main()) == (Decision(verdict=Verdict.ASK),) * 2


def load(folder: Path | str, named: str = "checks:judge", **said: Any) -> Decision:
    return say(request("python", folder, python=named, **said))


def test_a_function_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "checks.py").write_text(
        "from dataclasses import dataclass\n"
        "@dataclass\nclass Found:\n    word: str\n"
        "def judge(event):\n    return {'decision': 'block', 'reason': Found(event.tool).word}\n"
    )
    assert load(tmp_path) == Decision(verdict=Verdict.DENY, reason="bash")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "er.py").write_text("def judge(event): return {'decision': 'ask'}")
    assert load(tmp_path, "deep.er:judge") == Decision(verdict=Verdict.ASK)


def test_a_file_that_changed_is_read_again_and_one_that_did_not_is_not(tmp_path: Path) -> None:
    file = tmp_path / "checks.py"
    file.write_text("count = [0]\ndef judge(event):\n    count[0] += 1\n    return {'systemMessage': str(count[0])}")
    assert [load(tmp_path).message for _ in range(3)] == ["1", "2", "3"]
    file.write_text("def judge(event): return {'systemMessage': 'new'}")
    assert load(tmp_path).message == "new"


def test_only_the_file_beside_the_rules_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "checks.py").write_text("def judge(event): raise SystemExit('loaded')")
    monkeypatch.syspath_prepend(str(tmp_path / "elsewhere"))
    monkeypatch.chdir(tmp_path / "elsewhere")
    missing = f"`{tmp_path}/checks.py` cannot be read: No such file or directory"
    assert load(tmp_path) == Decision(failure=missing)
    assert load(tmp_path, "json:loads") == Decision(failure=missing.replace("checks", "json"))


@pytest.mark.parametrize(
    ("source", "failure"),
    [
        ("x = 1", "`{file}` has no function `judge`"),
        ("judge = 1", "`{file}` has no function `judge`"),
        ("1 +", "`{file}` cannot be loaded: SyntaxError: invalid syntax (checks.py, line 1)"),
        ("raise OSError('broken')", "`{file}` cannot be loaded: OSError: broken"),
        ("raise SystemExit", "`{file}` cannot be loaded: SystemExit: "),
    ],
)
def test_a_file_that_cannot_be_used_is_a_failure(tmp_path: Path, source: str, failure: str) -> None:
    (tmp_path / "checks.py").write_text(source)
    before = set(sys.modules)
    assert load(tmp_path) == Decision(failure=failure.format(file=tmp_path / "checks.py"))
    assert not {name for name in set(sys.modules) - before if name.startswith("ostiary_handler")} or "judge" in failure


@pytest.mark.parametrize("tier", ["project", "plugin"])
def test_neither_projects_nor_plugins_load_code(tmp_path: Path, tier: str) -> None:
    (tmp_path / "checks.py").write_text("raise SystemExit('loaded')")
    assert load(tmp_path, tier=tier) == Decision(failure="only the user's and managed rule files load Python")
    assert load("", tier="user").failure == "only the user's and managed rule files load Python"


def test_a_file_is_loaded_once_whoever_asks(tmp_path: Path) -> None:
    (tmp_path / "checks.py").write_text(
        "import threading\nwho = threading.get_ident()\ndef judge(event): return {'systemMessage': str(who)}"
    )
    said: list[str | None] = []
    threads = [threading.Thread(target=lambda: said.append(load(tmp_path).message)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(said) == 8
    assert len(set(said)) == 1
