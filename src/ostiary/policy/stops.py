"""What of a file stops calls: that stays when the file goes away under a session (law L7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ostiary.digests import sha256
from ostiary.policy.plan import FilePlan, RulePlan

_STOPPING: Final = ("ask", "defer", "deny")


def stops(file: FilePlan) -> Iterator[RulePlan]:
    """The rules that stop calls by themselves, those of included files among them. What a handler would say is not
    known without it."""
    for include in file.includes:
        yield from stops(include.file)
    yield from filter(_stops, file.rules)


def lost(before: FilePlan, now: FilePlan) -> bool:
    """Whether some rule that stopped is not there any more, wherever it stood."""
    held = set(map(_meaning, stops(now)))
    return any(_meaning(rule) not in held for rule in stops(before))


def stopping(file: FilePlan) -> FilePlan:
    """The file with its stops alone. Where rules are taken in order, or a default speaks, its allows say how far the
    stops reach, and stay. Handlers go: what they run was reviewed with a file that is not there any more."""
    return _stopping(file, any(rule.default for rule in stops(file)))


def _stopping(file: FilePlan, whole: bool) -> FilePlan:
    bounded = whole or file.combine != "strictest"
    rules = tuple(rule for rule in file.rules if _stops(rule) or (bounded and _allows(rule)))
    includes = tuple(include._replace(file=_stopping(include.file, whole)) for include in file.includes)
    if (rules, includes) == (file.rules, file.includes):
        return file  # files of one digest are one, so what is not the same file has another
    return file._replace(rules=rules, includes=includes, digest=sha256(f"{file.digest}\0stops".encode()).hexdigest())


def _stops(rule: RulePlan) -> bool:
    return not rule.observe and not rule.handler and (rule.decision in _STOPPING or rule.halt)


def _allows(rule: RulePlan) -> bool:
    return not rule.handler and rule.decision == "allow"


def _meaning(rule: RulePlan) -> RulePlan:
    return rule._replace(line=0)
