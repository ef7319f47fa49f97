"""What attempts cost: tokens and dollars, from what Inspect counted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from inspect_ai.log import EvalSample
from inspect_ai.model import ModelUsage


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
    """What a sample's replies cost. A reply that an earlier, killed process of the run paid for and kept is in none of
    Inspect's sums; it brings its usage along."""
    counted = [usage for usage in sample.model_usage.values() if usage.input_tokens or usage.output_tokens]
    return counted or [usage for usage in [sample.output.usage] if usage]


def usage_of(usages: Iterable[ModelUsage]) -> Usage:
    """Their sum; dollars of those whose price is known."""
    tokens_in = tokens_out = 0
    costs = []
    for usage in usages:
        tokens_in += usage.input_tokens + (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
        tokens_out += usage.output_tokens
        if usage.total_cost is not None:
            costs.append(usage.total_cost)
    return Usage(tokens_in, tokens_out, sum(costs) if costs else None)
