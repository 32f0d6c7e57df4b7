"""The compiled form of rule files: nested plain tuples, so that a cache can hold them (`marshal`).

Named tuples are for reading; `plain` strips them to tuples for the cache and `file_plan` puts the names back.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ostiary.records import NamedTuple
from ostiary.tiers import TierName
from ostiary.tools import Role

Plan = tuple[Any, ...]


class HandlerPlan(NamedTuple):
    """What a rule runs. `kind` names the kind (`command`, `http`, ...), `spec` holds its own options as pairs, `folder`
    is the absolute folder that its paths start from (empty where there is none). `timeout` are seconds: None for what
    event and kind have, zero or less for none. `background`: nobody waits for the answer; `rewake`: what it says then
    is brought to the model. `pure`: it has no effects, so that it may judge a rewritten call too. `may_allow`: an allow
    of a model counts."""

    kind: str
    spec: tuple[tuple[str, Any], ...] = ()
    folder: str = ""
    timeout: float | None = None
    background: bool = False
    rewake: bool = False
    pure: bool = False
    may_allow: bool = False

    @property
    def once(self) -> bool:
        """Whether it has a say, and does not judge a rewritten call."""
        return not (self.pure or self.background)


class RulePlan(NamedTuple):
    """One rule. Absent texts are empty, absent plans None.

    `on` are canonical event names. `decision` is `allow`, `ask`, `defer`, `deny` or empty. `update_input` pairs an
    argument with a template (a list or mapping as `("list", items)` or `("mapping", pairs)`), `update_output` is
    `("redact", texts, replacement)` or `("set", value)`. `yields` names the tiers a managed default gives way to,
    `uncertain` what a *maybe* says (`ask`, `deny`, `none`, empty for the
    default). `expires` is the last day the rule acts, `YYYY-MM-DD` (UTC). `trailing` takes options the rule does not
    name as covered. `remember`: a call that a person permitted is not asked about again in its session. `handler` is
    what it runs; `on_error` says what a failure of that means (`continue`, `ask`, `deny`, empty for the default),
    `audit` that it runs after the verdict and has no say. `notes` are (key, value) pairs that only people read
    (description, tags, owner, severity).
    """

    id: str
    line: int
    on: tuple[str, ...]
    when: Plan
    unless: Plan | None = None
    decision: str = ""
    reason: str = ""
    help: str = ""
    context: str = ""
    message: str = ""
    update_input: tuple[tuple[str, Any], ...] | None = None
    update_output: Plan | None = None
    halt: bool = False
    default: bool = False
    yields: tuple[str, ...] = ()
    uncertain: str = ""
    observe: bool = False
    expires: str = ""
    trailing: bool = False
    remember: bool = False
    handler: HandlerPlan | None = None
    on_error: str = ""
    audit: bool = False
    notes: tuple[tuple[str, str], ...] = ()


class ExceptionPlan(NamedTuple):
    """`exceptions:` entry: `rule` as written, lifted where `when` (None: everywhere) answers yes, until `expires`."""

    rule: str
    when: Plan | None
    reason: str
    expires: str
    line: int


class IncludePlan(NamedTuple):
    """An included file: `pack` is its name if it is a pack, `excluded` the rule ids left out, `observe` whether all its
    rules only observe."""

    pack: str
    file: FilePlan
    excluded: tuple[str, ...]
    observe: bool


class ProgramPlan(NamedTuple):
    """What one program does: its name, the line it is defined on, and its entry as text (`programs.lookup`)."""

    name: str
    line: int
    entry: str


class ToolPlan(NamedTuple):
    """What the arguments of one tool mean; the fields are those of `call.defined.ToolDefinition`."""

    server: str
    tool: str
    line: int
    roles: tuple[tuple[str, Role], ...]
    sources: tuple[str, ...] = ()
    complete: bool = False


class FilePlan(NamedTuple):
    """One rule file. `name` is its `name:` or the file's stem, `label` the file as people know it, `digest` the SHA-256
    (hex) of its bytes and those of everything it includes. `combine` is `strictest`, `first` or `last`, `contract` how
    its handlers run: `afk` or `claude`. Rules are in the order they are judged: `deny`, `ask`, `allow` lists, then
    `rules`; includes come before all of them. `programs` and `tools` are what a file of definitions holds, which has no
    rules."""

    name: str
    label: str
    digest: str
    combine: str
    rules: tuple[RulePlan, ...]
    exceptions: tuple[ExceptionPlan, ...] = ()
    includes: tuple[IncludePlan, ...] = ()
    aliases: tuple[tuple[str, tuple[str, ...]], ...] = ()
    programs: tuple[ProgramPlan, ...] = ()
    tools: tuple[ToolPlan, ...] = ()
    contract: str = "afk"

    @property
    def whole(self) -> Iterator[FilePlan]:
        """The file with all it includes, each include before the file that has it."""
        for include in self.includes:
            yield from include.file.whole
        yield self

    @property
    def rule_count(self) -> int:
        """How many rules these have."""
        return sum(len(file.rules) for file in self.whole)


class ModelPlan(NamedTuple):
    """A model that settings of a tier name: who serves it (`anthropic`, `openai`), the server's name for it, its
    address (empty: the provider's own), the environment variable that holds the key (empty: none is needed), and the
    proxy that leads to it, `http://HOST:PORT` (empty: none)."""

    name: str
    tier: TierName
    provider: str
    model: str
    base_url: str = ""
    key_env: str = ""
    proxy: str = ""


def plain(value: Any) -> Any:
    """The same value with every named tuple replaced by a plain one."""
    if not isinstance(value, tuple):
        return value
    return tuple([plain(item) if isinstance(item, tuple) else item for item in value])  # a file has many thousands


def file_plan(value: Plan) -> FilePlan:
    """A `FilePlan` from what `plain` made of one. Raises TypeError or ValueError for anything else."""
    file = FilePlan(*value)
    return file._replace(
        rules=tuple(_rule_plan(rule) for rule in file.rules),
        exceptions=tuple(ExceptionPlan(*item) for item in file.exceptions),
        includes=tuple(IncludePlan(*item)._replace(file=file_plan(IncludePlan(*item).file)) for item in file.includes),
        programs=tuple(ProgramPlan(*item) for item in file.programs),
        tools=tuple(ToolPlan(*item) for item in file.tools),
    )


def _rule_plan(value: Plan) -> RulePlan:
    rule = RulePlan(*value)
    return rule._replace(handler=HandlerPlan(*rule.handler)) if rule.handler else rule
