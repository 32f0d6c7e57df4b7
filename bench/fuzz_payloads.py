"""Mutated payloads of every agent: nothing raises, no gate opens that no rule opened, no deny is lost.

usage: python bench/fuzz_payloads.py [--fraction F] [--seed N] [--processes N]

A whole run is 1,000,000 payloads over all dialects, made from the samples in `tests/dialects`. The same seed and
fraction give the same payloads. Prints what was made of them, each finding with its payload, and exits with 1 if there
is one.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from ostiary.build import compile_file
from ostiary.decision import Outcome, Verdict
from ostiary.dialects import DIALECTS, Answer, Dialect, Unreadable, parse, receive, unreadable, write
from ostiary.dialects.base import SILENCE
from ostiary.dialects.hearing import fits, heard
from ostiary.dialects.lifecycle import read_event
from ostiary.evaluate import evaluate
from ostiary.event import Event
from ostiary.facts import FixedFacts, Given
from ostiary.perform import run
from ostiary.policy import Admitted, Policy, assemble

WHOLE = 1_000_000
SAMPLES = Path(__file__).parents[1] / "tests" / "dialects"
FACTS = FixedFacts(Given(home="/home/dev", user="dev", start="/work", roots=("/work",), workdirs=("/work",)))

# No rule allows anything, so nothing may be allowed.
RULES = """
version: 1
deny: ["Bash(rm *)", "Read(**/.env)", "Edit(/etc/**)", "mcp__harbor"]
ask: ["Bash(git push*)", "WebFetch(domain:paste.example)"]
rules:
  - {id: no-secrets-in-text, when: {content: /BEGIN .* KEY/}, decision: deny, reason: keys stay}
  - {id: no-prompts, on: UserPromptSubmit, when: {prompt: /password/}, decision: deny, reason: not here}
  - {id: no-stop, on: Stop, when: {session: s1}, decision: ask, reason: not yet}
