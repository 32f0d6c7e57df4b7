"""What evaluation may know besides event and policy (law L10).

Evaluation does no IO. What is known before it starts is `Given`; everything else is *asked for*: a condition calls
`Knowledge.ask`, which raises `FactNeeded` the first time; the evaluator yields the request to its driver, stores the
answer and judges again. So each fact is answered once per event, and the answers can be recorded and replayed.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, Literal, Protocol

from ostiary.records import NamedTuple, dataclass, field

FactName = Literal[
    "resolve", "branch", "folds_case", "home_of", "kind", "script", "written", "listing", "ignored", "permitted"
]

SCRIPT_BYTES: Final = 131_072
"""Bytes of a script in a file that are read: what is taken as one argument of `sh -c`, too."""

LISTED: Final = 10_000
"""Entries below one folder that are looked at."""


class FactRequest(NamedTuple):
    """One question about the machine.

    `resolve PATH`: the absolute path with links resolved as far as it exists (str), None if that cannot be told.
    `branch DIR`: the branch checked out in the repository around DIR (str), "" if there is none (no repository, or a
    detached head), None if that cannot be told. `folds_case PATH`: whether the volume ignores case (bool).
    `home_of USER`: the home of another user (str), None if there is no such user. `kind PATH`: what stands there, links
    followed: `file`, `folder` or `none` (str), None if that cannot be told. `script PATH`: the text of a file that the
    call runs (str), of one longer than `SCRIPT_BYTES` its start with more characters than that; None if there is none,
    or if it lies outside of the project and the working directories. `written PATH`: whether
    permitted calls of this session before this
    one wrote it: `yes`, `maybe` or `no` (str), None if that cannot be told. The path may have unknown stretches.
    `listing DIR`: what lies below a folder, links not followed and repositories' `.git` not entered: each base name
    with the folders that hold such an entry, relative to DIR, "" for itself (mapping of str to tuple of str); None if
    there are more than `LISTED` entries, or if it cannot be told. `ignored PATH`: whether a repository leaves a path
    out by its own ignore files, and does not track it (bool), None if that cannot be told. `permitted DIGEST`: whether
    a person was asked about the call of this digest before in this session, and it then ran (bool).
    """

    name: FactName
    argument: str


class FactNeeded(Exception):
    """Raised inside evaluation when facts were not asked for yet; never leaves the evaluator. `requests` are all that
    are known to be missing, so that few rounds are needed."""

    def __init__(self, *requests: FactRequest) -> None:
        self.requests = requests


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """Facts known before evaluation starts.

    `now` is an aware UTC time. `start` is the root of the project the agent was started in, `roots` all project roots
    of the event, `workdirs` the working directories the agent was given (its roots where it names none). Paths are
    absolute, with forward slashes. `windows` says that paths and programs follow Windows' rules.
    """

    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    home: str | None = None
    user: str | None = None
    start: str | None = None
    roots: tuple[str, ...] = ()
    workdirs: tuple[str, ...] = ()
    windows: bool = False


class Facts(Protocol):
    """Where facts come from: the machine (`sources.machine`), or fixed values in tests."""

    def given(self, cwd: str | None) -> Given:
        """The facts known beforehand for an event in this directory."""

    def answer(self, request: FactRequest) -> object:
        """The answer to one request; None means that it cannot be told."""


class Knowledge:
    """The facts of one evaluation: the given ones and the answers so far. `kept` is what follows from them and every
    rule would work out again."""

    __slots__ = ("answers", "given", "kept")

    def __init__(self, given: Given) -> None:
        self.given = given
        self.answers: dict[FactRequest, object] = {}
        self.kept: dict[object, Any] = {}

    def ask(self, name: FactName, argument: str) -> object:
        """The answer, or `FactNeeded` if nobody gave it yet."""
        request = FactRequest(name, argument)
        if request not in self.answers:
            raise FactNeeded(request)
        return self.answers[request]


@dataclass(frozen=True, slots=True)
class FixedFacts:
    """Facts with fixed values, for tests, examples and replay. A request without a value cannot be told (None),
    except `resolve`, which then gives the path itself, `folds_case`, which is False, `kind` and `listing`, as nothing
    exists, and `written` and `permitted`, as nothing was."""

    known: Given = field(default_factory=Given)
    answers: Mapping[FactRequest, object] = field(default_factory=dict)

    def given(self, cwd: str | None) -> Given:  # noqa: ARG002 the values are fixed
        """What is known beforehand, the same in every directory."""
        return self.known

    def answer(self, request: FactRequest) -> object:
        """The answer that was given for it, else that of a machine where nothing exists."""
        if request in self.answers:
            return self.answers[request]
        absent = {"folds_case": False, "kind": "none", "written": "no", "listing": {}, "permitted": False}
        return request.argument if request.name == "resolve" else absent.get(request.name)
