"""Programs inside of others: what may stand among a wrapper's words, and what an allow of a wrapper leaves open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from ostiary import patterns
from ostiary.answers import MAYBE, NO, YES, Answer
from ostiary.call.layers import invocation_of
from ostiary.call.model import Invocation, Part
from ostiary.records import replace
from ostiary.words import Hole, Word, word

Judge = Callable[[Invocation], Answer]
"""What a command condition says about a layer."""

ANY: Final = Word((Hole("...", "computed"),), many=True)


def perhaps(part: Part, named: Callable[[Word], bool], judge: Judge) -> Answer:
    """An unknown program may be a wrapper: where its words from some position on match with *yes*, it is *maybe*. So
    are known ones that run what stands somewhere among their words, as words or as one text; `named` tells which word
    may begin them. It is also *maybe* where that is too much to judge."""
    for layer in part.invocations:
        for words in _candidates(layer) if layer.may_run else ():
            if words[0].text is None or not named(words[0]):
                continue
            if not patterns.spend(len(words)):
                return MAYBE
            answer = judge(invocation_of(words))
            if answer == YES or (answer == MAYBE and patterns.cut()):
                return MAYBE
    return NO


def _candidates(layer: Invocation) -> Iterator[tuple[Word, ...]]:
    yield from (layer.words[start:] for start in range(1, len(layer.words)))
    for item in layer.words[1:] if layer.known else ():
        texts = (item.text or "").split()
        if len(texts) > 1:
            yield from (tuple(map(word, texts[start:])) for start in range(len(texts)))


def names_inner(invocation: Invocation, judge: Judge) -> bool:
    """Whether a condition that holds of a layer also names the program inside it, or means any program: an allow of a
    wrapper covers the wrapper alone. It names none if it holds just as well with an unknown program inside."""
    if invocation.inner is None:
        return True
    words = invocation.words
    unknown = (*words[: invocation.inner], ANY)
    if judge(replace(invocation, words=unknown, plain=unknown)) != YES:
        return True
    return judge(Invocation((ANY,), None)) == YES
