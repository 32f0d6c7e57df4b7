"""The format of rule files, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Discriminator, Field, PlainValidator, StrictBool, Tag, WithJsonSchema

from ostiary.document import Flaw
from ostiary.event import EVENTS, GATES
from ostiary.handlers import Run
from ostiary.matchers import Condition
from ostiary.matchers.base import Name, Names, Spec, Texts, as_list, described, refuse, text
from ostiary.matchers.compact import Decision, Entry, entry
from ostiary.matchers.tool import ToolMatcher
from ostiary.rules.checks import flaws
from ostiary.rules.events import event
from ostiary.rules.examples import Examples
from ostiary.rules.schema import portable

VERSION: Final = 1


def _version(value: Any) -> int:
    if type(value) is int and value == VERSION:
        return value
    raise refuse("this Ostiary reads version 1 of the format", "write `version: 1`")


def _identifier(value: Any) -> str:
    if not re.fullmatch("[A-Za-z0-9._-]+", text(value)):
        raise refuse("only letters, digits, `.`, `_` and `-` may stand here", "")
    return text(value)


def _day(value: Any) -> str:
    try:
        return date.fromisoformat(text(value) if len(text(value)) == 10 else "").isoformat()
    except ValueError:
        raise refuse("expected a day", "write it as `2027-01-31`") from None


Identifier = Annotated[str, PlainValidator(_identifier, json_schema_input_type=str)]
Day = Annotated[str, PlainValidator(_day, json_schema_input_type=str)]
EventName = Annotated[str, PlainValidator(event), WithJsonSchema({"enum": list(EVENTS)})]
Events = Annotated[tuple[EventName, ...], BeforeValidator(as_list, json_schema_input_type=EventName | list[EventName])]

YieldTo = Literal["user", "project"]
Yields = Annotated[tuple[YieldTo, ...], BeforeValidator(as_list, json_schema_input_type=YieldTo | list[YieldTo])]


def _shape(value: Any) -> str:
    return "<mapping>" if isinstance(value, dict) else "<text>"


def _list_shape(value: Any) -> str:
    return "<list>" if isinstance(value, list) else "<text>"


TextOrTexts = Annotated[
    Annotated[str, Tag("<text>")] | Annotated[tuple[str, ...], Tag("<list>")], Discriminator(_list_shape)
]


class Redaction(Spec):
    """What is changed in a tool's output before the model sees it."""

    redact: Texts | None = described("texts (mostly regular expressions) that are taken out of the output")
    with_: str = Field(default="[redacted]", alias="with", description="what stands in their place")
    set: str | None = described("the text that stands for the whole output")


class Rule(Spec):
    """One rule: when it speaks, and what it says."""

    id: Identifier = Field(description="its name, unique in the file: letters, digits, `.`, `_`, `-`")
    description: Name | None = described("what it is for, for people")
    tags: Names | None = described("words to find it by")
    owner: Name | None = described("who answers for it")
    severity: Literal["low", "medium", "high", "critical"] | None = described("how bad it is when it fires")
    on: Events = Field(
        default=GATES,
        description="the event or events it is judged on; every gate before a tool call if absent",
        json_schema_extra={"default": list(GATES)},
    )
    tool: ToolMatcher | None = described("the tool, as under `when`; ignored on events without a tool")
    when: Condition | None = described("what must hold; always, if absent")
    unless: Condition | None = described(
        "what keeps it from speaking: lifts a deny, ask or defer only where it surely holds, and an allow unless it "
        "surely does not"
    )
    decision: Literal["allow", "ask", "defer", "deny"] | None = described("what it says about the call")
    reason: Name | None = described("why, for the model and for people")
    help: Name | None = described("what to do instead, for people")
    run: Run | None = described("a handler: what is run to decide, in place of `decision`")
    context: Name | None = described("text that the model gets along with the call")
    update_input: dict[str, Any] | None = described(
        "arguments that are replaced by these values, `null` removes one; `{{input.command}}` and `{{event.cwd}}` are "
        "looked up, and quoted inside a command"
    )
    update_output: Redaction | None = described("what is changed in the output, on events after the tool ran")
    halt: StrictBool = Field(default=False, description="`true`: ask the agent to stop the session")
    message: Name | None = described("text that people see")
    default: StrictBool = Field(
        default=False, description="`true`: speaks only where no rule of its own or a higher tier did"
    )
    yields: Yields | None = described("lower tiers before which a managed default keeps silent")
    uncertain: Literal["ask", "deny", "none"] | None = described(
        "what it says where the text does not tell whether it fires: `ask` if absent; a call that is too long to judge "
        "asks under `none`, too"
    )
    on_error: Literal["continue", "ask", "deny"] | None = described("what a failing handler means; belongs to `run`")
    audit: StrictBool | None = described("a handler that runs after the verdict; belongs to `run`")
    mode: Literal["enforce", "observe"] = Field(
        default="enforce", description="`observe`: record what it would have said, and nothing else"
    )
    expires: Day | None = described("the last day it acts (UTC)")
    trailing: Literal["any"] | None = described("`any`: an allow also covers options it does not name")
    remember: Literal["session"] | None = described(
        "`session`: an ask does not ask again in the same session about the very same call once a person permitted it"
    )
    examples: Examples | None = described("calls on which it is tried whenever the file is loaded")


