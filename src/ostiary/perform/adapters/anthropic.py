"""Models behind Anthropic's Messages API."""

from __future__ import annotations

from typing import Final

from anthropic import AsyncAnthropic

from ostiary.perform.adapters.base import Model, connection
from ostiary.perform.silence import silence
from ostiary.policy import ModelPlan
from ostiary.records import dataclass

ADDRESS: Final = "https://api.anthropic.com"
TOKENS: Final = 1024
"""The longest answer, which holds one sentence and a word."""

silence("anthropic", "httpx2", "httpcore2")


@dataclass(frozen=True, slots=True)
class _Messages:
    plan: ModelPlan
    key: str

    async def complete(self, prompt: str, system: str, timeout: float | None, model: str) -> str:  # noqa: ARG002
        """The text of the answer. Who awaits it keeps the time: the SDK's own limit is one for each read."""
        async with connection(self.plan, self.key) as http:
            client = AsyncAnthropic(
                api_key=self.key,
                base_url=self.plan.base_url or ADDRESS,
                timeout=None,
                http_client=http,
                open_telemetry=False,
            )
            answer = await client.messages.create(
                model=model or self.plan.model,
                max_tokens=TOKENS,
                system=system,
                messages=[{"role": "user", "content": prompt}],
            )
        return "".join(block.text for block in answer.content if block.type == "text")


def model(plan: ModelPlan, key: str) -> Model:
    """The model, asked with this key."""
    return _Messages(plan, key)
