"""The grammar of text values in rules: `/re/flags` is searched, a glob covers the whole value, anything else is equal.

A glob has `*` (any text), `?` (one character) and `[..]`; a backslash takes the next character as it is. Explicit
regular expressions are those of the `regex` package, bounded in length and in time per search; running out of time is
*maybe* (law L2), never *no*.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, Final

from ostiary.answers import MAYBE, NO, YES, Answer
from ostiary.expressions import expression
from ostiary.records import dataclass
from ostiary.words import Hole, Word

TextPlan = tuple[Any, ...]
TextMatcher = Callable[[Word | str], Answer]

MAX_PATTERN: Final = 2_000
"""Characters of one pattern."""
SEARCH_SECONDS: Final = 0.02
"""Time one search of an explicit regular expression may take, where no meter says otherwise."""


@dataclass(slots=True)
class Meter:
    """What judging may still cost in one evaluation. Explicit regular expressions: how many searches, how many of them
    may run out of time, and the seconds of each; once these are used up every search is *maybe*. All other work is
    counted in `steps`, each about as long as comparing a path with a pattern, some microseconds. `cut` says that
    something was *maybe* for lack of any of these."""

    searches: int
    late: int
    seconds: float
    steps: int
    cut: bool = False

    def search(self) -> bool:
        """Count a search; whether it may be made."""
        self.searches -= 1
        self.cut = self.cut or self.searches < 0 or self.late <= 0
        return self.searches >= 0 and self.late > 0

    def spend(self, steps: int) -> bool:
        """Count steps; whether there were as many."""
        self.steps -= steps
        self.cut = self.cut or self.steps < 0
        return self.steps >= 0


_HERE: Final[ContextVar[Meter | None]] = ContextVar("meter", default=None)


@contextmanager
def metered(meter: Meter) -> Iterator[None]:
    """Count what this thread or task does inside the block."""
    token = _HERE.set(meter)
    try:
        yield
    finally:
        _HERE.reset(token)


def spend(steps: int) -> bool:
    """Count steps; whether there were as many. Outside of a metered block nothing is counted."""
    meter = _HERE.get()
    return meter is None or meter.spend(steps)


def cut() -> bool:
    """Whether a *maybe* inside of the metered block may be one for lack of time or steps."""
    meter = _HERE.get()
    return meter is not None and meter.cut


_EXPLICIT: Final = expression(r"/(.+)/([a-z]*)", re.DOTALL)
_FLAGS: Final = "gimsuxy"  # g and y mean nothing for one search, u is how Python matches anyway
_GLOB: Final = expression(r"[*?\[]")


def explicit(pattern: str) -> tuple[str, str] | None:
    """Body and flags of `/body/flags`, None for any other text. The last slash closes; each flag at most once."""
    match = _EXPLICIT.fullmatch(pattern)
    if not match or len(set(match[2])) != len(match[2]) or set(match[2]) - set(_FLAGS):
        return None
    return match[1], "".join(sorted(set(match[2]) - set("gyu")))


def text_plan(pattern: str) -> TextPlan:
    """The plan of a text pattern. Raises ValueError with a message for rule authors if it is no valid pattern."""
    if len(pattern) > MAX_PATTERN:
        raise ValueError(f"pattern of {len(pattern)} characters is longer than {MAX_PATTERN}")
    if found := explicit(pattern):
        compiled(*found)
        return ("re", *found)
    if _GLOB.search(pattern):
        return ("glob", pattern)
    return ("eq", unescaped(pattern))


def unescaped(pattern: str) -> str:
    """A glob without wildcards as the text it stands for."""
    return re.sub(r"\\(.)", r"\1", pattern, flags=re.DOTALL)


@lru_cache(maxsize=4096)
def compiled(body: str, flags: str = "") -> Any:
    """The compiled explicit regular expression. Raises ValueError with the engine's complaint."""
    import regex  # importing it costs 15 ms, which calls that meet no explicit expression need not pay

    names = {"i": regex.IGNORECASE, "m": regex.MULTILINE, "s": regex.DOTALL, "x": regex.VERBOSE}
    try:
        return regex.compile(body, sum(names[flag] for flag in flags) | regex.VERSION0)
    except (regex.error, RecursionError) as error:
        raise ValueError(f"`{body}` is not a valid regular expression: {error}") from None


def search(body: str, flags: str, text: str) -> Answer:
    """Whether the expression is found in the text; maybe if the search ran out of time or the meter is used up."""
    return _timed(compiled(body, flags).search, text)


def covers(body: str, text: str) -> Answer:
    """Whether the expression covers the whole text; maybe as in `search`."""
    return _timed(compiled(body).fullmatch, text)


def _timed(find: Callable[..., Any], text: str) -> Answer:
    meter = _HERE.get()
    if meter is None:
        meter = Meter(1, 1, SEARCH_SECONDS, 0)
    if not meter.search():
        return MAYBE
    try:
        return YES if find(text, timeout=meter.seconds) else NO
    except TimeoutError:
        meter.late -= 1
        meter.cut = True
        return MAYBE


def matcher(plan: TextPlan) -> TextMatcher:
    """The matcher of one text plan. A word with holes answers yes if it matches whatever the holes hold, maybe if it
    can match."""
    kind, subject = plan[0], plan[1]
    if kind == "eq":
        return _equality(subject)
    if kind == "glob":
        return _glob(subject)
    return _expression(subject, plan[2])


