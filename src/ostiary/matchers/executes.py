"""The `executes` matcher."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Tag, model_validator

from ostiary.matchers.base import Paths, Plan, Spec, Value, both, described, refuse


class Executed(Spec):
    """Where the code comes from that runs. Both keys must hold of the same file."""

    outside: Literal["project", "workdirs"] | None = described("what the path must lie outside of")
    written_by: Literal["agent"] | None = described("`agent`: this session wrote or downloaded the file")

    @model_validator(mode="before")
    @classmethod
    def _some_key(cls, value: Any) -> Any:
        if value == {}:
            raise refuse("the mapping is empty", "write `outside: project` or `written_by: agent`")
        return value


def _shape(value: Any) -> str:
    return "<mapping>" if isinstance(value, dict) else "<paths>"


class Executes(
    Value[Annotated[Annotated[Paths, Tag("<paths>")] | Annotated[Executed, Tag("<mapping>")], Discriminator(_shape)]]
):
    """Paths of files whose code runs though it is not in the text: a script, a makefile, a `package.json`.

    One or more paths (see *Paths*), or a mapping: `{outside: project}` or `{outside: workdirs}`, and
    `{written_by: agent}` for what earlier calls of the session, or this one, wrote, moved there or downloaded, and for
    code that comes straight from a connection (`curl ... | sh`). Below a folder that was unpacked or cloned, and where
    the session is not known, that is *maybe*.

    when: {executes: ["/tmp/**", "~/Downloads/**"]}
    when: {executes: {written_by: agent, outside: project}}
    """

    def compile(self) -> Plan:
        """The plan of this condition."""
        value = self.root
        if not isinstance(value, Executed):
            return ("executes", value)
        given = (("outside", value.outside), ("written_by", value.written_by))
        return both([("executes", pair) for pair in given if pair[1] is not None])
