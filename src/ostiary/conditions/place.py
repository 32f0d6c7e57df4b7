"""`cwd` and `branch`: where the part runs. The directory is the part's own, as `cd` moved it."""

from __future__ import annotations

from collections.abc import Callable

from ostiary import paths, patterns
from ostiary.answers import MAYBE, NO, YES, Answer
from ostiary.conditions.accesses import path_matcher
from ostiary.conditions.view import Condition, Plan, Stance, View
from ostiary.words import Word, word


def build_cwd(plan: Plan, stance: Stance) -> Condition:
    """`("cwd", path patterns)`; a directory that the text does not tell is *maybe*."""
    match = path_matcher(plan[1], stance.wide)

    def answer(where: str | None, view: View) -> Answer:
        return MAYBE if where is None else match(word(where), where, view.knowledge)

    return lambda view: in_all_places(view, answer)


def in_all_places(view: View, answer: Callable[[str | None, View], Answer]) -> Answer:
    """The answer about the directory of a part; *maybe* where it differs if an earlier `cd` failed."""
    answers = {answer(where, view) for where in (view.part.cwd, *view.part.fallbacks)}
    return answers.pop() if len(answers) == 1 else MAYBE


def build_branch(plan: Plan, stance: Stance) -> Condition:
    """`("branch", texts)`: the branch checked out around the part's directory. No repository or a detached head has no
    branch, so *no*; a directory or head that cannot be told is *maybe*."""
    match = patterns.any_of(plan[1])
    return lambda view: on_branch(view, match)


def no_file(view: View, name: Word) -> Answer:
    """Whether nothing of this name exists where the part runs."""

    def answer(where: str | None, view: View) -> Answer:
        path = paths.spelled(name, where, view.knowledge)
        kind = view.knowledge.ask("kind", path.text) if path.known else None
        return MAYBE if kind is None else YES if kind == "none" else NO

    return in_all_places(view, answer)


def on_branch(view: View, match: patterns.TextMatcher) -> Answer:
    """Whether the branch checked out where the part works is one of these: the one that is there now, or one that a
    command before it in the same call checks out; *maybe* where they differ."""
    answers: set[Answer] = set()
    now = True
    for name, sure, perhaps_path in view.part.switches:
        if perhaps_path and no_file(view, name) == NO:
            continue  # it restores a file
        if sure:
            answers, now = set(), False
        answers.add(match(name))
    if now:
        answers.add(in_all_places(view, _on_branch_now(match)))
    return answers.pop() if len(answers) == 1 else MAYBE


def _on_branch_now(match: patterns.TextMatcher) -> Callable[[str | None, View], Answer]:
    def answer(where: str | None, view: View) -> Answer:
        repository = view.part.repository
        if repository is not None:
            path = paths.spelled(repository, where, view.knowledge)
            where = path.text if path.known else None
        branch = None if where is None else view.knowledge.ask("branch", where)
        return MAYBE if branch is None else match(str(branch)) if branch else NO

    return answer
