"""What is right and what is wrong with how an agent asks Ostiary. Pure: what was found goes in, findings come out."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Literal

from ostiary.dialects import DIALECTS
from ostiary.dialects.base import NOTHING, Dialect, Effect, OnError, Way
from ostiary.dialects.calls import gates
from ostiary.install.inspect import File, Hook
from ostiary.install.lines import closes
from ostiary.install.plan import RegistrationError, hook_command, plan_install, registrable
from ostiary.records import NamedTuple

Level = Literal["good", "note", "problem"]
ProgramState = Literal["missing", "not executable", "good"]

# Programs that choose another one when they are started, by what a folder or a file says at that moment.
_SHIM: Final = re.compile(
    r"[\\/](?:\.?pyenv[\\/](?:pyenv-win[\\/])?shims|\.?asdf[\\/]shims|mise[\\/]shims|\.?rye[\\/]shims)[\\/]"
)
# Environments that are thrown away and made anew under other names.
_PASSING: Final = re.compile(r"[\\/](?:uv[\\/](?:cache[\\/])?(?:archive|builds)-v\d+|pipx[\\/]\.cache)[\\/]")


class Finding(NamedTuple):
    """One finding of the check of that name in `CHECKS`, with what helps."""

    check: str
    level: Level
    text: str
    help: str = ""


class Machine(NamedTuple):
    """What is known of the machine. `python` is the interpreter that runs now, `programs` the state of each program
    that a hook starts, `agents` the names of those found here, `known_user` whether the user database has this one,
    `on_errors` what settings say a failure of Ostiary means, by the folder that hooks name."""

    python: str
    programs: Mapping[str, ProgramState]
    agents: frozenset[str]
    known_user: bool = True
    on_errors: Mapping[str | None, OnError] = NOTHING

    def on_error(self, hook: Hook) -> OnError:
        """What a failure means for a hook."""
        return self.on_errors.get(hook.config_dir, "deny")


class Hiding(NamedTuple):
    """A file beside a registration file that takes its place for some events."""

    path: str
    hidden: str
    events: frozenset[str]


class Installation(NamedTuple):
    """What was found of an agent. `signs` are the programs and folders that show it; `hooks` everything its files
    register; `broken` are files that cannot be read, with the reason; `accepted` is the text in which the agent keeps
    what its user has accepted, None if there is none; `hiding` are files that take the place of ours."""

    dialect: Dialect
    signs: tuple[str, ...]
    files: tuple[File, ...] = ()
    hooks: tuple[Hook, ...] = ()
    broken: tuple[tuple[str, str], ...] = ()
    accepted: str | None = None
    hiding: tuple[Hiding, ...] = ()

    @property
    def ours(self) -> tuple[Hook, ...]:
        """The hooks that ask Ostiary."""
        return tuple(hook for hook in self.hooks if hook.ours)


Check = Callable[[Installation, Machine], Iterator[Finding]]


def diagnose(found: Installation, machine: Machine) -> tuple[Finding, ...]:
    """Every finding, in the order of the checks."""
    return tuple(finding for check in CHECKS.values() for finding in check(found, machine))


def installed(found: Installation, machine: Machine) -> Iterator[Finding]:
    """Whether the agent is here."""
    if found.signs:
        yield Finding("installed", "good", f"found: {', '.join(found.signs)}")
    else:
        where = (
            "on this machine" if machine.known_user else "among the programs, and there is no home folder to look in"
        )
        yield Finding("installed", "note", f"not found {where}")


def readable(found: Installation, _machine: Machine) -> Iterator[Finding]:
    """Whether its files can be read."""
    for path, reason in found.broken:
        yield Finding("readable", "problem", f"{path}: {reason}", "the agent may ignore this file as a whole")


def registered(found: Installation, _machine: Machine) -> Iterator[Finding]:
    """Whether its calls come to Ostiary, and from which files."""
    name = found.dialect.name
    if not found.ours:
        level: Level = "problem" if found.signs else "note"
        yield Finding("registered", level, "no hook asks Ostiary", f"`ostiary install {name}` registers it")
        return
    for path in dict.fromkeys(hook.path for hook in found.ours):
        events = {hook.native for hook in found.ours if hook.path == path}
        yield Finding("registered", "good", f"registered: {path} ({_events(len(events))})")
    asked = {hook.native for hook in found.ours}
    for gate in gates(found.dialect):
        spec = found.dialect.events[gate]
        if (spec.registered_as or gate) not in asked and not spec.since:
            yield Finding("registered", "problem", f"the gate {gate} is not registered", help_of(found))


def _events(number: int) -> str:
    return "1 event" if number == 1 else f"{number} events"


def help_of(found: Installation) -> str:
    """What mends most things."""
    return f"`ostiary install {found.dialect.name}` mends it"


def current(found: Installation, machine: Machine) -> Iterator[Finding]:
    """Whether the entries are those that installing writes."""
    if found.dialect.registration.shape in ("plugin", "scripts"):
        return
    for file in found.files:
        ours = [hook for hook in found.ours if hook.path == file.path]
        if ours and _differs(found.dialect, file, ours, machine):
            text = f"{file.path}: the entries are not as `ostiary install` writes them now"
            yield Finding("current", "problem", text, help_of(found))


def _differs(dialect: Dialect, file: File, ours: list[Hook], machine: Machine) -> bool:
    """Whether installing again, with the program, the folder and the server that are registered, would change the
    file."""
    hook, web = next((one for one in ours if not one.url), ours[0]), next((one.web for one in ours if one.url), "")
    if not hook.isolated:
        return True
    on_error = machine.on_error(hook)
    command = hook_command(dialect, hook.interpreter, hook.config_dir, hook.service)
    try:
        return plan_install(dialect, file.text, command, file=file.path, on_error=on_error, web=web).needed
    except (RegistrationError, ValueError):
        return True


def single(found: Installation, machine: Machine) -> Iterator[Finding]:
    """Whether each event asks once."""
    for native in dict.fromkeys(hook.native for hook in found.ours):
        paths = [hook.path for hook in found.ours if hook.native == native]
        if len(paths) > 1:
            where = " and ".join(dict.fromkeys(paths))
            yield Finding("single", "problem", f"{native} asks {len(paths)} times: {where}", "keep one of them")
    for host in DIALECTS.values():
        for hooks in host.runs_hooks_of:
            if found.ours and hooks.agent == found.dialect.name and host.name in machine.agents:
                yield _hosted(host, same=hooks.same_answers)


def _hosted(host: Dialect, *, same: bool) -> Finding:
    does = "are judged as its own, twice if it is registered too" if same else "are told apart and refused"
    text = f"{host.title} runs the hooks of these files too; its calls {does}"
    help = f"register it for itself (`ostiary install {host.name}`) and switch its reading of foreign hooks off"
    return Finding("single", "note", text, "" if same else help)


def shown(found: Installation, _machine: Machine) -> Iterator[Finding]:
    """Whether the agent reads our hooks where they stand."""
    for hiding in found.hiding:
        events = [hook.native for hook in found.ours if hook.path == hiding.hidden and hook.native in hiding.events]
        if events:
            text = f"{hiding.path} takes the place of {hiding.hidden}, so these hooks do not run: {', '.join(events)}"
            yield Finding("shown", "problem", text, "move what is in it to the settings")


def whole(found: Installation, _machine: Machine) -> Iterator[Finding]:
    """Whether every call comes."""
    for hook in found.ours:
        if hook.narrow:
            text = f"{hook.path}: the matcher at {hook.native} keeps calls away from policy"
            yield Finding("whole", "problem", text, help_of(found))


def times(found: Installation, _machine: Machine) -> Iterator[Finding]:
    """Whether times are in the agent's unit."""
    unit = found.dialect.timeouts.unit
    for hook in found.hooks:
        if hook.timeout is None:
            continue
        short, long = unit == "milliseconds" and hook.timeout < 1000, unit == "seconds" and hook.timeout >= 1000
        if short or long:
            text = f"{hook.path}: {hook.timeout:g} {unit} at {hook.native}; the agent counts in {unit}"
            yield Finding("times", "problem" if hook.ours else "note", text, help_of(found) if hook.ours else "")


