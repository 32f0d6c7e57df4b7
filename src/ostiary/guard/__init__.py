"""Self-protection: the rules that Ostiary itself brings, always on, that keep agents from changing what judges them.

`rules.yaml` is an ordinary rule file, and its plan is judged like any other. It is the whole of the tier `built-in`:
an exception of a managed file lifts one of its rules, and nothing else does. `table` is what it compiles to, in which
the places that only a machine can tell are put.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from ostiary.digests import sha256
from ostiary.expressions import expression
from ostiary.guard.table import DIGEST, RULES
from ostiary.policy import Admitted, FilePlan, RulePlan
from ostiary.policy.plan import Plan

__all__ = ["Ours", "guard"]

Ours = Mapping[str, tuple[str, ...]]
"""The absolute paths that stand for `{name}` at the root of a path in the rule file: `own` are the folders of policy,
settings and state, `above` those that they lie in, `engine` the folders of the program, `site` those it shares with
others, `bin` where its commands are, `program` the interpreter."""

_OWN: Final = ("own-", "perhaps-own-")
"""What the ids of rules begin with that name such places."""

_SIGNS: Final = expression(r"[*?\[\\]")


def guard(ours: Ours) -> Admitted:
    """The rules for a machine with these places."""
    segments = {name: [_segments(path) for path in paths] for name, paths in ours.items()}
    rules = tuple(_rule(RulePlan(*fields), segments) for fields in RULES)
    digest = sha256("\0".join([DIGEST, *map(repr, sorted(ours.items()))]).encode("utf-8", "surrogatepass")).hexdigest()
    return Admitted("built-in", True, FilePlan("built-in", "built-in", digest, "strictest", rules))


_Segments = Mapping[str, list[tuple[str, ...]]]


def _segments(path: str) -> tuple[str, ...]:
    """The names of an absolute path, none of which is a pattern."""
    names = path.replace("\\", "/").split("/") if path[1:2] == ":" else path.split("/")
    return tuple(_SIGNS.sub(r"[\g<0>]", name) for name in names if name)


def _rule(rule: RulePlan, ours: _Segments) -> RulePlan:
    return rule._replace(when=_placed(rule.when, ours)) if rule.id.startswith(_OWN) else rule


def _placed(plan: Plan, ours: _Segments) -> Plan:
    """The condition with paths of this machine."""
    match plan[0]:
        case "all" | "any":
            return (plan[0], tuple(_placed(child, ours) for child in plan[1]))
        case "writes" | "deletes":
            return (plan[0], tuple(path for one in plan[1] for path in _paths(one, ours)))
        case _:
            return plan


def _paths(path: Plan, ours: _Segments) -> Iterator[Plan]:
    first = path[2][0] if path[0] == "path" and path[1] == "root" and path[2] else ""
    if not first.startswith("{"):
        yield path
        return
    for segments in ours.get(first[1:-1], ()):
        yield ("path", "root", (*segments, *path[2][1:]), path[3])
