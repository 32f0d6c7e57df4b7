"""Verbs for people: refused below an agent, and every use of one is recorded (law L6)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Final

import typer

from ostiary.commands.shared.console import complain
from ostiary.commands.shared.exits import Refused
from ostiary.dialects import DIALECTS
from ostiary.dialects.launches import agent_of
from ostiary.sources import ancestry, record
from ostiary.sources.chain import why
from ostiary.sources.files import Unreadable
from ostiary.sources.places import NoPlace, find_places

Run = Callable[..., None]

_LONGEST: Final = 200


def for_people(
    verb: str, run: Run, *, loosens: bool = False, applies: Callable[[Mapping[str, Any]], bool] = lambda _given: True
) -> Run:
    """The same verb for people alone. One that `loosens` does nothing where its use cannot be recorded. `applies` says
    of its arguments whether this use of it is one for people."""

    @wraps(run)
    def guarded(**given: Any) -> None:
        if not applies(given):
            run(**given)
            return
        use = _Use(verb, given, loosens)
        try:
            use.insist()
            run(**given)
        except BaseException as error:
            use.end(_ended(error))
            raise
        use.end("done")

    return guarded


def _ended(error: BaseException) -> str:
    if isinstance(error, typer.Exit):
        return f"ended with {error.exit_code}" if error.exit_code else "done"
    return f"refused: {error.text}" if isinstance(error, Refused) else f"failed: {type(error).__name__}"


class _Use:
    """One use of a verb."""

    def __init__(self, verb: str, given: Mapping[str, Any], loosens: bool) -> None:
        self._verb = verb
        self._given = {name: shown for name, value in given.items() if (shown := _shown(value))}
        self._loosens = loosens
        self._state = _state(given.get("config_dir"))
        self._above = ancestry.above()

    def insist(self) -> None:
        """Raises `Refused` below an agent, and where the beginning cannot be recorded though it has to be."""
        if self._above is None:
            raise Refused(f"`ostiary {self._verb}` is for people, and the system does not tell who started it")
        for ancestor in self._above:
            if agent := agent_of(ancestor.process):
                raise Refused(
                    f"`ostiary {self._verb}` is for people, and this was started by {DIALECTS[agent].title} "
                    f"(process {ancestor.pid}); a person has a terminal that no agent or editor started"
                )
        if self._loosens:
            self._note("begun", must=True)

    def end(self, result: str) -> None:
        """Records how it ended."""
        self._note(result)

    def _note(self, result: str, must: bool = False) -> None:
        above = [f"{one.pid} {_cut(one.process.name)}" for one in self._above or ()]
        fields = {"verb": self._verb, "arguments": self._given, "cwd": _cwd(), "above": above, "result": _cut(result)}
        try:
            if self._state is not None:
                record.verb(self._state, fields)
        except (OSError, Unreadable) as error:
            if must:
                raise Refused(f"nothing was done: it cannot be recorded ({why(error)})") from None
            complain(f"this use of `{self._verb}` is not in the record: {why(error)}")


def _state(config_dir: str | None) -> str | None:
    """The folder of the record, None for a user without one."""
    try:
        return find_places(os.path.abspath(config_dir) if config_dir is not None else None).state
    except NoPlace:
        return None


def _shown(value: Any) -> str:
    """An argument as the record keeps it, empty for one that was not given."""
    if value is None or value is False or value == []:
        return ""
    return _cut(" ".join(map(str, value)) if isinstance(value, list) else str(value))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _cwd() -> str:
    try:
        return _cut(os.getcwd())
    except OSError:
        return ""