class Inclusion(Spec):
    """Another rule file, or a pack, whose rules come before those of this file."""

    pack: Identifier | None = described("the name of a pack that is shipped with Ostiary")
    file: Name | None = described("a file, relative to this one and inside its folder")
    mode: Literal["enforce", "observe"] = Field(default="enforce", description="`observe`: all its rules only observe")
    except_: Names | None = described("ids of its rules that are left out", "except")
    params: dict[str, TextOrTexts] | None = described("values for its variables")


Include = Annotated[Annotated[Name, Tag("<text>")] | Annotated[Inclusion, Tag("<mapping>")], Discriminator(_shape)]


class Exemption(Spec):
    """A rule, of this file or of what it includes, that is lifted somewhere."""

    rule: Name = Field(description="the rule's id: `id`, `pack:NAME/id`, or `tier:source/id`")
    when: Condition | None = described("where it is lifted; everywhere if absent")
    reason: Name | None = described("why")
    expires: Day | None = described("the last day it is lifted (UTC)")


def _entries(decision: Decision) -> PlainValidator:
    return PlainValidator(lambda value: entry(text(value), decision), json_schema_input_type=str)


Denies = tuple[Annotated[Entry, _entries("deny")], ...]
Asks = tuple[Annotated[Entry, _entries("ask")], ...]
Allows = tuple[Annotated[Entry, _entries("allow")], ...]


class RuleFile(Spec):
    """A rule file."""

    version: Annotated[int, PlainValidator(_version), WithJsonSchema({"const": VERSION})] = Field(
        default=VERSION, description="the version of the format: `1`; must be there"
    )
    name: Identifier | None = described("the file's name in reports; its file name if absent")
    include: tuple[Include, ...] = Field(
        default=(), description="files and packs whose rules come first: `pack:NAME`, `./FILE`, or a mapping"
    )
    combine: Literal["strictest", "first", "last"] = Field(
        default="strictest", description="which rule of the file wins on a part of the call"
    )
    contract: Literal["afk", "claude"] = Field(
        default="afk",
        description="how the handlers of the file run: one after the other until one blocks (`afk`), or all at once, "
        "where the strictest wins (`claude`)",
    )
    vars: dict[str, TextOrTexts] = Field(
        default={}, description="texts, or lists of texts, for `${name}` in the values of this file"
    )
    aliases: dict[str, Names] = Field(default={}, description="more names for tools")
    default: Literal["deny", "ask", "allow"] | None = described("what is said where no rule speaks")
    deny: Denies = Field(default=(), description="compact entries that are denied")
    ask: Asks = Field(default=(), description="compact entries that are asked about")
    allow: Allows = Field(default=(), description="compact entries that are allowed")
    rules: tuple[Rule, ...] = Field(default=(), description="rules, in the order they are judged")
    exceptions: tuple[Exemption, ...] = Field(default=(), description="rules that are lifted somewhere")

    @staticmethod
    def checks(data: dict[str, Any]) -> Iterable[Flaw]:
        """What the types of the keys cannot say."""
        return flaws(data)


def json_schema() -> dict[str, Any]:
    """The JSON schema (draft 7) of rule files, for editors."""
    return portable(RuleFile.model_json_schema())
