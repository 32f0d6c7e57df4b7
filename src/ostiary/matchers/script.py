"""The `script` matcher."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from ostiary.matchers.base import Plan, Spec, Texts, Value


class ScriptIs(Spec):
    """A property of the script."""

    is_: Literal["unparsed"] = Field(alias="is", description="`unparsed`: some of the text was not understood")


def _shape(value: Any) -> str:
    return "<mapping>" if isinstance(value, dict) else "<texts>"


class Script(
    Value[Annotated[Annotated[Texts, Tag("<texts>")] | Annotated[ScriptIs, Tag("<mapping>")], Discriminator(_shape)]]
):
    """The whole text given to a shell, as it was written. `command` is the better choice for what it does.

    One or more texts (see *Texts*), or `{is: unparsed}` for a script of which some was not understood.

    when: {script: "/base64 (-d|--decode)/"}
    """

    def compile(self) -> Plan:
        """The plan of this condition."""
        return ("script_is", ("unparsed",)) if isinstance(self.root, ScriptIs) else ("script", self.root)
