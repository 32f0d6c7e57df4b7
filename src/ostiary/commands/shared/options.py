"""The options that several verbs take."""

from __future__ import annotations

from typing import Annotated

import typer

from ostiary.dialects import DIALECTS


def agents(incomplete: str) -> list[str]:
    """The agents whose names begin so, for shell completion."""
    return [name for name in DIALECTS if name.startswith(incomplete)]


Agents = Annotated[
    list[str] | None,
    typer.Argument(metavar="[AGENT]...", help="The agents; all that show here if absent.", autocompletion=agents),
]
ConfigDir = Annotated[
    str | None,
    typer.Option("--config-dir", metavar="DIR", help="Folder of the user's policy, instead of the usual one."),
]
ProjectDir = Annotated[
    str | None,
    typer.Option("--project", metavar="DIR", help="Folder of the project; the current folder if absent."),
]
Agent = Annotated[str | None, typer.Option("--agent", metavar="AGENT", help="The agent.", autocompletion=agents)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

Command = Annotated[str | None, typer.Argument(metavar="COMMAND", help="Shell text, as the agent would run it.")]
ToolName = Annotated[str | None, typer.Option("--tool", metavar="TOOL", help="The tool; with --input.")]
Input = Annotated[str | None, typer.Option("--input", metavar="JSON", help="The tool's arguments, a JSON object.")]
Payload = Annotated[
    str | None,
    typer.Option("--payload", metavar="FILE", help="A hook payload, `-` for standard input; with --agent."),
]
Cwd = Annotated[str | None, typer.Option("--cwd", metavar="DIR", help="Where it happens; the project if absent.")]
Mode = Annotated[str | None, typer.Option("--mode", metavar="MODE", help="The agent's permission mode.")]
On = Annotated[str | None, typer.Option("--on", metavar="EVENT", help="The event; PreToolUse if absent.")]
Branch = Annotated[str | None, typer.Option("--branch", metavar="NAME", help="The branch checked out there.")]
Prompt = Annotated[str | None, typer.Option("--prompt", metavar="TEXT", help="The prompt, on prompt events.")]
Perform = Annotated[bool, typer.Option("--perform", help="Run the handlers of rules that have one.")]
