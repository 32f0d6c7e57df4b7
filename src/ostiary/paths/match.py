"""Path patterns against the targets of accesses: every spelling, links resolved, holes kept (laws L2 and L3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final, Literal

from ostiary import patterns
from ostiary.answers import MAYBE, NO, YES, Answer, negated
from ostiary.facts import Given, Knowledge
from ostiary.paths.glob import Segments, around_holes, can_match, path_matches, split
from ostiary.paths.plan import Keyed, Plan, keyed
from ostiary.paths.spelling import BASE, SIGNS, Spelling, collapsed, on_drive, spelled
from ostiary.records import NamedTuple
from ostiary.words import Word

PathMatcher = Callable[[Word, str | None, Knowledge], Answer]
Place = Literal["project", "workdirs"]

ANYWHERE: Final[Segments] = ("**",)
UNKNOWN_BASE: Final = f"/{BASE}"


class Pattern(NamedTuple):
    """A path plan in one reading: below which `anchor`, which segments; `body` and `flags` for an expression."""

    anchor: str
    segments: Segments = ()
    body: str = ""
    flags: str = ""


def matcher(plans: tuple[Plan, ...], wide: bool) -> PathMatcher:
    """What the patterns say about a target (relative to a directory, None if that is unknown).

    Wide is the reading of a rule that stops: floating patterns (`x`, `**/x`, `a/b`) reach every path of the machine at
    any depth, `./x` is taken below every root, and the lexical or the link-resolved form may match. Narrow is that of
    an allow and of what lifts a stop: floating patterns stay below the start root, those with a slash inside are
    anchored there, and both forms must match.

    `d/` and `d/**` take the directory and everything below it, since `rm -r d` and `grep -r x d` touch both. A bare
    name without a slash (`node_modules`) takes the entry of that name and, in the wide reading only, everything below.

    On Windows, in the wide reading, a path from the root is also taken on the drive of the directory, and a path on a
    drive also without it.

    A target with holes answers yes if it matches whatever they hold, maybe if it can match. Case is ignored where the
    volume ignores it, which is asked only where it matters.
    """
    return matcher_of(keyed(plans), wide)


def matcher_of(plans: Keyed, wide: bool) -> PathMatcher:
    """The same for patterns that are sorted by name already."""
    readings = Readings(plans, wide)

    def narrow(target: Word, cwd: str | None, knowledge: Knowledge) -> Answer:
        return _narrowly(readings, spelled(target, cwd, knowledge), knowledge)

    def match(target: Word, cwd: str | None, knowledge: Knowledge) -> Answer:
        path = spelled(target, cwd, knowledge)
        answer = _widely(readings, path, knowledge)
        if answer == YES or not knowledge.given.windows:
            return answer
        placed = on_drive(path, target, cwd, knowledge.given)
        other = _on_drives(readings, path, knowledge) if placed == path else _widely(readings, placed, knowledge)
        return max(answer, other)

    return match if wide else narrow


def _on_drives(readings: Readings, path: Spelling, knowledge: Knowledge) -> Answer:
    """A path on a drive of Windows as patterns like `/etc` and `/` mean it, which are about every drive."""
    if path.text[1:2] != ":":
        return NO
    bare = Spelling(path.text[2:] or "/", path.known)
    return readings.best(bare, lambda pattern: _answer(pattern, bare, knowledge, resolved=False))


class Readings:
    """Patterns by name, each read when it is first needed, so that a long list costs little more than a short one."""

    __slots__ = ("plans", "read", "wide")

    def __init__(self, plans: Keyed, wide: bool) -> None:
        self.plans = plans
        self.wide = wide
        self.read: dict[str, tuple[Pattern, ...]] = {}

    def _of(self, name: str) -> tuple[Pattern, ...]:
        if name not in self.plans.names:
            return ()
        if name not in self.read:
            self.read[name] = tuple(_reading(plan, self.wide) for plan in self.plans.named(name))
        return self.read[name]

    def best(self, path: Spelling, answer: Callable[[Pattern], Answer]) -> Answer:
        """The best answer of a pattern on a path: of those that hold no other name than the path, and where it has
        holes, which may hold any name but make nothing certain, of the others."""
        if not patterns.spend(_STEPS if path.known else _STEPS + len(self.plans.names) // _NAMES):
            return MAYBE
        names = dict.fromkeys(split(path.text.casefold()))
        best = _best(answer(pattern) for name in ("", *names) for pattern in self._of(name))
        if best != NO or path.known:
            return best
        others = [name for name in self.plans.names if name not in names]
        for around in [around for item in names if (around := around_holes(item))]:
            some = [name for name in others if around.fits(name)] if around.least else others
            if any(answer(pattern) for name in some for pattern in self._of(name)):
                return MAYBE
        return NO


# Steps of looking a path up, and names that are looked at for one step.
_STEPS: Final = 4
_NAMES: Final = 8


def outside(place: Place, wide: bool) -> PathMatcher:
    """Whether a target lies outside of the project the agent was started in, or of every working directory: by its
    lexical or its resolved form (wide), or by both (narrow). Maybe if no such directory is known.

    Other roots of the event do not count as the project: a call can make one (`git init x`) and name it as its
    directory.
    """

    def match(target: Word, cwd: str | None, knowledge: Knowledge) -> Answer:
        inside = bases("only start" if place == "project" else place, knowledge.given)
        if not inside or not patterns.spend(_STEPS * len(inside)):
            return MAYBE
        path = on_drive(spelled(target, cwd, knowledge), target, cwd, knowledge.given)
        lexical = negated(max(_covers((*split(base), *ANYWHERE), path, knowledge) for base in inside))
        if lexical == (YES if wide else NO):
            return lexical
        resolved = negated(_inside_resolved(inside, path, knowledge))
        return max(lexical, resolved) if wide else min(lexical, resolved)

    return match


def _reading(plan: Plan, wide: bool) -> Pattern:
    if plan[0] == "re":
        return Pattern("re", (), plan[1], plan[2])
    _, anchor, segments, below = plan
    if anchor == "float":
        bare = len(segments) == 1
        anchor = "root" if wide else "only start"
        if wide or bare:
            below, segments = below or (wide and bare), ("**", *segments)
    elif anchor == "start" and not wide:
        anchor = "only start"
    return Pattern(anchor, (*segments, *ANYWHERE) if below else segments)


def _widely(patterns: Readings, path: Spelling, knowledge: Knowledge) -> Answer:
    """The best that a pattern says of the lexical or of the resolved form."""
    lexical = patterns.best(path, lambda pattern: _answer(pattern, path, knowledge, resolved=False))
    if lexical == YES or not patterns.plans.names:
        return lexical
    real = _resolved(path, knowledge)
    if real is None:
        return MAYBE
    return max(lexical, patterns.best(real, lambda pattern: _answer(pattern, real, knowledge, resolved=True)))


def _narrowly(patterns: Readings, path: Spelling, knowledge: Knowledge) -> Answer:
    """The best that a pattern says of both forms."""
    return patterns.best(path, lambda pattern: _by_both(pattern, path, knowledge))


def _by_both(pattern: Pattern, path: Spelling, knowledge: Knowledge) -> Answer:
    lexical = _answer(pattern, path, knowledge, resolved=False)
    if lexical == NO:
        return NO
    real = _resolved(path, knowledge)
    return min(lexical, MAYBE if real is None else _answer(pattern, real, knowledge, resolved=True))


def _best(answers: Iterable[Answer]) -> Answer:
    best: Answer = NO
    for answer in answers:
        best = max(best, answer)
        if best == YES:
            break
    return best


def _answer(pattern: Pattern, path: Spelling, knowledge: Knowledge, *, resolved: bool) -> Answer:
    """One pattern on one form of a path; the resolved form is also compared below the resolved anchor."""
    if not patterns.spend(1 if path.known else _HOLES):
        return MAYBE
    if pattern.anchor == "re":
        return patterns.search(pattern.body, pattern.flags, path.text) if path.known else MAYBE
    best: Answer = NO
    for base in bases(pattern.anchor, knowledge.given) or (UNKNOWN_BASE,):
        best = max(best, _below(base, pattern.segments, path, knowledge))
        if best == NO and resolved and base != "/" and path_matches((*ANYWHERE, *pattern.segments), split(path.text)):
            best = max(best, _below(_real_base(base, knowledge), pattern.segments, path, knowledge))
    return best


_HOLES: Final = 4  # steps of comparing a path with holes


def _below(base: str, segments: Segments, path: Spelling, knowledge: Knowledge) -> Answer:
    if base == UNKNOWN_BASE:
        return min(MAYBE, _covers((*ANYWHERE, *segments), path, knowledge))
    return _covers((*split(base), *segments), path, knowledge)


def bases(anchor: str, given: Given) -> tuple[str, ...]:
    """The directories of an anchor, none if they are not known."""
    start = (given.start,) if given.start else ()
    match anchor:
        case "root":
            return ("/",)
        case "home":
            return (given.home,) if given.home else ()
        case "workdirs":
            return given.workdirs
        case "only start":
            return start
        case _:
            return tuple(dict.fromkeys((*start, *given.roots)))


def _covers(segments: Segments, path: Spelling, knowledge: Knowledge) -> Answer:
    """A whole pattern on a whole path, with the volume's idea of case."""
    exact = _compare(segments, path)
    if exact == YES:
        return YES
    low_path, low_segments = path.text.casefold(), tuple(segment.casefold() for segment in segments)
    if low_path == path.text and low_segments == segments:
        return exact
    folded = _compare(low_segments, Spelling(low_path, path.known))
    if folded == exact:
        return exact
    folds = True if knowledge.given.windows else knowledge.ask("folds_case", _known_start(path.text))
    return MAYBE if folds is None else folded if folds else exact


