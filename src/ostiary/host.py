"""What a harness that embeds the engine brings: handlers of its own, and how often its agent was made to go on.

The handlers are rules of a managed file that exists only here, in front of all others.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Lock
from typing import Any, Final

from ostiary.decision import Outcome
from ostiary.effects import STOPS, Contract, Effective, effective
from ostiary.event import EVENTS, Event, unknown_event
from ostiary.foreign import AgentName
from ostiary.matchers.tool import ToolMatcher
from ostiary.perform import Perform
from ostiary.perform.adapters.base import Model, Verifier
from ostiary.perform.handlers import perform
from ostiary.perform.program import Cancel
from ostiary.perform.runtime import Finished, Runtime
from ostiary.policy import Admitted, FilePlan, HandlerPlan, ModelPlan, RulePlan
from ostiary.records import NamedTuple, dataclass, replace
from ostiary.sources.account import account
from ostiary.sources.library import Library, Permitted
from ostiary.sources.snapshot import Wanted

Handler = Callable[..., Any]
"""Is called with the event, and with `cancel` if it takes one. Returns a `Decision`, a mapping as a command would print
it, or None for nothing, or an awaitable of that. One that raises blocks."""

_SESSIONS: Final = 4096
_RESULTS: Final = 4096


@dataclass(frozen=True, slots=True)
class Registration:
    """One handler of the harness. `remove` takes it out; an event that is being dispatched still runs it."""

    name: str
    event: str
    _remove: Callable[[str], None]

    def remove(self) -> None:
        """Takes the handler out, once and for all."""
        self._remove(self.name)


class Means(NamedTuple):
    """What a harness gives its engine: how many threads it may start at a time, and models that judge."""

    threads: int = 0
    model: Model | None = None
    verifier: Verifier | None = None


class _Turn(NamedTuple):
    """How often in a row the agent was made to go on, and whether it still is going on."""

    times: int = 0
    active: bool = False


class Host:
    """The handlers of a harness in the order they were registered; safe to use from several threads."""

    def __init__(
        self,
        contract: Contract,
        stops: int | None,
        on_result: Callable[[Finished], None] | None,
        means: Means,
        agents: tuple[AgentName, ...] | None,
    ) -> None:
        """`stops` is how often in a row an agent may be made to go on (None: what the contract says). `on_result` is
        told what handlers in the background came to, in their thread; else `results` holds it. `agents` are those in
        whose settings files hooks are looked for (None: as Ostiary's settings say)."""
        self.contract = contract
        self._means = means
        self._agents = agents
        self.stops = STOPS[contract] if stops is None else stops
        self.functions: dict[str, Handler] = {}
        self._on_result = on_result
        self._rules: dict[str, RulePlan] = {}
        self._turns: dict[tuple[str | None, ...], _Turn] = {}
        self._finished: deque[Finished] = deque(maxlen=_RESULTS)
        self._made = 0
        self._lock = Lock()

    def add(self, event: str, handler: Handler, tool: str | None, name: str | None, **plan: Any) -> str:
        """Registers a handler and gives its name. Raises ValueError for an unknown event, a pattern that is none, and a
        name that is taken."""
        if event not in EVENTS:
            raise ValueError("; ".join(unknown_event(event)))
        when = ("always",) if tool is None else _condition(tool)
        with self._lock:
            self._made += 1
            name = name or f"{getattr(handler, '__name__', 'handler').strip('<>')}-{self._made}"
            if name in self._rules:
                raise ValueError(f"a handler `{name}` is registered already")
            runs = HandlerPlan("function", (("name", name),), **plan)
            self._rules = {**self._rules, name: RulePlan(name, 0, (event,), when, handler=runs)}
            self.functions = {**self.functions, name: handler}
        return name

    def remove(self, name: str) -> bool:
        """Takes a handler out; False if there is none of this name."""
        with self._lock:
            found = name in self._rules
            self._rules = {key: rule for key, rule in self._rules.items() if key != name}
            self.functions = {key: function for key, function in self.functions.items() if key != name}
        return found

    @property
    def wanted(self) -> Wanted:
        """What it adds to the files."""
        return Wanted(self._agents, self._admitted())

    def performing(
        self, folders: tuple[str, str], models: tuple[ModelPlan, ...], may: Permitted, cancel: Cancel | None, loop: Any
    ) -> Perform:
        """Who runs the handlers of one event: those of the harness that are registered now, and those of files.
        `folders` are the project's as the event says, and the root of the one whose rules count if reviewed; `may`
        tells what the agent may read."""
        user = account()
        home = user.home if user else ""
        runtime = Runtime(
            cancel=cancel,
            functions=self.functions,
            loop=loop,
            model=self._means.model,
            models=models,
            verifier=self._means.verifier,
            library=Library(folders[0], home, may),
            project=folders[0],
            root=folders[1],
            home=home,
            together=self._means.threads,
            finished=self.finished,
        )
        return lambda requests: perform(requests, runtime)

    def _admitted(self) -> tuple[Admitted, ...]:
        """Its handlers as a source of rules, none if it has none."""
        rules = self._rules
        digest = f"host:{self._made}:{','.join(rules)}"
        file = FilePlan("host", "the harness", digest, "strictest", tuple(rules.values()), contract=self.contract)
        return (Admitted("managed", True, file),) if rules else ()

    def finished(self, result: Finished) -> None:
        """Takes what a handler in the background came to."""
        if self._on_result:
            self._on_result(result)
        else:
            self._finished.append(result)

    def results(self) -> tuple[Finished, ...]:
        """What handlers in the background came to since this was asked last."""
        found = []
        while self._finished:
            found.append(self._finished.popleft())
        return tuple(found)

    def told(self, event: Event) -> Event:
        """The event with what handlers at the end of a turn want to know: whether the agent was made to go on, and how
        often."""
        if not event.kind.ends:
            return event
        turn = self._turns.get(_key(event), _Turn())
        return replace(event, data={**event.data, "stop_hook_active": turn.active, "continuation": turn.times})

    def took(self, event: Event, outcome: Outcome) -> Effective:
        """What is to be done about an event, and remembers what it says of the turn: its end ends it unless the agent
        goes on; under `claude` a tool call begins the count anew."""
        key = _key(event)
        with self._lock:
            turn = self._turns.pop(key, None)
            done = effective(outcome, event.name, self.contract, (turn or _Turn()).times < self.stops)
            if event.kind.ends:
                turn = _Turn((turn or _Turn()).times + 1, active=True) if done.blocked else None
            elif event.kind.before_tool and self.contract == "claude":
                turn = turn and turn._replace(times=0)
            elif event.kind.prompts or event.name == "SessionEnd":
                turn = None
            if turn:
                while len(self._turns) >= _SESSIONS:
                    self._turns.pop(next(iter(self._turns)))
                self._turns[key] = turn
        return done


def _key(event: Event) -> tuple[str | None, ...]:
    return event.agent, event.session, event.subagent


def _condition(tool: str) -> tuple[Any, ...]:
    """The plan of a tool pattern. Raises ValueError if it is none."""
    try:
        return ToolMatcher.model_validate(tool).compile()
    except ValueError as error:
        raise ValueError(f"`{tool}` is no pattern for tools") from error
