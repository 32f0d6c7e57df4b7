"""What programs do, as data (`data/`, compiled to `table`), and arguments as the programs read them."""

from ostiary.programs.arguments import (
    Arguments,
    Used,
    applies,
    arguments,
    effective_slots,
    is_assignment,
    may_be_option,
    split_assignment,
)
from ostiary.programs.lookup import (
    base_name,
    canonical_subcommand,
    inert,
    inert_in_script,
    known_as,
    program,
    subprogram,
)
from ostiary.programs.model import ANY_SHAPE, CLOSING_ROLES, Change, Program, Slots, head
from ostiary.programs.refs import refs

__all__ = [
    "ANY_SHAPE",
    "CLOSING_ROLES",
    "Arguments",
    "Change",
    "Program",
    "Slots",
    "Used",
    "applies",
    "arguments",
    "base_name",
    "canonical_subcommand",
    "effective_slots",
    "head",
    "inert",
    "inert_in_script",
    "is_assignment",
    "known_as",
    "may_be_option",
    "program",
    "refs",
    "split_assignment",
    "subprogram",
]
