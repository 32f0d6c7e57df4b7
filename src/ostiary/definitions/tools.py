"""The files that say what arguments of tools mean: `tools/*.yaml`."""

from __future__ import annotations

from typing import Annotated, Any, Final, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, RootModel, model_validator

from ostiary.matchers.base import Name, Names, refuse, text
from ostiary.rules.schema import portable
from ostiary.spelling import nearest, shown
from ostiary.tools import Role

_ROLES: Final = get_args(Role)


def _role(value: Any) -> Any:
    if text(value) not in _ROLES:
        near = nearest(value, _ROLES)
        help = f"did you mean `{near}`?" if near else f"the roles are {', '.join(_ROLES)}"
        raise refuse(f"`{shown(value)}` is no role of an argument", help)
    return value


def _filled(value: Any) -> Any:
    if value == {}:
        raise refuse("the mapping is empty", "name an argument, or remove the tool")
    return value


class Arguments(BaseModel):
    """What the arguments of one tool, or of several with the same arguments, mean. Strings in other arguments that read
    as a path, a URL or a command are taken for one, perhaps.

    - {server: fs, tool: [read_file, read_lines], arguments: {path: read}}
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    server: Name | None = Field(None, description="the MCP server; absent for a tool that belongs to none")
    tool: Names = Field(description="the tool's name, or several; without the server")
    source: Names | None = Field(
        None,
        description="who configured the server, where the agent tells: `user`, `project`, `plugin`; if absent, anybody "
        "but a project or plugin (in a file of a project: anybody)",
    )
    arguments: Annotated[dict[str, Annotated[Role, BeforeValidator(_role)]], BeforeValidator(_filled)] = Field(
        description="the role of each argument, by its name"
    )
    complete: bool = Field(False, description="whether the tool does nothing besides what its arguments say")

    @model_validator(mode="after")
    def _has_server(self) -> Arguments:
        if self.source is not None and self.server is None:
            raise refuse("only a server has a `source`", "add `server: ...`, or remove it")
        return self


class Tools(RootModel[list[Arguments]]):
    """What the arguments of tools mean."""

    model_config = ConfigDict(frozen=True)


def tools_schema() -> dict[str, Any]:
    """The JSON schema (draft 7) of files of tools, for editors."""
    schema = portable(Tools.model_json_schema())
    return {key: value for key, value in schema.items() if key != "required"} | {"title": "Ostiary tools file"}
