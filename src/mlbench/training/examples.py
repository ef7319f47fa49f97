"""Training examples: the prompt that an evaluation would show, and the reference as the reply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypedDict

from mlbench.prompts.context import Context
from mlbench.prompts.messages import fenced
from mlbench.prompts.settings import render
from mlbench.prompts.tokens import counter
from mlbench.records import Setting
from mlbench.suites.rows import SuiteRow
from mlbench.suites.suite import Suite

MESSAGE = 8
"""Tokens that a chat template is taken to add to each message: role names and marks."""


class Message(TypedDict):
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class TrainingExample:
    """A row as a model sees it in training.

    Attributes:
        row: the row's `id` in its suite.
        repository: its name in the suite.
        github: its address; twins have the address of their original.
        prompt: the messages of the evaluation's prompt, byte for byte.
        completion: the reference in a Markdown fence.
        tokens: of prompt and completion, by the context's counter.
    """

    row: int
    repository: str
    github: str
    kind: str
    prompt: tuple[Message, ...]
    completion: str
    tokens: int

    def record(self) -> dict[str, object]:
        """The example as a prompt-completion record (TRL, axolotl)."""
        reply: Message = {"role": "assistant", "content": self.completion}
        return self._origin() | {"prompt": list(self.prompt), "completion": [reply]}

    def chat(self) -> dict[str, object]:
        """The example as one chat (LLaMA-Factory, unsloth)."""
        reply: Message = {"role": "assistant", "content": self.completion}
        return self._origin() | {"messages": [*self.prompt, reply]}

    def _origin(self) -> dict[str, object]:
        return {"row": self.row, "repository": self.repository, "github": self.github}


def training_examples(
    suite: Suite,
    rows: Sequence[SuiteRow],
    setting: Setting,
    checkouts: Mapping[str, Path],
    context: Context,
) -> Iterator[TrainingExample]:
    """Make an example of each row, in order.

    An example may be longer than the context: the oracle and the reference are never cut. `fits` tells.

    Args:
        suite: the suite of the rows.
        rows: training rows.
        setting: which documents the prompt shows.
        checkouts: the repositories' folders, by name.
        context: the model's window, its token counter, and the length of a reply.

    Raises:
        UsageError: the tokenizer is not available.
    """
    count = counter(context.tokenizer).count
    for row in rows:
        sample = row.sample
        name = suite.repository_of(sample.github_id).name
        prompt = render(sample, checkouts[name], name, setting, context, row.oracle)
        messages: tuple[Message, ...] = (
            {"role": "system", "content": prompt.system},
            {"role": "user", "content": prompt.user},
        )
        completion = fenced(sample.output, sample.kind)
        texts = [*(message["content"] for message in messages), completion]
        tokens = sum(count(text) + MESSAGE for text in texts)
        yield TrainingExample(sample.id, name, suite.address(name), sample.kind, messages, completion, tokens)


def fits(example: TrainingExample, context: Context) -> bool:
    """Whether an example surely fits the context window."""
    return example.tokens <= counter(context.tokenizer).fits(context.tokens)
