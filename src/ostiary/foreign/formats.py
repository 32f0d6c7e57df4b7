"""What is different between the settings files of one agent and another's: the table that `compiling` reads them by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ostiary.foreign import Origin
from ostiary.foreign.cursor import Cursor
from ostiary.policy import HandlerPlan
from ostiary.policy.plan import Plan
from ostiary.records import NamedTuple

Pairs = tuple[tuple[str, Any], ...]
"""The own options of a handler, as `HandlerPlan.spec` has them."""

Subject = tuple[str, ...]
"""What a matcher is compared with at an event: fields of the payload, the first that is there; `TOOL`; or nothing."""

TOOL: Final[Subject] = ("<tool>",)
NOTHING: Final[Subject] = ()

EVERYTHING: Final[Plan] = ("always",)


class Hook(NamedTuple):
    """One entry: what runs, in which calls besides what its group's matcher says, and what its failure means (as
    `RulePlan.on_error`)."""

    handler: HandlerPlan
    when: Plan = EVERYTHING
    on_error: str = ""


def program(spec: Pairs, origin: Origin) -> Pairs:
    """The options of a command handler. It runs in the folder of the project; a hook of a plugin is told where the
    plugin is, and gets the variables that the user lets it have. No hook gets the whole environment, which a project
    may have a say in."""
    said = {"args": None, **dict(spec)}
    return (
        *said.items(),
        ("cwd", "project"),
        ("full_environment", False),
        ("environment", (("CLAUDE_PLUGIN_ROOT", origin.folder),) if origin.plugin else ()),
        ("passed", origin.passed),
        ("accept_project_code", False),
    )


class Format(NamedTuple):
    """The settings files of one agent. `contract` is how their hooks run. `events` are those that are read, with what a
    matcher is compared with; others are passed over, with a warning if that is `told`. `matcher` reads the matcher of a
    group, None if it fits nothing; `hook` reads one entry at an event, None for one that is skipped. Both say
    what they have to at the cursor."""

    contract: str
    events: Mapping[str, Subject]
    told: bool
    matcher: Callable[[Cursor, Subject], Plan | None]
    hook: Callable[[Cursor, str, Origin], Hook | None]
