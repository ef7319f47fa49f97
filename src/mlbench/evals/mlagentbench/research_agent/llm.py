"""Ask the evaluated model and its helper, and count what both cost."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from inspect_ai.model import CachePolicy, ChatMessageUser, Model, ModelOutput
from inspect_ai.util import suspend_turn_limit

from mlbench.evals.mlagentbench.research_agent.result import ResearchCosts
from mlbench.prompts.settings import template
from mlbench.truncate import head_and_tail

_SHOWN = 40_000
"""The most characters of one text for the helper; longer texts keep head and tail."""


@dataclass
class ResearchLLM:
    """Asks the models in one run.

    Attributes:
        model: the evaluated model.
        helper: the model that summarises and keeps the log.
        cache: caches replies, so that a resumed run pays for no reply twice; None for no cache.
        costs: calls, tokens and seconds so far.
    """

    model: Model
    helper: Model
    cache: CachePolicy | None = None
    costs: ResearchCosts = field(default_factory=ResearchCosts)

    async def ask(self, prompt: str) -> ModelOutput:
        """Return the reply to the prompt of one step."""
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
        """Return the helper's reply to the template `research_NAME`; this call is no step."""
        shown = {field: head_and_tail(text, _SHOWN) for field, text in fields.items()}
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
        # a cached reply has the time of its first generation
        self.costs = replace(self.costs, seconds=self.costs.seconds + (output.time or 0.0))
        return output
