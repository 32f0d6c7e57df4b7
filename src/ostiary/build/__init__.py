"""Rule files to plans: everything that is checked once, when a file is loaded.

plan, warnings = compile_file(raw, "policy.yaml", load_include)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ostiary import document
from ostiary.build import lints, plans, variables
from ostiary.build.definitions import Defined, compile_definitions
from ostiary.build.examples import Judge, failures
from ostiary.build.includes import DEPTH, MOST, IncludeError, IncludeRef, LoadInclude, no_includes, reference
from ostiary.build.names import stem
from ostiary.build.salvage import salvaged
from ostiary.digests import sha256
from ostiary.document import Document, Flaw
from ostiary.evaluate import judge_alone
from ostiary.matchers.compact import Decision, Entry
from ostiary.policy import FilePlan, IncludePlan, RulePlan
from ostiary.problems import PolicyError, Problem
from ostiary.records import NamedTuple, dataclass, field
from ostiary.rules import Inclusion, RuleFile
from ostiary.spelling import nearest, shown
from ostiary.tools import TOOLS, ToolTable

__all__ = [
    "Compiled",
    "Defined",
    "IncludeError",
    "IncludeRef",
    "Judge",
    "LoadInclude",
    "compile_definitions",
    "compile_file",
    "digest",
]


class Compiled(NamedTuple):
    """A rule file that is right: its plan with everything it includes, and what deserves a warning, sorted by place."""

    plan: FilePlan
    warnings: tuple[Problem, ...]


def compile_file(
    raw: bytes | str,
    label: str,
    load_include: LoadInclude = no_includes,
    *,
    folder: str = "",
    judge: Judge | None = judge_alone,
    tools: ToolTable = TOOLS,
) -> Compiled:
    """A rule file, compiled whole.

    `label` is its name for people, `folder` the absolute folder it lies in (empty: none), from which the paths of
    handlers start; `tools` are the tools known (a rule about another one is warned of). Its examples
    are tried with `judge`, or not at all if that is None; those of packs were tried when Ostiary was made. Raises
    `PolicyError` with every problem of the file and of what it includes.
    """
    build = _Build(load_include, judge, tools, folder)
    text = raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else raw
    plan = build.file(_File(text, label))
    if plan is None or build.problems:
        raise PolicyError({*build.problems, *_beside(build.warnings, build.problems)})
    return Compiled(plan, tuple(sorted(set(build.warnings))))


def _beside(warnings: Iterable[Problem], errors: Iterable[Problem]) -> Iterator[Problem]:
    """The warnings about what is not wrong anyway."""
    wrong = {(problem.file, problem.line, problem.column) for problem in errors}
    return (problem for problem in warnings if (problem.file, problem.line, problem.column) not in wrong)


def digest(raw: bytes, params: variables.Values, included: Iterable[str]) -> str:
    """SHA-256 (hex) of a file's bytes, of the values given to its variables and of the digests of what it includes."""
    total = sha256(raw)
    parts = [f"{name}={value!r}" for name, value in sorted(params.items())] + list(included)
    if parts:
        total = sha256("\0".join([total.hexdigest(), *parts]).encode("utf-8", "surrogatepass"))
    return total.hexdigest()


@dataclass(frozen=True, slots=True)
class _File:
    """One file to compile. `ref` says how it was included, `params` with which values, `inside` by which chain."""

    raw: bytes
    label: str
    ref: IncludeRef = field(default_factory=IncludeRef)
    params: variables.Values = field(default_factory=dict)
    inside: tuple[IncludeRef, ...] = ()

    @property
    def foreign(self) -> bool:
        """Whether its text may be anything: a path may lead to what is no rule file at all."""
        return bool(self.ref.path)

    def folder(self, base: str) -> str:
        """The folder it lies in, where that of the compiled file is `base`; that of a pack is not known."""
        inside, _, _ = self.ref.path.rpartition("/")
        return "" if self.ref.pack else f"{base}/{inside}".rstrip("/") if inside else base


