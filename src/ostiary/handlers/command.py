"""`run: {command: ...}`: a program of this machine."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field, StrictBool

from ostiary.handlers.base import HandlerSpec
from ostiary.matchers.base import Name, described


class Command(HandlerSpec):
    """Runs a program, which reads the event as JSON from its standard input and answers by its exit code and output.

    Without `args` the text is a command line for the shell (`sh -c`; `cmd` on Windows), exactly as it is written:
    nothing of the event is put into it. With `args` (an empty list too) it names the program, which is then started
    without a shell. Paths start from the folder of the rule file; a bare name is looked up in the system's folders.
    A value of the event that begins with `-` is an option to most programs: put `--` in front of it.

        run: {command: ./scripts/lint.sh, args: ["--fix"], timeout: 10s}
    """

    kind: ClassVar[str] = "command"

    command: Name = Field(description="a command line, or with `args` a program")
    args: tuple[str, ...] | None = described(
        "the program's arguments; `${CLAUDE_PROJECT_DIR}` and values of the event, such as `${tool_input.file_path}`, "
        "are looked up in them"
    )
    cwd: Literal["rule", "project"] = Field(
        default="rule", description="where it runs: in the folder of the rule file, or in the project's"
    )
    env: Literal["clean", "full"] | dict[str, str] = Field(
        default="clean",
        description="its environment: a few harmless variables, all of this process (`full`), or those few and these; "
        "never one whose name ends like `_TOKEN` or `_KEY`, unless it stands here",
    )
    accept_project_code: StrictBool = Field(
        default=False, description="`true`: that it runs code of the project, which an agent may write, is meant"
    )

    def options(self) -> tuple[tuple[str, Any], ...]:
        """The kind's own options as plain values."""
        extra = tuple(self.env.items()) if isinstance(self.env, dict) else ()
        return (
            ("command", self.command),
            ("args", self.args),
            ("cwd", self.cwd),
            ("full_environment", self.env == "full"),
            ("environment", extra),
            ("accept_project_code", self.accept_project_code),
        )
