"""Asking the two models: the one that is evaluated, and its helper; what both cost."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from inspect_ai.model import CachePolicy, ChatMessageUser, Model, ModelOutput
from inspect_ai.util import suspend_turn_limit

from mlbench.evals.mlagentbench.research_agent.result import ResearchCosts
from mlbench.prompts.settings import template

_SHOWN = 40_000
"""Characters of one text that the helper gets at most, head and tail."""


@dataclass
class ResearchLLM:
    """Puts the questions of one try.

    Attributes:
        cache: where replies are kept, so that a resumed run pays for none twice.
    """

    model: Model
    helper: Model
    cache: CachePolicy | None = None
    costs: ResearchCosts = field(default_factory=ResearchCosts)

    async def ask(self, prompt: str) -> ModelOutput:
        """The reply to the prompt of one step."""
        output = await self._generate(self.model, prompt)
        self.costs = replace(self.costs, steps=self.costs.steps + 1)
        if usage := output.usage:
            self.costs = replace(
                self.costs,
                tokens_in=self.costs.tokens_in + usage.input_tokens,
                tokens_out=self.costs.tokens_out + usage.output_tokens,
            )
        return output

    async def helped(self, name: str, **fields: str) -> str:
        """What the helper says to the template `research_NAME`. It is no step: limits of turns do not count it."""
        shown = {field: cut(text, _SHOWN) for field, text in fields.items()}
        with suspend_turn_limit():
            output = await self._generate(self.helper, template(f"research_{name}").render(shown).strip())
        self.costs = replace(self.costs, helper_calls=self.costs.helper_calls + 1)
        if usage := output.usage:
            self.costs = replace(
                self.costs,
                helper_in=self.costs.helper_in + usage.input_tokens,
                helper_out=self.costs.helper_out + usage.output_tokens,
            )
        return output.completion.strip()

    async def _generate(self, model: Model, prompt: str) -> ModelOutput:
        output = await model.generate([ChatMessageUser(content=prompt)], cache=self.cache if self.cache else False)
        # a kept reply says the time that it took when it was asked for
        self.costs = replace(self.costs, seconds=self.costs.seconds + (output.time or 0.0))
        return output


def cut(text: str, most: int) -> str:
    """Head and tail of a text that is longer than `most` characters."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[{len(text) - 2 * half:,} characters left out]\n{text[-half:]}"