@dataclass(slots=True)
class _Build:
    """One compilation: what it needs, and what was found on the way."""

    load_include: LoadInclude
    judge: Judge | None
    tools: ToolTable
    folder: str
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    loaded: int = 0

    def file(self, file: _File) -> FilePlan | None:
        """The plan of one file; None if its text is broken. Problems are noted."""
        try:
            parsed = document.parse(file.raw, file.label, foreign=file.foreign)
        except PolicyError as error:
            self.problems += error.problems
            return None
        filled, flaws, odd = variables.filled(parsed, file.params)
        data = document.plain(filled.root)
        self._warn(filled, (*(() if flaws else odd), *lints.texts(data)))
        try:
            model = filled.validate(RuleFile, flaws)
        except PolicyError as error:
            self.problems += error.problems
            self._warn(filled, lints.warnings(salvaged(data), self.tools.all_names | lints.aliases(data)))
            return None
        included = list(self._includes(model, filled, file))
        tools = self.tools.with_aliases(model.aliases)
        self._warn(filled, lints.warnings(model, tools.all_names))
        rules = tuple(self._rules(model, filled, file))
        if self.judge and not file.ref.pack and not file.params:
            self._try(model, rules, filled, tools)
        return FilePlan(
            name=file.ref.pack or model.name or stem(file.label),
            label=file.label,
            digest=digest(file.raw, file.params, [item.file.digest for item in included]),
            combine=model.combine,
            rules=rules,
            exceptions=tuple(
                plans.exception_plan(item, filled.line(("exceptions", index)))
                for index, item in enumerate(model.exceptions)
            ),
            includes=tuple(included),
            aliases=tuple(model.aliases.items()),
            contract=model.contract,
        )

    def _warn(self, where: Document, flaws: Iterable[Flaw]) -> None:
        self.warnings += [where.problem(flaw, RuleFile) for flaw in flaws]

    def _rules(self, model: RuleFile, where: Document, file: _File) -> Iterator[RulePlan]:
        """The rules in the order they are judged."""
        yield from _entries("deny", model.deny, where)
        yield from _entries("ask", model.ask, where)
        yield from _entries("allow", model.allow, where)
        for index, rule in enumerate(model.rules):
            yield plans.rule_plan(rule, where.line(("rules", index)), file.folder(self.folder))
        if model.default:
            yield plans.default_plan(model.default, where.line(("default",)))

    def _try(self, model: RuleFile, rules: tuple[RulePlan, ...], where: Document, tools: ToolTable) -> None:
        assert self.judge
        by_id = {plan.id: plan for plan in rules}
        for index, rule in enumerate(model.rules):
            for flaw in failures(rule, by_id[rule.id], self.judge, tools):
                placed = flaw._replace(location=("rules", index, *flaw.location))
                self.problems.append(where.problem(placed, RuleFile))

    def _includes(self, model: RuleFile, where: Document, file: _File) -> Iterator[IncludePlan]:
        for index, item in enumerate(model.include):
            try:
                plan = self._include(item, where, file, index)
            except IncludeError as error:
                self.problems.append(where.problem(Flaw(("include", index), str(error), error.help), RuleFile))
                continue
            if plan:
                yield plan

    def _include(self, item: str | Inclusion, where: Document, file: _File, index: int) -> IncludePlan | None:
        """The plan of an include; None if the file is broken. Raises `IncludeError`."""
        ref = reference(item, file.ref)
        chain = (*file.inside, file.ref)
        if ref in chain:
            raise IncludeError(f"`{shown(str(ref))}` includes itself")
        if len(chain) > DEPTH:
            raise IncludeError(f"includes are nested deeper than {DEPTH}")
        self.loaded += 1
        if self.loaded > MOST:
            raise IncludeError(f"more than {MOST} files are included")
        label, raw = self.load_include(ref)
        options = Inclusion() if isinstance(item, str) else item
        if self._refused_params(options, raw, label, where, index):
            return None
        inner = self.file(_File(raw, label, ref, options.params or {}, chain))
        if inner is None:
            return None
        self._check_excluded(options, inner, where, index)
        return IncludePlan(ref.pack, inner, tuple(options.except_ or ()), options.mode == "observe")

    def _refused_params(self, options: Inclusion, raw: bytes, label: str, where: Document, index: int) -> bool:
        """Whether the values for an included file's variables do not fit them."""
        if not options.params:
            return False
        try:
            known = variables.declared(document.parse(raw, label))
        except PolicyError:
            return False  # told when the file is compiled
        flaws = [flaw for name, value in options.params.items() if (flaw := _wrong_param(name, value, known))]
        for flaw in flaws:
            placed = flaw._replace(location=("include", index, "params", *flaw.location))
            self.problems.append(where.problem(placed, RuleFile))
        return bool(flaws)

    def _check_excluded(self, options: Inclusion, inner: FilePlan, where: Document, index: int) -> None:
        ids = [rule.id for rule in inner.rules]
        for position, name in enumerate(options.except_ or ()):
            if name not in ids:
                near = nearest(name, ids)
                help = f"did you mean `{near}`?" if near else "remove it"
                flaw = Flaw(("include", index, "except", position), f"no rule there has the id `{shown(name)}`", help)
                self._warn(where, [flaw._replace(severity="warning")])


def _entries(decision: Decision, entries: tuple[Entry, ...], where: Document) -> Iterator[RulePlan]:
    """The rules of a compact list; an entry that stands there twice is one rule."""
    seen: set[str] = set()
    for index, entry in enumerate(entries):
        if entry.text not in seen:
            yield plans.entry_plan(entry, decision, where.line((decision, index)))
        seen.add(entry.text)


def _wrong_param(name: str, value: str | tuple[str, ...], known: variables.Values) -> Flaw | None:
    if name not in known:
        near = nearest(name, known)
        help = f"did you mean `{near}`?" if near else "its variables are those under its `vars`"
        return Flaw((name,), f"the included file has no variable `{shown(name)}`", help, at_key=True)
    if isinstance(known[name], str) and not isinstance(value, str):
        return Flaw((name,), f"the variable `{shown(name)}` takes one text, not a list")
    return None
