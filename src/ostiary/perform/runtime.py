"""What performing a handler needs besides the handler, and one run of one."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from ostiary.evaluate import HandlerRequest
from ostiary.perform.payload import payload
from ostiary.perform.program import Cancel
from ostiary.policy import ModelPlan
from ostiary.records import NamedTuple, dataclass, field

if TYPE_CHECKING:
    from ostiary.perform.adapters.base import Model, Verifier


class Finished(NamedTuple):
    """What a handler in the background came to. `context` is what it would tell the model: its context, its message
    and, with `rewake`, the reason of a deny. `rewake` says that this is worth waking an idle session for. `failure`
    says what went wrong, empty if nothing did."""

    rule: str
    event: str
    session: str | None
    context: str = ""
    rewake: bool = False
    failure: str = ""


def nobody(_finished: Finished) -> None:
    """Takes note of nothing."""


class Library(Protocol):
    """Files that a model may look at. Each gives text, or says why there is none."""

    def read(self, path: str, first: int) -> str:
        """The lines of a file from one on."""

    def list(self, path: str) -> str:
        """The names in a folder."""

    def search(self, text: str, path: str) -> str:
        """The lines below a folder that hold a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """Where the handlers of one event run.

    `began` is when, and `deadline` when all answers must be there, by `time.monotonic()` (None: when each handler's own
    time is over). `cancel` tells that the answer is not wanted any more. `functions` are an embedder's own handlers by
    name, `loop` is the event loop that asynchronous ones belong to (None: one of their own). `model` answers `prompt`
    (None: one of `models`, which settings name), and `verifier` answers `agent` (None: the same model, which may look
    at what `library` shows). `project` is the absolute folder of the project, `root` that of the one whose rules run if
    a person reviewed them, `home` that of the user, empty if there is none. `environ` is the environment that handlers
    may get something of. `together` is how many handlers run beside each other where their contract lets them.
    `finished` is told what handlers in the background came to, in whichever thread or process they ran; `ends` says
    that this process is a hook, which ends with its answer, so that they need one of their own.
    """

    began: float = field(default_factory=time.monotonic)
    deadline: float | None = None
    cancel: Cancel | None = None
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    loop: Any = None
    model: Model | None = None
    models: tuple[ModelPlan, ...] = ()
    verifier: Verifier | None = None
    library: Library | None = None
    project: str = ""
    root: str = ""
    home: str = ""
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    together: int = 8
    finished: Callable[[Finished], None] = nobody
    ends: bool = False


class Job:
    """One run of a handler, to be over at `deadline` (by `time.monotonic()`; None: no limit)."""

    def __init__(self, request: HandlerRequest, runtime: Runtime, deadline: float | None) -> None:
        self.request, self.runtime, self.deadline = request, runtime, deadline
        self.options: Mapping[str, Any] = dict(request.plan.spec)

    @cached_property
    def payload(self) -> Mapping[str, Any]:
        """The event as handlers are told of it."""
        return payload(self.request)

    @property
    def left(self) -> float | None:
        """The seconds that are left, zero if none are; None without a limit."""
        return None if self.deadline is None else max(self.deadline - time.monotonic(), 0.0)

    @property
    def cancelled(self) -> bool:
        """Whether the answer is not wanted any more."""
        return self.runtime.cancel is not None and self.runtime.cancel.cancelled
