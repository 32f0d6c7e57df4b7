"""What is tried with every agent, and what its table promises for it."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from ostiary.dialects import Dialect
from ostiary.dialects.base import Way

POLICY: Final = """\
version: 1
rules:
  - {id: no, when: {command: {program: touch, arg: DENIED}}, decision: deny, reason: MARK-DENY not this file}
  - {id: who, when: {command: {program: touch, arg: ASKED}}, decision: ask, reason: MARK-ASK is this right}
  - id: other
    when: {command: {program: touch, arg: OLD}}
    decision: allow
    update_input: {command: touch NEW}
  - {id: new, when: {command: {program: touch, arg: NEW}}, decision: allow}
  - {id: quiet, when: {command: {program: touch, arg: FIRST}}, update_input: {command: touch SECOND}}
  - {id: note, on: PostToolUse, tool: Bash, context: MARK-CONTEXT well done}
  - {id: prompt, on: UserPromptSubmit, when: {prompt: /FORBIDDEN/}, decision: deny, reason: MARK-PROMPT not today}
  - id: refused
    when: {command: {program: touch, arg: REFUSED}}
    run: {command: "echo MARK-REFUSED by the handler >&2; exit 2"}
  - id: endless
    when: {command: {program: touch, arg: ENDLESS}}
    run: {command: "trap '' TERM; sleep 600 & sleep 600; exit 0", timeout: 20m}
    on_error: deny