def _compare(segments: Segments, path: Spelling) -> Answer:
    if path_matches(segments, split(path.text)):
        return YES
    return MAYBE if not path.known and can_match(segments, path.text) else NO


@lru_cache(maxsize=8192)
def _known_start(text: str) -> str:
    """The directory above the first segment that is not known."""
    known: list[str] = []
    for segment in split(text):
        if SIGNS & set(segment):
            break
        known.append(segment)
    joined = "/".join(known)
    return joined if joined[1:2] == ":" else f"/{joined}"


def _resolved(path: Spelling, knowledge: Knowledge) -> Spelling | None:
    """The path with links resolved, as far as its text is known; None if that cannot be told."""
    known = _known_start(path.text)
    if known == "/":
        return path
    real = knowledge.ask("resolve", known)
    if not isinstance(real, str):
        return None
    rest = path.text[len(known) :]
    return path if real == known else Spelling(collapsed(f"{real}/{rest}".replace("\\", "/")), path.known)


def _real_base(base: str, knowledge: Knowledge) -> str:
    real = knowledge.ask("resolve", base)
    return real if isinstance(real, str) else UNKNOWN_BASE


def _inside_resolved(inside: tuple[str, ...], path: Spelling, knowledge: Knowledge) -> Answer:
    real = _resolved(path, knowledge)
    if real is None:
        return MAYBE
    best: Answer = NO
    for base in inside:
        best = max(best, _covers((*split(base), *ANYWHERE), real, knowledge))
        if best == NO:
            best = _below(_real_base(base, knowledge), ANYWHERE, real, knowledge)
    return best
