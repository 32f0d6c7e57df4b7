"""The machine of a case: facts with fixed values, links included."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from ostiary.answers import NAMES, NO
from ostiary.facts import FactRequest, Given
from ostiary.paths import Spelling, Written, is_known, wrote
from ostiary.records import dataclass, field
from ostiary.suites.spec import FactsSpec

MOST_LINKS: Final = 40
"""Links followed in one path before it cannot be told, as systems do."""

_DEFAULTS: Final = FactsSpec.model_validate({"home": "/home/dev", "user": "dev", "start": "/work"})


@dataclass(frozen=True, slots=True)
class SuiteFacts:
    """The facts of one case. Nothing of this machine is looked at."""

    known: Given
    links: dict[str, str]
    branch: str | None
    files: frozenset[str] = frozenset()
    scripts: Mapping[str, str] = field(default_factory=dict)
    written: tuple[Written, ...] = ()

    def given(self, cwd: str | None) -> Given:  # noqa: ARG002 the values are fixed
        """What is known beforehand."""
        return self.known

    def answer(self, request: FactRequest) -> object:
        """The answer to one request; what the suite does not say cannot be told, and files it does not name do not
        exist."""
        if request.name == "resolve":
            return self._resolved(request.argument)
        if request.name == "kind":
            return self._kind(self._resolved(request.argument))
        if request.name == "script":
            return self.scripts.get(self._resolved(request.argument) or "")
        if request.name == "listing":
            return self._listing(self._resolved(request.argument))
        if request.name == "written":
            asked = Spelling(request.argument, is_known(request.argument))
            return NAMES[max((wrote(one, asked) for one in self.written), default=NO)]
        return {"branch": self.branch, "folds_case": self.known.windows}.get(request.name)

    def _listing(self, path: str | None) -> dict[str, tuple[str, ...]] | None:
        if path is None:
            return None
        found: dict[str, dict[str, None]] = {}
        for file in self.files:
            inside = file[len(path) :].strip("/").split("/") if _below(file, path) and file != path else []
            for depth, name in enumerate(inside):
                found.setdefault(name, {})["/".join(inside[:depth])] = None
        return {name: tuple(sorted(places)) for name, places in found.items()}

    def _kind(self, path: str | None) -> str | None:
        if path is None or path in self.files:
            return None if path is None else "file"
        return "folder" if any(_below(name, path) for name in self.files) else "none"

    def _resolved(self, path: str) -> str | None:
        for _ in range(MOST_LINKS):
            link = max((name for name in self.links if _below(path, name)), key=len, default=None)
            if link is None:
                return path
            path = self.links[link] + path[len(link) :]
        return None


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def facts_of(*specs: FactsSpec | None, branch: str | None = None) -> SuiteFacts:
    """The facts that these describe together, the first one that names a value deciding; `branch` before all."""
    value: dict[str, Any] = {}
    for spec in (*specs, _DEFAULTS):
        told = spec.model_dump(exclude_none=True) if spec else {}
        value = {**told, **value}
    roots = value.get("roots", [value["start"]])
    now = value.get("now")
    known = Given(
        now=datetime.fromisoformat(now).astimezone(UTC) if now else datetime.now(UTC),
        home=value["home"],
        user=value["user"],
        start=value["start"],
        roots=tuple(roots),
        workdirs=tuple(value.get("workdirs", roots)),
        windows=value.get("windows", False),
    )
    branch = branch if branch is not None else value.get("branch")
    scripts = value.get("scripts", {})
    written = tuple(Written(Spelling(path, True)) for path in value.get("written", ()))
    files = frozenset((*value.get("files", ()), *scripts))
    return SuiteFacts(known, value.get("links", {}), branch, files, scripts, written)