"""

SETTINGS: Final = "enable_shell_hooks: true\n"

State = Literal["runs", "rewritten", "blocked", "waits"]


class Fault(NamedTuple):
    """What is wrong with the hook at the tool's gate: `code` at the end of a `module` of the package, or a `program`
    in place of the interpreter. `short`: the agent was told to wait for two seconds only. `way` is what is left for the
    agent to see, None where it has an answer all the same."""

    way: Way | None
    module: str = ""
    code: str = ""
    program: str = ""
    short: bool = False


class Case(NamedTuple):
    """One run: the file that the model wants to make, what the model has to be told, and what stands in the way of our
    hook. `beside`: where another hook that allows everything stands. `reviewed`: a person accepted the hooks. `doctor`:
    what `ostiary doctor` says of the run is shown. `seconds`: how long the agent may take. `dotenv`: a file of
    variables in the project, which some agents hand to hooks."""

    name: str
    wanted: str = "RAN"
    told: str = ""
    prompt: str = "Please do the next step."
    fault: Fault | None = None
    beside: Literal["", "before", "after"] = ""
    reviewed: bool = True
    doctor: bool = False
    dotenv: str = ""
    seconds: int = 60


_HANG: Final = "import time\ntime.sleep(600)\n"
_LATE: Final = "import time\ntime.sleep(30)\n"
_KILL: Final = "import os\nos.kill(os.getpid(), 9)\n"

CASES: Final = (
    Case("silent", doctor=True),
    Case("deny", "DENIED", "MARK-DENY"),
    Case("ask", "ASKED", "MARK-ASK"),
    Case("rewrite and allow", "OLD"),
    Case("rewrite", "FIRST"),
    Case("context", told="MARK-CONTEXT"),
    Case("prompt", prompt="Do the FORBIDDEN step."),
    Case("handler denies", "REFUSED", "MARK-REFUSED"),
    Case("handler hangs", "ENDLESS", "policy/endless", seconds=120),
    Case("allow before", "DENIED", "MARK-DENY", beside="before", doctor=True),
    Case("allow after", "DENIED", "MARK-DENY", beside="after", doctor=True),
    Case("engine raises", fault=Fault(None, "cold.py", "raise RuntimeError\n")),
    Case("engine dies", fault=Fault(None, "cold.py", _KILL)),
    Case("engine hangs", fault=Fault(None, "cold.py", _HANG), seconds=120),
    Case("no package", fault=Fault("dies", "__init__.py", "raise ImportError\n")),
    Case("hook dies", fault=Fault("dies", "__init__.py", _KILL)),
    Case("no interpreter", fault=Fault("other", program="/nowhere/python")),
    Case("hook is late", "DENIED", fault=Fault("late", "__init__.py", _LATE, short=True)),
    Case("BASH_ENV in .env", "DENIED", "MARK-DENY", dotenv="BASH_ENV=./env\n"),
    Case("SHELLOPTS in .env", "DENIED", "MARK-DENY", dotenv="SHELLOPTS=noexec\n"),
    Case("PYTHONPATH in .env", "DENIED", "MARK-DENY", dotenv="PYTHONPATH=.\nPYTHONSTARTUP=./env\n"),
    Case("unreviewed", "DENIED", "MARK-DENY", reviewed=False, doctor=True),
)


class Seen(NamedTuple):
    """What a run showed. `state` is of the tool, read off the disk; `called`: the model called it, `heard`: it got a
    result, `told`: what it had to be told. `prompted`: the prompt came through. `doctor` are findings about this run
    that `ostiary doctor` has, `log` the end of what the agent printed."""

    state: State
    called: bool
    heard: bool
    told: bool
    prompted: bool
    seconds: float
    doctor: tuple[str, ...] = ()
    log: str = ""


def gate_of(dialect: Dialect) -> str:
    """The native event that is registered for the moment before a tool runs."""
    return next(
        name
        for name, spec in dialect.events.items()
        if spec.canonical == "PreToolUse" and spec.gate and spec.register == "always" and not spec.tool
    )


def tried(dialect: Dialect, case: Case, *, reviewed: bool) -> bool:
    """Whether a case says anything about an agent: `reviewed` tells that it has a review which can be left out."""
    registration, spec = dialect.registration, dialect.events[gate_of(dialect)]
    if case.beside:  # one bridge cannot take back what another one stopped
        allow = spec.answers.get("allow")
        return registration.shape not in ("plugin", "scripts") and bool(allow and allow.body)
    return case.reviewed or reviewed


def word(case: Case, seen: Seen) -> str:
    """What happened, in a cell of the table."""
    if case.name == "prompt":
        return "goes on" if seen.prompted else "stopped"
    if not seen.called:
        return "no call" if seen.prompted else "prompt stopped"
    if case.name == "context":
        return "told" if seen.told else "not told"
    ending = "" if seen.heard or seen.state == "waits" else ", run ends"
    return f"{seen.state}{', reason' if case.told and seen.told else ''}{ending}"


def promised(dialect: Dialect, case: Case) -> frozenset[str]:
    """The words that agree with the agent's table."""
    spec = dialect.events[gate_of(dialect)]
    stopped = frozenset(("blocked, reason", "blocked, reason, run ends", "blocked, run ends"))
    if case.fault:
        return _left(dialect, case.fault)
    if case.dotenv:
        return stopped | {"prompt stopped"}
    if not case.reviewed:
        return frozenset(("runs",))
    return {
        "silent": frozenset(("runs",)),
        "rewrite and allow": frozenset(("rewritten",)) if spec.rewrite else stopped | {"blocked"},
        # Without an allow it needs a form that grants nothing, or an agent in which an allow does not.
        "rewrite": frozenset(("rewritten",))
        if "none" in spec.rewrite or (spec.rewrite and not dialect.allow_grants)
        else stopped | {"blocked"},
        "context": _context(dialect),
        "prompt": _prompt(dialect),
    }.get(case.name, stopped)


def _left(dialect: Dialect, fault: Fault) -> frozenset[str]:
    effect = dialect.left_with(gate_of(dialect), fault.way, closing=True) if fault.way else "block"
    closed = frozenset(("blocked", "blocked, run ends"))
    # A second gate may be asked about the call that the first one let go.
    twice = any(spec.gate and spec.canonical == "PermissionRequest" for spec in dialect.events.values())
    if effect == "block":
        return closed
    if effect == "undocumented":
        return closed | {"runs", "waits"}
    return closed | {"runs"} if twice and fault.way == "late" else frozenset(("runs",))


def _context(dialect: Dialect) -> frozenset[str]:
    after = [spec for spec in dialect.events.values() if spec.canonical == "PostToolUse"]
    return frozenset(("told",) if any("context" in spec.extras for spec in after) else ("not told",))


def _prompt(dialect: Dialect) -> frozenset[str]:
    """A gate that its own table does not vouch for may let the prompt through."""
    gates = [spec for spec in dialect.events.values() if spec.canonical == "UserPromptSubmit" and spec.gate]
    if any("deny" in spec.answers and not spec.unverified for spec in gates):
        return frozenset(("stopped",))
    return frozenset(("stopped", "goes on"))