def programs(found: Installation, machine: Machine) -> Iterator[Finding]:
    """Whether what the hooks start is there, is one program, and is deaf to the environment."""
    for hook in _by_command(tuple(hook for hook in found.ours if not hook.url)):
        if not hook.words:
            yield Finding(
                "programs", "problem", f"{hook.path}: it cannot be told what {hook.native} starts", help_of(found)
            )
            continue
        program = hook.interpreter
        for started in (program, hook.path) if found.dialect.registration.shape == "scripts" else (program,):
            state = machine.programs.get(started, "missing")
            if state != "good":
                yield Finding("programs", "problem", f"{hook.path}: `{started}` is {state}", help_of(found))
        if hook.service and machine.programs.get(hook.service.client[-1], "missing") == "missing":
            yield Finding("programs", "problem", f"{hook.path}: `{hook.service.client[-1]}` is missing", help_of(found))
        passing = tuple(unsteady(program))
        yield from passing
        known = machine.programs.get(program) == "good" and not passing
        if known and hook.isolated and program != machine.python:
            text = f"{hook.path}: asks the Ostiary of `{program}`, not the one that runs now"
            yield Finding("programs", "note", text)
        if not hook.isolated:
            text = f"{hook.path}: the command at {hook.native} is not `PYTHON -I -m ostiary hook`"
            yield Finding("programs", "problem", text, help_of(found))


