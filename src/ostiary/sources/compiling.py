"""From the bytes of a source to its plan: the slow way, taken where a file is new or was changed."""

from __future__ import annotations

import os
from typing import Final

from ostiary.answers import Answer
from ostiary.build import Defined, IncludeError, IncludeRef, Judge, compile_definitions, compile_file
from ostiary.dialects import tool_table
from ostiary.digests import sha256
from ostiary.evaluate import judge_alone
from ostiary.event import Event
from ostiary.facts import Facts
from ostiary.foreign.compiling import compile_hooks
from ostiary.policy import FilePlan, RulePlan
from ostiary.problems import PolicyError, Problem
from ostiary.records import dataclass, field
from ostiary.sources import settings_file
from ostiary.sources.compiled import Compiled
from ostiary.sources.discover import Source
from ostiary.sources.files import Unreadable
from ostiary.sources.includes import pack_names, pack_path, read_include
from ostiary.sources.places import Places
from ostiary.sources.scripts import Scripts, scripts
from ostiary.spelling import nearest_help
from ostiary.tiers import TIER
from ostiary.tools import TOOLS, ToolTable

# What a source of a tier that has to be reviewed may cost (law L7): rules, and text of the examples that are tried, as
# a part of what it may include.
_MOST_RULES: Final = 2000
_EXAMPLES: Final = 0.1

_TOOLS: Final = tool_table(TOOLS)


@dataclass(slots=True)
class _Includes:
    """Gives included files to the compiler, and keeps which they were."""

    source: Source
    places: Places
    found: dict[str, str] = field(default_factory=dict)
    spent: int = 0

    def load(self, ref: IncludeRef) -> tuple[str, bytes]:
        """The label and the bytes of one file. Raises `IncludeError`."""
        try:
            path = self._path(ref)
            self.found[path] = ""
            raw = read_include(self.source, path, self.places, self.spent)
        except FileNotFoundError:
            raise IncludeError(f"there is no {ref}", self._nearest(ref)) from None
        except Unreadable as error:
            raise IncludeError(f"{ref} is not included: {error}") from None
        self.found[path] = sha256(raw).hexdigest()
        self.spent += len(raw) if _foreign(self.source) else 0
        return self._label(ref), raw

    def _nearest(self, ref: IncludeRef) -> str:
        """Help for a pack that there is none of."""
        return nearest_help(ref.pack, pack_names(self.places)) if ref.pack else ""

    def _path(self, ref: IncludeRef) -> str:
        if ref.pack:
            return pack_path(self.places, ref.pack)
        return os.path.join(os.path.dirname(self.source.path), *ref.path.split("/"))

    def _label(self, ref: IncludeRef) -> str:
        if ref.pack:
            return str(ref)
        folder = os.path.dirname(self.source.label)
        return f"{folder}/{ref.path}" if folder else ref.path


def compile_source(source: Source, places: Places) -> Compiled:
    """The plan of a source that was read, or everything that is wrong with it."""
    assert source.raw is not None
    if source.holds == "settings":
        return _settings(source, source.raw)
    if source.holds == "hooks":
        return _hooks(source, source.raw)
    if source.holds != "rules":
        return _definitions(source, source.raw, source.holds)
    includes = _Includes(source, places)
    plan: FilePlan | None
    problems: tuple[Problem, ...]
    named: Scripts = ()
    try:
        plan, problems = compile_file(
            source.raw,
            source.label,
            includes.load,
            folder=os.path.dirname(source.path),
            judge=_judge(source),
            tools=_TOOLS,
        )
        if over := _over(source, plan):
            plan, problems = None, (*problems, *over)
        else:
            named = scripts(source, plan)
            plan = plan._replace(digest=_together(plan.digest, named))
    except PolicyError as error:
        plan, problems = None, error.problems
    except Unreadable as error:
        plan, problems = None, (*problems, Problem(source.label, 0, 0, "", str(error)))
    return Compiled(plan, problems, tuple(includes.found.items()), named)


def _together(digest: str, named: Scripts) -> str:
    """The digest of a file with that of the scripts it names."""
    return sha256(f"{digest}\0{named}".encode("utf-8", "surrogatepass")).hexdigest() if named else digest


def _settings(source: Source, raw: bytes) -> Compiled:
    try:
        said = settings_file.parse(raw, source.label, source.tier == "managed")
    except PolicyError as error:
        return Compiled(None, error.problems, ())
    return Compiled(None, (), (), settings=tuple(said.items()))


def _definitions(source: Source, raw: bytes, holds: Defined) -> Compiled:
    try:
        return Compiled(compile_definitions(raw, source.label, holds), (), ())
    except PolicyError as error:
        return Compiled(None, error.problems, ())


def _hooks(source: Source, raw: bytes) -> Compiled:
    assert source.origin
    try:
        found = compile_hooks(raw, source.label, source.origin)
    except PolicyError as error:
        return Compiled(None, error.problems, ())
    if over := _over(source, found.plan):
        return Compiled(None, (*found.warnings, *over), ())
    try:
        named = scripts(source, found.plan)
    except Unreadable as error:
        return Compiled(None, (*found.warnings, Problem(source.label, 0, 0, "", str(error))), ())
    plan = found.plan._replace(digest=_together(found.plan.digest, named))
    return Compiled(plan, found.warnings, (), named)


def _foreign(source: Source) -> bool:
    """Whether the source may be anybody's, so that its work is rationed."""
    return not TIER[source.tier].reviewed_by_default


def _judge(source: Source) -> Judge:
    """Tries examples, and of a foreign source no more text than it may have."""
    if not _foreign(source):
        return judge_alone
    left = source.limit * _EXAMPLES

    def judge(rule: RulePlan, event: Event, facts: Facts, tools: ToolTable) -> Answer:
        nonlocal left
        left -= len(str(event.input)) + len(str(event.output)) + len(event.prompt or "")
        if left < 0:
            raise PolicyError([Problem(source.label, 0, 0, "", "its examples are too long to be tried")])
        return judge_alone(rule, event, facts, tools)

    return judge


def _over(source: Source, plan: FilePlan) -> tuple[Problem, ...]:
    if not _foreign(source) or plan.rule_count <= _MOST_RULES:
        return ()
    return (Problem(source.label, 0, 0, "", f"it has {plan.rule_count} rules, and may have {_MOST_RULES}"),)
