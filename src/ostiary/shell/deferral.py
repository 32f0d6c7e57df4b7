"""What runs later than it stands, or from a text that is not walked: functions, traps, `eval`.

A script that defines functions is walked twice. The first walk notes the state at each call (`Record`); in the second
one, a function's body starts in what all its calls have in common. A trap may run at any time after it is set: it knows
the variables that have one value in the whole script.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ostiary.records import replace
from ostiary.shell.commands import Commands
from ostiary.shell.drafts import Draft
from ostiary.shell.limits import Budget
from ostiary.shell.operands import unwrapped
from ostiary.shell.pieces import UNCHANGED, moves
from ostiary.shell.scope import UNKNOWN_DIRECTORY, Record, Scope, Variables, unknown
from ostiary.shell.second import read
from ostiary.shell.survey import Survey, bodies, survey
from ostiary.shell.syntax import Sequence, Simple
from ostiary.words import Word

# Texts that run where they stand.
_NOW: Final = frozenset({"eval", "source", "."})
# They bind functions to keys and to completion.
_BOUND: Final = frozenset({"bind", "complete", "compgen"})
# Bash calls it by itself (its manual, 3.7.2).
_UNCALLED: Final = "command_not_found_handle"


class Deferral(Commands):
    """Knows what runs at another place. `functions` are those defined so far, with what their bodies may do. `past` is
    what a first walk noted, `deferred` says that there should be a second one."""

    def __init__(self, text: str, script: Sequence, budget: Budget, past: Record | None = None) -> None:
        super().__init__(text, script, budget)
        self.functions: dict[str, Survey] = {}
        self.past = past
        self._whole: Survey | None = None
        self._whole_functions: frozenset[str] = frozenset()
        self.deferred = False
        self._traps: list[tuple[Draft, Scope]] = []

    def disturb(self, found: Survey, scope: Scope) -> None:
        """Something runs of which only this much is known; that it does so is noted where it stands."""
        for name in found.names:
            scope.forget(name)
        scope.defined |= found.functions
        if found.positional:
            scope.set_arguments(None)
        calls = bool(found.programs & self.functions.keys())
        if found.opaque or calls:
            scope.forget_all(evaluated=True)
        if found.moves or calls:
            scope.cwd, scope.stack = UNKNOWN_DIRECTORY, None

    def anything(self, scope: Scope) -> None:
        """Something runs of which nothing is known."""
        scope.record.opaque = True
        scope.record.places[UNKNOWN_DIRECTORY] = None
        self.disturb(Survey(moves=True, opaque=True), scope)

    def surveyed(self, item: Word, scope: Scope) -> Survey:
        """What a text may do that the shell runs in its own process, which is noted, since it is not walked."""
        found = Survey(moves=True, opaque=True)
        if item.text is not None:
            found = survey(read(item.text, self.budget)[0], self.outside)
        record = scope.record
        for name in found.names:
            record.note(name, None)
        for name in found.programs:
            self.calls(name, scope)
        record.anytime |= found.programs
        record.opaque = record.opaque or found.opaque
        if found.moves:
            record.places[UNKNOWN_DIRECTORY] = None
        if "trap" in found.programs:
            self.interrupt(found, scope)
        return found

    def interrupt(self, found: Survey, scope: Scope) -> None:
        """From now on this may run before any command, with the functions it calls."""
        total = Survey()
        total.add(found)
        whole = self.survey_all()
        waiting = found.programs & whole.functions
        known = bodies(self.script) if waiting else {}
        reached = waiting.copy()
        while waiting:
            for body in known[waiting.pop()]:
                total.add(survey(body, self.outside))
            waiting |= (total.programs & known.keys()) - reached
            reached |= waiting
        self.disturb(replace(total, programs=set(), functions=set()), scope)
        scope.record.changing |= whole.names | total.names if total.opaque else total.names
        if total.moves:
            scope.record.changing.add("PWD")

    def calls(
        self, name: str, scope: Scope, given: tuple[Word, ...] | None = None, assigned: Iterable[str] = ()
    ) -> None:
        """What may be a function is called here, with the arguments `given`, None if they are not known, and variables
        `assigned` for it."""
        if not self._defines or name not in self.survey_all().functions or name == _UNCALLED:
            return
        inner = scope.copy()
        if given is None:
            inner.set_arguments(None)
        else:
            inner.give(given)
        for variable in assigned:
            inner.forget(variable)
        known = scope.record.called.setdefault(name, inner)
        known.join(inner)

    def survey_all(self) -> Survey:
        """What the whole script may do."""
        if self._whole is None:
            self._whole = survey(self.script, self.outside)
            self._whole_functions = frozenset(self._whole.functions)
        return self._whole

    def later(self, scope: Scope, name: str = "") -> Scope:
        """The state in which something runs that is called from another place: the function `name`, or any text."""
        whole = self.survey_all()
        inner = scope.copy()
        inner.late = True
        inner.defined = (
            self._whole_functions if scope.defined <= self._whole_functions else scope.defined | self._whole_functions
        )
        self.deferred = True
        past = self.past
        called = past.called.get(name) if past and not past.opaque else None
        if past and called:
            lasting = inner.lasting(past)
            inner.enter(called)
            inner.values |= lasting
            if name in past.anytime:
                inner.set_arguments(None)
                inner.spread(past)
            return inner
        # A first walk only notes; that something is not understood it knows at its end.
        opaque = whole.opaque and past is not None and past.opaque
        self.disturb(replace(whole, programs=set(), functions=set(), opaque=opaque), inner)
        for variable in list(inner.values):
            inner.forget(variable)
        inner.set_arguments(None)
        return inner

    def carry(self, draft: Draft, node: Simple, scope: Scope) -> None:
        """The command runs a text in its own shell: note which variables that finds."""
        words = unwrapped(draft.words)
        name = words[0].text if words else None
        draft.variables = ()
        scope.record.opaque = scope.record.opaque or name in _BOUND
        if name in _NOW:
            assigned = {item.name for item in node.assignments}
            draft.variables = tuple(item for item in _found(scope) if item[0] not in assigned)
        elif name == "trap":
            self._traps.append((draft, scope.copy()))

    def settle(self) -> None:
        """At the end of a walk: what is known of traps."""
        for draft, scope in self._traps:
            scope.spread(scope.record)
            draft.variables = _found(scope)
            draft.cwd, draft.fallbacks = scope.cwd, scope.fallbacks


def _found(scope: Scope) -> Variables:
    """Variables as a text finds them that is read on its own: it takes the directory here for the one it starts in."""
    if scope.cwd == UNCHANGED:
        return scope.variables()
    return tuple((name, unknown(name) if moves(value) else value) for name, value in scope.variables())
