"""What attempts cost: tokens and dollars, from what Inspect counted and what it replayed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from inspect_ai.log import EvalSample
from inspect_ai.model import ModelUsage

from mlbench.cached_replies import replayed


@dataclass(frozen=True)
class Usage:
    """Tokens (those read from or written to the provider's cache count as input) and US dollars, if known."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None

    @property
    def tokens(self) -> int:
        """Both directions."""
        return self.tokens_in + self.tokens_out


def paid(sample: EvalSample) -> list[ModelUsage]:
    """What a sample's replies cost. One that an earlier, killed process of the run paid for and kept is in none of
    Inspect's sums; its event has its usage. Of a sample without events the last reply has to do."""
    counted = [usage for usage in sample.model_usage.values() if usage.input_tokens or usage.output_tokens]
    kept = [output.usage for output in replayed(sample.events) if output.usage]
    return [*counted, *kept] or [usage for usage in [sample.output.usage] if usage]


def usage_of(usages: Iterable[ModelUsage]) -> Usage:
    """Their sum; dollars where the price of every token is known: a part of them would look cheap."""
    tokens_in = tokens_out = 0
    costs = []
    unpriced = False
    for usage in usages:
        read = usage.input_tokens + (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
        tokens_in += read
        tokens_out += usage.output_tokens
        if usage.total_cost is not None:
            costs.append(usage.total_cost)
        elif read or usage.output_tokens:
            unpriced = True
    return Usage(tokens_in, tokens_out, sum(costs) if costs and not unpriced else None)
