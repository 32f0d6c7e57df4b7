"""`ostiary explain`: why a call was judged so, rule by rule, or what it was taken for."""

from __future__ import annotations

from typing import Annotated

import typer

from ostiary import explain
from ostiary.commands.shared import console
from ostiary.commands.shared.asking import Asked, asking, judged, taken_apart

_Call = Annotated[
    bool, typer.Option("--call", help="Show what the call was taken for: its parts, words, unknowns and accesses.")
]


@asking
def run(asked: Asked, *, call: _Call = False) -> None:
    """Judge a call and show what every rule said about it.

    Takes the arguments of `eval`. Each line is one rule on one part of the call: no, maybe or yes, what the rule
    decides, its name and line, and the condition that settled it. With `--call` no rule is asked: what the call was
    taken for is drawn as a tree.
    """
    if call:
        _draw(asked)
        return
    outcome = judged(asked, full=True)
    if asked.as_json:
        console.document(explain.json_text(outcome))
    else:
        console.show(explain.explained(outcome))


def _draw(asked: Asked) -> None:
    event, found = taken_apart(asked)
    if asked.as_json:
        console.document(explain.call_json(found))
    else:
        console.draw(explain.drawn(found, event.tool))