def any_of(plans: tuple[TextPlan, ...]) -> TextMatcher:
    """Matches what one of the plans matches."""
    if len(plans) == 1:
        return matcher(plans[0])
    equal = {plan[1] for plan in plans if plan[0] == "eq"}
    others = [matcher(plan) for plan in plans if plan[0] != "eq"]
    holes = [matcher(plan) for plan in plans]

    def match(subject: Word | str) -> Answer:
        text = subject if isinstance(subject, str) else subject.text
        if text in equal:
            return YES
        return max((one(subject) for one in (holes if text is None else others)), default=NO)

    return match


def _equality(value: str) -> TextMatcher:
    tokens = tuple(_literal(sign) for sign in value)

    def match(subject: Word | str) -> Answer:
        text = subject if isinstance(subject, str) else subject.text
        if text is None:
            return _with_holes(tokens, subject)  # type: ignore[arg-type]
        return YES if text == value else NO

    return match


def _glob(pattern: str) -> TextMatcher:
    tokens = glob_tokens(pattern)

    def match(subject: Word | str) -> Answer:
        text = subject if isinstance(subject, str) else subject.text
        if text is None:
            return _with_holes(tokens, subject)  # type: ignore[arg-type]
        return YES if glob_matches(pattern, text) else NO

    return match


def _expression(body: str, flags: str) -> TextMatcher:
    def match(subject: Word | str) -> Answer:
        text = subject if isinstance(subject, str) else subject.text
        return MAYBE if text is None else search(body, flags, text)

    return match


def glob_matches(pattern: str, text: str) -> bool:
    """Whether a glob covers the whole text."""
    return _glob_expression(pattern).fullmatch(text) is not None


@lru_cache(maxsize=16384)
def _glob_expression(pattern: str) -> re.Pattern[str]:
    # Each `*` takes the shortest run up to the next literal and never gives it back: (?>...) keeps the cost linear.
    runs: list[str] = [""]
    for token in glob_tokens(pattern):
        if token == "*":
            runs.append("")
        else:
            runs[-1] += "." if token == "?" else token if len(token) > 1 else re.escape(token)
    head, *rest = runs
    if not rest:
        return re.compile(head, re.DOTALL)
    *middle, tail = rest
    return re.compile(head + "".join(f"(?>.*?{run})" for run in middle if run) + f".*{tail}", re.DOTALL)


@lru_cache(maxsize=16384)
def glob_tokens(pattern: str) -> tuple[str, ...]:
    """A glob as tokens: `*`, `?`, a character class as the regular expression for one character (longer than one
    character), or one literal character; a literal `*` or `?` is the class `[*]` or `[?]`."""
    tokens: list[str] = []
    index = 0
    while index < len(pattern):
        sign = pattern[index]
        index += 1
        if sign == "\\" and index < len(pattern):
            tokens.append(_literal(pattern[index]))
            index += 1
        elif sign == "[" and (end := _class_end(pattern, index)):
            tokens.append(_class(pattern[index:end]))
            index = end + 1
        elif sign != "*" or tokens[-1:] != ["*"]:
            tokens.append(sign)
    return tuple(tokens)


def _literal(sign: str) -> str:
    return f"[{sign}]" if sign in "*?" else sign


def _class_end(pattern: str, start: int) -> int:
    first = start + 1 if pattern[start : start + 1] in ("!", "^") else start
    return max(pattern.find("]", first + 1), 0)


def _class(body: str) -> str:
    negated = body[0] in "!^"
    inner = re.sub(r"([\\\[\]^&~|])", r"\\\1", body[1:] if negated else body)
    try:
        re.compile(f"[{inner}]")
    except re.error:  # a range that runs backwards matches nothing
        return "(?!)." if not negated else "(?:.)"
    return f"[^{inner}]" if negated else f"[{inner}]"


def _with_holes(tokens: tuple[str, ...], word: Word) -> Answer:
    """A glob against a word with holes, by the set of positions in the glob that the text read so far can reach."""
    sure, possible = {0}, {0}
    for piece in word.pieces:
        if isinstance(piece, Hole):
            # A hole can hold whatever the glob wants next; for certain it fits only where a star takes it whole.
            possible = set(range(min(possible), len(tokens) + 1)) if possible else possible
            sure = {index for index in _closure(tokens, sure) if index < len(tokens) and tokens[index] == "*"}
            continue
        for sign in piece:
            sure, possible = _step(tokens, sure, sign), _step(tokens, possible, sign)
    if len(tokens) in _closure(tokens, sure):
        return YES
    return MAYBE if len(tokens) in _closure(tokens, possible) else NO


def _closure(tokens: tuple[str, ...], states: set[int]) -> set[int]:
    reached = set(states)
    for index in sorted(states):
        while index < len(tokens) and tokens[index] == "*":
            index += 1
            reached.add(index)
    return reached


def _step(tokens: tuple[str, ...], states: set[int], sign: str) -> set[int]:
    after: set[int] = set()
    for index in _closure(tokens, states):
        if index == len(tokens):
            continue
        token = tokens[index]
        if token == "*":
            after.add(index)
        elif token == "?" or token == sign or (len(token) > 1 and re.fullmatch(token, sign, re.DOTALL)):
            after.add(index + 1)
    return after
