"""Call the model once; a prompt that exceeds its context window is an outcome, not an error."""

from __future__ import annotations

import re
from typing import Literal

from inspect_ai.model import CachePolicy, ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

_REFUSALS = (400, 413)
"""HTTP status codes with which servers refuse a request because of its content."""
_TOO_LONG = re.compile(
    r"context[ _-](?:length|size|window)|maximum (?:input|prompt) length|input length|max_new_tokens"
    r"|(?:prompt|input) (?:is|was) too (?:long|large)|too many (?:input |prompt )?tokens",
    re.IGNORECASE,
)
"""The messages of llama.cpp, vLLM, SGLang, TGI, OpenAI and Anthropic for a prompt that is too long."""


@solver
def answer(cache: CachePolicy | Literal[False] = False) -> Solver:
    """Return a solver that asks the model once.

    If the endpoint refuses the prompt as too long, the output is empty, its stop reason is `model_length`, and
    `error` has the endpoint's message. Every other refusal fails the sample.

    Args:
        cache: how replies are cached; False for no cache.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        try:
            state = await generate(state, cache=cache)
        except Exception as error:
            if not _refused_for_length(error):
                raise
            state.output = _refusal(str(state.model), getattr(error, "provider_message", None) or str(error))
        else:
            output = state.output
            if output.stop_reason == "model_length" and output.usage is None:
                # the text is the provider's error, not the model's
                state.output = _refusal(output.model, output.completion)
        return state

    return solve


def context_overflow(output: ModelOutput) -> str | None:
    """The endpoint's message if it refused the prompt as too long; else None."""
    return output.error if output.stop_reason == "model_length" and not output.completion else None


def _refusal(model: str, message: str) -> ModelOutput:
    return ModelOutput.from_content(model, "", stop_reason="model_length", error=" ".join(message.split())[:500])


def _refused_for_length(error: Exception) -> bool:
    """Whether the endpoint refused a request because of its length."""
    text = getattr(error, "provider_message", None) or ""
    return getattr(error, "status_code", None) in _REFUSALS and _TOO_LONG.search(text) is not None
