"""Policy for coding agents: judges what a tool call does, never looser than it was written.

What embedders need is here: `Engine` with `Dispatched` and `Cancelled`, `Event`, `Decision`, `Outcome`, `Verdict`,
`Finished`, `Facts` with `FixedFacts` and `Given`, `Problem` and `PolicyError`; and what watchers need: `read_event`,
`LifecycleEvent`, `UnknownAgent`, `builtin_dialects` and `Dialect`. Each is imported when it is first used, so that
importing one module of the package costs no other.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ostiary.decision import Decision, Outcome, Verdict
    from ostiary.dialects.base import Dialect
    from ostiary.dialects.lifecycle import LifecycleEvent, UnknownAgent, builtin_dialects, read_event
    from ostiary.engine import Cancelled, Dispatched, Engine
    from ostiary.event import Event
    from ostiary.facts import FactRequest, Facts, FixedFacts, Given
    from ostiary.perform.runtime import Finished
    from ostiary.problems import PolicyError, Problem

__version__ = "0.1.0"

__all__ = [
    "Cancelled",
    "Decision",
    "Dialect",
    "Dispatched",
    "Engine",
    "Event",
    "FactRequest",
    "Facts",
    "Finished",
    "FixedFacts",
    "Given",
    "LifecycleEvent",
    "Outcome",
    "PolicyError",
    "Problem",
    "UnknownAgent",
    "Verdict",
    "__version__",
    "builtin_dialects",
    "read_event",
]

_HOMES: Final = {
    "Cancelled": "engine",
    "Decision": "decision",
    "Dialect": "dialects.base",
    "Dispatched": "engine",
    "Engine": "engine",
    "Event": "event",
    "FactRequest": "facts",
    "Facts": "facts",
    "Finished": "perform.runtime",
    "FixedFacts": "facts",
    "Given": "facts",
    "LifecycleEvent": "dialects.lifecycle",
    "Outcome": "decision",
    "PolicyError": "problems",
    "Problem": "problems",
    "UnknownAgent": "dialects.lifecycle",
    "Verdict": "decision",
    "builtin_dialects": "dialects.lifecycle",
    "read_event": "dialects.lifecycle",
}


def __getattr__(name: str) -> Any:
    """PEP 562: a public name on first use."""
    if name not in _HOMES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
