"""`ostiary explain`: why a call was judged so, rule by rule."""

from __future__ import annotations

import typer

from ostiary import explain
from ostiary.commands.shared import console, options
from ostiary.commands.shared.asking import Asked, judged
from ostiary.commands.shared.exits import Exit


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
    config_dir: options.ConfigDir = None,
    project: options.ProjectDir = None,
) -> None:
    """Judge a call and show what every rule said about it.

    Takes the arguments of `eval`. Each line is one rule on one part of the call: no, maybe or yes, what the rule
    decides, its name and line, and the condition that settled it.
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
    outcome = judged(asked, full=True)
    if as_json:
        console.document(explain.json_text(outcome))
    else:
        console.show(explain.explained(outcome))
    raise typer.Exit(Exit.CLEAN)
