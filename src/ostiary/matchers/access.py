"""What the matchers for files share."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Field, Tag

from ostiary.matchers.base import Paths, Plan, Spec, Value
from ostiary.programs import Scope


class Outside(Spec):
    """Everything outside of the project, or of the working directories the agent was given."""

    outside: Literal["project", "workdirs"] = Field(description="what the path must lie outside of")


class Autorun(Spec):
    """Every place whose content runs later, without anybody naming it."""

    autorun: Scope = Field(
        description="`machine`: start files of shells and sessions, schedulers, services, and what git, ssh and other "
        "programs obey; `project`: what runs when a project is opened or entered, or by git and its host; "
        "`build`: what the next build, test or install runs; `any`: all of them"
    )


def _shape(value: Any) -> str:
    if not isinstance(value, dict):
        return "<paths>"
    return "<autorun>" if "autorun" in value else "<mapping>"


Accessed = Annotated[
    Annotated[Paths, Tag("<paths>")] | Annotated[Outside, Tag("<mapping>")] | Annotated[Autorun, Tag("<autorun>")],
    Discriminator(_shape),
]


class PathsValue(Value[Accessed]):
    """A condition that an access must fit one of several paths. `kind` is the plan's."""

    kind: ClassVar[str]

    def compile(self) -> Plan:
        """The plan of this condition."""
        paths = self.root
        if isinstance(paths, Autorun):
            return (self.kind, ("autorun", paths.autorun))
        return (self.kind, ("outside", paths.outside) if isinstance(paths, Outside) else paths)
