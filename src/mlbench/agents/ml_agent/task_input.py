"""What is to be done: read from the messages that a bench sends, or given by a user. Never a reference."""

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
    """One task.

    Attributes:
        kind: the language of the answer; None where the agent may choose.
        folder: where the answer will run, from the repository's root; empty where nobody has said.
        prefix: shell that runs there before it.
        repository: the name of the repository that is given; empty where it is to be chosen.
    """

    instruction: str
    kind: Kind | None = None
    folder: str = ""
    prefix: str = ""
    repository: str = ""


def job_of(messages: Sequence[ChatMessage]) -> Job:
    """The task in a conversation.

    Of a row only the columns are read that a model is told: instruction, type, folder, prefix, repository.

    Raises:
        UsageError: there is no user message with an instruction.
    """
    message = next((each for each in reversed(messages) if each.role == "user"), None)
    if message is None:
        raise UsageError("ml_agent: the conversation holds no user message; the instruction has to stand in one")
    about = (message.metadata or {}).get(ROW)
    if about is not None:
        row = sample_of(about["suite"], about["id"])
        name = load_suite(about["suite"]).repository_of(row.github_id).name
        return Job(row.instruction, row.kind, row.path, row.prefix_code, name)
    found = _INSTRUCTION.findall(message.text)
    instruction = (found[-1] if found else message.text).strip()
    if not instruction:
        raise UsageError("ml_agent: the instruction is empty; say in a sentence what is to be done")
    return Job(instruction)
