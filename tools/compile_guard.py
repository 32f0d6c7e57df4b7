"""Writes `ostiary/guard/table.py` from its rule file: `python tools/compile_guard.py`. A test compares it."""

from __future__ import annotations

import json
import pprint
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ostiary.build import compile_file
from ostiary.dialects import DIALECTS, Dialect, tool_table
from ostiary.dialects.base import Place
from ostiary.dialects.launches import HOMES, LAUNCHES, LOOSE, Launch
from ostiary.policy import RulePlan, plain
from ostiary.tools import TOOLS

FOLDER = Path(__file__).resolve().parent.parent / "src" / "ostiary" / "guard"
FILE = FOLDER / "table.py"
SHARED = (".github", ".config", ".agents", ".codeium")
"""Folders that agents share with others, and that may go for other reasons."""
HEAD = '''"""The rules that Ostiary itself brings, compiled. Written by `tools/compile_guard.py`."""

from __future__ import annotations

from typing import Any, Final

DIGEST: Final = "{digest}"
"""SHA-256 (hex) of the rule file."""

# fmt: off
RULES: Final[tuple[tuple[Any, ...], ...]] = (
 {rules}
# fmt: on
"""The fields of each rule's plan, without those at the end that are as in any rule."""
'''


def text() -> str:
    """The module as it is committed. Raises PolicyError for a rule file with a problem."""
    plan, warnings = compile_file(source(), "built-in", tools=tool_table(TOOLS))
    assert not warnings, warnings
    rules = pprint.pformat(tuple(map(fields, plan.rules)), width=118, compact=True)[1:]
    return HEAD.format(digest=plan.digest, rules=rules)


def source() -> str:
    """The rule file with what is known of each agent: lists in its place, and a rule for each."""
    found = (FOLDER / "rules.yaml").read_text(encoding="utf-8")
    for name, items in (("registered", registered()), ("holding", holding()), ("beside", beside())):
        found = found.replace(f'["{{{name}}}"]', json.dumps(sorted(set(items))))
    found = found.replace(
        '["{prompts}"]', json.dumps([prompting(agent) for agent in LAUNCHES if LAUNCHES[agent].prompts])
    )
    return found + "".join(f"\n  - {json.dumps(rule)}\n" for rule in map(loose, LAUNCHES))


def floating(place: Place) -> str:
    """A place of an agent in any home and project."""
    return place.path if place.anchor == "/" else f"**/{place.path}"


def places() -> Iterator[tuple[Dialect, Place]]:
    """Every place where an agent's hooks are registered."""
    for dialect in DIALECTS.values():
        for place in dialect.registration.places:
            yield dialect, place


def registered() -> Iterator[str]:
    """The files that register hooks, the folders of hooks, and the files that would hide them."""
    for dialect, place in places():
        path = floating(place)
        yield f"{path}/**" if dialect.registration.shape == "scripts" else path
        yield from (f"{path.rpartition('/')[0]}/{name}" for name in dialect.registration.hidden_by)


def holding() -> Iterator[str]:
    """The folders that those lie in, as far as they are the agent's."""
    for _, place in places():
        above = place.path.split("/")[:-1] if place.anchor != "/" else []
        for count in range(1, len(above) + 1):
            if above[count - 1] not in SHARED:
                yield "**/" + "/".join(above[:count])


def beside() -> Iterator[str]:
    """What else is read from the folders of hooks, and further settings."""
    for _, place in places():
        if place.own:
            yield f"{floating(place).partition('/ostiary')[0]}/**"
    for launch in LAUNCHES.values():
        yield from (f"**/{path}" for path in launch.settings)


def names(launch: Launch) -> list[str]:
    """What runs an agent: its programs, and its packages as `npx` names them."""
    return list(dict.fromkeys((*launch.processes, *(name.rpartition("/")[2] for name in launch.packages))))


def prompting(agent: str) -> dict[str, Any]:
    """The command that starts a run of an agent without a person."""
    launch = LAUNCHES[agent]
    ways: list[dict[str, Any]] = [{"subcommand": word} for word in launch.prompts if not word.startswith("-")]
    flags = [word for word in launch.prompts if word.startswith("-")]
    return {"program": names(launch), "any": [*ways, *([{"flag": flags}] if flags else [])]}


def loose(agent: str) -> dict[str, Any]:
    """The rule about starting an agent without hooks, with other settings or without its questions."""
    launch = LAUNCHES[agent]
    flags = list(dict.fromkeys((*LOOSE, *(name for name, value in launch.loose.items() if not value))))
    ways: list[dict[str, Any]] = [{"flag": flags}, {"env": [*launch.homes, *HOMES]}]
    for name, value in launch.loose.items():
        if value:  # a program that nobody described may have the value of an option as its next word
            ways += [{"flag": {name: value}}, {"flag": name, "arg": value}]
    return {
        "id": f"agents-loose-{agent}",
        "when": {"command": {"program": names(launch), "any": ways}},
        "decision": "deny",
        "uncertain": "none",
        "reason": "this starts an agent without hooks, with other settings or without its questions; "
        "do not look for another way",
    }


def fields(rule: RulePlan) -> tuple[object, ...]:
    """A rule's plan as plain values, as far as it says more than its defaults. What people read of it is left out."""
    bare = rule._replace(notes=())
    usual = RulePlan("", 0, (), ())
    said = max(index for index, (one, other) in enumerate(zip(bare, usual, strict=True)) if one != other)
    found: tuple[object, ...] = plain(bare)[: said + 1]
    return found


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