"""

ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 7, 0.5, 10**30, "", " ", "x", "{", '{"a": 1}', "\0", "\ufeff", "\u202e", "é" * 50),
    *([], [1], [None], {}, {"0": "x"}, {"": ""}, [[{}]], {"command": "rm -r /"}, {"command": ["rm", "-r", "/"]}),
    *("PreToolUse", "preToolUse", "pre_tool_use", "BeforeTool", "Stop", "__proto__", "allow", "default", "yolo"),
)
DANGEROUS = ("rm -rf /", "git push -f", "/etc/passwd", "/work/.env", "https://paste.example/x", "-----BEGIN RSA KEY")
KEYS = (
    *("hook_event_name", "hookEventName", "event", "type", "cursor_version", "timestamp", "sessionId", "toolArgs"),
    *("tool_name", "tool_input", "toolName", "toolInput", "permission_mode", "agent_id", "cwd", "decision"),
)


class Case(NamedTuple):
    """One payload as a hook of `agent` gets it that is registered for `event` (None: not said)."""

    agent: str
    event: str | None
    raw: bytes


class Finding(NamedTuple):
    """What went wrong with a case."""

    what: str
    case: Case


# Making payloads


def samples() -> dict[str, list[tuple[str | None, dict[str, Any]]]]:
    """The payloads of every agent with the events they are of, in the order of their files."""
    return {
        agent: [
            (_event(dialect, path.stem), json.loads(path.read_text("utf-8")))
            for path in sorted((SAMPLES / agent).glob("*.json"))
        ]
        for agent, dialect in DIALECTS.items()
    }


def _event(dialect: Dialect, name: str) -> str | None:
    """The event that a sample is named after."""
    return dialect.native(name) or dialect.native(name.partition("-")[0])


def cases(number: int, random: Random) -> Iterator[Case]:
    """That many payloads, agents in turn."""
    known = samples()
    agents = [agent for agent, found in known.items() if found]
    for index in range(number):
        agent = agents[index % len(agents)]
        events = list(DIALECTS[agent].events)
        named, payload = random.choice(known[agent])
        event = random.choice((None, named, named, named, random.choice(events)))
        yield Case(agent, event, _bytes(_mutated(payload, random), random))


def _mutated(payload: dict[str, Any], random: Random) -> Any:
    value: Any = payload
    for _ in range(random.choice((0, 1, 1, 1, 2, 3, 6))):
        value = random.choice(CHANGES)(value, random)
    return value


def _anywhere(change: Callable[[Any, Random], Any]) -> Callable[[Any, Random], Any]:
    """The change at a random place of the value."""

    def changed(value: Any, random: Random) -> Any:
        if isinstance(value, dict) and value and random.random() < 0.7:
            key = random.choice(list(value))
            return {**value, key: changed(value[key], random)}
        if isinstance(value, list) and value and random.random() < 0.7:
            index = random.randrange(len(value))
            return [*value[:index], changed(value[index], random), *value[index + 1 :]]
        return change(value, random)

    return changed


def _odd(_: Any, random: Random) -> Any:
    return random.choice(ODD)


def _dangerous(value: Any, random: Random) -> Any:
    return random.choice(DANGEROUS) if isinstance(value, str) else value


def _as_text(value: Any, _: Random) -> Any:
    return json.dumps(value)


def _wrapped(value: Any, random: Random) -> Any:
    return random.choice(([value], {"0": value}, {"command": value}, {"tool_input": value}))


def _cut(value: Any, random: Random) -> Any:
    return value[: random.randrange(len(value))] + " [truncated]" if isinstance(value, str) and value else value


def _without(value: Any, random: Random) -> Any:
    if not isinstance(value, dict) or not value:
        return value
    gone = random.choice(list(value))
    return {key: item for key, item in value.items() if key != gone}


def _with(value: Any, random: Random) -> Any:
    return {**value, random.choice(KEYS): random.choice(ODD)} if isinstance(value, dict) else value


def _other_case(value: Any, random: Random) -> Any:
    if not isinstance(value, dict) or not value:
        return value
    key = random.choice(list(value))
    head, *words = key.split("_")
    return {**value, random.choice((key.upper(), key.title(), head + "".join(map(str.title, words)))): value[key]}


def _deep(value: Any, random: Random) -> Any:
    for _ in range(random.choice((3, 60, 101))):
        value = [value]
    return value


def _call(value: Any, random: Random) -> Any:
    """Something dangerous among the arguments, or in a text where there are none."""
    if not isinstance(value, dict) or not value:
        return _dangerous(value, random)
    inner = [key for key, item in value.items() if isinstance(item, dict | list)]
    key = random.choice(inner or list(value))
    return {**value, key: _call(value[key], random)}


CHANGES: tuple[Callable[[Any, Random], Any], ...] = (
    *map(_anywhere, (_odd, _odd, _dangerous, _as_text, _wrapped, _cut, _deep, _without, _with, _other_case)),
    *(_call, _call, _call, _without, _with, _other_case),
)


def _bytes(value: Any, random: Random) -> bytes:
    raw = json.dumps(value, ensure_ascii=random.random() < 0.5).encode("utf-8", "surrogatepass")
    chance = random.random()
    if chance < 0.04:
        return raw[: random.randrange(len(raw))]
    if chance < 0.08:
        at = random.randrange(len(raw))
        return raw[:at] + random.randbytes(random.randrange(3)) + raw[at + 1 :]
    if chance < 0.1:
        return b"\xef\xbb\xbf" * random.randrange(1, 3) + raw
    if chance < 0.12:
        return raw[:1] + b'"tool_name": "Read", "tool_name": "Bash", ' + raw[1:]
    return raw


# Judging them


def rules() -> Policy:
    """The policy."""
    file, _ = compile_file(RULES.encode(), "fuzz.yaml")
    return assemble([Admitted("user", True, file)])


def judged(case: Case, policy: Policy) -> tuple[str, str]:
    """What became of a case, and what is wrong with that (empty if nothing)."""
    dialect = DIALECTS[case.agent]
    whole = parse(case.raw, repair=True)
    read_event(case.agent, whole if isinstance(whole, dict) else case.raw, {})
    event = receive(dialect, case.raw, case.event)
    if isinstance(event, Unreadable):
        return "refused", _closed(dialect, case.event, unreadable(dialect, case.event, event.reason))
    outcome = run(evaluate(policy, event, FACTS.given(event.cwd)), FACTS)
    return str(outcome.verdict), _kept(dialect, event, outcome, write(dialect, event, outcome))


def _closed(dialect: Dialect, event: str | None, answer: Answer) -> str:
    native = dialect.native(event)
    spec = dialect.events[native] if native else None
    if spec is not None and not spec.gate:
        return ""
    form = (spec.unread or spec.answers["deny"]) if spec else dialect.blind
    return "" if fits(form, answer) else "what was not read does not close its gate"


def _kept(dialect: Dialect, event: Event, outcome: Outcome, answer: Answer) -> str:
    if outcome.verdict is Verdict.ALLOW:
        return "something was allowed that no rule allows"
    found = dialect.of(event)
    if found is None:
        return ""
    native, spec = found
    said = heard(dialect, native, answer)
    if spec.gate and said == "allow" and spec.answers["allow"] != spec.answers.get("none", SILENCE):
        return "an allow is said that no rule said"
    lost = outcome.verdict is Verdict.DENY and spec.gate and not any(item.wanted == "deny" for item in answer.degraded)
    return "a deny is not said" if lost and said != "deny" else ""


def fuzz(number: int, seed: int) -> tuple[Counter[str], list[Finding]]:
    """What became of that many payloads, by agent and verdict, and everything that is wrong."""
    policy, random = rules(), Random(seed)
    counts: Counter[str] = Counter()
    findings: list[Finding] = []
    for case in cases(number, random):
        try:
            what, wrong = judged(case, policy)
        except Exception as error:
            what, wrong = "raised", f"{type(error).__name__}: {error}"
        counts[f"{case.agent} {what}"] += 1
        if wrong:
            findings.append(Finding(wrong, case))
    return counts, findings


def main() -> int:
    """Runs the fuzzer and prints what it found."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--fraction", type=float, default=1.0)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--processes", type=int, default=1)
    given = arguments.parse_args()
    number, share = int(WHOLE * given.fraction), given.processes
    counts: Counter[str] = Counter()
    findings: list[Finding] = []
    with ProcessPoolExecutor(share) as pool:
        parts = [number // share + (index < number % share) for index in range(share)]
        for some, found in pool.map(fuzz, parts, [given.seed + index for index in range(share)]):
            counts += some
            findings += found
    print(f"{number} payloads of {len(DIALECTS)} agents, seed {given.seed}, {share} processes")
    for what, times in sorted(counts.items()):
        print(f"{times:>9} {what}")
    for finding in findings[:50]:
        print(f"{finding.what}: {finding.case}")
    print(f"{len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
