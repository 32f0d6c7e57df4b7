"""What a project's rule file would be permitted once reviewed (law L6): the summary a person reads before they accept.

Computed from the compiled plan, never from the text, so that nothing in the file can hide an allow behind harmless
lines. Pure; the store is `sources.store`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, Literal, get_args

from ostiary.conditions.rendering import rendered, text
from ostiary.policy import ExceptionPlan, FilePlan, IncludePlan, RulePlan, ToolPlan, Unreached, unreached
from ostiary.records import NamedTuple, dataclass
from ostiary.visible import hidden, visible

Kind = Literal[
    "allow",
    "rewrite",
    "exception",
    "default",
    "handler",
    "context",
    "message",
    "halt",
    "defer",
    "uncertain",
    "observe",
    "combine",
    "alias",
    "program",
    "tool",
    "reason",
]

_LONGEST: Final = 400
_WORD: Final = 8


class Permit(NamedTuple):
    """One thing that waits for the review. `rule` names the rule as `FILE/ID` (the id alone in the file itself), `line`
    its place, `text` says what it would do; all are fit for showing."""

    kind: Kind
    rule: str
    line: int
    text: str


class Earlier(NamedTuple):
    """What a person accepted of the same file before: when, and when that expires or expired (seconds since the epoch;
    0: never), whether it was this very content, its permits (None: not kept), and how many rules denied or asked."""

    time: int
    until: int
    same: bool
    permits: tuple[Permit, ...] | None
    stops: int


@dataclass(frozen=True, slots=True)
class Review:
    """What to show: the file, the resolved root it would be trusted for, the digest of exactly this content, its
    permits with the loosest kinds first, how many rules only deny or ask (those act already), and what was accepted of
    it before, None if nothing was."""

    file: str
    root: str
    digest: str
    permits: tuple[Permit, ...]
    stops: int
    earlier: Earlier | None = None

    @property
    def added(self) -> tuple[Permit, ...]:
        """What it permits that was not accepted before; everything where that is not known."""
        before = set(map(_meaning, self._before))
        return tuple(permit for permit in self.permits if _meaning(permit) not in before)

    @property
    def removed(self) -> tuple[Permit, ...]:
        """What was accepted before and is not in it any more."""
        now = set(map(_meaning, self.permits))
        return tuple(permit for permit in self._before if _meaning(permit) not in now)

    @property
    def _before(self) -> tuple[Permit, ...]:
        return (self.earlier.permits or ()) if self.earlier else ()

    @property
    def word(self) -> str:
        """What a person types to accept. It belongs to this content, so no documentation can have named it."""
        return self.digest[:_WORD]

    def accepted(self, typed: str | None) -> bool:
        """Whether that was typed. None stands for nobody being there, which accepts nothing."""
        return typed is not None and typed.strip() == self.word


def _meaning(permit: Permit) -> tuple[str, str, str]:
    """What a permit is, wherever it stands."""
    return permit.kind, permit.rule, permit.text


def review(file: FilePlan, root: str, earlier: Earlier | None = None) -> Review:
    """The summary of a project's rule file with all it includes."""
    dead = {(item.label, item.exception): item for item in unreached(file, "project")}
    permits = sorted(_permits(file, "", dead), key=lambda permit: _KINDS.index(permit.kind))
    return Review(visible(file.label), root, file.digest, tuple(permits), _stops(file), earlier)


_KINDS: Final = get_args(Kind)


_Dead = Mapping[tuple[str, ExceptionPlan], Unreached]


def _permits(file: FilePlan, prefix: str, dead: _Dead) -> Iterator[Permit]:
    for include in file.includes:
        name = f"pack:{include.pack}" if include.pack else visible(include.file.label)
        yield from _left_out(include, name)
        yield from _permits(include.file, f"{name}/", dead)
    whole = prefix.removesuffix("/")
    for alias, tools in file.aliases:
        yield _permit("alias", whole, 0, f"{alias} = {', '.join(tools)}")
    for program in file.programs:
        yield _permit("program", whole, program.line, f"{program.name}: {program.entry}")
    for tool in file.tools:
        yield _permit("tool", whole, tool.line, _meant(tool))
    if file.combine != "strictest":
        yield _permit("combine", whole, 0, f"the {file.combine} rule that matches decides, not the strictest")
    for exception in file.exceptions:
        yield _permit("exception", whole, exception.line, _lifted(exception, dead.get((file.label, exception))))
    for rule in file.rules:
        for kind, says in _SAYS:
            if (said := says(rule)) and (kind == "observe" or not rule.observe):
                yield _permit(kind, prefix + rule.id, rule.line, said)


