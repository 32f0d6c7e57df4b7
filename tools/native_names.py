"""Writes `ostiary/dialects/natives.py` from the dialects: `python tools/native_names.py`. A test compares it."""

from __future__ import annotations

from pathlib import Path

from ostiary.dialects import DIALECTS

FILE = Path(__file__).resolve().parent.parent / "src" / "ostiary" / "dialects" / "natives.py"
HEAD = '''"""Native tool names of all agents, which every hook knows though it imports the table of one agent alone.

Written by `tools/native_names.py`.
"""

from __future__ import annotations

from typing import Final

NATIVES: Final[dict[str, tuple[dict[str, str], tuple[str, ...]]]] = {
'''
ABOUT = '"""By agent: its names of canonical tools, and the tools that it alone has."""'


def text() -> str:
    """The module as it is committed; the formatter leaves it alone."""
    lines = []
    for agent, dialect in DIALECTS.items():
        lines.append(f'    "{agent}": (\n        {{\n')
        lines += [f'            "{native}": "{spec.canonical}",\n' for native, spec in dialect.tools.items()]
        lines.append("        },\n        (\n")
        lines += [f'            "{name}",\n' for name in dialect.own_tools]
        lines.append("        ),\n    ),\n")
    return HEAD + "".join(lines).replace("(\n        ),", "(),").replace("{\n        },", "{},") + f"}}\n{ABOUT}\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
