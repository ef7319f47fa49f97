"""One call of a model; a prompt that exceeds its context window is an outcome, not an error of the run."""

from __future__ import annotations

import re
from typing import Literal

from inspect_ai.model import CachePolicy, ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

_REFUSALS = (400, 413)
"""HTTP status codes with which servers refuse a request for what it holds."""
_TOO_LONG = re.compile(
    r"context[ _-](?:length|size|window)|maximum (?:input|prompt) length|input length|max_new_tokens"
    r"|(?:prompt|input) (?:is|was) too (?:long|large)|too many (?:input |prompt )?tokens",
    re.IGNORECASE,
)
"""How servers say so: llama.cpp, vLLM, SGLang, TGI, OpenAI, Anthropic."""


@solver
def answer(cache: CachePolicy | Literal[False] = False) -> Solver:
    """Ask the model once.

    If the endpoint refuses the prompt as too long, the output is empty, stops for `model_length` and says why in
    `error`. Every other refusal fails the sample.

    Args:
        cache: where replies are kept.
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
            if output.stop_reason == "model_length" and output.usage is None:  # the provider's words, not the model's
                state.output = _refusal(output.model, output.completion)
        return state

    return solve


def context_overflow(output: ModelOutput) -> str | None:
    """The endpoint's message if it refused the prompt as too long; else None."""
    return output.error if output.stop_reason == "model_length" and not output.completion else None


def _refusal(model: str, message: str) -> ModelOutput:
    return ModelOutput.from_content(model, "", stop_reason="model_length", error=" ".join(message.split())[:500])


def _refused_for_length(error: Exception) -> bool:
    """Whether a model's server refused a request because of its length."""
    text = getattr(error, "provider_message", None) or ""
    return getattr(error, "status_code", None) in _REFUSALS and _TOO_LONG.search(text) is not None
