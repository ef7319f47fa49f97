"""The agent's task, from a bench's messages or from a user; without the reference."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from inspect_ai.model import ChatMessage

from mlbench.prompts.messages import ROW
from mlbench.records import Kind, UsageError
from mlbench.suites.suite import load_suite, sample_of

_INSTRUCTION = re.compile(r"<instruction>\s*(.*?)\s*</instruction>", re.DOTALL)


@dataclass(frozen=True)
class Job:
    """One task of ML-Agent.

    Attributes:
        instruction: what the answer must do, in words.
        kind: the language of the answer; None to let the agent choose.
        folder: where the answer runs, from the repository's root; empty if unknown.
        prefix: shell code that runs there before the answer.
        repository: the name of the given repository; empty if the agent chooses one.
    """

    instruction: str
    kind: Kind | None = None
    folder: str = ""
    prefix: str = ""
    repository: str = ""


def job_of(messages: Sequence[ChatMessage]) -> Job:
    """Return the task in a conversation.

    From a row only the columns that a model may see are read: instruction, type, folder, prefix, repository.

    Raises:
        UsageError: no user message has an instruction.
    """
    message = next((each for each in reversed(messages) if each.role == "user"), None)
    if message is None:
        raise UsageError("ml_agent: the conversation has no user message; put the instruction into one")
    about = (message.metadata or {}).get(ROW)
    if about is not None:
        row = sample_of(about["suite"], about["id"])
        name = load_suite(about["suite"]).repository_of(row.github_id).name
        return Job(row.instruction, row.kind, row.path, row.prefix_code, name)
    found = _INSTRUCTION.findall(message.text)
    instruction = (found[-1] if found else message.text).strip()
    if not instruction:
        raise UsageError("ml_agent: the instruction is empty; write what to do in a sentence")
    return Job(instruction)
