"""Policy for coding agents: judges what a tool call does, never looser than it was written.

What embedders need is here: `Engine`, `Event`, `Outcome`, `Verdict`, `Facts` with `FixedFacts` and `Given`, `Problem`
and `PolicyError`; and what watchers need: `read_event`, `LifecycleEvent`, `UnknownAgent`, `builtin_dialects` and
`Dialect`. Each is imported when it is first used, so that importing one module of the package costs no other.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ostiary.decision import Outcome, Verdict
    from ostiary.dialects.base import Dialect
    from ostiary.dialects.lifecycle import LifecycleEvent, UnknownAgent, builtin_dialects, read_event
    from ostiary.engine import Engine
    from ostiary.event import Event
    from ostiary.facts import FactRequest, Facts, FixedFacts, Given
    from ostiary.problems import PolicyError, Problem

__version__ = "0.1.0"

__all__ = [
    "Dialect",
    "Engine",
    "Event",
    "FactRequest",
    "Facts",
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
    "Dialect": "dialects.base",
    "Engine": "engine",
    "Event": "event",
    "FactRequest": "facts",
    "Facts": "facts",
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
