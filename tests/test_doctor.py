"""Finding agents, registering with several of them, and what `doctor` says about each."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ostiary.commands import main
from ostiary.commands.shared import agents, probing, resident
from ostiary.commands.shared.exits import Exit, Refused
from ostiary.commands.shared.probing import harmless, judged
from ostiary.commands.shared.writing import remove
from ostiary.dialects import DIALECTS, Answer, OnError, Unreadable, receive
from ostiary.dialects.calls import gates
from ostiary.dialects.kin import ForeignHooks
from ostiary.install import Service, hook_command, plan_install
from ostiary.install.diagnosis import Finding, Hiding, Installation, Machine, accepted_keys, diagnose, snake, unsteady
from ostiary.install.inspect import File, Hook, hooks, slot_values, split
from ostiary.install.surroundings import Surroundings, sides
from ostiary.sources.account import Account
from processes import SOURCE
from trees import plant

CLAUDE_CODE = DIALECTS["claude-code"]
CODEX = DIALECTS["codex"]
PYTHON = "/opt/ostiary/bin/python"
PATH = "/home/eve/.claude/settings.json"
MACHINE = Machine(PYTHON, {PYTHON: "good"}, frozenset())
ALL = tuple(DIALECTS)

CLOSED = "good: when Ostiary fails (`on_error: deny`) its gates are closed"
ASKED = (
    "good: when Ostiary fails (`on_error: ask`) its gates ask where the agent is known to stop for a question, and are "
    "closed elsewhere"
)
PASSED = "note: when Ostiary fails (`on_error: continue`) its gates stay open: calls go on that nobody judged"
STOPPED = "good: where the hook itself cannot start or crashes, the call is held up"
RUNS = "note: where the hook itself cannot start or crashes, the call runs"
LATE = "note: where the hook itself is late, nobody knows what becomes of the call"


def written(dialect: Any = CLAUDE_CODE, python: str = PYTHON, config_dir: str | None = None) -> str:
    """The text of the file that installing writes."""
    return plan_install(dialect, None, hook_command(dialect, python, config_dir)).after


def installation(*texts: str, dialect: Any = CLAUDE_CODE, scope: str = "user", **more: Any) -> Installation:
    """An agent that was found, with the texts of its files."""
    files = tuple(File(f"{PATH}{number or ''}", scope, text) for number, text in enumerate(texts))
    found = tuple(hook for file in files for hook in hooks(dialect, file))
    return Installation(dialect, ("/usr/bin/agent",), files, found, **more)


def said(found: Installation, check: str, machine: Machine = MACHINE) -> list[str]:
    return [f"{finding.level}: {finding.text}" for finding in diagnose(found, machine) if finding.check == check]


def edited(change: Callable[[dict[str, Any]], None]) -> str:
    data = json.loads(written())
    change(data["hooks"])
    return json.dumps(data)


# The checks, on texts


@pytest.mark.parametrize(
    ("agent", "on_error", "wanted"),
    [
        ("claude-code", "deny", [CLOSED, "good: where the hook itself is late, the call is held up", STOPPED]),
        ("claude-code", "ask", [ASKED, "good: where the hook itself is late, the call is held up", STOPPED]),
        ("claude-code", "continue", [PASSED, "note: where the hook itself is late, the call runs", RUNS]),
        ("codex", "deny", [CLOSED, "note: where the hook itself is late, the call runs", STOPPED]),
        ("codex", "continue", [PASSED, "note: where the hook itself is late, the call runs", RUNS]),
        ("gemini-cli", "deny", [CLOSED, "note: where the hook itself is late, the call runs", STOPPED]),
        ("cline", "deny", [CLOSED, LATE, STOPPED]),
        ("cline", "continue", [PASSED, LATE, RUNS]),
        ("opencode", "deny", [CLOSED, "good: where the hook itself is late, the call is held up", STOPPED]),
        ("opencode", "continue", [PASSED, "note: where the hook itself is late, the call runs", RUNS]),
        ("pi", "ask", [ASKED, "good: where the hook itself is late, the call is held up", STOPPED]),
    ],
)
def test_what_a_failure_means(agent: str, on_error: OnError, wanted: list[str]) -> None:
    hook = Hook(PATH, "user", next(gates(DIALECTS[agent])), (PYTHON,), None, False, True)
    machine = MACHINE._replace(on_errors={None: on_error})
    assert said(Installation(DIALECTS[agent], (), hooks=(hook,)), "failure", machine) == wanted


@pytest.mark.parametrize(
    ("agent", "words", "wanted"),
    [
        ("codex", ("C:\\py.exe",), RUNS),
        ("codex", (), RUNS),
        ("goose", ("C:\\py.exe",), STOPPED),
    ],
)
def test_a_line_closes_only_where_a_posix_shell_runs_it(agent: str, words: tuple[str, ...], wanted: str) -> None:
    hook = Hook(PATH, "user", next(gates(DIALECTS[agent])), words, None, False, True)
    assert said(Installation(DIALECTS[agent], (), hooks=(hook,)), "failure")[-1] == wanted


def test_a_good_installation() -> None:
    found = diagnose(installation(written()), MACHINE)
    assert {finding.level for finding in found} == {"good", "note"}
    assert said(installation(written()), "registered") == [f"good: registered: {PATH} (12 events)"]
    assert said(installation(written()), "installed") == ["good: found: /usr/bin/agent"]


def test_an_agent_that_is_not_here() -> None:
    found = Installation(CLAUDE_CODE, ())
    assert said(found, "installed") == ["note: not found on this machine"]
    assert said(found, "registered") == ["note: no hook asks Ostiary"]
    assert said(installation(), "registered") == ["problem: no hook asks Ostiary"]
    assert said(found, "unseen") == said(found, "review") == []


def test_where_nobody_could_look() -> None:
    text = "note: not found among the programs, and there is no home folder to look in"
    found = Installation(CLAUDE_CODE, ())
    assert said(found, "installed", MACHINE._replace(known_user=False)) == [text]


def test_a_gate_that_is_missing() -> None:
    text = edited(lambda events: [events.pop(name) for name in list(events) if name != "Stop"])
    assert said(installation(text), "registered") == [
        f"good: registered: {PATH} (1 event)",
        "problem: the gate PreToolUse is not registered",
        "problem: the gate PermissionRequest is not registered",
    ]


def test_a_file_that_cannot_be_read() -> None:
    found = installation(broken=((PATH, "it is not UTF-8"),))
    assert said(found, "readable") == [f"problem: {PATH}: it is not UTF-8"]


def test_entries_of_another_version() -> None:
    text = edited(lambda events: events["PreToolUse"][0]["hooks"][0].pop("onFailure"))
    stale = [f"problem: {PATH}: the entries are not as `ostiary install` writes them now"]
    assert said(installation(text), "current") == stale
    assert said(installation(written()), "current") == []
    assert said(installation(written(config_dir="/etc/mine")), "current") == []
    shell = {"type": "command", "command": "ostiary hook --agent claude-code --event Stop"}
    assert said(installation(edited(lambda events: events["Stop"][0].update(hooks=[shell]))), "current") == stale
    only = json.dumps({"hooks": {"Stop": [{"hooks": [shell]}]}})
    assert said(installation(only), "current") == stale
    unknown = installation(written())
    bad = unknown._replace(files=(File(PATH, "user", '{"hooks": {"Stop": 1}}'),))
    assert said(bad, "current") == stale


def test_an_event_that_asks_twice() -> None:
    text = edited(lambda events: events["Stop"].append(events["Stop"][0]))
    assert said(installation(text), "single") == [f"problem: Stop asks 2 times: {PATH}"]
    both = said(installation(written(), written()), "single")
    assert f"problem: PreToolUse asks 2 times: {PATH} and {PATH}1" in both


@pytest.mark.parametrize(
    ("same", "does"), [(False, "told apart and refused"), (True, "judged as its own, twice if it is registered too")]
)
def test_a_host_that_runs_these_hooks_too(same: bool, does: str, monkeypatch: pytest.MonkeyPatch) -> None:
    foreign = (ForeignHooks("claude-code", ("x",), {"Stop": "Stop"}, same), ForeignHooks("pi", ("x",), {}))
    host = CLAUDE_CODE._replace(name="cursor", title="Cursor", runs_hooks_of=foreign)
    monkeypatch.setattr("ostiary.dialects.cursor.CURSOR", host)
    machine = MACHINE._replace(agents=frozenset(("cursor",)))
    text = f"note: Cursor runs the hooks of these files too; its calls are {does}"
    assert said(installation(written()), "single", machine) == [text]
    assert said(installation(), "single", machine) == []


def test_a_matcher_that_keeps_calls_away() -> None:
    text = edited(lambda events: events["PreToolUse"][0].update(matcher="Bash"))
    assert said(installation(text), "whole") == [
        f"problem: {PATH}: the matcher at PreToolUse keeps calls away from policy"
    ]


@pytest.mark.parametrize(
    ("agent", "time", "expected"),
    [
        ("claude-code", 60, []),
        ("claude-code", 60_000, ["problem: {path}: 60000 seconds at {gate}; the agent counts in seconds"]),
        ("gemini-cli", 60, ["problem: {path}: 60 milliseconds at {gate}; the agent counts in milliseconds"]),
        ("gemini-cli", 60_000, []),
        ("claude-code", True, []),
        ("claude-code", None, []),
    ],
)
def test_times_in_the_wrong_unit(agent: str, time: Any, expected: list[str]) -> None:
    dialect = DIALECTS[agent]
    gate = next(gates(dialect))
    data = json.loads(written(dialect))
    data["hooks"][gate][0]["hooks"][0]["timeout"] = time
    found = installation(json.dumps(data), dialect=dialect)
    assert said(found, "times") == [text.format(path=PATH, gate=gate) for text in expected]


def test_times_of_other_hooks_are_only_noted() -> None:
    other = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine", "timeout": 5000}]}]}})
    assert said(installation(other), "times") == [f"note: {PATH}: 5000 seconds at Stop; the agent counts in seconds"]


@pytest.mark.parametrize(
    ("program", "state", "expected"),
    [
        (PYTHON, "good", []),
        (PYTHON, "missing", ["problem: {path}: `{program}` is missing"]),
        (PYTHON, "not executable", ["problem: {path}: `{program}` is not executable"]),
        (
            "/home/eve/.pyenv/shims/python",
            "good",
            ["problem: `{program}` picks an interpreter anew in each folder, which a repository can choose"],
        ),
        (
            "/home/eve/.asdf/shims/python",
            "good",
            ["problem: `{program}` picks an interpreter anew in each folder, which a repository can choose"],
        ),
        (
            "/home/eve/.cache/uv/archive-v0/x1/bin/python",
            "good",
            ["problem: `{program}` is in a place that is cleaned up"],
        ),
    ],
)
def test_programs(program: str, state: Any, expected: list[str]) -> None:
    machine = MACHINE._replace(programs={program: state})
    texts = [text.format(path=PATH, program=program) for text in expected]
    assert said(installation(written(python=program)), "programs", machine) == texts


def test_programs_that_are_no_isolated_python() -> None:
    shell = {"type": "command", "command": "/usr/bin/ostiary", "args": ["hook", "--agent", "claude-code"]}
    text = json.dumps({"hooks": {"Stop": [{"hooks": [shell]}]}})
    assert said(installation(text), "programs") == [
        f"problem: {PATH}: `/usr/bin/ostiary` is missing",
        f"problem: {PATH}: the command at Stop is not `PYTHON -I -m ostiary hook`",
    ]
    unclear = Hook(PATH, "user", "Stop", (), None, narrow=False, ours=True)
    found = installation()._replace(hooks=(unclear,))
    assert said(found, "programs") == [f"problem: {PATH}: it cannot be told what Stop starts"]


def test_a_user_that_nobody_knows() -> None:
    machine = MACHINE._replace(known_user=False)
    text = f"problem: {PATH}: the user database does not know this user, and the command names no `--config-dir`"
    assert said(installation(written()), "user", machine) == [text]
    assert said(installation(written(config_dir="/etc/mine")), "user", machine) == []
    assert said(installation(written()), "user") == []


def test_hooks_that_wait_for_a_review() -> None:
    text = written(CODEX)
    natives = [hook.native for hook in hooks(CODEX, File(PATH, "user", text))]
    waiting = f"problem: {PATH}: waiting for the agent's review, and skipped until then: "
    assert said(installation(text, dialect=CODEX), "review") == [waiting + ", ".join(natives)]
    keys = "".join(f'[hooks.state."{PATH}:{snake(name)}:0:0"]\ntrusted_hash = "x"\n' for name in natives)
    found = installation(text, dialect=CODEX, accepted=keys)
    assert said(found, "review") == [f"note: {PATH}: accepted once; a change of the command asks again"]
    partly = installation(text, dialect=CODEX, accepted=keys.replace("pre_tool_use", "other"))
    assert said(partly, "review") == [f"{waiting}PreToolUse"]
    text = "note: the agent wants hooks of a project reviewed; whether they were cannot be told from here"
    assert said(installation(written(DIALECTS["zcode"]), dialect=DIALECTS["zcode"]), "review") == [text]


FOLDER = "note: its hooks run once the folder is trusted in the agent; until then they may be skipped"
STOPS = "note: no hook runs in a folder that is not trusted, and without a person the agent does not start there"
SKIPPED = "skipped without a word in a folder that is not trusted"


@pytest.mark.parametrize(
    ("agent", "scopes", "expected"),
    [
        ("claude-code", ("user", "project"), []),
        ("cursor", ("user",), [FOLDER]),
        ("gemini-cli", ("user",), [STOPS]),
        ("grok", ("user",), []),
        ("grok", ("project",), [f"problem: {PATH}: {SKIPPED}"]),
        ("grok", ("user", "project"), [f"note: {PATH}1: {SKIPPED}"]),
        ("copilot-cli", ("local",), [f"problem: {PATH}: {SKIPPED}"]),
        ("codex", ("project", "managed"), [f"note: {PATH}: {SKIPPED}"]),
        ("afk", ("project",), []),
    ],
)
def test_folders_that_nobody_trusted(agent: str, scopes: tuple[str, ...], expected: list[str]) -> None:
    dialect = DIALECTS[agent]
    files = tuple(File(f"{PATH}{n or ''}", scope, written(dialect)) for n, scope in enumerate(scopes))
    found = tuple(hook for file in files for hook in hooks(dialect, file))
    told = said(Installation(dialect, ("/usr/bin/agent",), files, found), "review")
    assert [text for text in told if "waiting" not in text] == expected


def test_a_file_that_takes_the_place_of_ours() -> None:
    droid = DIALECTS["factory-droid"]
    beside = Hiding("/home/eve/.factory/hooks.json", PATH, frozenset(("PreToolUse", "Other")))
    text = f"problem: {beside.path} takes the place of {PATH}, so these hooks do not run: PreToolUse"
    assert said(installation(written(droid), dialect=droid, hiding=(beside,)), "shown") == [text]
    for other in (beside._replace(hidden="/x"), beside._replace(events=frozenset(("Other",)))):
        assert said(installation(written(droid), dialect=droid, hiding=(other,)), "shown") == []


def test_another_python_is_noted() -> None:
    text = f"note: {PATH}: asks the Ostiary of `/other/python`, not the one that runs now"
    machine = MACHINE._replace(programs={"/other/python": "good"})
    assert said(installation(written(python="/other/python")), "programs", machine) == [text]


def test_what_was_accepted() -> None:
    assert accepted_keys(CODEX, None) == accepted_keys(CODEX, "[") == accepted_keys(CODEX, "hooks = 1") == ()
    assert accepted_keys(CLAUDE_CODE, "a = 1") == ()
    assert accepted_keys(CODEX, '[hooks.state."a:b:0:0"]\nx = 1') == ("a:b:0:0",)


def test_another_hook_beside_ours() -> None:
    other = {"hooks": [{"type": "command", "command": "mine"}]}
    text = edited(lambda events: events["PreToolUse"].append(other))
    assert said(installation(text), "rivals") == []
    dialect = CLAUDE_CODE._replace(overruled="the last one wins")
    assert said(installation(text, dialect=dialect), "rivals") == [
        f"note: another hook beside ours ({PATH} at PreToolUse): the last one wins"
    ]


@pytest.mark.parametrize("agent", ["factory-droid", "qwen-code"])
def test_agents_in_which_another_hook_can_win_say_so(agent: str) -> None:
    assert "hold" in DIALECTS[agent].overruled


def test_gates_of_newer_versions() -> None:
    (text,) = said(installation(written()), "events")
    assert text.startswith("note: gates of newer versions of the agent are not registered: PreSkillShellCommand, ")


def test_blind_spots_are_mentioned() -> None:
    number = len(CLAUDE_CODE.unseen)
    text = f"note: {number} things are known that its hooks do not see or cannot stop"
    assert said(installation(written()), "unseen") == [text]


# What stands in files


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("/opt/py -I 'a b'", ("/opt/py", "-I", "a b")),
        ('"C:\\My Python\\python.exe" -I', ("C:\\My Python\\python.exe", "-I")),
        ("C:\\python.exe -I", ("C:\\python.exe", "-I")),
        ("it's", ()),
        ("", ()),
    ],
)
def test_lines_of_a_shell(line: str, words: tuple[str, ...]) -> None:
    assert split(line) == words


def test_slots_are_found_where_the_template_has_them() -> None:
    assert slot_values({"a": 1, "b": {"c": 2}}, {"a": 3}) == {}
    template = DIALECTS["claude-code"].registration.entry
    assert len(slot_values(template, {"command": "x", "args": 1, "timeout": None})) == 3
    odd = '{"hooks": {"Stop": [{"hooks": [{"command": 7, "args": 1}, 7]}]}}'
    assert [hook.words for hook in hooks(CLAUDE_CODE, File(PATH, "user", odd))] == [()]


# Surroundings

HERE = Surroundings("linux", "Linux version 6.1", (), {}, 1000, True)


@pytest.mark.parametrize(
    ("found", "beginnings"),
    [
        (HERE, []),
        (HERE._replace(kernel="Linux 5.15-Microsoft-standard-WSL2"), ["this is WSL"]),
        (HERE._replace(kernel="Linux version 4.4.0-19041-Microsoft"), ["this is WSL"]),
        (HERE._replace(kernel="5.15-microsoft-standard-WSL2", marks=("/.dockerenv",)), ["this is a container"]),
        (HERE._replace(env={"KUBERNETES_SERVICE_HOST": "10.0.0.1"}), ["this is a container"]),
        (HERE._replace(env={"SSH_TTY": "/dev/pts/1", "CODESPACES": ""}), ["this is a remote session"]),
        (HERE._replace(marks=("/.dockerenv",)), ["this is a container"]),
        (HERE._replace(env={"REMOTE_CONTAINERS": "true"}), ["this is a container"]),
        (HERE._replace(env={"SSH_CONNECTION": "::1 1 ::1 22"}), ["this is a remote session"]),
        (HERE._replace(known_user=False), ["the user database does not know the user 1000"]),
        (HERE._replace(env={"SSH_CLIENT": "x"}, marks=("/x",)), ["this is a container", "this is a remote session"]),
    ],
)
def test_which_side_decides(found: Surroundings, beginnings: list[str]) -> None:
    notes = list(sides(found))
    assert [note.text.startswith(begin) for note, begin in zip(notes, beginnings, strict=True)] == [True] * len(notes)
    assert all(note.help for note in notes)


def test_the_kernel_is_read_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    assert agents.surroundings().kernel
    monkeypatch.setattr(agents, "_KERNEL", "/nowhere/version")
    assert agents.surroundings().kernel == ""
    monkeypatch.setattr(sys, "platform", "darwin")
    assert agents.read_kernel() == ""


# Probing


@pytest.mark.parametrize("agent", DIALECTS)
def test_every_agent_has_a_harmless_call(agent: str) -> None:
    for gate in gates(DIALECTS[agent]):
        payload = harmless(DIALECTS[agent], gate, "/work")
        if payload is not None:
            event = receive(DIALECTS[agent], payload, gate)
            assert not isinstance(event, Unreadable), event
            assert event.input_complete
    assert any(harmless(DIALECTS[agent], gate, "/work") for gate in gates(DIALECTS[agent]))


PROBED = Hook(
    PATH, "user", "PreToolUse", (PYTHON, "-I", "-m", "ostiary", "hook", "--agent", "claude-code"), 60, False, True
)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (Answer(), "good: asked at PreToolUse: `none` after 500 ms"),
        (Answer("", "Traceback\nmore", 1), f"problem: {PATH}: no answer at PreToolUse: exit 1, Traceback"),
        (Answer("", "", 1), f"problem: {PATH}: no answer at PreToolUse: exit 1, no text"),
        (Answer("no json", "", 0), f"problem: {PATH}: no answer at PreToolUse: exit 0, no text"),
    ],
)
def test_what_a_probe_shows(answer: Answer, text: str) -> None:
    found = judged(CLAUDE_CODE, PROBED, answer, 0.5)
    assert f"{found.level}: {found.text}" == text


# The verbs


class Ran(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    base = tmp_path.resolve()
    plant(base, {"project/.git": None, "home": None, "config/policy.yaml": 'version: 1\ndeny: ["Bash(rm *)"]\n'})
    monkeypatch.setattr("ostiary.commands.shared.agents.account", lambda: Account("eve", str(base / "home")))
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.setattr(agents, "CONTAINER_MARKS", ())
    monkeypatch.setattr(agents, "_KERNEL", "/nowhere")
    for name in ("SSH_CONNECTION", "SSH_CLIENT", "REMOTE_CONTAINERS", "CODESPACES", "DEVCONTAINER"):
        monkeypatch.delenv(name, raising=False)
    # The hook's interpreter sees the package also where it is not installed.
    monkeypatch.chdir(base / "project")
    return base


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    def run(*arguments: str) -> Ran:
        status = main.run(list(arguments))
        out, err = capsys.readouterr()
        return Ran(status, out, err)

    return run


def test_nothing_here(run: Callable[..., Ran]) -> None:
    assert run("doctor") == (0, "no agent shows on this machine; name one\n", "")
    assert run("install", "--yes") == (2, "", "ostiary: no agent shows on this machine; name one\n")
    ran = run("doctor", "claude-code")
    assert ran.status == 0
    assert "not found on this machine" in ran.out
    assert run("doctor", "nobody").status == 2


def test_agents_that_show_are_registered_and_examined(run: Callable[..., Ran], home: Path) -> None:
    plant(home, {"home/.claude": None, "home/.codex": None})
    assert agents.found_here() == ("claude-code", "codex")
    assert run("doctor", "--no-probe").status == Exit.FINDINGS
    ran = run("install", "--yes", "--config-dir", str(home / "config"))
    assert ran.out.endswith(f"wrote {home}/home/.claude/settings.json\nwrote {home}/home/.codex/hooks.json\n")
    assert run("doctor", "claude-code", "--no-probe").status == 0
    assert run("doctor", "claude-code", "--no-probe", "--config-dir", str(home / "config")).status == 0
    other = run("doctor", "claude-code", "--no-probe", "--config-dir", str(home / "other"))
    assert f"its hook asks the policy in `{home}/config`, not that in `{home}/other`" in other.out
    assert f"help: `ostiary install claude-code --config-dir {home}/other` mends it" in other.out
    assert other.status == Exit.FINDINGS
    report = json.loads(run("doctor", "--no-probe", "--json").out)
    assert list(report) == ["here", "claude-code", "codex"]
    assert {"check": "installed", "level": "good", "text": f"found: {home}/home/.claude", "help": ""} in report[
        "claude-code"
    ]
    assert run("uninstall", "--yes").status == 0
    assert "no hook asks Ostiary" in run("doctor", "--no-probe").out


@pytest.fixture
def service(home: Path, monkeypatch: pytest.MonkeyPatch) -> Service:
    """A service that hooks ask first."""
    plant(home, {"client.py": "pass\n"})
    found = Service((str(home / "client.py"),), "/run/user/1000/ostiary/0123456789abcdef")
    monkeypatch.setattr(resident, "registered", lambda _config_dir: found)
    return found


@pytest.mark.parametrize("agent", ALL)
@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize("with_service", [False, True])
def test_every_agent_comes_and_goes(
    agent: str, scope: str, with_service: bool, run: Callable[..., Ran], home: Path, request: pytest.FixtureRequest
) -> None:
    service = request.getfixturevalue("service") if with_service else None
    service = service if scope == "user" else None  # what several people share names no socket of one
    if all(place.scope != scope for place in agents.here(DIALECTS[agent])):
        assert run("install", agent, "--scope", scope, "--yes").status == 2
        return
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    assert run("install", agent, "--scope", scope, "--yes", "--config-dir", str(home / "config")).status == 0
    again = run("install", agent, "--scope", scope, "--yes", "--config-dir", str(home / "config"))
    assert {line.partition(" is ")[2] for line in again.out.splitlines()} == {"as it should be"}
    report = json.loads(run("doctor", agent, "--no-probe", "--json").out)[agent]
    wrong = [finding for finding in report if finding["level"] == "problem" and finding["check"] != "review"]
    assert wrong == []
    asked = {hook.service for hook in agents.installation(DIALECTS[agent], str(home / "project")).ours}
    assert asked == {service}
    if service:
        (client,) = service.client
        Path(client).rename(home / "moved")
        assert f"`{client}` is missing" in run("doctor", agent, "--no-probe").out
        cold = run("install", agent, "--scope", scope, "--yes", "--no-service", "--config-dir", str(home / "config"))
        assert cold.status == 0
        assert client not in "".join(path.read_text() for path in home.rglob("*") if path.is_file())
        (home / "moved").rename(client)
    assert run("uninstall", agent, "--scope", scope, "--yes").status == 0
    left = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    assert all(left[path] == text for path, text in before.items())
    assert [path for path in left if path not in before and home / "config" not in path.parents] == []


@pytest.mark.skipif(sys.platform == "win32", reason="a script of POSIX")
def test_probes(run: Callable[..., Ran], home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = home / "python"
    code = f"import sys; sys.path.insert(0, {SOURCE!r}); sys.argv = ['ostiary', *sys.argv[4:]]; "
    code += "from ostiary.__main__ import main; main()"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -I -c "{code}" "$@"\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    plant(home, {"home/.claude": None})
    assert run("install", "claude-code", "--yes", "--config-dir", str(home / "config")).status == 0
    ran = run("doctor")
    assert "asked at PreToolUse: `none` after " in ran.out
    assert ran.status == 0
    plant(home, {"config/policy.yaml": "version: ["})
    assert "asked at PreToolUse" in run("doctor").out
    python.write_text("#!/bin/sh\nsleep 60\n")
    late = CLAUDE_CODE._replace(timeouts=CLAUDE_CODE.timeouts._replace(ours=1))
    monkeypatch.setattr("ostiary.dialects.claude_code.CLAUDE_CODE", late)
    assert "no answer within 1 seconds" in run("doctor").out
    python.write_text("#!/nowhere/sh\n")
    assert "cannot be started: No such file or directory" in run("doctor").out
    python.chmod(0o644)
    assert "is not executable" in run("doctor").out
    python.unlink()
    assert f"`{python}` is missing" in run("doctor").out


def test_a_closed_gate_is_no_good_answer() -> None:
    text = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":'
    text += '"stopped, because policy could not judge it: Ostiary failed: x"}}'
    found = judged(CLAUDE_CODE, PROBED, Answer(text), 0.1)
    reason = "PreToolUse is not judged: Ostiary failed: x"
    assert (found.level, found.text) == ("problem", f"{PATH}: {reason}")


def test_a_gate_without_a_harmless_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "_HARMLESS", ())
    found = Installation(CLAUDE_CODE, (), hooks=(PROBED._replace(words=(*PROBED.words, "--event", "PreToolUse")),))
    assert probing.probes(found, "/") == [
        Finding("probe", "note", "PreToolUse: no harmless call is known to ask about")
    ]


def test_programs_that_a_repository_names_are_not_started() -> None:
    words = (*PROBED.words, "--event", "PreToolUse")
    for hook in (
        PROBED._replace(words=words, scope="project"),
        PROBED._replace(words=("x",)),
        PROBED._replace(words=()),
    ):
        assert probing.probes(Installation(CLAUDE_CODE, (), hooks=(hook,)), "/") == []


def test_files_that_cannot_be_read(run: Callable[..., Ran], home: Path) -> None:
    for content, reason in ((b"\xff", "it is not UTF-8"), (b"{", "the file is not JSON from here on")):
        (home / "project/.claude").mkdir(exist_ok=True)
        (home / "project/.claude/settings.json").write_bytes(content)
        ran = run("doctor", "claude-code", "--no-probe")
        assert f"{home}/project/.claude/settings.json: {reason}" in ran.out
        assert ran.status == Exit.FINDINGS


@pytest.mark.parametrize(
    ("files", "hidden"),
    [
        ({"hooks.json": '{"PreToolUse": [] /* ours is gone */}'}, True),
        ({"hooks/hooks.json": '{"PreToolUse": []}'}, True),
        ({"hooks.json": "{}", "hooks/hooks.json": '{"PreToolUse": []}'}, False),
        ({"hooks.json": '{"Stop2": []}'}, False),
        ({"hooks.json": "[]"}, False),
        ({"hooks.json": "{"}, False),
        ({}, False),
    ],
)
def test_files_that_take_the_place_of_ours(
    files: dict[str, str], hidden: bool, run: Callable[..., Ran], home: Path
) -> None:
    plant(home, {"home/.factory": None, **{f"home/.factory/{name}": text for name, text in files.items()}})
    assert run("install", "factory-droid", "--yes").status == 0
    report = json.loads(run("doctor", "factory-droid", "--no-probe", "--json").out)["factory-droid"]
    assert [finding["level"] for finding in report if finding["check"] == "shown"] == ["problem"] * hidden


def test_a_side_without_rules_says_so(run: Callable[..., Ran], home: Path) -> None:
    plant(home, {"home/.claude": None, "empty": None})
    for folder, told in (("empty", True), ("config", False)):
        assert run("install", "claude-code", "--yes", "--config-dir", str(home / folder)).status == 0
        out = run("doctor", "--no-probe").out
        assert (f"there are no rule files in `{home / folder}`" in out) is told
        assert (f"`ostiary init --config-dir {home / folder}` writes one" in out) is told


def test_without_a_home(run: Callable[..., Ran], home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ostiary.commands.shared.agents.account", lambda: None)
    assert run("install", "codex", "--yes").status == 2
    assert run("install", "codex", "--scope", "project", "--yes").status == 0
    ran = run("doctor", "codex", "--no-probe")
    assert "the user database does not know the user" in ran.out
    assert ran.status == Exit.FINDINGS
    assert agents.found_here() == ()


def test_an_agent_that_nobody_named_may_have_no_such_file(run: Callable[..., Ran], home: Path) -> None:
    plant(home, {"home/.claude": None, "home/.pi": None})
    ran = run("install", "--scope", "local", "--dry-run")
    assert ran.status == 0
    assert ran.err.splitlines()[0] == "`pi` has no settings file for the scope `local`; left out"
    assert f"+++ {home}/project/.claude/settings.local.json" in ran.out


def test_an_unsteady_python_is_told(run: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/home/eve/.pyenv/shims/python")
    ran = run("install", "claude-code", "--dry-run")
    assert ran.err.startswith("`/home/eve/.pyenv/shims/python` picks an interpreter anew in each folder")
    assert list(unsteady("/usr/bin/python3")) == []


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_programs_named_after_events_are_made_executable(run: Callable[..., Ran], home: Path) -> None:
    agent = next(name for name, dialect in DIALECTS.items() if dialect.registration.shape == "scripts")
    assert run("install", agent, "--scope", "project", "--yes").status == 0
    programs = list((home / "project").rglob("*.sh"))
    assert programs
    assert all(os.access(path, os.X_OK) for path in programs)
    programs[0].chmod(0o644)
    assert f"`{programs[0]}` is not executable" in run("doctor", agent, "--no-probe").out
    assert run("install", agent, "--scope", "project", "--yes").out.endswith(f"wrote {programs[0]}\n")
    assert os.access(programs[0], os.X_OK)
    programs[0].write_text("#!/bin/sh\nexit 0\n")
    assert "somebody else's" in run("install", agent, "--scope", "project", "--yes").err


def test_what_was_accepted_is_read_from_the_agents_file(run: Callable[..., Ran], home: Path) -> None:
    plant(home, {"home/.codex/config.toml": "[hooks.state]\n"})
    assert run("install", "codex", "--yes").status == 0
    assert "waiting for the agent's review" in run("doctor", "codex", "--no-probe").out
    path = home / "home/.codex/hooks.json"
    keys = "".join(f'"{path}:{snake(name)}:0:0" = 1\n' for name in CODEX.events)
    plant(home, {"home/.codex/config.toml": f"[hooks.state]\n{keys}"})
    ran = run("doctor", "codex", "--no-probe")
    assert "accepted once" in ran.out
    assert ran.status == 0


def test_a_file_that_is_gone_cannot_be_removed(home: Path) -> None:
    with pytest.raises(Refused, match="cannot be removed: No such file or directory"):
        remove(str(home / "nothing"))


def test_the_page_of_blind_spots_is_that_of_the_tables() -> None:
    path = Path(__file__).parents[1] / "tools" / "blind_spots.py"
    spec = importlib.util.spec_from_file_location("blind_spots", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.PAGE.read_text("utf-8") == module.page(), "run python tools/blind_spots.py"


@pytest.mark.parametrize("shape", ["plugin", "scripts"])
def test_code_of_another_version(shape: str, run: Callable[..., Ran], home: Path) -> None:
    agent = next(name for name, dialect in DIALECTS.items() if dialect.registration.shape == shape)
    before = set(home.rglob("*"))
    assert run("install", agent, "--scope", "project", "--yes").status == 0
    path = min(path for path in set(home.rglob("*")) - before if path.is_file())
    assert "not as `ostiary install` writes it now" not in run("doctor", agent, "--no-probe").out
    path.write_text(path.read_text() + "# more\n")
    assert f"{path}: not as `ostiary install` writes it now" in run("doctor", agent, "--no-probe").out


def test_a_setting_that_was_changed(run: Callable[..., Ran], home: Path) -> None:
    """`install` writes what the settings say, and `doctor` notices where they say something else now."""
    folder = ["--config-dir", str(home / "config")]
    file = home / "home/.claude/settings.json"
    plant(home, {"home/.claude": None})
    assert run("install", "claude-code", "--yes", *folder)[0] == 0
    assert '"onFailure": "block"' in file.read_text()
    plant(home, {"config/settings.yaml": "on_error: continue\n"})
    ran = run("doctor", "claude-code", "--no-probe")
    assert "the entries are not as `ostiary install` writes them now" in ran[1]
    assert "calls go on that nobody judged" in ran[1]
    assert run("install", "claude-code", "--yes", *folder)[0] == 0
    assert "onFailure" not in file.read_text()
    assert run("doctor", "claude-code", "--no-probe")[0] == 0
    for text in ("on_error: never", "on_error: [", "on_error: allow"):
        plant(home, {"config/settings.yaml": text})
        assert "its gates are closed" in run("doctor", "claude-code", "--no-probe")[1]


def test_a_folder_that_no_hook_takes(home: Path) -> None:
    plant(home, {"project/settings.yaml": "on_error: continue\n"})
    hook = Hook(PATH, "project", "PreToolUse", (PYTHON, "--config-dir", "."), None, False, True)
    assert agents.machine([Installation(CLAUDE_CODE, (), hooks=(hook,))]).on_errors == {".": "deny"}
