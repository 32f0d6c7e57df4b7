"""What the matchers for files share."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Field, Tag

from ostiary.matchers.base import Paths, Plan, Spec, Value


class Outside(Spec):
    """Everything outside of the project, or of the working directories the agent was given."""

    outside: Literal["project", "workdirs"] = Field(description="what the path must lie outside of")


def _shape(value: Any) -> str:
    return "<mapping>" if isinstance(value, dict) else "<paths>"


class PathsValue(
    Value[Annotated[Annotated[Paths, Tag("<paths>")] | Annotated[Outside, Tag("<mapping>")], Discriminator(_shape)]]
):
    """A condition that an access must fit one of several paths. `kind` is the plan's."""

    kind: ClassVar[str]

    def compile(self) -> Plan:
        """The plan of this condition."""
        paths = self.root
        return (self.kind, ("outside", paths.outside) if isinstance(paths, Outside) else paths)
