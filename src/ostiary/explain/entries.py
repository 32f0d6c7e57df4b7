"""Lines of the record for people: which are wanted, and how they are drawn. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ostiary.explain.lines import Line, Role, span
from ostiary.records import NamedTuple

Entry = Mapping[str, Any]
"""One line of the record (`schemas/record.schema.json`)."""

_WIDTHS: Final = (19, 11, 8, 16)
_WHAT: Final = 60
_GENERATION: Final = 12
_ROLES: Final[Mapping[str, Role]] = {"none": "none", "allow": "allow", "ask": "ask", "deny": "deny"}


class Wanted(NamedTuple):
    """Which lines are shown; what is None does not matter. A session may be named by its beginning, a rule by any part
    of its name; the verdict is that of the policy or what the agent was told. `since` is a time as lines have it."""

    agent: str | None = None
    session: str | None = None
    tool: str | None = None
    verdict: str | None = None
    rule: str | None = None
    since: str | None = None

    def has(self, entry: Entry) -> bool:
        """Whether a line is one of them."""
        tools = (entry.get("tool"), entry.get("native_tool"))
        return (
            self.agent in (None, entry.get("agent"))
            and (self.session is None or str(entry.get("session", "")).startswith(self.session))
            and (self.tool is None or self.tool in tools)
            and (self.verdict is None or self.verdict in (entry.get("verdict"), entry.get("said")))
            and (self.rule is None or any(self.rule in str(rule.get("rule")) for rule in _items(entry, "rules")))
            and (self.since is None or str(entry.get("time")) >= self.since)
        )


def headline() -> Line:
    """What stands above the table."""
    return (span(_columns("time (UTC)", "agent", "session", "tool or event") + "said  what, and which rules", "label"),)


def entry_line(entry: Entry) -> Line:
    """One line of the table."""
    if entry.get("kind") == "verb":
        return _verb(entry)
    if entry.get("kind") == "reload":
        return reload_line(entry)
    said = str(entry.get("said", ""))
    return (
        span(_columns(*_about(entry)), "quiet"),
        span(f"{said:<6}", _ROLES.get(said, "text")),
        span(_cut(_what(entry), _WHAT)),
        *((span(f"  {', '.join(_spoke(entry))}", "label"),) if _spoke(entry) else ()),
        *((span(f"  {', '.join(_notes(entry))}", "maybe"),) if _notes(entry) else ()),
    )


def _verb(entry: Entry) -> Line:
    given = entry.get("arguments")
    words = " ".join(f"{name}={value}" for name, value in given.items()) if isinstance(given, Mapping) else ""
    return (
        span(_columns(_time(entry), "(a person)", "", str(entry.get("verb", ""))), "quiet"),
        span(str(entry.get("result", ""))),
        span(f"  {words}" if words else "", "label"),
    )


def reload_line(entry: Entry) -> Line:
    """One reload, as a line of the table or of the status."""
    before = f" after {_cut(str(entry['before']), _GENERATION)}" if "before" in entry else ""
    found = {"changed": entry.get("changed"), "problems": entry.get("problems")}
    listed = {name: list(map(str, value)) for name, value in found.items() if isinstance(value, list)}
    more = f" and {entry['more_changed']} more" if "more_changed" in entry else ""
    when = {"time": entry.get("read") or entry.get("time")}
    return (
        span(_columns(_time(when), "(reload)", "", str(entry.get("root", ""))[-_WIDTHS[-1] :]), "quiet"),
        span(f"{_cut(str(entry.get('generation', '')), _GENERATION)}{before}, {entry.get('ms', 0)} ms"),
        *((span(f"  {', '.join(listed['changed'])}{more}", "label"),) if "changed" in listed else ()),
        *((span(f"  {'; '.join(listed['problems'])}", "maybe"),) if "problems" in listed else ()),
    )


def _about(entry: Entry) -> tuple[str, ...]:
    return _time(entry), *(str(entry.get(key, "")) for key in ("agent", "session")), _tool(entry)


def _time(entry: Entry) -> str:
    return str(entry.get("time", ""))[:19].replace("T", " ")


def _tool(entry: Entry) -> str:
    """The tool of a call before it runs, the event of everything else."""
    tool, event = str(entry.get("tool", "")), str(entry.get("event", ""))
    return tool if tool and event == "PreToolUse" else event


def _columns(*texts: str) -> str:
    return "".join(f"{_cut(text, width):<{width}}  " for text, width in zip(texts, _WIDTHS, strict=True))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _what(entry: Entry) -> str:
    """What was asked for: the parts of a call, else its digest; or why it could not be judged."""
    if "failure" in entry:
        return str(entry["failure"])
    found = (_part(part) for part in _items(entry, "parts"))
    return "; ".join(filter(None, found)) or (str(entry.get("digest", ""))[:12] if "tool" in entry else "")


def _part(part: Entry) -> str:
    accesses = part.get("accesses")
    named = ", ".join(map(str, accesses)) if isinstance(accesses, list) else ""
    return " ".join(filter(None, (str(part.get("text") or part.get("runs", "")), f"({named})" if named else "")))


def _items(entry: Entry, key: str) -> list[Entry]:
    """What a line lists under a key; nothing where somebody else wrote it otherwise."""
    found = entry.get(key)
    return [item for item in found if isinstance(item, Mapping)] if isinstance(found, list) else []


def _spoke(entry: Entry) -> list[str]:
    """The rules whose word counted, and those that only observe with what they would have said."""
    found: dict[str, None] = {}
    for rule in _items(entry, "rules"):
        if rule.get("state") == "observe":
            found[f"{rule.get('rule')} (would {rule.get('decision', 'speak')})"] = None
        elif rule.get("decision") and "state" not in rule:
            found[str(rule.get("rule"))] = None
    return list(found)


def _notes(entry: Entry) -> list[str]:
    found = {
        "waits": f"waits as {entry.get('waits')}",
        "permitted": f"permitted as {entry.get('permitted')}",
        "lost": f"{entry.get('lost')} lines lost before",
        "flaw": str(entry.get("flaw")),
    }
    return [text for key, text in found.items() if key in entry]
