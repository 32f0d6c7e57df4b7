"""What people define besides rules: what their programs do. Read like rule files, with places and help."""

from ostiary.definitions.programs import Entry, Programs, Shipped, json_schema, names_of

__all__ = ["Entry", "Programs", "Shipped", "json_schema", "names_of"]
