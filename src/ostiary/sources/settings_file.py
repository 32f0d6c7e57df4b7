"""The text of `settings.yaml`: what may stand in it. `sources.settings` says what acts."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, StrictBool

from ostiary.dialects import OnError
from ostiary.document import load
from ostiary.foreign import AgentName
from ostiary.handlers.base import Proxy
from ostiary.matchers.base import Name, refuse, text
from ostiary.sources.settings import Said, TrustMode


def _managed_alone(_: Any) -> Any:
    raise refuse("only managed settings may say this", "remove it")


def _digest(value: Any) -> str:
    if isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value):
        return value
    raise refuse("expected the digest of a rule file", "`ostiary trust` shows it: 64 digits of 0-9 and a-f")


def _address(value: Any) -> str:
    if not re.match("https?://[^/]", text(value)):
        raise refuse("expected the address of a server", "write it in full: `https://host/v1`")
    return text(value)


class Model(BaseModel):
    """A model that `prompt` and `agent` handlers ask."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    provider: Literal["anthropic", "openai"] = Field(
        description="Whose API it speaks: Anthropic's Messages, or OpenAI's chat completions, as many servers do."
    )
    model: Name = Field(description="The name by which its server knows it.")
    base_url: Annotated[str, PlainValidator(_address)] | None = Field(
        default=None, description="The address of its server; the provider's own if absent."
    )
    key_env: Name | None = Field(
        default=None, description="The environment variable that holds its key; it needs none if absent."
    )
    proxy: Proxy | None = Field(
        default=None,
        description="The proxy that leads to its server, `http://HOST:PORT`; none if absent, whatever the environment "
        "says.",
    )


_MOST_DAYS: Final = 3650


def _days(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= _MOST_DAYS:
        return value
    raise refuse("expected a number of days", f"write a whole number from 1 to {_MOST_DAYS}")


class Log(BaseModel):
    """What the record keeps."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    detail: Literal["digest", "redacted"] | None = Field(
        default=None,
        description="How much of a call: its `digest` alone; or `redacted`, which keeps programs, names of options and "
        "what it reads, writes and connects to, and of everything else the length.",
    )
    days: Annotated[int, PlainValidator(_days)] | None = Field(default=None, description="How long events are kept.")


class ManagedLog(Log):
    """What the record keeps, by managed settings."""

    detail: Literal["digest", "redacted", "full"] | None = Field(  # type: ignore[assignment]
        default=None,
        description="As in the user's settings; or `full`, which keeps texts and arguments, too. Prompts and what "
        "looks like a secret are never kept.",
    )


_PORTS: Final = (1024, 65535)


def _port(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and _PORTS[0] <= value <= _PORTS[1]:
        return value
    raise refuse("expected a port", f"write a whole number from {_PORTS[0]} to {_PORTS[1]}")


class ManagedWeb(BaseModel):
    """What users may not turn on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    listen: Literal[False] | None = Field(default=None, description="No service of this machine answers HTTP.")
    shared_host: Literal[False] | None = Field(default=None, description="None does so where others share the machine.")


class Web(BaseModel):
    """How the service is reached besides its socket."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    listen: StrictBool | None = Field(
        default=None, description="The service answers HTTP on 127.0.0.1 to who has its token, and never ends for rest."
    )
    port: Annotated[int, PlainValidator(_port)] | None = Field(
        default=None, description="Its port; one is chosen, and kept, if absent."
    )
    shared_host: StrictBool | None = Field(
        default=None,
        description="Also where others share the machine: while no service runs, any of them can take its port, and is "
        "then sent every call, with the token, and answers it.",
    )


class SettingsFile(BaseModel):
    """A settings file. A gate that is left out says nothing; one is open only where its value is exactly `true`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    enable_shell_hooks: StrictBool | None = Field(
        default=None,
        description="Handlers of user and project rules may start code: `command`, `python` and `mcp_tool`.",
    )
    allow_project_hooks: StrictBool | None = Field(
        default=None, description="Handlers of reviewed project rules may run."
    )
    enable_plugin_hooks: StrictBool | None = Field(default=None, description="Handlers of plugins may run.")
    on_error: OnError | None = Field(
        default=None,
        description="What a gate answers when Ostiary itself fails: `deny`, `ask` or `continue`, which leaves the call "
        "to the agent. Not the `on_error` of a rule, which is about its handler.",
    )
    on_unrecordable: OnError | None = Field(
        default=None,
        description="What a gate answers where an event cannot be recorded: `deny`, `ask` or `continue`, which leaves "
        "the answer as it is.",
    )
    log: Log | None = Field(default=None, description="What the record keeps of events.")
    http: Web | None = Field(default=None, description="How the service is reached besides its socket.")
    hooks_from: tuple[AgentName, ...] | None = Field(
        default=None,
        description="Agents in whose settings files hooks are looked for, besides rule files: `claude-code`, `afk`. An "
        "agent's own hooks are left to it.",
    )
    models: dict[str, Model] | None = Field(
        default=None,
        description="Models that `prompt` and `agent` handlers ask, by name. Rules that name none of these ask "
        "`default`. Managed rules ask models of managed settings alone.",
    )
    trust: Annotated[Any, PlainValidator(_managed_alone)] = None
    trusted: Annotated[Any, PlainValidator(_managed_alone)] = None
    removed: Annotated[Any, PlainValidator(_managed_alone)] = None


class ManagedFile(SettingsFile):
    """The managed settings file, which alone says whose reviews count, and which managed rules are over."""

    trust: TrustMode | None = Field(
        default=None,
        description="Whose reviews of project rules count: those of the `user`, or with `managed-only` none but those "
        "of the digests in `trusted`.",
    )
    trusted: tuple[Annotated[str, PlainValidator(_digest)], ...] | None = Field(
        default=None, description="Digests of rule files, as `ostiary trust` shows them, that count as reviewed."
    )
    log: ManagedLog | None = Field(default=None, description="What the record keeps of events.")
    http: ManagedWeb | None = Field(  # type: ignore[assignment]
        default=None, description="What users may not turn on."
    )
    removed: tuple[Name, ...] | None = Field(
        default=None,
        description="Managed rule files that were taken away on purpose, as `policy.d/NAME.yaml`. Of any other that is "
        "gone the rules that stop calls go on acting.",
    )


def parse(raw: bytes, path: str, managed: bool) -> Said:
    """What a settings file says. Raises `PolicyError`."""
    return load(raw, ManagedFile if managed else SettingsFile, path)[0].model_dump(exclude_none=True)
