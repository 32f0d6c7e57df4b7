"""Writes `ostiary/dialects/natives.py` from the dialects: `python tools/native_names.py`. A test compares it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from textwrap import wrap

from ostiary.dialects import DIALECTS

FILE = Path(__file__).resolve().parent.parent / "src" / "ostiary" / "dialects" / "natives.py"
HEAD = '''"""Native tool names of all agents, which every hook knows though it imports the table of one agent alone.

Written by `tools/native_names.py`.
"""

from __future__ import annotations

from typing import Final

NATIVES: Final[dict[str, tuple[str, str]]] = {
'''
ABOUT = '"""By agent: its names of canonical tools as `native=canonical`, and the tools that it alone has."""'


def text() -> str:
    """The module as it is committed; the formatter leaves it alone."""
    tables = [
        f'    "{agent}": (\n{_joined(f"{native}={spec.canonical}" for native, spec in dialect.tools.items())},\n'
        f"{_joined(dialect.own_tools)},\n    ),\n"
        for agent, dialect in DIALECTS.items()
    ]
    return f"{HEAD}{''.join(tables)}}}\n{ABOUT}\n"


def _joined(names: Iterable[str]) -> str:
    """The names as one string literal over several lines."""
    lines = wrap(" ".join(names), width=100, break_long_words=False, break_on_hyphens=False) or [""]
    spaced = [*(f"{line} " for line in lines[:-1]), lines[-1]]
    return "\n".join(f'        "{line}"' for line in spaced)


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
