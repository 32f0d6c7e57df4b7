"""Writes docs/rules.md from the models of the rule file: `python tools/rule_reference.py`. A test compares it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin

from pydantic import BaseModel

from ostiary import rules
from ostiary.handlers import HANDLERS, HandlerSpec
from ostiary.matchers import Condition
from ostiary.matchers.base import Spec
from ostiary.matchers.command import Command
from ostiary.matchers.input import Comparison
from ostiary.rules.examples import ExampleCall, ExampleFile, Examples

ROOT: Final = Path(__file__).resolve().parent.parent
REFERENCE: Final = ROOT / "docs" / "rules.md"

_HEAD: Final = """\
<!-- Made by tools/rule_reference.py from the models in src/ostiary: rules, handlers and matchers. -->

# Rule files

A rule file is YAML. It starts with `version: 1`. The order inside it is: includes as they are written, then the lists
`deny`, `ask` and `allow`, then `rules`, then `default`.

Texts are written as they are: a number or a boolean in the place of a text needs quotes, and so does a text that starts
with `*`, `&`, `!` or `%`, or that stands in `[...]` or `{...}` and holds a bracket, a brace or a comma. Anchors,
aliases, merge keys, tags, directives, keys that stand twice and keys without a value are refused.

An editor that speaks the YAML language server's protocol completes and checks a file that starts with
`# yaml-language-server: $schema=...`; `ostiary schema policy` prints the schema.
"""

_HANDLERS: Final = """\
What stands under `run` names one kind of handler. All of them have these keys besides:
"""

_VALUES: Final = """\
## Values

### Texts

`/body/flags` is a regular expression that is searched in the value (flags `i`, `m`, `s`, `x`; a search that takes too
long is *maybe*). A text with `*`, `?` or `[..]` is a glob that covers the whole value. Anything else must be equal.
`tool` alone has rules of its own.

### Paths

`/x` starts at the root of the machine, `~/x` at the home directory, `./x` at the folder the agent was started in,
`$workdirs/x` at any of its working directories. `*`, `?` and `[..]` stay inside one segment, `**` stands for any number
of segments, `x/` is the directory and everything below it. In a deny or ask `**`, `x` and `**/x` reach every path on
the machine; in an allow they stay below the project, where `a/b` is anchored at its root. `/body/flags` is a regular
expression if it has flags or one of `( ) | ^ $ + \\ { }`; so `/etc/` is a directory.

### Variables

`vars` declares them; `${name}` in a value stands for the text. An item that is exactly `${name}` becomes the items of a
list; inside a longer text only a single text can stand. `$${` is a literal `${`. Keys, examples and what a rule runs
are left as they are. An include gives an included file's variables other values with `params`.
"""

_COMPACT: Final = """\
## Compact lists

`deny`, `ask` and `allow` hold one entry for each tool, or for one use of it. A path entry sees every tool and program
that touches the path, not one tool.

| entry | meaning |
|---|---|
| `*` | every tool |
| `Bash` | the tool, by its canonical name or an alias |
| `Bash(git push *)` | a command of any shell: a glob over its words joined by one blank, base name first |
| `PowerShell(...)`, `Monitor(...)` | the same in that tool alone |
| `Read(p)` | reads of the path; in `deny` and `ask` also writes |
| `Edit(p)`, `Write(p)`, `MultiEdit(p)`, `NotebookEdit(p)` | writes and deletes of the path |
| `Grep(p)`, `Glob(p)`, `LS(p)` | reads of the path by that tool |
| `WebFetch(domain:h)` | connections to the host |
| `mcp__s`, `mcp__s__*` | every tool of the MCP server `s` |
| `mcp__s__t`, `mcp__s__get_*` | some of its tools |
| `Agent(n)`, `Skill(n)` | a subagent or skill by its name |
| `Tool(argument:value)` | a tool with an argument; only in `deny` and `ask` |

In a command `X *` and `X:*` also fit the bare `X`; the commands of a script are judged one by one.

`/x` in a path is the root of the machine (`//x` is the same). An entry's id is its list and text: `deny:Read(**/.env)`.
"""


def reference() -> str:
    """The text of docs/rules.md."""
    sections = [
        _HEAD,
        "## Keys of the file\n\n" + _table(rules.RuleFile),
        "### `include`\n\n" + _told(rules.Inclusion),
        "### `exceptions`\n\n" + _told(rules.Exemption),
        "## Keys of a rule\n\n" + _table(rules.Rule),
        "### `update_output`\n\n" + _told(rules.Redaction),
        "### `examples`\n\n" + _told(Examples) + "\nA call or event in an example:\n\n" + _table(ExampleCall),
        "A file in `files`:\n\n" + _table(ExampleFile),
        "## Handlers\n\n" + _HANDLERS + "\n" + _table(HandlerSpec),
        "\n".join(f"### `{kind}`\n\n{_text(model)}\n{_table(model)}" for kind, model in HANDLERS.items()),
        "## Conditions\n\n" + _text(Condition),
        "\n".join(_conditions()),
        _VALUES,
        _COMPACT,
    ]
    return "\n".join(section.rstrip("\n") + "\n" for section in sections)


def _conditions() -> Iterator[str]:
    further: dict[str, type[Spec]] = {"command": Command, "input": Comparison}
    for name, field in Condition.model_fields.items():
        key = field.alias or name
        if field.exclude:
            continue
        if field.description:
            yield f"### `{key}`\n\n{_sentence(field.description)}\n"
            continue
        model = _model(field.annotation)
        yield f"### `{key}`\n\n{_text(model)}"
        keys = further.get(key) or (model if issubclass(model, Spec) else None)
        if keys:
            yield _table(keys)


def _model(annotation: Any) -> type[BaseModel]:
    return next(kind for kind in get_args(annotation) if isinstance(kind, type) and issubclass(kind, BaseModel))


def _told(model: type[BaseModel]) -> str:
    return f"{_text(model)}\n{_table(model)}"


def _text(model: type[BaseModel]) -> str:
    """A docstring as Markdown: lines that show a key become code."""
    lines = []
    for line in inspect.cleandoc(model.__doc__ or "").split("\n"):
        lines.append(f"    {line}" if re.match("(when|unless): ", line) else line)
    return "\n".join(lines) + "\n"


def _table(model: type[BaseModel]) -> str:
    """Its keys. Those that all handlers have are told once."""
    rows = ["| key | |", "|---|---|"]
    shared = HandlerSpec.model_fields if model is not HandlerSpec and issubclass(model, HandlerSpec) else {}
    for name, field in model.model_fields.items():
        if name in shared:
            continue
        needed = " (needed)" if field.is_required() else ""
        text = field.description or inspect.cleandoc(_model(field.annotation).__doc__ or "").split("\n\n")[0]
        told = (_sentence(text) + _options(field.annotation)).replace("|", "\\|")
        rows.append(f"| `{field.alias or name}`{needed} | {told} |")
    return "\n".join(rows) + "\n"


def _options(annotation: Any) -> str:
    """The values that a key can have, where they are few."""
    named = [annotation, *get_args(annotation)]
    found = next((get_args(kind) for kind in named if get_origin(kind) is Literal), ())
    return f" One of {', '.join(f'`{value}`' for value in found)}." if found else ""


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


if __name__ == "__main__":
    REFERENCE.write_text(reference(), encoding="utf-8", newline="\n")
