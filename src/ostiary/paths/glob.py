"""One segment of a path against one segment of a pattern, and whole paths segment by segment.

Whether a path with holes *can* match is asked of two small automata, one for the pattern and one for the path: it can
if some text is accepted by both. Whether it *must* match is asked by letting only the pattern's stars take the holes.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from ostiary.expressions import expression
from ostiary.paths.spelling import BASE, DEEP, FLAT, MAX_PATH, NAME, ONE, OPEN, SIGNS
from ostiary.patterns import glob_tokens
from ostiary.records import NamedTuple

Segments = tuple[str, ...]

IN_SEGMENT: Final = "in segment"
VISIBLE: Final = "visible"  # the first character of a name that pathname expansion finds: no dot

Edge = tuple[str, int]  # the characters it takes (IN_SEGMENT, VISIBLE, one character or a class), and its end
Automaton = tuple[tuple[tuple[Edge, ...], ...], tuple[tuple[int, ...], ...]]  # edges and free moves of each state


@lru_cache(maxsize=8192)
def split(path: str) -> Segments:
    """The segments of a path."""
    return tuple(segment for segment in path.split("/") if segment)


def segment_matches(pattern: str, name: str) -> bool:
    """Whether a pattern segment covers a name. A hole in the name is taken only by a star."""
    if pattern == name:
        return True
    if not _SPECIAL.search(pattern):
        return False
    return _expression(pattern).fullmatch(name) is not None


_SPECIAL: Final = expression(r"[*?\[\\]")
_NO_SIGN: Final = f"[^/{''.join(sorted(SIGNS))}]"


@lru_cache(maxsize=8192)
def _expression(pattern: str) -> re.Pattern[str]:
    runs = [""]
    for token in glob_tokens(pattern):
        if token == "*":
            runs.append("")
        elif token == "?":
            runs[-1] += _NO_SIGN
        else:
            runs[-1] += f"(?={_NO_SIGN}){token}" if len(token) > 1 else re.escape(token)
    head, *rest = runs
    if not rest:
        return re.compile(head, re.DOTALL)
    *middle, tail = rest
    # (?>...) gives nothing back, so the cost stays linear in the name.
    taken = "".join(f"(?>[^{BASE}{DEEP}]*?{run})" for run in middle if run)
    return re.compile(f"{head}{taken}[^{BASE}{DEEP}]*{tail}", re.DOTALL)


def path_matches(pattern: Segments, path: Segments) -> bool:
    """Whether the pattern covers the path whatever its holes hold."""
    # Most patterns end in a name that most paths do not end in.
    if path and pattern and pattern[-1] != "**" and not segment_matches(pattern[-1], path[-1]):
        return False
    rows = {0}
    for name in path:
        rows = _advance(pattern, _past_stars(pattern, rows), name)
        if not rows:
            return False
    return len(pattern) in _past_stars(pattern, rows)


def _past_stars(pattern: Segments, rows: set[int]) -> set[int]:
    reached = set(rows)
    for row in rows:
        while row < len(pattern) and pattern[row] == "**":
            row += 1
            reached.add(row)
    return reached


def _advance(pattern: Segments, rows: set[int], name: str) -> set[int]:
    after: set[int] = set()
    for row in rows:
        if row == len(pattern):
            continue
        if pattern[row] == "**":
            after.add(row)
        elif segment_matches(pattern[row], name):
            after.add(row + 1)
    return after


def can_match(pattern: Segments, path: str) -> bool:
    """Whether some text for the holes of an absolute path makes the pattern (from the root) cover it."""
    if len(path) > MAX_PATH:
        return True
    names = path.removeprefix("/").split("/")
    # Most patterns end in a name that most paths cannot end in.
    if pattern and pattern[-1] != "**" and names[-1] not in (BASE, DEEP) and not _can_be(pattern[-1], names[-1]):
        return False
    rows = {0}
    for name in names:
        rows = _perhaps_advance(pattern, _past_stars(pattern, rows), name)
        if not rows:
            return False
    return len(pattern) in _past_stars(pattern, rows)


def _perhaps_advance(pattern: Segments, rows: set[int], name: str) -> set[int]:
    """Where a segment of a path may lead that may stand for any others, too."""
    if name == BASE:
        return set(range(min(rows), len(pattern) + 1))
    if name != DEEP:
        return {
            row if pattern[row] == "**" else row + 1
            for row in rows
            if row < len(pattern) and (pattern[row] == "**" or _can_be(pattern[row], name))
        }
    reached = set(rows)
    for row in range(min(rows), len(pattern)):
        if row in reached and (pattern[row] == "**" or _can_be(pattern[row], _SHOWN)):
            reached.add(row + 1)
    return reached


_SHOWN: Final = FLAT  # any name that does not begin with a dot


def _can_be(pattern: str, name: str) -> bool:
    """Whether a pattern segment can cover a name with holes."""
    if not SIGNS & set(name):
        return segment_matches(pattern, name)
    around = around_holes(name)
    if around and not _SPECIAL.search(pattern) and not around.fits(pattern):
        return False
    return len(name) > _MAX_NAME or _meeting(pattern, name)


class Around(NamedTuple):
    """What is known of a name with holes: its start and end, and how many characters it has at least."""

    before: str
    after: str
    least: int

    def fits(self, text: str) -> bool:
        """Whether a text may be the name."""
        return self.least <= len(text) and text.startswith(self.before) and text.endswith(self.after)


@lru_cache(maxsize=256)
def around_holes(name: str) -> Around | None:
    """What stands around the holes of a name, None for one without any."""
    before, *between = _HOLES.split(name)
    return Around(before, between[-1], len(before) + sum(map(len, between))) if between else None


_HOLES: Final = expression(f"[{''.join(sorted(SIGNS))}]+")
_MAX_NAME: Final = 255  # characters of a name; what is known of one with holes is rarely as long


@lru_cache(maxsize=8192)
def _meeting(pattern: str, name: str) -> bool:
    left, right = _pattern_automaton(pattern), _name_automaton(name)
    goal = (len(left[0]) - 1, len(right[0]) - 1)
    pending, seen = [(0, 0)], {(0, 0)}
    while pending:
        state = pending.pop()
        if state == goal:
            return True
        for following in _moves(left, right, state):
            if following not in seen:
                seen.add(following)
                pending.append(following)
    return False


def _moves(left: Automaton, right: Automaton, state: tuple[int, int]) -> list[tuple[int, int]]:
    row, column = state
    moves = [(end, column) for end in left[1][row]] + [(row, end) for end in right[1][column]]
    for one, down in left[0][row]:
        moves += [(down, across) for other, across in right[0][column] if _meet(one, other)]
    return moves


def _meet(one: str, other: str) -> bool:
    """Whether two sets of characters share one."""
    if len(one) > 1 and len(other) > 1:
        return True  # two wide sets: whether their characters differ decides nothing worth the care
    single, wide = (one, other) if len(one) == 1 else (other, one)
    if wide == IN_SEGMENT:
        return True
    if wide == VISIBLE:
        return single != "."
    return single == wide if len(wide) == 1 else re.fullmatch(wide, single, re.DOTALL) is not None


class _Builder:
    """An automaton that grows at its last state."""

    def __init__(self) -> None:
        self.edges: list[list[Edge]] = [[]]
        self.free: list[list[int]] = [[]]

    def state(self) -> int:
        self.edges.append([])
        self.free.append([])
        return len(self.edges) - 1

    def take(self, characters: str) -> None:
        last = len(self.edges) - 1
        self.edges[last].append((characters, self.state()))

    def loop(self, characters: str, first: str | None = None) -> None:
        """Any number of characters, the first of them perhaps from a smaller set."""
        start = len(self.edges) - 1
        inside = self.state()
        self.edges[start].append((first or characters, inside))
        self.edges[inside].append((characters, inside))
        end = self.state()
        self.free[start].append(end)
        self.free[inside].append(end)

    def done(self) -> Automaton:
        return tuple(map(tuple, self.edges)), tuple(map(tuple, self.free))


@lru_cache(maxsize=1024)
def _pattern_automaton(pattern: str) -> Automaton:
    out = _Builder()
    for token in glob_tokens(pattern):
        if token == "*":
            out.loop(IN_SEGMENT)
        else:
            out.take(IN_SEGMENT if token == "?" else token)
    return out.done()


def _name_automaton(name: str) -> Automaton:
    out = _Builder()
    for index, sign in enumerate(name):
        _take_sign(out, sign, VISIBLE if index == 0 else IN_SEGMENT)
    return out.done()


def _take_sign(out: _Builder, sign: str, first: str) -> None:
    if sign in (OPEN, NAME):
        out.loop(IN_SEGMENT)
    elif sign == FLAT:
        out.loop(IN_SEGMENT, first)
    else:
        # `?env` reaches `.env` in a shell with `dotglob`; so does `*`, but to ask about each of those would be noise.
        out.take(IN_SEGMENT if sign == ONE else sign)
