"""Models behind OpenAI's chat completions, and everything that speaks like them: local servers, gateways."""

from __future__ import annotations

from typing import Final

from openai import AsyncOpenAI

from ostiary.perform.adapters.base import Model, connection
from ostiary.perform.silence import silence
from ostiary.policy import ModelPlan
from ostiary.records import dataclass

ADDRESS: Final = "https://api.openai.com/v1"

silence("openai", "httpx2", "httpcore2")


@dataclass(frozen=True, slots=True)
class _Completions:
    plan: ModelPlan
    key: str

    async def complete(self, prompt: str, system: str, timeout: float | None, model: str) -> str:  # noqa: ARG002
        """The text of the answer. Who awaits it keeps the time: the SDK's own limit is one for each read."""
        async with connection(self.plan, self.key) as http:
            client = AsyncOpenAI(
                api_key=self.key, base_url=self.plan.base_url or ADDRESS, timeout=None, http_client=http
            )
            answer = await client.chat.completions.create(
                model=model or self.plan.model,
                messages=[{"role": "system", "content": system}, {"role": "user", "content": prompt}],
            )
        return answer.choices[0].message.content or ""


def model(plan: ModelPlan, key: str) -> Model:
    """The model, asked with this key."""
    return _Completions(plan, key)
