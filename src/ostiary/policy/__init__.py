"""The policy: what rule files compile to, and how the files of all tiers become one value."""

from ostiary.policy.assembly import SEMANTICS, Admitted, Unreached, assemble, stand_in, undefined, unreached
from ostiary.policy.gates import CODE, Gates
from ostiary.policy.plan import (
    ExceptionPlan,
    FilePlan,
    HandlerPlan,
    IncludePlan,
    ModelPlan,
    ProgramPlan,
    RulePlan,
    ToolPlan,
    file_plan,
    plain,
)
from ostiary.policy.rule import Rule, Unit
from ostiary.policy.stops import lost, stopping, stops
from ostiary.policy.value import Policy

__all__ = [
    "CODE",
    "SEMANTICS",
    "Admitted",
    "ExceptionPlan",
    "FilePlan",
    "Gates",
    "HandlerPlan",
    "IncludePlan",
    "ModelPlan",
    "Policy",
    "ProgramPlan",
    "Rule",
    "RulePlan",
    "ToolPlan",
    "Unit",
    "Unreached",
    "assemble",
    "file_plan",
    "lost",
    "plain",
    "stand_in",
    "stopping",
    "stops",
    "undefined",
    "unreached",
]