def unsteady(program: str) -> Iterator[Finding]:
    """Why a program may be another one, or gone, when a hook is started."""
    if _SHIM.search(program):
        text = f"`{program}` picks an interpreter anew in each folder, which a repository can choose"
        yield Finding("programs", "problem", text, "install with the interpreter itself")
    if _PASSING.search(program):
        text = f"`{program}` is in a place that is cleaned up"
        yield Finding("programs", "problem", text, "install Ostiary to stay (`uv tool install`, `pipx install`)")


def _by_command(hooks: tuple[Hook, ...]) -> tuple[Hook, ...]:
    """One hook for each file and command, events aside."""
    return tuple({(hook.path, hook.words[:-1]): hook for hook in reversed(hooks)}.values())[::-1]


def user(found: Installation, machine: Machine) -> Iterator[Finding]:
    """Whether the hooks can find the policy."""
    if machine.known_user:
        return
    for path in dict.fromkeys(hook.path for hook in found.ours if hook.config_dir is None and not hook.url):
        text = f"{path}: the user database does not know this user, and the command names no `--config-dir`"
        yield Finding("user", "problem", text, "install with `--config-dir DIR`: until then every gate stays closed")


_ANSWERS: Final[Mapping[OnError, str]] = {
    "deny": "its gates are closed",
    "ask": "its gates ask where the agent is known to stop for a question, and are closed elsewhere",
    "continue": "its gates stay open: calls go on that nobody judged",
}
_WAYS: Final[tuple[tuple[tuple[Way, ...], str], ...]] = (
    (("late",), "is late"),
    (("other", "dies"), "cannot start or crashes"),
)
_EFFECTS: Final[Mapping[Effect, str]] = {
    "block": "the call is held up",
    "proceed": "the call runs",
    "hook-failed": "the call runs",
    "undocumented": "nobody knows what becomes of the call",
}


def failure(found: Installation, machine: Machine) -> Iterator[Finding]:
    """What is said where Ostiary fails, and what the agent does where it says nothing."""
    for on_error in dict.fromkeys(map(machine.on_error, found.ours)):
        level: Level = "note" if on_error == "continue" else "good"
        text = f"when Ostiary fails (`on_error: {on_error}`) {_ANSWERS[on_error]}"
        yield Finding(
            "failure", level, text, "a probe cannot tell a failure from silence then" if level == "note" else ""
        )
        programs = (hook.interpreter for hook in found.ours)
        closing = on_error != "continue" and all(closes(found.dialect, program) for program in programs)
        for ways, text in _WAYS:
            yield from _left(found.dialect, ways, text, closing=closing)


def _left(dialect: Dialect, ways: tuple[Way, ...], text: str, *, closing: bool) -> Iterator[Finding]:
    effects = {dialect.left_with(gate, way, closing=closing) for gate in gates(dialect) for way in ways}
    for said in sorted({_EFFECTS[effect] for effect in effects}):
        stops = said == _EFFECTS["block"]
        yield Finding("failure", "good" if stops else "note", f"where the hook itself {text}, {said}")


def review(found: Installation, _machine: Machine) -> Iterator[Finding]:
    """Whether the agent's user has accepted the hooks."""
    kind = found.dialect.registration.review
    if not found.ours or kind == "none":
        return
    if kind == "content-hash":
        yield from _by_hash(found)
        return
    yield from _by_folder(found)


