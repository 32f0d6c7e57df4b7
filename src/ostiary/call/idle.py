"""Commands that do nothing besides what others in the script do."""

from __future__ import annotations

from typing import Final

from ostiary.call.layers import Layer
from ostiary.programs import Program
from ostiary.words import Word

_TELLING: Final = frozenset({"set", "export", "local"})
"""Programs that print variables where they set none."""


def may_matter(data: Program, item: Word) -> bool:
    """Whether a word that may be an option can make a program do more: a single one cannot with `[`."""
    return item.many or not data.traits >= _TESTING


_TESTING: Final = frozenset({"idle", "expression"})
_EVALUATING: Final = frozenset({"-v", "-R"})


def does_nothing(layers: tuple[Layer, ...]) -> bool:
    """Whether a command that is complete and touches nothing only steers the script: `true`, `[ -f x ]`, `set -e`."""
    if not layers:
        return False
    given = layers[-1].arguments
    if given.data is None or "idle" not in given.data.traits:
        return False
    if given.data.traits >= _TESTING:  # `[ -v NAME ]` evaluates what is between the brackets of a name
        return not any(item.text in _EVALUATING for item in layers[-1].invocation.words)
    if given.data.path[0] not in _TELLING:
        return True
    return bool(given.operands or given.options) and not any(used.names & {"-p", "-f"} for used in given.options)
