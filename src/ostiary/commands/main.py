"""The verbs wired to the command line, and what happens when one fails."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, NoReturn

import typer
from typer.exceptions import TyperException

from ostiary import __version__
from ostiary.commands import (
    approve,
    audit,
    check,
    doctor,
    eval,
    explain,
    init,
    install,
    log,
    restart,
    schema,
    status,
    stop,
    test,
    trust,
    uninstall,
    untrust,
    watch,
)
from ostiary.commands.shared import console
from ostiary.commands.shared.exits import Exit, Refused
from ostiary.commands.shared.people import for_people

VERBS: Final[Mapping[str, Callable[..., None]]] = {
    "init": for_people("init", init.run, applies=lambda given: not given["project"] or given["force"]),
    "check": check.run,
    "test": test.run,
    "eval": eval.run,
    "explain": explain.run,
    "status": status.run,
    "log": log.run,
    "watch": watch.run,
    "audit": audit.run,
    "install": for_people("install", install.run),
    "uninstall": for_people("uninstall", uninstall.run),
    "doctor": doctor.run,
    "approve": for_people("approve", approve.run, loosens=True),
    "trust": for_people("trust", trust.run, loosens=True),
    "untrust": for_people("untrust", untrust.run),
    "stop": for_people("stop", stop.run),
    "restart": for_people("restart", restart.run),
    "schema": schema.run,
}
"""The verbs, in the order people meet them. `hook` and `serve` are not among them: they take a shorter way
(`ostiary.__main__`)."""

_COMPLETION: Final = "_OSTIARY_COMPLETE"
_INTERRUPTED: Final = 130

# What is said where a shell command came without its quotes.
_JUDGING: Final = ("eval", "explain")
_SPLIT: Final = ("No such option", "Got unexpected extra argument")

# What writing to a stream can fail with. Errors of files carry the file's name.
_OUTPUT: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})

app = typer.Typer(
    name="ostiary",
    help="Policy for coding agents: judges what a tool call does, never looser than it was written.",
    epilog="`ostiary hook` is what agents call, and `ostiary serve` what it starts; `ostiary install` registers it.",
    no_args_is_help=True,
    rich_markup_mode=None,  # arguments appear in messages, and no text of others is read as markup
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        console.say(f"ostiary {__version__}")
        raise typer.Exit


@app.callback()
def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an internal error happened.")] = False,
) -> None:
    pass


for _name, _run in VERBS.items():
    app.command(_name)(_run)


def main() -> NoReturn:
    """Runs the verb that the arguments name and ends the process."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Runs one verb; the exit code. Whatever goes wrong is told in a line or two."""
    console.prepare()
    if arguments:
        # A shell that completes gives no arguments. A variable in the environment must not turn a check into silence.
        os.environ.pop(_COMPLETION, None)
    try:
        status = int(app(args=arguments, prog_name="ostiary", standalone_mode=False) or Exit.CLEAN)
        _flush()
        return status
    except TyperException as error:
        return _misused(error)
    except Refused as error:
        console.complain(f"ostiary: {error.text}")
        return error.status
    except (KeyboardInterrupt, typer.Abort):
        return _INTERRUPTED
    except BrokenPipeError:
        return _cut_off()
    except Exception as error:
        return _failed(error, "--debug" in arguments)


def _misused(error: TyperException) -> int:
    context: Any = getattr(error, "ctx", None)
    message = error.format_message().replace("Value error, ", "")
    if context is not None and message != context.get_help():
        more = f"`{context.command_path} --help` tells more."
        if context.info_name in _JUDGING and message.startswith(_SPLIT):
            more = f"Shell text is one argument: quote it, as in `{context.command_path} 'ls -l'`.\n{more}"
        console.complain(f"{context.get_usage()}\n\n{message}\n\n{more}")
    else:
        console.complain(message)
    return Exit.USAGE


def _flush() -> None:
    """Writes what is still in the buffer, so that a full disk is told and not left to the interpreter's end."""
    if sys.stdout is not None:
        sys.stdout.flush()


def _cut_off() -> int:
    """Whoever read our output went away; what is still in the buffers must not raise again at the end."""
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 stays open until the process ends
    return Exit.FINDINGS


def _unwritten(error: OSError) -> int:
    console.complain(f"ostiary: the output cannot be written: {(error.strerror or 'unknown').lower()}")
    _cut_off()
    return Exit.USAGE


def _nowhere() -> bool:
    """Whether the current folder is gone."""
    try:
        os.getcwd()
    except OSError:
        return True
    return False


def _failed(error: Exception, debug: bool) -> int:
    if isinstance(error, OSError) and error.errno in _OUTPUT and error.filename is None:
        return _unwritten(error)
    if isinstance(error, OSError) and _nowhere():
        console.complain("ostiary: the current folder is gone; change into one that exists")
        return Exit.USAGE
    if debug:
        raise error
    first = (str(error).splitlines() or [""])[0]
    console.complain(
        f"ostiary: internal error: {type(error).__name__}: {first}\n  help: `--debug` shows where; please report it"
    )
    return Exit.INTERNAL
