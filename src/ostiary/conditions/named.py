"""`command` as far as its plan alone tells: the programs it names, which the rule index asks of every rule, and its
answer where nothing runs."""

from __future__ import annotations

from ostiary.answers import MAYBE, NO, Answer
from ostiary.conditions.view import Condition, Plan, Stance, View
from ostiary.patterns import TextPlan


def build(plan: Plan, stance: Stance) -> Condition:
    """`("command", conditions)`. What judges programs is imported with the first part that has one."""
    made: list[Condition] = []

    def condition(view: View) -> Answer:
        if not view.part.invocations:
            return MAYBE if view.part.unparsed else NO
        if not made:
            from ostiary.conditions.command import build  # late: reads what programs do

            made.append(build(plan, stance))
        return made[0](view)

    return condition


def base_name(program: str) -> str:
    """The name of a program without its folder."""
    return program.replace("\\", "/").rsplit("/", 1)[-1]


def programs_of(plan: Plan) -> frozenset[str] | None:
    """The base names of which one is needed for a *yes*, None if others may do: the key of the rule index."""
    names = names_of(plan)
    return None if names is None or _has_patterns(names) else frozenset(text[1] for text in names)


def names_of(plan: Plan) -> frozenset[TextPlan] | None:
    """Texts of which the base name of a program must fit one for a *yes*, None if any program may do."""
    match plan[0]:
        case "all":
            named = [found for child in plan[1] if (found := names_of(child)) is not None]
            return min(named, key=lambda names: (_has_patterns(names), len(names)), default=None)
        case "any":
            each: list[frozenset[TextPlan]] = []
            for child in plan[1]:
                names = names_of(child)
                if names is None:
                    return None
                each.append(names)
            return frozenset(text for names in each for text in names) or None
        case "program":
            return frozenset(("eq", base_name(text[1])) if text[0] == "eq" else tuple(text) for text in plan[1])
        case "line":
            program = str(plan[1][1]).split(" ", 1)[0]
            literal = plan[1][0] == "eq" or (plan[1][0] == "glob" and not set(program) & set("*?[\\"))
            return frozenset({("eq", base_name(program))}) if literal else None
        case _:
            return None


def _has_patterns(names: frozenset[TextPlan]) -> bool:
    return any(text[0] != "eq" for text in names)