def _meant(tool: ToolPlan) -> str:
    roles = ", ".join(f"{name}: {role}" for name, role in tool.roles)
    whole = ", and nothing besides" if tool.complete else ""
    return f"{tool.server and f'{tool.server} / '}{tool.tool}: {roles}{whole}"


def _left_out(include: IncludePlan, name: str) -> Iterator[Permit]:
    if include.excluded:
        yield _permit("exception", name, 0, f"does not act: {', '.join(include.excluded)}")
    if include.observe:
        yield _permit("observe", name, 0, "everything is recorded, and does not act")


def _permit(kind: Kind, rule: str, line: int, said: str) -> Permit:
    shown, unseen = visible(said), hidden(said)
    cut = shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]} ... ({len(shown) - _LONGEST} more characters)"
    return Permit(kind, visible(rule), line, f"{cut} ({unseen} hidden characters)" if unseen else cut)


def _lifted(exception: ExceptionPlan, dead: Unreached | None) -> str:
    if dead:
        return f"the exception for {exception.rule} {dead.why}"
    where = f"where {rendered(exception.when)}" if exception.when else "anywhere"
    until = f" until {exception.expires}" if exception.expires else ""
    return f"{exception.rule} does not act {where}{until}"


def _scope(rule: RulePlan) -> str:
    unless = f" unless {rendered(rule.unless)}" if rule.unless else ""
    return f"{'every call' if rule.when == ('always',) else rendered(rule.when)}{unless}"


def _rewrite(rule: RulePlan) -> str:
    texts = [f"{path} := {value}" for path, value in rule.update_input or ()]
    texts += [_output(*rule.update_output)] if rule.update_output else []
    return f"{'; '.join(texts)} for {_scope(rule)}" if texts else ""


def _output(kind: str, what: object, instead: str = "") -> str:
    if kind == "redact" and isinstance(what, tuple):
        return f"output with {instead} for {', '.join(map(text, what))}"
    return f"output := {what}"


def _default(rule: RulePlan) -> str:
    scope = "" if rule.when == ("always",) and not rule.unless else f", for {_scope(rule)}"
    return f"{rule.decision} where no other rule speaks{scope}" if rule.default else ""


def _handler(rule: RulePlan) -> str:
    if rule.handler is None:
        return ""
    options = "; ".join(f"{name}: {value}" for name, value in rule.handler.spec if value)
    return f"runs {rule.handler.kind} ({options}) for {_scope(rule)}"


def _observed(rule: RulePlan) -> str:
    return f"{rule.decision or 'it'} is recorded, and does not act" if rule.observe else ""


_SAYS: Final[tuple[tuple[Kind, Callable[[RulePlan], str]], ...]] = (
    ("allow", lambda rule: _scope(rule) if rule.decision == "allow" and not rule.default else ""),
    ("rewrite", _rewrite),
    ("default", _default),
    ("handler", _handler),
    ("context", lambda rule: f"tells the model: {rule.context}" if rule.context else ""),
    ("message", lambda rule: f"shows: {rule.message}" if rule.message else ""),
    ("halt", lambda rule: "stops the session" if rule.halt else ""),
    ("defer", lambda rule: _scope(rule) if rule.decision == "defer" and not rule.default else ""),
    ("uncertain", lambda rule: "where the text does not tell, it says nothing" if rule.uncertain == "none" else ""),
    ("observe", _observed),
    ("reason", lambda rule: f"{rule.decision or 'it'} says to the model: {rule.reason}" if rule.reason else ""),
)


def _stops(file: FilePlan) -> int:
    rules = (rule for one in file.whole for rule in one.rules)
    return sum(rule.decision in ("deny", "ask") and not rule.observe and not rule.default for rule in rules)
