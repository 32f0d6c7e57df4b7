"""What people define besides rules: what their programs do, and what arguments of their tools mean.

Read like rule files, with places and help.
"""

from ostiary.definitions.programs import Entry, Programs, Shipped, names_of, programs_schema
from ostiary.definitions.tools import Arguments, Tools, tools_schema

__all__ = [
    "Arguments",
    "Entry",
    "Programs",
    "Shipped",
    "Tools",
    "names_of",
    "programs_schema",
    "tools_schema",
]
