"""Handlers that a model decides: `tests/cases/handlers/models.yaml`, and models behind a real connection."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from handling import request, say
from ostiary.decision import Decision, Verdict
from ostiary.event import EVENTS, Event
from ostiary.perform.judgements import asked, instructions
from ostiary.perform.placeholders import filled
from ostiary.policy import ModelPlan
from ostiary.sources.library import Library
from servers.models import ModelServer, model_server
from tables import read_table

CASES = Path(__file__).parent / "cases" / "handlers" / "models.yaml"
ROWS: dict[str, list[dict[str, Any]]] = read_table(CASES)
PROVIDERS = ("anthropic", "openai")
HOSTILE = {
    "ANTHROPIC_BASE_URL": "{evil}",
    "ANTHROPIC_API_KEY": "evil",
    "ANTHROPIC_AUTH_TOKEN": "evil",
    "ANTHROPIC_CUSTOM_HEADERS": "Host: evil.example\nAuthorization: Bearer evil\nX-Evil: 1",
    "OPENAI_BASE_URL": "{evil}",
    "OPENAI_API_KEY": "evil",
    "OPENAI_ADMIN_KEY": "evil",
    "OPENAI_ORG_ID": "evil",
    "OPENAI_PROJECT_ID": "evil",
    "OPENAI_CUSTOM_HEADERS": "Host: evil.example\nAuthorization: Bearer evil\nX-Evil: 1",
    "HTTP_PROXY": "{evil}",
    "http_proxy": "{evil}",
    "ALL_PROXY": "{evil}",
}


def rows(key: str) -> list[Any]:
    return [pytest.param(row, id=row["note"]) for row in ROWS[key]]


class Fixed:
    """A model that always says the same, and a verifier, too."""

    def __init__(self, answer: object) -> None:
        self.answer = answer
        self.asked: list[tuple[str, str, float | None, str]] = []

    def complete(self, *asked: Any) -> Any:
        self.asked.append(asked)
        return self.answer

    verify = complete


def ask(kind: str, on: str = "PreToolUse", asks: str = "", limit: float = 60.0, **more: Any) -> dict[str, Any]:
    """What a handler says of a call of `ls`; `asks` is the model it names. What is no option is for the runtime."""
    event = Event.from_call("bash", {"command": "ls"}, cwd="/w", name=on)
    given = {name: more.pop(name) for name in ("tier", "goes_on", "may_allow") if name in more}
    return said(say(request(kind, event=event, timeout=limit, **given, **({"model": asks} if asks else {})), **more))


def said(decision: Decision) -> dict[str, Any]:
    """What of a decision is not as it is where nobody says anything."""
    found: dict[str, Any] = {}
    for field in fields(Decision):
        value = getattr(decision, field.name)
        if value != getattr(Decision(), field.name):
            found[field.name] = str(value) if isinstance(value, Verdict) else value
    return found


@pytest.mark.parametrize("row", rows("prompts"))
def test_what_an_answer_means(row: dict[str, Any]) -> None:
    more = {key: row[key] for key in ("tier", "goes_on", "may_allow") if key in row}
    assert ask("prompt", row["on"], model=Fixed(row["answer"]), **more) == row["want"]


@pytest.mark.parametrize("row", rows("agents"))
def test_what_the_answer_of_a_verifier_means(row: dict[str, Any]) -> None:
    more = {key: row[key] for key in ("tier", "may_allow") if key in row}
    assert ask("agent", row["on"], verifier=Fixed(row["answer"]), **more) == row["want"]


@pytest.mark.parametrize("row", rows("asked"))
def test_what_is_asked(row: dict[str, Any]) -> None:
    assert asked(row["request"], row["event"]) == row["want"]


@pytest.mark.parametrize("row", rows("placeholders"))
def test_placeholders(row: dict[str, Any]) -> None:
    assert filled(row["input"], row["event"]) == row["want"]


def test_a_model_is_given_the_event_the_instructions_and_its_name() -> None:
    fixed = Fixed('{"ok": true}')
    ask("prompt", asks="fast", model=fixed)
    (text, system, limit, name) = fixed.asked[0]
    told = json.loads(text.removeprefix("safe?\n\n<event>\n").removesuffix("\n</event>"))
    assert (told["tool_name"], told["tool_input"]) == ("bash", {"command": "ls"})
    assert (system, name) == (instructions(EVENTS["PreToolUse"]), "fast")
    assert limit is not None
    assert 0 < limit <= 60


def test_only_where_an_agent_would_stop_a_model_may_say_that_it_is_impossible() -> None:
    told = {name for name, kind in EVENTS.items() if "impossible" in instructions(kind)}
    assert told == {name for name, kind in EVENTS.items() if kind.ends}


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        (None, "the model gave NoneType for an answer, which is no text"),
        (b'{"ok": true}', "the model gave bytes for an answer, which is no text"),
    ],
)
def test_an_answer_that_is_no_text_is_a_failure(answer: object, failure: str) -> None:
    assert ask("prompt", model=Fixed(answer)) == {"failure": failure}


class Raising:
    """A model that raises what a server wrote."""

    def complete(self, *_: Any) -> str:
        raise RuntimeError("say ok")


def test_the_text_of_an_exception_is_told_to_nobody() -> None:
    assert ask("prompt", model=Raising()) == {"failure": "the model cannot be asked: RuntimeError"}


class Sleeping:
    """A model that answers when it is too late."""

    def __init__(self) -> None:
        self.ended = False

    async def complete(self, *_: Any) -> str:
        import asyncio

        try:
            await asyncio.sleep(3600)
        finally:
            self.ended = True
        return '{"ok": true}'


class Cancelled:
    """A cancellation that came once the model was asked."""

    def __init__(self) -> None:
        self.looks = 0

    @property
    def cancelled(self) -> bool:
        self.looks += 1
        return self.looks > 2


def test_a_model_ends_with_its_time() -> None:
    slow = Sleeping()
    assert (ask("prompt", limit=0.05, model=slow), slow.ended) == ({"failure": "it took too long"}, True)


def test_a_model_ends_with_a_cancellation() -> None:
    slow = Sleeping()
    assert (ask("prompt", model=slow, cancel=Cancelled()), slow.ended) == ({"failure": "it was cancelled"}, True)


async def inside() -> dict[str, Any]:
    return ask("prompt", limit=0.05, model=Sleeping())


def test_a_model_can_be_asked_where_a_loop_runs() -> None:
    import asyncio

    before = threading.active_count()
    assert asyncio.run(inside()) == {"failure": "it took too long"}
    assert threading.active_count() == before


def test_without_a_model_or_an_agent_it_is_a_failure() -> None:
    assert ask("prompt") == {"failure": "no model is set: name one under `models` in settings.yaml, as `default`"}
    assert ask("agent") == {"failure": "there are no files here that an agent could look at"}
    files = Library("", "", lambda *_: True)
    assert ask("agent", library=files) == ask("prompt")


@pytest.fixture
def served() -> Iterator[ModelServer]:
    with model_server() as server:
        yield server


def serving(server: ModelServer, provider: str, tier: str = "user", key: str | None = "k3y") -> dict[str, Any]:
    """A runtime whose settings name the server's model."""
    address = server.url + ("/v1" if provider == "openai" else "")
    plan = ModelPlan("default", tier, provider, "m-1", address, "MODEL_KEY")  # type: ignore[arg-type]
    return {"models": (plan,), "environ": {} if key is None else {"MODEL_KEY": key}}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("hostile", [False, True])
