"""`ostiary eval`: what the policy makes of a call."""

from __future__ import annotations

from typing import Annotated

import typer

from ostiary import explain
from ostiary.commands.shared import console
from ostiary.commands.shared.asking import Asked, asking, judged
from ostiary.commands.shared.exits import OF_VERDICT, Exit

_ExitVerdict = Annotated[
    bool, typer.Option("--exit-verdict", help="Exit with 0 for none and allow, 10 for ask, 11 for defer, 12 for deny.")
]


@asking
def run(asked: Asked, *, exit_verdict: _ExitVerdict = False) -> None:
    """Judge a call and show the answer.

    `ostiary eval 'git push -f'` judges shell text, `--tool read_file --input '{"file_path": ".env"}'` any tool call,
    `--payload FILE --agent AGENT` what an agent sends to its hooks. The call is never run, and handlers of rules only
    with `--perform`.
    """
    outcome = judged(asked, full=False)
    if asked.as_json:
        console.document(explain.json_text(outcome))
    else:
        console.show(explain.told(outcome))
    raise typer.Exit(OF_VERDICT[outcome.verdict] if exit_verdict else Exit.CLEAN)
