"""What programs do, as data (`data/`, compiled to `table`), and arguments as the programs read them."""

from ostiary.programs.arguments import (
    Arguments,
    Used,
    applying,
    effective_slots,
    is_assignment,
    may_be_option,
    split_assignment,
)
from ostiary.programs.autorun import Scope, autorun
from ostiary.programs.heads import switched
from ostiary.programs.lookup import (
    base_name,
    canonical_subcommand,
    expanded,
    inert,
    inert_in_script,
    knowing,
    known_as,
    names_of,
    own_name,
    program,
    run_from,
    shipped_as,
    shown_name,
    subprogram,
    ungrouped,
)
from ostiary.programs.model import ANY_SHAPE, CLOSING_ROLES, Change, Program, Slots, head
from ostiary.programs.reading import arguments
from ostiary.programs.refs import perhaps_path, refs

__all__ = [
    "ANY_SHAPE",
    "CLOSING_ROLES",
    "Arguments",
    "Change",
    "Program",
    "Scope",
    "Slots",
    "Used",
    "applying",
    "arguments",
    "autorun",
    "base_name",
    "canonical_subcommand",
    "effective_slots",
    "expanded",
    "head",
    "inert",
    "inert_in_script",
    "is_assignment",
    "knowing",
    "known_as",
    "may_be_option",
    "names_of",
    "own_name",
    "perhaps_path",
    "program",
    "refs",
    "run_from",
    "shipped_as",
    "shown_name",
    "split_assignment",
    "subprogram",
    "switched",
    "ungrouped",
]