def _by_folder(found: Installation) -> Iterator[Finding]:
    """What trust in the folder decides: about hooks of the project, and in some agents about all."""
    fresh = found.dialect.registration.fresh
    mine = [hook.path for hook in found.ours if hook.scope in ("project", "local")]
    if fresh == "stops":
        text = "no hook runs in a folder that is not trusted, and without a person the agent does not start there"
        yield Finding("review", "note", text)
    elif fresh == "skips":
        everywhere = len(mine) < len(found.ours)
        for path in dict.fromkeys(mine):
            text = f"{path}: skipped without a word in a folder that is not trusted"
            help = f"trust the folder in the agent, or register for the user (`ostiary install {found.dialect.name}`)"
            yield Finding("review", "note" if everywhere else "problem", text, help)
    elif not fresh:
        text = "its hooks run once the folder is trusted in the agent; until then they may be skipped"
        yield Finding("review", "note", text)


def _by_hash(found: Installation) -> Iterator[Finding]:
    if found.dialect.accepted is None:
        text = "the agent wants hooks of a project reviewed; whether they were cannot be told from here"
        yield Finding("review", "note", text, "accept the hooks inside the agent")
        return
    yield from _by_folder(found)
    keys = accepted_keys(found.dialect, found.accepted)
    for path in dict.fromkeys(hook.path for hook in found.ours):
        natives = [hook.native for hook in found.ours if hook.path == path]
        waiting = [native for native in natives if not any(key.startswith(f"{path}:{snake(native)}:") for key in keys)]
        if waiting:
            text = f"{path}: waiting for the agent's review, and skipped until then: {', '.join(waiting)}"
            yield Finding("review", "problem", text, "accept the hooks inside the agent (`/hooks`)")
        else:
            yield Finding("review", "note", f"{path}: accepted once; a change of the command asks again")


def accepted_keys(dialect: Dialect, text: str | None) -> tuple[str, ...]:
    """The names of what the agent's user accepted, in the file where the agent keeps them."""
    try:
        table: object = tomllib.loads(text or "")
    except tomllib.TOMLDecodeError:
        return ()
    for key in dialect.accepted[1] if dialect.accepted else ():
        table = table.get(key) if isinstance(table, dict) else None
    return tuple(map(str, table)) if isinstance(table, dict) and dialect.accepted else ()


def snake(name: str) -> str:
    """`PreToolUse` as `pre_tool_use`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def rivals(found: Installation, _machine: Machine) -> Iterator[Finding]:
    """Whether another hook can undo a deny."""
    asked = {hook.native for hook in found.ours}
    others = [hook for hook in found.hooks if not hook.ours and hook.native in asked]
    if others and found.dialect.overruled:
        paths = ", ".join(dict.fromkeys(f"{hook.path} at {hook.native}" for hook in others))
        yield Finding("rivals", "note", f"another hook beside ours ({paths}): {found.dialect.overruled}")


def events(found: Installation, _machine: Machine) -> Iterator[Finding]:
    """Whether newer events than the oldest supported version's could be registered."""
    asked = {hook.native for hook in found.ours}
    known = set(registrable(found.dialect))
    late = [
        name for name, spec in found.dialect.events.items() if spec.since and spec.gate and name not in known | asked
    ]
    if found.ours and late:
        text = f"gates of newer versions of the agent are not registered: {', '.join(late)}"
        yield Finding("events", "note", text)


def unseen(found: Installation, _machine: Machine) -> Iterator[Finding]:
    """What the agent does not tell its hooks."""
    facts = len(found.dialect.unseen)
    if found.ours and facts:
        text = f"{facts} things are known that its hooks do not see or cannot stop"
        yield Finding("unseen", "note", text, "docs/blind-spots.md lists them")


CHECKS: Final[Mapping[str, Check]] = {
    "installed": installed,
    "readable": readable,
    "registered": registered,
    "current": current,
    "single": single,
    "shown": shown,
    "whole": whole,
    "times": times,
    "programs": programs,
    "user": user,
    "failure": failure,
    "review": review,
    "rivals": rivals,
    "events": events,
    "unseen": unseen,
}
"""The checks, in the order in which a person reads them."""
