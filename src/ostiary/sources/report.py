"""From what was loaded to what people are told of it (`ostiary status`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from ostiary import __version__
from ostiary.explain import Inactive, ModelStatus, Origin, ReviewState, SettingStatus, SourceStatus, Status
from ostiary.policy import Gates, ModelPlan, Policy
from ostiary.policy.rule import Rule, expired
from ostiary.problems import Problem
from ostiary.sources import record, results
from ostiary.sources.admit import Standing
from ostiary.sources.places import Places
from ostiary.sources.settings import GATES, Said, Settings
from ostiary.tiers import TIER
from ostiary.trust import review

# What policy warns of by itself, and what plugins have a gate for.
_WARNED: Final = frozenset({"exception", "program", "tool"})
_GATED: Final = frozenset({"handler"})


def report(
    standings: tuple[Standing, ...],
    policy: Policy,
    settings: Settings,
    places: Places,
    *,
    root: str,
    models: tuple[tuple[ModelPlan, str], ...],
    problems: tuple[Problem, ...],
    now: float,
) -> Status:
    """What is in force: sources, their policy and settings, and what of it does not act at this time (seconds since the
    epoch). `models` are those of the settings, each with what it lacks."""
    return Status(
        version=__version__,
        generation=policy.generation,
        root=root,
        places=(("managed", places.managed.path), ("user", places.user), ("state", places.state)),
        settings=tuple(_settings(settings)),
        models=tuple(_model(plan, lack) for plan, lack in models),
        sources=tuple(_source(standing, settings.trusted) for standing in standings),
        inactive=tuple(_inactive(standings, policy, settings.gates, now)),
        record=tuple(record.counts(places.state).items()),
        notes=(
            *policy.notes,
            *policy.warnings,
            *record.flaws(places.state, ("stops", "verbs")),
            *results.failures(places.state),
        ),
        problems=problems,
    )


def _settings(settings: Settings) -> Iterator[SettingStatus]:
    acting = {gate: getattr(settings.gates, gate) for gate in GATES}
    acting |= {name: getattr(settings, name) for name in ("on_error", "on_unrecordable", "hooks_from")}
    acting |= {f"log.{name}": value for name, value in settings.log._asdict().items()}
    acting |= {f"http.{name}": value for name, value in settings.http._asdict().items()}
    for key, value in acting.items():
        managed, user = _stands(settings.managed, key), _stands(settings.user, key)
        vain = managed is not None and user not in (None, value)
        yield SettingStatus(key, value, _origin(managed, user), user if vain else None)
    # Managed settings alone say whose reviews count.
    yield SettingStatus("trust", settings.trust, _origin(settings.managed.get("trust"), None))


def _model(plan: ModelPlan, lack: str) -> ModelStatus:
    by = _origin(plan.tier == "managed" or None, plan.tier)
    address = _without_secrets(plan.base_url)
    return ModelStatus(plan.name, by, plan.provider, plan.model, address, plan.key_env, plan.proxy, lack)


def _without_secrets(url: str) -> str:
    """The address alone: some write a key into what stands before or behind it."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def _stands(said: Said, key: str) -> Any:
    """What a settings file says under a key, None if nothing."""
    outer, _, inner = key.partition(".")
    found = said.get(outer)
    return found.get(inner) if inner and found is not None else found


def _origin(managed: object, user: object) -> Origin:
    return "managed" if managed is not None else "user" if user is not None else "default"


def _source(standing: Standing, listed: frozenset[str]) -> SourceStatus:
    return SourceStatus(
        tier=standing.tier,
        file=standing.label,
        root=standing.source.root or "",
        state=standing.state,
        note=standing.note,
        review=_review(standing, listed),
        until=standing.review.until if standing.review else 0,
        digest=standing.digest,
        rules=standing.plan.rule_count,
    )


def _review(standing: Standing, listed: frozenset[str]) -> ReviewState:
    if TIER[standing.tier].reviewed_by_default:
        return "not needed"
    if standing.reviewed:
        return "listed" if standing.digest in listed else "accepted"
    if not standing.source.reviewable:
        return "not possible"
    return "expired" if standing.review and standing.review.until else "waits"


def _inactive(standings: Iterable[Standing], policy: Policy, gates: Gates, now: float) -> Iterator[Inactive]:
    """Everything that does not act, by source. Of what nobody reviewed each thing that waits; of all else the rules and
    exceptions that do not act by themselves."""
    today = datetime.fromtimestamp(now, UTC).date()
    for rule in policy.rules:
        if rule.state == "observe":
            yield _idle(rule, "observe", "it only observes")
        elif rule.state == "gated" and rule.plan.handler:
            why = gates.shut(rule.unit.tier, rule.plan.handler.kind)
            yield _idle(rule, "gated", f"its handler does not run: {why}")
        elif rule.state == "active" and rule.expired(today):
            yield _idle(rule, "expired", f"it expired, {rule.plan.expires} was its last day")
    for standing in standings:
        for file in standing.plan.whole:
            for exception in file.exceptions:
                if expired(exception.expires, today):
                    why = f"the exception for it expired, {exception.expires} was its last day"
                    yield Inactive(file.label, exception.line, exception.rule, "expired", why)
        if not standing.reviewed and standing.state not in ("stand-in", "vanished"):
            yield from _waiting(standing)


def _idle(rule: Rule, state: Literal["observe", "expired", "gated"], why: str) -> Inactive:
    return Inactive(rule.unit.label, rule.plan.line, rule.identity, state, why)


def _waiting(standing: Standing) -> Iterator[Inactive]:
    """What a review would let act; of a source that none can be about, what never does."""
    plugin = not TIER[standing.tier].may_loosen
    why = "does not act in a plugin" if plugin else "waits for review"
    for permit in review(standing.plan, "").permits:
        if permit.kind not in (_WARNED | _GATED if plugin else _WARNED):
            told = f"{permit.kind} ({permit.text}) {why}"
            yield Inactive(standing.label, permit.line, permit.rule, "untrusted", told)
