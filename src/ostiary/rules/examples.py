"""Examples of a rule: calls on which it must answer as its author believes."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Discriminator, Field, PlainValidator, StrictBool, Tag, WithJsonSchema

from ostiary.event import EVENTS
from ostiary.matchers.base import Name, Spec, described
from ostiary.rules.events import event


class ExampleFile(Spec):
    """A file that exists in the example."""

    link: Name = Field(description="the absolute path that this link leads to")


class ExampleCall(Spec):
    """An event, told by what matters."""

    tool: Name | None = described(
        "the tool, by its canonical name or an alias; `Bash` if there is a `command` argument"
    )
    input: dict[str, Any] = Field(default={}, description="the tool's arguments")
    on: Annotated[str, PlainValidator(event), WithJsonSchema({"enum": list(EVENTS)})] | None = described(
        "the event; the rule's own if absent"
    )
    cwd: Name | None = described("the directory, `/work` if absent")
    branch: str | None = described("the git branch that is checked out")
    agent: Name | None = described("the agent")
    mode: Name | None = described("its permission mode")
    session: Name | None = described("its session")
    subagent: Name | None = described("the subagent that makes the call")
    interactive: StrictBool | None = described("whether a person is there")
    prompt: str | None = described("the prompt")
    output: Any = described("the tool's output")
    files: dict[str, ExampleFile] = Field(default={}, description="links that exist, by their absolute paths")


def _shape(value: Any) -> str:
    return "<mapping>" if isinstance(value, dict) else "<text>"


Example = Annotated[Annotated[str, Tag("<text>")] | Annotated[ExampleCall, Tag("<mapping>")], Discriminator(_shape)]


class Examples(Spec):
    """What the rule, judged alone, must answer.

    A text is a shell script; anything else is a mapping. The home directory is `/home/dev`, the project `/work`.
    """

    match: tuple[Example, ...] = Field(default=(), description="calls on which it fires")
    maybe: tuple[Example, ...] = Field(default=(), description="calls whose text does not tell")
    not_match: tuple[Example, ...] = Field(default=(), description="calls on which it does not fire")

    def listed(self) -> list[tuple[str, int, str | ExampleCall]]:
        """Every example with the list it stands in and its position there."""
        return [
            (name, index, example)
            for name in ("match", "maybe", "not_match")
            for index, example in enumerate(getattr(self, name))
        ]
