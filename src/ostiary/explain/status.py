"""What is in force here: sources, settings, and everything that does not act with its reason. Pure.

`sources.report` fills it in; here are its parts, its JSON and how it is drawn.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final, Literal

from ostiary.explain.entries import reload_line
from ostiary.explain.lines import Line, Role, day, span
from ostiary.problems import Problem
from ostiary.records import NamedTuple, dataclass
from ostiary.tiers import TierName
from ostiary.visible import visible

MODE: Final = "user"
"""Who can change policy, reviews and this program: the user that agents run as."""

PROMISE: Final = (
    "rules, reviews, cache and program belong to the user that agents run as: a call that would change them is denied "
    "where that can be seen; code inside a permitted program can change them, and nothing here prevents it"
)
"""What that mode does not promise."""

ReviewState = Literal["not needed", "accepted", "listed", "expired", "waits", "not possible"]

REVIEWS: Final[Mapping[ReviewState, str]] = {
    "not needed": "",
    "accepted": "accepted",
    "listed": "listed in managed settings",
    "expired": "the review expired, it waits again",
    "waits": "waits for review",
    "not possible": "may only deny and ask",
}
"""How a source stands with reviews, in a few words."""


class SourceStatus(NamedTuple):
    """One source: its tier, its file, the project's root (empty outside of projects), whether the file itself, its last
    good version, a stand-in or what is left of a vanished file acts (with a `note` that says why), how it stands with
    reviews and until when (seconds since the epoch, 0: for good), the digest (SHA-256, hex) and the number of rules of
    what acts."""

    tier: TierName
    file: str
    root: str
    state: Literal["current", "last good", "stand-in", "vanished"]
    note: str
    review: ReviewState
    until: int
    digest: str
    rules: int


class Inactive(NamedTuple):
    """Something that does not act: the file and line (0: the file as a whole), the rule or exception (empty for what
    belongs to the file), the state of the trail, and why."""

    file: str
    line: int
    rule: str
    state: Literal["observe", "expired", "untrusted", "gated"]
    why: str


Origin = Literal["managed", "user", "default"]


class SettingStatus(NamedTuple):
    """One setting: its key and value, whose settings say so (`default`: nobody's), and what the user's settings say in
    vain, None if nothing."""

    key: str
    value: Any
    by: Origin
    overruled: Any = None


class ModelStatus(NamedTuple):
    """A model that handlers ask: its name in the settings, whose settings say so, who serves it, the server's name for
    it, where the server is (empty: the provider's own), the variable that holds the key (empty: none is needed; the key
    is shown nowhere), the proxy that leads there (empty: none), and what is missing here, empty if nothing is."""

    name: str
    by: Origin
    provider: str
    model: str
    base_url: str
    key_env: str
    proxy: str
    missing: str


class ServiceStatus(NamedTuple):
    """The resident service: its process, for how many seconds it has run, how many calls it answered, left to the hook
    or saw fail, milliseconds that calls took, by percentile, where it answers HTTP (`address`) or why not (`problem`;
    both are empty where it is not to), what is said of its watcher, and the last reloads, the newest last, each as the
    record has it."""

    pid: int
    seconds: float
    calls: Mapping[str, int]
    milliseconds: Mapping[str, float]
    http: Mapping[str, str]
    watcher: Mapping[str, Any]
    reloads: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What is in force in one project. `places` are folders by what they hold, `root` is the project's (empty if there
    is none), `record` counts the lines that were ever written by the chains of the record, `notes` say what rule
    authors should know beside `problems`, `service` is the one that runs, if any."""

    version: str
    generation: str
    root: str
    places: tuple[tuple[str, str], ...]
    settings: tuple[SettingStatus, ...]
    models: tuple[ModelStatus, ...]
    sources: tuple[SourceStatus, ...]
    inactive: tuple[Inactive, ...]
    record: tuple[tuple[str, int], ...]
    notes: tuple[str, ...]
    problems: tuple[Problem, ...]
    service: ServiceStatus | None = None


def status_json(status: Status) -> str:
    """The status as one JSON document (`schemas/status.schema.json`), in ASCII."""
    report = {
        "schema": 1,
        "version": status.version,
        "generation": status.generation,
        "mode": MODE,
        "promise": PROMISE,
        "root": status.root,
        "places": dict(status.places),
        "settings": [_said(setting) for setting in status.settings],
        "models": [model._asdict() for model in status.models],
        "sources": [source._asdict() for source in status.sources],
        "inactive": [item._asdict() for item in status.inactive],
        "record": dict(status.record),
        "notes": list(status.notes),
        "problems": [asdict(problem) for problem in status.problems],
    }
    if status.service:
        report["service"] = {name: _plain(value) for name, value in status.service._asdict().items()}
    return json.dumps(report, indent=2)


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else list(value) if isinstance(value, tuple) else value


def _said(setting: SettingStatus) -> dict[str, Any]:
    said = setting._asdict()
    return said if setting.overruled is not None else {key: said[key] for key in ("key", "value", "by")}


def status_lines(status: Status) -> Iterator[Line]:
    """The status for people. Problems are left out: those who print them have their own lines for them."""
    yield (
        span("generation  ", "label"),
        span(status.generation, "title"),
        span(f"  ostiary {status.version}", "quiet"),
    )
    yield (span("mode        ", "label"), span(f"{MODE}: {PROMISE}"))
    for kind, folder in status.places:
        yield (span(f"{kind:<12}", "label"), span(folder))
    yield (span("project     ", "label"), span(status.root or "none"))
    yield (span("record      ", "label"), span(", ".join(f"{count} {name}" for name, count in status.record)))
    yield from service_lines(status.service)
    if status.service:
        yield from _heading("reloads") if status.service.reloads else ()
        yield from (reload_line(entry) for entry in status.service.reloads)
    yield from _heading("settings")
    width = max(len(setting.key) for setting in status.settings)
    for setting in status.settings:
        yield _setting(setting, width)
    if status.models:
        yield from _heading("models")
    for model in status.models:
        yield from _model(model)
    yield from _heading("rule files")
    for source in status.sources:
        yield from _source(source)
    if not status.sources:
        yield (span("  none"),)
    if status.inactive:
        yield from _heading("what does not act")
    for item in status.inactive:
        place = f"{item.file}:{item.line}" if item.line else item.file
        yield (span(f"  {place}  ", "quiet"), span(f"{item.rule}  " if item.rule else "", "title"), span(item.why))
    if status.notes:
        yield from _heading("to know")
    for note in status.notes:
        yield (span("  "), span(note))


def service_lines(service: ServiceStatus | None) -> Iterator[Line]:
    """The resident service, where it answers HTTP, and its watcher."""
    yield (span("service     ", "label"), span(_service(service) if service else "none runs"))
    if service:
        if http := service.http["address"] or service.http["problem"]:
            yield (span("http        ", "label"), span(http))
        yield (span("watcher     ", "label"), span(_watcher(service.watcher)))


def _service(service: ServiceStatus) -> str:
    calls = ", ".join(f"{number} {name}" for name, number in sorted(service.calls.items())) or "none yet"
    took = ", ".join(f"{name} {value:g} ms" for name, value in service.milliseconds.items())
    minutes = int(service.seconds // 60)
    return f"process {service.pid}, for {minutes} min; calls: {calls}{f'; {took}' if took else ''}"


def _watcher(watcher: Mapping[str, Any]) -> str:
    starts = watcher.get("starts", 0)
    often = f", started {starts} times" if starts > 1 else ""
    if "pid" not in watcher:
        return f"none runs{often}: each call looks for itself"
    problem = f"; {watcher['problem']}" if watcher.get("problem") else ""
    return f"process {watcher['pid']}, folders: {watcher.get('folders', 0)}{often}{problem}"


def _heading(title: str) -> Iterator[Line]:
    yield ()
    yield (span(title, "title"),)


_ORIGINS: Final[Mapping[Origin, str]] = {"managed": "managed settings", "user": "the user's settings", "default": ""}


def _setting(setting: SettingStatus, width: int) -> Line:
    origin = _ORIGINS[setting.by]
    vain = "" if setting.overruled is None else f"; the user's `{_word(setting.overruled)}` does not count"
    return (
        span(f"  {setting.key:<{width}}  ", "label"),
        span(f"{_word(setting.value):<13}"),
        span(f"{origin}{vain}", "quiet"),
    )


def _model(model: ModelStatus) -> Iterator[Line]:
    where = f" at {visible(model.base_url)}" if model.base_url else ""
    proxy = f" through {visible(model.proxy)}" if model.proxy else ""
    key = f"  key in {visible(model.key_env)}" if model.key_env else "  no key"
    yield (
        span(f"  {visible(model.name)}  ", "label"),
        span(f"{visible(model.model)} of {model.provider}{where}{proxy}"),
        span(f"{key}  {_ORIGINS[model.by]}", "quiet"),
    )
    if model.missing:
        yield (span("    "), span(f"here {visible(model.missing)}", "maybe"))


def _word(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(value) or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


_ROLES: Final[Mapping[str, Role]] = {"current": "yes", "last good": "maybe", "stand-in": "deny", "vanished": "maybe"}


def _source(source: SourceStatus) -> Iterator[Line]:
    until = f" until {day(source.until)}" if source.until and source.review == "accepted" else ""
    review = f"  {REVIEWS[source.review]}{until}" if REVIEWS[source.review] else ""
    yield (
        span(f"  {source.tier:<8}", "label"),
        span(f"{source.state:<10}", _ROLES[source.state]),
        span(source.file),
        span(f"  {source.digest[:12]}  {source.rules} {'rule' if source.rules == 1 else 'rules'}", "quiet"),
        span(review, "ask" if source.review in ("waits", "expired") else "quiet"),
    )
    if source.note:
        yield (span(f"{'':20}"), span(source.note, "maybe"))
