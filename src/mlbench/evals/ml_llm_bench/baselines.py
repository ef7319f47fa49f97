"""A model provider for baselines: their answers take the same path as a model's.

`mlbench/gold` returns the reference, `mlbench/copycat` edits the shown code, `mlbench/memoriser` answers a twin with
the reference of its original, `mlbench/nothing` returns an empty answer, and `mlbench/replay` returns answers from a
file. `mlbench/human` and `mlbench/human/NAME` return a person's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from mlbench.evals.ml_llm_bench.copycat import copycat
from mlbench.evals.ml_llm_bench.memoriser import memorised
from mlbench.human.session_records import PERSON
from mlbench.prompts.messages import PERSON_SECONDS, ROW, fenced
from mlbench.records import UsageError
from mlbench.suites.rows import SuiteRow
from mlbench.suites.suite import Suite, load_suite


@dataclass(frozen=True)
class BaselineTask:
    """What a baseline knows: the suite and the row, the prompt, and the reply from a file, if there is one."""

    suite: Suite
    row: SuiteRow
    prompt: str
    reply: str | None


def _gold(asked: BaselineTask) -> str:
    return fenced(asked.row.sample.output, asked.row.sample.kind)


def _copycat(asked: BaselineTask) -> str:
    return copycat(asked.prompt)


def _memoriser(asked: BaselineTask) -> str:
    return fenced(memorised(asked.suite, asked.row), asked.row.sample.kind)


def _nothing(asked: BaselineTask) -> str:
    return ""


def _human(asked: BaselineTask) -> str:
    if asked.reply is None:
        raise UsageError("mlbench/human answers only in `mlbench verify` of a session of `mlbench human`")
    return asked.reply


def _replay(asked: BaselineTask) -> str:
    if asked.reply is None:
        raise UsageError("mlbench/replay answers only in `mlbench verify`")
    return asked.reply


BASELINES: dict[str, Callable[[BaselineTask], str]] = {
    "gold": _gold,
    "copycat": _copycat,
    "memoriser": _memoriser,
    "nothing": _nothing,
    "replay": _replay,
    PERSON: _human,
}


class BaselineModel(ModelAPI):
    """Answers without a model; the metadata of the user message names the row."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008  (as the base class has it)
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        name, slash, _ = model_name.partition("/")
        if name not in BASELINES or (slash and name != PERSON):
            raise UsageError(f"no baseline mlbench/{model_name}; there are: {', '.join(BASELINES)}")
        self._answer = BASELINES[name]

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Return the baseline's answer for the row of the last user message.

        Raises:
            UsageError: the message belongs to another task, or to a row without a given answer.
        """
        message = next(message for message in reversed(input) if message.role == "user")
        row = (message.metadata or {}).get(ROW)
        if row is None:
            raise UsageError(f"mlbench/{self.model_name} only answers the tasks of mlbench")
        suite = load_suite(row["suite"])
        reply = self._answer(BaselineTask(suite, suite.row(row["id"]), message.text, row.get("reply")))
        output = ModelOutput.from_content(f"mlbench/{self.model_name}", reply)
        output.usage = ModelUsage()  # it costs nothing
        if (seconds := row.get("seconds")) is not None:
            output.metadata = {PERSON_SECONDS: seconds}
        return output

    def max_connections(self) -> int:
        """Return the number of parallel requests."""
        return 32


@modelapi(name="mlbench")
def baselines() -> type[ModelAPI]:
    """Return the provider of the models `mlbench/...`."""
    return BaselineModel
