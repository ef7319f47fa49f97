"""What counts as a prompt that exceeds the context: a refusal that says so, and nothing else."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from inspect_ai.model import ChatMessageUser, ModelName, ModelOutput, ModelUsage
from inspect_ai.solver import TaskState

from mlbench.evals.ml_llm_bench.solver import answer, context_overflow


class Refused(RuntimeError):
    """As Inspect raises what a provider answered."""

    def __init__(self, status: int | None, message: str) -> None:
        super().__init__(f"\nRequest:\n(the prompt speaks of a context length)\n\n{message}")
        self.status_code, self.provider_message = status, message


def asked(outcome: ModelOutput | Exception) -> TaskState:
    """The state after one call of a model that answers, or fails, so."""

    async def generate(state: TaskState, **options: Any) -> TaskState:
        if isinstance(outcome, Exception):
            raise outcome
        state.output = outcome
        return state

    state = TaskState(ModelName("openai/tiny"), 1, 1, "", [ChatMessageUser(content="?")])
    return anyio.run(answer(), state, generate)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "message",
    [
        "request (12031 tokens) exceeds the available context size (8192 tokens), try increasing it",
        "This model's maximum context length is 2048 tokens. However, you requested 3000 tokens",
        "You passed 2617 input tokens ... resulting in a maximum input length of 1664 tokens",
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000",
        "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
        "prompt is too long: 210000 tokens > 200000 maximum",
    ],
)
@pytest.mark.parametrize("status", [400, 413])
def test_a_refusal_because_of_the_length_is_an_output_without_text(status: int, message: str) -> None:
    output = asked(Refused(status, message)).output
    assert (output.stop_reason, output.completion, context_overflow(output)) == ("model_length", "", message)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "temperature must be at most 2"),
        (401, "no access to the model with this context length"),
        (429, "too many tokens in a minute"),
        (500, "context length: the server has failed"),
        (None, "context length"),
    ],
)
def test_every_other_failure_stays_one(status: int | None, message: str) -> None:
    with pytest.raises(Refused):
        asked(Refused(status, message))


def test_what_inspect_itself_takes_for_an_overflow_is_not_judged_as_an_answer() -> None:
    words = ModelOutput.from_content("tiny", "python train.py is too long", stop_reason="model_length")
    output = asked(words).output
    assert (output.completion, context_overflow(output)) == ("", "python train.py is too long")


def test_an_answer_that_the_context_cut_is_an_answer() -> None:
    cut = ModelOutput.from_content("tiny", "python train", stop_reason="model_length")
    cut.usage = ModelUsage(input_tokens=8000, output_tokens=192)
    output = asked(cut).output
    assert (output.completion, context_overflow(output)) == ("python train", None)
