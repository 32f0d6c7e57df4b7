"""Models that settings name, through the SDKs of those who serve them.

Adding one takes a module here, its line in `ADAPTERS`, and an extra of the same name for the SDK.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Final, Protocol, cast

from ostiary.perform.adapters.base import Model, NoModel
from ostiary.policy import ModelPlan
from ostiary.tiers import TierName

ADAPTERS: Final[Mapping[str, str]] = {
    "anthropic": "ostiary.perform.adapters.anthropic",
    "openai": "ostiary.perform.adapters.openai",
}
"""The module of each provider."""


class _Adapter(Protocol):
    """What such a module holds."""

    @staticmethod
    def model(plan: ModelPlan, key: str) -> Model:
        """The model, asked with this key."""


def missing(plan: ModelPlan, environment: Mapping[str, str]) -> str:
    """What a model lacks that it could be asked, empty if nothing."""
    if plan.key_env and not environment.get(plan.key_env):
        return f"the model `{plan.name}` has no key: the variable `{plan.key_env}` is not set"
    if find_spec(plan.provider) is None:
        return f"the SDK for `{plan.provider}` is not installed: `pip install 'ostiary[{plan.provider}]'`"
    return ""


def meant(plans: tuple[ModelPlan, ...], wanted: str, tier: TierName) -> ModelPlan | None:
    """The model that `wanted` names in settings, or else `default`, None where there is neither. A managed rule is
    judged by managed models alone."""
    named = {plan.name: plan for plan in plans if plan.tier == "managed" or tier != "managed"}
    return named.get(wanted) or named.get("default")


def chosen(
    plans: tuple[ModelPlan, ...], wanted: str, tier: TierName, environment: Mapping[str, str]
) -> tuple[Model, str]:
    """The model that a rule of a tier means, and the name by which its provider knows what is wanted. Raises
    `NoModel`."""
    plan = meant(plans, wanted, tier)
    if plan is None:
        raise NoModel("no model is set: name one under `models` in settings.yaml, as `default`")
    if lack := missing(plan, environment):
        raise NoModel(lack)
    adapter = cast(_Adapter, import_module(ADAPTERS[plan.provider]))
    key = environment[plan.key_env] if plan.key_env else "none"
    return adapter.model(plan, key), plan.model if wanted in (plan.name, "") else wanted
