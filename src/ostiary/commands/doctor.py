"""`ostiary doctor`: whether agents really ask."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator
from typing import Annotated, Final

import typer

from ostiary.commands.shared import agents, options, resident
from ostiary.commands.shared.console import document, say, show
from ostiary.commands.shared.exits import Exit
from ostiary.commands.shared.probing import probes
from ostiary.commands.shared.registering import chosen, outdated, without_rules
from ostiary.commands.shared.world import folder
from ostiary.dialects import DIALECTS
from ostiary.explain import Line, Role, span
from ostiary.install.diagnosis import Finding, Installation, Level, diagnose
from ostiary.install.served import served
from ostiary.install.surroundings import sides

_LOOKS: Final[dict[Level, tuple[str, Role]]] = {
    "good": ("ok", "yes"),
    "note": ("note", "quiet"),
    "problem": ("problem", "deny"),
}

Report = dict[str, list[Finding]]


def run(
    names: options.Agents = None,
    *,
    probe: Annotated[bool, typer.Option(help="Start the registered hooks and ask about a harmless call.")] = True,
    as_json: options.AsJson = False,
    config_dir: options.ConfigDir = None,
    project: options.ProjectDir = None,
) -> None:
    """Say whether the agents on this machine ask Ostiary.

    For each agent: where it was found, which files register the hook, whether they are as they should be, whether the
    agent's own review or trust holds them back, whether a call is answered, and what no hook is told. With
    `--config-dir` also whether it is answered by the policy in that folder. Without names, all agents that show on this
    machine.
    """
    wanted = chosen(names)
    policy = os.path.abspath(config_dir) if config_dir else None
    report = _report(wanted, folder(project) or os.getcwd(), policy, probe=probe)
    if as_json:
        document(json.dumps({name: [found._asdict() for found in findings] for name, findings in report.items()}))
    else:
        show(_lines(report))
        if not wanted:
            say("no agent shows on this machine; name one")
    problems = any(found.level == "problem" for findings in report.values() for found in findings)
    raise typer.Exit(Exit.FINDINGS if problems else Exit.CLEAN)


def _report(names: tuple[str, ...], project: str, policy: str | None, *, probe: bool) -> Report:
    installations = {name: agents.installation(DIALECTS[name], project) for name in names}
    machine = agents.machine(installations.values())
    report: Report = {"here": list(sides(agents.surroundings()))}
    for name, found in installations.items():
        asked = probes(found, project) if probe else []
        code = outdated(found, project) if found.dialect.registration.shape in ("plugin", "scripts") else []
        sent = list(served(found, _addresses(found))) if any(hook.url for hook in found.ours) else []
        report[name] = [*diagnose(found, machine), *code, *sent, *_ruled(found), *_elsewhere(found, policy), *asked]
    return report


def _ruled(found: Installation) -> Iterator[Finding]:
    """Whether there are rules where the registered hooks look: in a container or by another user that is elsewhere."""
    for config_dir in _folders(found):
        text, _, help = without_rules(config_dir).partition("; ")
        if text:
            yield Finding("rules", "note", text, help)


def _folders(found: Installation) -> tuple[str | None, ...]:
    """The folders of policy that its commands name."""
    return tuple(dict.fromkeys(hook.config_dir for hook in found.ours if not hook.url))


def _addresses(found: Installation) -> frozenset[str]:
    """Where the services of those folders answer HTTP."""
    known = [resident.status(folder) for folder in _folders(found) if folder is None or os.path.isabs(folder)]
    return frozenset(service.http["address"] for service in known if service)


def _elsewhere(found: Installation, policy: str | None) -> Iterator[Finding]:
    """The hooks that ask another policy than that in the folder that was named."""
    for config_dir in _folders(found):
        if policy and config_dir != policy:
            asked = f"the policy in `{config_dir}`" if config_dir else "the user's usual policy"
            help = f"`ostiary install {found.dialect.name} --config-dir {shlex.quote(policy)}` mends it"
            yield Finding("rules", "problem", f"its hook asks {asked}, not that in `{policy}`", help)


def _lines(report: Report) -> Iterator[Line]:
    for name, findings in report.items():
        if findings:
            title = DIALECTS[name].title if name in DIALECTS else "this machine"
            yield (span(title, "title"), span(f"  {name}" if name in DIALECTS else "", "quiet"))
        for found in findings:
            word, role = _LOOKS[found.level]
            yield (span(f"  {word:<8}", role), span(found.text))
            if found.help and found.level != "good":
                yield (span("          help: ", "label"), span(found.help))
