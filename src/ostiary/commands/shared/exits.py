"""Exit codes. `hook` is not among their users: an agent's table says what its exit codes mean."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from ostiary.decision import Verdict


class Exit(IntEnum):
    """What the exit code of a verb means."""

    meaning: str

    def __new__(cls, value: int, meaning: str) -> Exit:
        """A code with its sentence."""
        member = int.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member

    CLEAN = 0, "Everything asked for was done, and nothing was found."
    FINDINGS = 1, "Something was found: a problem in a rule file, a test that fails, a change that was not accepted."
    USAGE = 2, "The arguments are wrong; the message says which."
    INTERNAL = 3, "Ostiary itself failed; please report it."
    ASK = 10, "With `--exit-verdict`: a person has to be asked."
    DEFER = 11, "With `--exit-verdict`: the decision is left to whoever called the agent."
    DENY = 12, "With `--exit-verdict`: the call is denied."


OF_VERDICT: Final[dict[Verdict, Exit]] = {
    Verdict.NONE: Exit.CLEAN,
    Verdict.ALLOW: Exit.CLEAN,
    Verdict.ASK: Exit.ASK,
    Verdict.DEFER: Exit.DEFER,
    Verdict.DENY: Exit.DENY,
}
"""The exit code that `--exit-verdict` gives for each verdict."""


class Refused(Exception):
    """A verb cannot do what it was asked to. `text` is for the person, `status` the exit code."""

    def __init__(self, text: str, status: Exit = Exit.FINDINGS) -> None:
        super().__init__(text)
        self.text = text
        self.status = status
