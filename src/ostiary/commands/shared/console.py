"""Printing. Every text goes through `visible`, and none is read as markup (law L6)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final, TextIO

from rich.console import Console
from rich.live import Live
from rich.text import Text
from rich.tree import Tree

from ostiary.explain import Branch, Line, Role, span
from ostiary.problems import Problem

STYLES: Final[dict[Role, str]] = {
    "text": "",
    "title": "bold",
    "label": "cyan",
    "quiet": "dim",
    "none": "bold",
    "allow": "bold green",
    "ask": "bold yellow",
    "defer": "bold magenta",
    "deny": "bold red",
    "yes": "green",
    "maybe": "yellow",
    "no": "dim",
}
"""How each role looks at a terminal."""


# Columns of a tree, of which nothing is cut: a terminal wraps long lines itself.
_WIDE: Final = 1_000_000


def prepare() -> None:
    """Makes the standard streams print any text: what their encoding lacks is shown as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")


def show(lines: Iterable[Line]) -> None:
    """Prints lines to standard output, in colours where it is a terminal."""
    _print(sys.stdout, lines)


def say(text: str = "") -> None:
    """Prints text of ours to standard output; each of its lines is made fit for showing."""
    show([(span(line),) for line in text.split("\n")])


def complain(text: str) -> None:
    """Prints text to standard error."""
    _print(sys.stderr, [(span(line),) for line in text.split("\n")])


def draw(tree: Branch) -> None:
    """Prints a tree to standard output, with plain signs where its encoding has no others."""
    console = _console(sys.stdout)
    console.width = _WIDE
    console.print(_grown(tree), soft_wrap=True)


@contextmanager
def painting() -> Iterator[tuple[Callable[[Iterable[Line]], None], Callable[[], int]]]:
    """A screen of the terminal: what paints it anew, and how many rows it has now. What stood there before comes back
    at the end."""
    console = _console(sys.stdout)
    with Live(console=console, screen=True, auto_refresh=False) as live:

        def paint(lines: Iterable[Line]) -> None:
            text = Text("\n").join(map(_text, lines))
            text.no_wrap, text.overflow = True, "ellipsis"
            live.update(text, refresh=True)

        yield paint, lambda: console.height


def document(text: str) -> None:
    """Prints a JSON document as it is."""
    print(text)


def problem_lines(problem: Problem) -> Iterable[Line]:
    """A problem as `file:line:col: where: message` with its help below."""
    warning = (span("warning: ", "ask"),) if problem.severity == "warning" else ()
    place, separator, rest = _head(problem)
    yield (span(place, "title"), span(separator), *warning, span(rest))
    if problem.help:
        yield (span("  help: ", "label"), span(problem.help))


def _head(problem: Problem) -> tuple[str, str, str]:
    place = ":".join([problem.file, *(str(number) for number in (problem.line, problem.column) if number)])
    return place, ": ", f"{problem.where}: {problem.message}" if problem.where else problem.message


def _print(stream: TextIO, lines: Iterable[Line]) -> None:
    console = _console(stream)
    for line in lines:
        console.print(_text(line))


def _console(stream: TextIO) -> Console:
    # A console for each use: the standard streams may have been replaced since the last one.
    return Console(file=stream, markup=False, highlight=False, emoji=False, soft_wrap=True)


def _text(line: Line) -> Text:
    text = Text()
    for piece in line:
        text.append(piece.text, STYLES[piece.role])
    text.rstrip()
    return text


def _grown(branch: Branch) -> Tree:
    tree = Tree(_text(branch.line), guide_style="dim")
    tree.children = [_grown(below) for below in branch.below]
    return tree
