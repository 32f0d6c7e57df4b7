"""Tables of cases, read by libyaml: together they have a hundred thousand nodes, and every process of a run reads them
all."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, ClassVar

import yaml


class _Loader(yaml.CSafeLoader):
    """Plain words mean what they mean in rule files (the core schema of YAML 1.2), and no key stands twice."""

    yaml_implicit_resolvers: ClassVar[dict[str, list[tuple[str, re.Pattern[str]]]]] = {}

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [key.value for key, _ in node.value]
        if len(set(keys)) < len(keys):
            raise yaml.constructor.ConstructorError(None, None, "a key stands twice", node.start_mark)
        return super().construct_mapping(node, deep)


class _Dumper(yaml.CSafeDumper):
    """A line for each value."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


for _tag, _form, _first in (
    ("merge", "<<", "<"),
    ("null", "~|null|Null|NULL|", ("~", "n", "N", "")),
    ("bool", "true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", "[-+]?[0-9]+", "-+0123456789"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789"),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_form})\Z"), list(_first))
_Loader.add_constructor("!json", lambda _, node: json.loads(node.value))


def read_table(path: Path) -> Any:
    """What a file of cases holds. `!json '"\\ud800"'` is half a character, which libyaml takes in no other way."""
    return yaml.load(path.read_text("utf-8"), _Loader)


def as_yaml(value: Any) -> bytes:
    """A file that holds this."""
    return yaml.dump(value, None, _Dumper, encoding="utf-8", allow_unicode=True, sort_keys=False, width=1 << 30)
