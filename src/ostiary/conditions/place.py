"""`cwd` and `branch`: where the part runs. The directory is the part's own, as `cd` moved it."""

from __future__ import annotations

from ostiary import patterns
from ostiary.answers import MAYBE, NO, Answer
from ostiary.conditions.accesses import path_matcher
from ostiary.conditions.view import Condition, Plan, Stance, View
from ostiary.words import word


def build_cwd(plan: Plan, stance: Stance) -> Condition:
    """`("cwd", path patterns)`; a directory that the text does not tell is *maybe*."""
    match = path_matcher(plan[1], stance.wide)

    def condition(view: View) -> Answer:
        where = view.part.cwd
        return MAYBE if where is None else match(word(where), where, view.knowledge)

    return condition


def build_branch(plan: Plan, stance: Stance) -> Condition:
    """`("branch", texts)`: the branch checked out around the part's directory. No repository or a detached head has no
    branch, so *no*; a directory or head that cannot be told is *maybe*."""
    match = patterns.any_of(plan[1])

    def condition(view: View) -> Answer:
        branch = None if view.part.cwd is None else view.knowledge.ask("branch", view.part.cwd)
        if branch is None:
            return MAYBE
        return match(str(branch)) if branch else NO

    return condition
