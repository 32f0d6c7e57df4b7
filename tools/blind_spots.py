"""Writes docs/blind-spots.md from the dialects: `python tools/blind_spots.py`. A test compares it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ostiary.dialects import DIALECTS, Dialect

PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "blind-spots.md"

_HEAD: Final = """\
<!-- Made by tools/blind_spots.py from the tables in src/ostiary/dialects. -->

# Blind spots

A policy judges what an agent tells its hooks. What it does not tell them, no rule sees. This page lists what is known
for each agent, and which facts about it nobody has confirmed. `ostiary doctor` mentions it for the agents it finds.

Code that a permitted program runs is in no agent's sight either: a policy judges calls, it does not confine them.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([_HEAD, *(line for _, dialect in sorted(DIALECTS.items()) for line in _agent(dialect))])


def _agent(dialect: Dialect) -> Iterator[str]:
    yield f"## {dialect.title}\n"
    yield f"`{dialect.name}`, facts of {dialect.versions}; [hooks]({dialect.url}).\n"
    yield from _listed("Not told to hooks", dialect.unseen or ("nothing is known that hooks are not told",))
    yield from _listed("Beside other hooks", (dialect.overruled,) if dialect.overruled else ())
    yield from _listed("Not confirmed", (*dialect.unverified, *_unverified(dialect)))


def _unverified(dialect: Dialect) -> Iterator[str]:
    for native, spec in dialect.events.items():
        if spec.unverified:
            yield f"{native}: {spec.unverified}"


def _listed(title: str, facts: tuple[str, ...]) -> Iterator[str]:
    if facts:
        yield f"**{title}**\n"
        yield "\n".join(f"- {_escaped(fact)}" for fact in facts) + "\n"


def _escaped(fact: str) -> str:
    return fact.replace("<", "&lt;").replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
