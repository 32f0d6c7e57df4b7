"""`ostiary eval`: what the policy makes of a call."""

from __future__ import annotations

from typing import Annotated

import typer

from ostiary import explain
from ostiary.commands.shared import console, options
from ostiary.commands.shared.asking import Asked, judged
from ostiary.commands.shared.exits import OF_VERDICT, Exit


def run(
    command: options.Command = None,
    *,
    tool: options.ToolName = None,
    input: options.Input = None,
    payload: options.Payload = None,
    agent: options.Agent = None,
    cwd: options.Cwd = None,
    mode: options.Mode = None,
    on: options.On = None,
    branch: options.Branch = None,
    prompt: options.Prompt = None,
    as_json: options.AsJson = False,
    exit_verdict: Annotated[
        bool,
        typer.Option("--exit-verdict", help="Exit with 0 for none and allow, 10 for ask, 11 for defer, 12 for deny."),
    ] = False,
    config_dir: options.ConfigDir = None,
    project: options.ProjectDir = None,
) -> None:
    """Judge a call and show the answer.

    `ostiary eval 'git push -f'` judges shell text, `--tool read_file --input '{"file_path": ".env"}'` any tool call,
    `--payload FILE --agent AGENT` what an agent sends to its hooks. Nothing is run.
    """
    asked = Asked(
        command=command,
        tool=tool,
        input=input,
        payload=payload,
        agent=agent,
        cwd=cwd,
        mode=mode,
        on=on,
        branch=branch,
        prompt=prompt,
        config_dir=config_dir,
        project=project,
    )
    outcome = judged(asked, full=False)
    if as_json:
        console.document(explain.json_text(outcome))
    else:
        console.show(explain.told(outcome))
    raise typer.Exit(OF_VERDICT[outcome.verdict] if exit_verdict else Exit.CLEAN)
