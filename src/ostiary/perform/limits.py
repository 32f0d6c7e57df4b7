"""How long handlers may take: one table of events, kinds and contracts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf
from typing import Final

from ostiary.evaluate import HandlerRequest

# Seconds, by contract and event; "" stands for every other event.
_DEFAULTS: Final[Mapping[str, Mapping[str, float]]] = {
    "afk": {"": 30.0, "Stop": 5.0},
    "claude": {"": 600.0, "UserPromptSubmit": 30.0, "SessionEnd": 1.5},
}

# Kinds that ask a model have their own, on every event.
_OF_MODELS: Final[Mapping[str, float]] = {"prompt": 30.0, "agent": 60.0}

# What all handlers of one event share, and up to what one that asks for more raises it.
_SHARED: Final[Mapping[tuple[str, str], tuple[float, float]]] = {
    ("afk", "SubagentStop"): (30.0, 30.0),
    ("claude", "SessionEnd"): (1.5, 60.0),
}


def seconds(request: HandlerRequest) -> float | None:
    """How long one handler may take; None for as long as it likes. What its rule says counts."""
    said = request.plan.timeout
    if said is not None:
        return said if 0 < said < inf else None
    events = _DEFAULTS[request.contract]
    return _OF_MODELS.get(request.plan.kind) or events.get(request.event.name, events[""])


def shared(requests: Iterable[HandlerRequest]) -> float | None:
    """How long the handlers of one event may take together; None for as long as each may."""
    found = None
    for request in requests:
        least, most = _SHARED.get((request.contract, request.event.name), (None, None))
        if least is not None and most is not None:
            found = max(found or least, min(request.plan.timeout or 0.0, most))
    return found
