"""What a model is to a handler, and the connection over which the SDKs ask one."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Final, Protocol

from ostiary.policy import ModelPlan

if TYPE_CHECKING:
    import httpx2


class Model(Protocol):
    """Answers prompts. What embedders give to `Engine.load`, or what settings name."""

    def complete(self, prompt: str, system: str, timeout: float | None, model: str) -> str | Awaitable[str]:
        """The answer to a prompt under instructions (`system`). `timeout` are seconds, None for no limit, `model` is
        what the rule asks for, empty for this model's own choice. A plain function keeps the time limit itself; what it
        returns to be awaited is awaited in a loop of its own and is cancelled in time. Raises whatever it likes: the
        handler then failed."""


class Verifier(Protocol):
    """Works on a prompt with tools, over as many turns as it needs: what `agent` handlers ask. Its tools must not
    change anything: it runs before anybody decided about the call."""

    def verify(self, prompt: str, system: str, timeout: float | None, model: str) -> str | Awaitable[str]:
        """The final answer, as `Model.complete`."""


class NoModel(Exception):
    """A model cannot be asked. The text says why and how to mend it."""


_SENT: Final = frozenset(
    {"accept", "accept-encoding", "anthropic-version", "connection", "content-length", "content-type", "user-agent"}
)


def connection(plan: ModelPlan, key: str) -> httpx2.AsyncClient:
    """A connection that the environment has no say in. An SDK takes headers from there (`ANTHROPIC_CUSTOM_HEADERS`,
    `OPENAI_ORG_ID`, ...), `Host` and `Authorization` among them, and proxies (`HTTPS_PROXY`), and a project's `.env`
    may reach the environment of a hook (law L6): requests leave with the headers named here alone, through no proxy but
    that of the settings, and follow no redirect. Who wrote the settings knows where the server is, inside or not."""
    from ostiary.perform.transport import Way, client  # what the SDKs are built on; only where a model is asked

    async def ours(request: httpx2.Request) -> None:
        for name in [name for name in request.headers if name not in _SENT]:
            del request.headers[name]
        request.headers["host"] = request.url.netloc.decode("ascii")
        request.headers["authorization"] = f"Bearer {key}"

    return client(Way(private=True, proxy=plan.proxy), event_hooks={"request": [ours]})