def test_a_served_model_is_asked_as_settings_say_and_nothing_else(
    provider: str, hostile: bool, served: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with model_server() as evil:
        for name, value in HOSTILE.items() if hostile else ():
            monkeypatch.setenv(name, value.format(evil=evil.url))
        served.text = '{"ok": false, "reason": "r"}'
        assert ask("prompt", goes_on=True, **serving(served, provider)) == {"verdict": "deny", "reason": "r"}
        assert evil.asked == []
    ((path, headers, body),) = served.asked
    assert path == {"anthropic": "/v1/messages", "openai": "/v1/chat/completions"}[provider]
    assert headers["host"] == served.url.removeprefix("http://")
    assert headers["authorization"] == "Bearer k3y"
    assert set(headers) <= {
        "accept", "accept-encoding", "anthropic-version", "authorization", "connection", "content-length",
        "content-type", "host", "user-agent",
    }  # fmt: skip
    assert body["model"] == "m-1"
    assert body["messages"][-1]["role"] == "user"
    assert body["messages"][-1]["content"].startswith("safe?\n\n<event>\n{")
    system = body["system"] if provider == "anthropic" else body["messages"][0]["content"]
    assert system == instructions(EVENTS["PreToolUse"])


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_rule_names_a_model_of_the_settings_or_of_the_default(provider: str, served: ModelServer) -> None:
    first = serving(served, provider)
    (plan,) = first["models"]
    both = {**first, "models": (plan, plan._replace(name="fast", model="m-2"))}
    for wanted in ("", "default", "fast", "m-3"):
        ask("prompt", asks=wanted, **both)
    assert [body["model"] for _, _, body in served.asked] == ["m-1", "m-1", "m-2", "m-3"]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_a_server_says_in_an_error_is_told_to_nobody(provider: str, served: ModelServer) -> None:
    served.status = 401
    assert ask("prompt", **serving(served, provider)) == {
        "failure": "the model cannot be asked: AuthenticationError with status 401"
    }


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_redirect_is_not_followed(provider: str, served: ModelServer) -> None:
    with model_server() as evil:
        served.status, served.to = 307, evil.url + "/v1/messages"
        assert ask("prompt", **serving(served, provider))["failure"].endswith("with status 307")
        assert evil.asked == []


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_proxy_that_settings_name_is_used(provider: str, served: ModelServer) -> None:
    with model_server() as proxy:
        given = serving(served, provider)
        (plan,) = given["models"]
        said = ask("prompt", **{**given, "models": (plan._replace(proxy=proxy.url),)})
    assert said == {"failure": "the model cannot be asked: NotFoundError with status 404"}
    path = {"anthropic": "/v1/messages", "openai": "/v1/chat/completions"}[provider]
    assert [asked for asked, _, _ in proxy.asked] == [served.url + path]
    assert served.asked == []


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_answer_without_an_end_ends_with_the_time(provider: str, served: ModelServer) -> None:
    ask("prompt", **serving(served, provider))  # the SDK is imported by now
    served.endless = True
    assert ask("prompt", limit=0.5, **serving(served, provider)) == {"failure": "it took too long"}


def test_a_managed_rule_is_judged_by_managed_models_alone(served: ModelServer) -> None:
    theirs = serving(served, "openai", tier="user")
    assert ask("prompt", tier="managed", **theirs)["failure"].startswith("no model is set")
    assert ask("prompt", tier="user", **serving(served, "openai", tier="managed")) == {}


@pytest.mark.parametrize("key", [None, ""])
def test_a_model_without_its_key_is_not_asked(key: str | None, served: ModelServer) -> None:
    said = ask("prompt", **serving(served, "openai", key=key))
    assert said == {"failure": "the model `default` has no key: the variable `MODEL_KEY` is not set"}
    assert served.asked == []


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_missing_sdk_is_told(provider: str, served: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, f"ostiary.perform.adapters.{provider}", raising=False)
    monkeypatch.setitem(sys.modules, provider, None)
    assert ask("prompt", **serving(served, provider)) == {
        "failure": f"the SDK for `{provider}` is not installed: `pip install 'ostiary[{provider}]'`"
    }
