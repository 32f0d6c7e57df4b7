"""Rule files as documents: YAML text to a model, with the place of everything.

Generic over the model; knows no files and no rules. Every problem of a text is reported at once, up to a number that
nobody reads through.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from typing import Any, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel, ValidationError

from ostiary.document.messages import names, told
from ostiary.document.node import Location, Node, find, keys, nulls, plain, where
from ostiary.document.reader import MOST_PROBLEMS, read
from ostiary.document.text import decode
from ostiary.problems import PolicyError, Problem, Severity
from ostiary.records import NamedTuple, dataclass, replace
from ostiary.spelling import nearest, unknown

__all__ = ["MOST_PROBLEMS", "Document", "Flaw", "Location", "Node", "load", "parse", "plain", "unknown"]

M = TypeVar("M", bound=BaseModel)


class Flaw(NamedTuple):
    """Something wrong at a location of a document, before it has a place. `at_key` points at the key, not the value."""

    location: tuple[str | int, ...]
    message: str
    help: str = ""
    at_key: bool = False
    severity: Severity = "error"


@runtime_checkable
class Checked(Protocol):
    """A model that checks what its types cannot say."""

    @staticmethod
    def checks(data: dict[str, Any]) -> Iterable[Flaw]:
        """What is wrong in plain data. The data may be of any shape: it is checked before and beside the types, so that
        all problems are told at once."""


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed document: where its values stand. `file` is its name for people. The text of a `foreign` one is never
    quoted: its problems name keys, and words of ours."""

    root: Node
    file: str
    foreign: bool = False
    problems: tuple[Problem, ...] = ()

    def place(self, location: Location, at_key: bool = False) -> tuple[int, int]:
        """Line and column of the value, or of its key."""
        node, way = find(self.root, location)
        parent, _ = find(self.root, way[:-1])
        places = parent.keys if at_key and way else None
        return (places or {}).get(str(way[-1]) if way else "", (node.line, node.column))

    def line(self, location: Location) -> int:
        """The line of the value."""
        return self.place(location)[0]

    def problem(self, flaw: Flaw, model: type[BaseModel]) -> Problem:
        """A flaw with its place. In a foreign document only keys and words of the model are quoted."""
        line, column = self.place(flaw.location, flaw.at_key)
        way = find(self.root, flaw.location)[1]
        problem = Problem(self.file, line, column, where(way), flaw.message, flaw.help, flaw.severity)
        return _masked(problem, _vocabulary(model) | frozenset(keys(self.root))) if self.foreign else problem

    def validate(self, model: type[M], also: Iterable[Flaw] = ()) -> M:
        """The document as a `model`. Raises `PolicyError` with everything that is wrong with it, what parsing found
        and `also` included."""
        data = plain(self.root)
        broken = [*self.problems, *(self.problem(flaw, model) for flaw in (*also, *self._nulls(model)))]
        instance = None
        try:
            instance = model.model_validate(data)
        except ValidationError as error:
            already = {(problem.line, problem.column) for problem in broken}
            details = (item for item in error.errors(include_url=False) if not self._mistyped(item, model))
            flaws = [self._flaw(item, model) for item in islice(details, MOST_PROBLEMS)]
            broken += [self.problem(flaw, model) for flaw in flaws if self._new(flaw, already)]
        if issubclass(model, Checked) and isinstance(data, dict):
            checked = (flaw for flaw in model.checks(data) if not find(self.root, flaw.location)[0].merges)
            broken += [self.problem(flaw, model) for flaw in islice(checked, MOST_PROBLEMS)]
        if broken or instance is None:
            raise PolicyError(dict.fromkeys(broken))
        return instance

    def _nulls(self, model: type[BaseModel]) -> Iterator[Flaw]:
        """Keys of the model that hold `null`: left open they might mean *everything*. Elsewhere it is a value."""
        for location in nulls(self.root):
            if location and names(model, location[:-1]):
                message = f"the key `{location[-1]}` has no value"
                yield Flaw(location, message, "write a value or remove the line", at_key=True)

    def _flaw(self, error: Any, model: type[BaseModel]) -> Flaw:
        location = error["loc"]
        node, _ = find(self.root, location)
        message, help = told(error, node, model)
        if self.foreign and error["type"] == "pattern":  # the words of a pattern's parser may hold the pattern
            message, help = "the pattern is not valid", ""
        extra = error["type"] == "extra_forbidden"
        return Flaw(location, message, help, at_key=extra)

    def _mistyped(self, error: Any, model: type[BaseModel]) -> bool:
        """Whether a key is missing only because it is mistyped, which is told as an unknown key, or because a merge key
        was to bring it, which is told too."""
        if error["type"] != "missing":
            return False
        location = error["loc"]
        node = find(self.root, location)[0]
        given = node.value
        known = names(model, location[:-1])
        unknown_keys = [key for key in given if key not in known] if isinstance(given, dict) else []
        return node.merges or any(nearest(key, known) == location[-1] for key in unknown_keys)

    def _new(self, flaw: Flaw, already: set[tuple[int, int]]) -> bool:
        """Whether parsing has not refused this very value, or its key, already."""
        return self.place(flaw.location) not in already and self.place(flaw.location, at_key=True) not in already


def parse(raw: bytes | str, file: str, *, foreign: bool = False) -> Document:
    """The document of a text. Raises `PolicyError` where nothing more can be said than that it cannot be read; what
    can be told beside the model's own errors waits in `Document.problems`."""
    root, problems = read(decode(raw, file), file)
    if foreign:
        problems = [_masked(problem, frozenset(keys(root) if root else ())) for problem in problems]
    if root is None:
        raise PolicyError(problems or [Problem(file, 0, 0, "", "the file is empty", "write at least one key")])
    return Document(root, file, foreign, tuple(problems))


def load(raw: bytes | str, model: type[M], file: str) -> tuple[M, Document]:
    """A text as a `model`, and where everything stands in it. `file` is its name in problems. Raises `PolicyError` with
    all problems, sorted by place."""
    document = parse(raw, file)
    return document.validate(model), document


@cache
def _vocabulary(model: type[BaseModel]) -> frozenset[str]:
    """The words of a model: its keys and the values it names."""
    return frozenset(_words(model.model_json_schema()))


def _words(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        yield from (item for item in (*schema.get("enum", ()), schema.get("const")) if isinstance(item, str))
    for below in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from _words(below)


def _masked(problem: Problem, allowed: frozenset[str]) -> Problem:
    """A problem that quotes nothing but the `allowed` words, and signs."""

    def mask(text: str) -> str:
        return re.sub("`([^`]*)`", lambda match: match[0] if ours(match[1]) else "`...`", text)

    def ours(quoted: str) -> bool:
        return quoted in allowed or allowed.issuperset(re.findall(r"\w*[^\W_]\w*", quoted))

    return replace(problem, message=mask(problem.message), help=mask(problem.help))
