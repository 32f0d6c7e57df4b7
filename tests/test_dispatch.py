"""A harness that embeds the engine: its handlers, and what it is told to do about its events."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ostiary import Decision, Engine, Event, Verdict
from ostiary.effects import Delivery, Effective
from ostiary.engine import Cancelled, Dispatched
from ostiary.perform.runtime import Finished
from trees import plant

CALL = Event.from_call("bash", {"command": "ls"}, cwd="/work", agent="harness", session="s")
STOP = Event(name="Stop", agent="harness", session="s")
PROMPT = Event(name="UserPromptSubmit", agent="harness", session="s", prompt="go on")


@pytest.fixture
def base(tmp_path: Path) -> Path:
    plant(tmp_path.resolve(), {"config": None, "managed": None, "repo/.git/HEAD": "ref: refs/heads/main\n"})
    return tmp_path.resolve()


def engine_of(base: Path, **options: Any) -> Engine:
    return Engine.load(base / "config", base / "repo", managed=base / "managed", **options)


def denies(event: Event) -> Decision:
    return Decision(verdict=Verdict.DENY, reason="no")


def adispatched(engine: Engine, event: Event, **options: Any) -> Dispatched:
    return asyncio.run(engine.adispatch(event, **options))


Dispatch = Callable[..., Dispatched]


@pytest.fixture(params=["sync", "async"])
def dispatch(request: pytest.FixtureRequest) -> Dispatch:
    return Engine.dispatch if request.param == "sync" else adispatched


def test_handlers_run_in_order_until_one_blocks(base: Path, dispatch: Dispatch) -> None:
    ran: list[str] = []
    engine = engine_of(base)
    engine.on("PreToolUse", lambda event: ran.append("first"))
    engine.on("PreToolUse", lambda event: ran.append("other tool"), tool="Edit|Write")
    engine.on("PreToolUse", lambda event: (ran.append(event.tool), denies(event))[1], tool="Bash")
    engine.on("PreToolUse", lambda event: ran.append("last"))
    found = dispatch(engine, CALL)
    assert ran == ["first", "bash"]
    assert found.done.blocked
    assert found.done.deliveries == (Delivery("result", "no"),)
    assert found.outcome.verdict == Verdict.DENY


def test_under_claude_all_run(base: Path, dispatch: Dispatch) -> None:
    ran: list[str] = []
    engine = engine_of(base, contract="claude")
    engine.on("PreToolUse", denies)
    engine.on("PreToolUse", lambda event: ran.append("last"))
    assert dispatch(engine, CALL).done.blocked
    assert ran == ["last"]


def test_what_is_taken_out_does_not_run(base: Path, dispatch: Dispatch) -> None:
    engine = engine_of(base)
    registered = engine.on("PreToolUse", denies)
    registered.remove()
    registered.remove()
    assert not dispatch(engine, CALL).done.blocked


def test_what_is_registered_meanwhile_runs_next_time(base: Path, dispatch: Dispatch) -> None:
    engine = engine_of(base)
    registered = engine.on("PreToolUse", lambda event: engine.on("PreToolUse", denies, name="late") and None)
    assert not dispatch(engine, CALL).done.blocked
    registered.remove()
    assert dispatch(engine, CALL).done.blocked


def test_who_is_removed_meanwhile_still_runs(base: Path, dispatch: Dispatch) -> None:
    engine = engine_of(base)
    engine.on("PreToolUse", lambda event: registered.remove())
    registered = engine.on("PreToolUse", denies)
    assert dispatch(engine, CALL).done.blocked
    assert not dispatch(engine, CALL).done.blocked


def test_files_rules_stand_beside_them(base: Path, dispatch: Dispatch) -> None:
    plant(base, {"config/policy.yaml": 'version: 1\ndeny: ["Bash(ls*)"]\n'})
    ran: list[str] = []
    engine = engine_of(base)
    engine.on("PreToolUse", lambda event: ran.append("ran"))
    engine.on("PreToolUse", lambda event: Decision(verdict=Verdict.ALLOW))
    assert dispatch(engine, CALL).done.blocked
    assert ran == []  # a certain deny ends the walk
    engine.reload()
    assert dispatch(engine, CALL).done.blocked


def raising(event: Event) -> None:
    raise RuntimeError("it broke")


async def araising(event: Event) -> None:
    raise RuntimeError("it broke")


async def adenies(event: Event) -> Decision:
    await asyncio.sleep(0)
    return denies(event)


@pytest.mark.parametrize("handler", [raising, araising])
def test_one_that_raises_blocks(base: Path, dispatch: Dispatch, handler: Any) -> None:
    engine = engine_of(base)
    engine.on("PreToolUse", handler)
    found = dispatch(engine, CALL)
    assert found.done.blocked
    assert found.outcome.reason == "it broke"


@pytest.mark.parametrize("handler", [raising, araising, denies])
def test_what_is_said_at_the_end_of_a_subagent(base: Path, dispatch: Dispatch, handler: Any) -> None:
    event = Event(name="SubagentStop", agent="harness", session="s", subagent="a")
    engine = engine_of(base)
    engine.on("SubagentStop", handler)
    assert dispatch(engine, event).done == Effective()
    engine = engine_of(base, contract="claude")
    engine.on("SubagentStop", handler)
    reason = "no" if handler is denies else "it broke"
    assert dispatch(engine, event).done == Effective(blocked=True, deliveries=(Delivery("next turn", reason),))


def test_handlers_of_a_subagent_that_hang_share_their_time(base: Path) -> None:
    async def hangs(event: Event) -> None:
        await asyncio.sleep(60)

    engine = engine_of(base)
    for _ in range(3):
        engine.on("SubagentStop", hangs, timeout=0.01)
    found = adispatched(engine, Event(name="SubagentStop", agent="harness", session="s", subagent="a"))
    assert found.done == Effective()
    assert len(found.outcome.problems) == 3


def test_every_handler_sees_the_call_as_it_was_sent(base: Path, dispatch: Dispatch) -> None:
    saw: list[Any] = []

    def rewrites(event: Event) -> Decision:
        saw.append(event.input)
        return Decision(update_input={"command": f"ls {len(saw)}"})

    engine = engine_of(base)
    engine.on("PreToolUse", rewrites)
    engine.on("PreToolUse", rewrites)
    assert dispatch(engine, CALL).done.input == {"command": "ls 2"}
    assert saw == [{"command": "ls"}] * 2


def test_an_asynchronous_one(base: Path, dispatch: Dispatch) -> None:
    engine = engine_of(base)
    engine.on("PreToolUse", adenies)
    assert dispatch(engine, CALL).done.blocked


def test_one_in_the_loop_of_the_harness(base: Path) -> None:
    loops: list[Any] = []

    async def notes(event: Event) -> None:
        loops.append(asyncio.get_running_loop())

    async def harness() -> None:
        await engine.adispatch(CALL)
        loops.append(asyncio.get_running_loop())

    engine = engine_of(base)
    engine.on("PreToolUse", notes)
    asyncio.run(harness())
    assert loops[0] is loops[1]


def test_one_that_takes_too_long_has_failed(base: Path) -> None:
    async def sleeps(event: Event) -> None:
        await asyncio.sleep(60)

    engine = engine_of(base)
    engine.on("PreToolUse", sleeps, timeout=0.02)
    found = adispatched(engine, CALL)
    assert found.done.blocked
    assert found.outcome.help == "it took too long"
    assert found.outcome.problems == ("handler of `managed:host/sleeps-1`: it took too long",)


@pytest.mark.parametrize("timeout", [0, -1, float("inf")])
def test_one_that_waits_for_a_person_has_no_limit(base: Path, dispatch: Dispatch, timeout: float) -> None:
    async def slow(event: Event) -> Decision:
        await asyncio.sleep(0.05)
        return denies(event)

    engine = engine_of(base)
    engine.on("PreToolUse", slow, timeout=timeout)
    assert dispatch(engine, CALL).outcome.problems == ()


class Flag:
    """A cancellation that a handler sets off."""

    def __init__(self, cancelled: bool = False) -> None:
        self.cancelled = cancelled

    def set(self, event: Event) -> Decision:
        self.cancelled = True
        return denies(event)


def test_cancelled_before(base: Path, dispatch: Dispatch) -> None:
    engine = engine_of(base)
    with pytest.raises(Cancelled):
        dispatch(engine, CALL, cancel=Flag(cancelled=True))


def test_cancelled_at_the_end_of_a_subagent(base: Path, dispatch: Dispatch) -> None:
    ran: list[Event] = []
    engine = engine_of(base)
    engine.on("SubagentStop", ran.append)
    with pytest.raises(Cancelled):
        dispatch(engine, Event(name="SubagentStop", agent="harness"), cancel=Flag(cancelled=True))
    assert ran == []


def test_cancelled_by_a_handler_that_blocks(base: Path, dispatch: Dispatch) -> None:
    engine, flag, ran = engine_of(base), Flag(), []
    engine.on("PreToolUse", flag.set)
    engine.on("PreToolUse", ran.append)
    with pytest.raises(Cancelled):
        dispatch(engine, CALL, cancel=flag)
    assert ran == []


# The end of a turn


def turns(engine: Engine, count: int, between: Event | None = None) -> list[bool]:
    found = []
    for _ in range(count):
        found.append(engine.dispatch(STOP).done.blocked)
        if between:
            engine.dispatch(between)
    return found


@pytest.mark.parametrize(
    ("contract", "continuations", "want"),
    [
        ("afk", None, [True, True, False, True]),
        ("afk", 0, [False, False]),
        ("afk", 3, [True, True, True, False]),
        ("claude", None, [*[True] * 8, False]),
    ],
)
def test_an_agent_goes_on_so_often(base: Path, contract: Any, continuations: int | None, want: list[bool]) -> None:
    engine = engine_of(base, contract=contract, continuations=continuations)
    engine.on("Stop", denies)
    assert turns(engine, len(want)) == want


def test_a_tool_call_begins_the_count_anew_under_claude(base: Path) -> None:
    engine = engine_of(base, contract="claude", continuations=1)
    engine.on("Stop", denies)
    assert turns(engine, 3, between=CALL) == [True, True, True]
    assert turns(engine_stopping(base, "afk"), 3, between=CALL) == [True, False, True]


def engine_stopping(base: Path, contract: Any) -> Engine:
    engine = engine_of(base, contract=contract, continuations=1)
    engine.on("Stop", denies)
    return engine


def test_a_prompt_begins_a_turn(base: Path) -> None:
    assert turns(engine_stopping(base, "afk"), 3, between=PROMPT) == [True, True, True]


def test_handlers_are_told_that_the_agent_goes_on(base: Path) -> None:
    told: list[tuple[bool, int]] = []

    def notes(event: Event) -> Decision:
        told.append((event.data["stop_hook_active"], event.data["continuation"]))
        return denies(event)

    engine = engine_of(base)
    engine.on("Stop", notes)
    turns(engine, 4)
    assert told == [(False, 0), (True, 1), (True, 2), (False, 0)]


def test_sessions_are_counted_apart(base: Path) -> None:
    engine = engine_stopping(base, "afk")
    other = Event(name="Stop", agent="harness", session="t")
    assert [engine.dispatch(event).done.blocked for event in (STOP, other, STOP, other)] == [True, True, False, False]


# Handlers in the background


def test_nobody_starts_threads_unasked(base: Path) -> None:
    engine = engine_of(base)
    engine.on("PreToolUse", denies, background=True)
    before = threading.active_count()
    found = engine.dispatch(CALL)
    assert threading.active_count() == before
    assert "thread" in found.outcome.problems[0]


def test_what_comes_of_one_in_the_background(base: Path) -> None:
    done = threading.Event()
    told: list[Finished] = []

    def takes(result: Finished) -> None:
        told.append(result)
        done.set()

    engine = engine_of(base, threads=1, on_result=takes)
    engine.on("PreToolUse", denies, name="later", background=True, rewake=True)
    assert not engine.dispatch(CALL).done.blocked
    assert done.wait(30)
    assert told == [Finished("managed:host/later", "PreToolUse", "s", "no", True, "")]
    assert engine.results() == ()


def test_results_wait_to_be_asked_for(base: Path) -> None:
    engine, go = engine_of(base, threads=1), threading.Event()
    engine.on(
        "PreToolUse", lambda event: go.wait(30) and {"hookSpecificOutput": {"additionalContext": "c"}}, background=True
    )
    engine.dispatch(CALL)
    assert engine.results() == ()
    go.set()
    while not (found := engine.results()):
        pass
    assert [result.context for result in found] == ["c"]


# What is refused


@pytest.mark.parametrize(
    ("event", "options", "message"),
    [
        ("PreTool", {}, "unknown event `PreTool`; did you mean `PreToolUse`?"),
        ("PreToolUse", {"tool": "("}, "`(` is no pattern for tools"),
        ("PreToolUse", {"name": "taken"}, "a handler `taken` is registered already"),
    ],
)
def test_refused(base: Path, event: str, options: dict[str, Any], message: str) -> None:
    engine = engine_of(base)
    engine.on("PreToolUse", denies, name="taken")
    with pytest.raises(ValueError, match=re.escape(message)):
        engine.on(event, denies, **options)
