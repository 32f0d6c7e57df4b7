"""The subcommand that a program was called with, compared with the words of a rule."""

from __future__ import annotations

from collections.abc import Callable

from ostiary import patterns, programs
from ostiary.answers import MAYBE, NO, YES, Answer
from ostiary.call.model import Invocation
from ostiary.patterns import TextMatcher
from ostiary.words import Word

Chosen = Callable[[Invocation, Answer], Answer]
"""Whether a program was called with a subcommand; the second argument is what an unknown word answers."""


def choosing(written: tuple[str, ...]) -> Chosen:
    """The condition for the words of a rule."""
    if not any("*" in word or "?" in word for word in written):
        return lambda invocation, unknown: _chosen(invocation, written, unknown)
    fits = [patterns.matcher(patterns.text_plan(word)) for word in written]

    def chosen(invocation: Invocation, unknown: Answer) -> Answer:
        """Each word is compared with the one in its place. Twins of a subcommand have their own names."""
        given: tuple[Word | str, ...] = (*invocation.subcommand, *invocation.operands)
        placed = not invocation.loose and (invocation.known or not invocation.options)
        starts = range(1 if placed else len(given) + 1)
        best: Answer = max(_fitting(fits, given[start:]) for start in starts)
        return best if placed and best != MAYBE else min(best, unknown)

    return chosen


def _fitting(fits: list[TextMatcher], given: tuple[Word | str, ...]) -> Answer:
    """Whether the first of the given words fit."""
    if len(given) < len(fits):
        return NO
    return min(fit(word) for fit, word in zip(fits, given, strict=False))


def _chosen(invocation: Invocation, written: tuple[str, ...], unknown: Answer) -> Answer:
    name = invocation.name or ""
    words = programs.canonical_subcommand(name, written)
    if invocation.subcommand[: len(words)] == words:
        return YES
    words, chosen = programs.ungrouped(name, words), programs.ungrouped(name, invocation.subcommand)
    given: list[str | None] = [*chosen, *(word.text for word in invocation.operands)]
    if tuple(given[: len(words)]) == words:
        return YES
    known = given[: given.index(None)] if None in given else given
    if tuple(known) == words[: len(known)] and (invocation.loose or None in given):
        return unknown
    if not invocation.known and invocation.options:
        runs = (tuple(given[start : start + len(words)]) for start in range(1, len(given)))
        return unknown if words in runs else NO
    return NO
