"""What ML-Agent may do and how much: its three improvements on the paper, each with a flag, and its bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mlbench.agents.parse_options import from_names
from mlbench.records import UsageError

LEAST_TOKENS = 2000


@dataclass(frozen=True)
class MLAgentOptions:
    """Without the three flags it is the agent of the paper (v1, section 5).

    Attributes:
        stop_early: once what was shown holds an example and a name for every setting, it is asked to answer.
        readme_first: code is only opened where the documents leave something open, which has to be named.
        check: an answer goes through the interface check, and what the program says comes back as feedback.
        candidates: repositories that a search keeps.
        repairs: answers that are sent back, by the check, at most.
        trials: times that an answer is run in the sandbox at most, where it is left as `run.sh` in one.
        retries: times that a decision which is not valid is asked for again.
        steps: calls of the model in all.
        readmes: READMEs that are read in one repository.
        tokens: of the repository that are shown in one conversation.
        tokenizer: who counts them: see `mlbench.prompts.tokens`.
    """

    stop_early: bool = True
    readme_first: bool = True
    check: bool = True
    candidates: int = 5
    repairs: int = 3
    trials: int = 8
    retries: int = 2
    steps: int = 30
    readmes: int = 5
    tokens: int = 24_000
    tokenizer: str = "estimate"

    def __post_init__(self) -> None:
        least_of = {"candidates": 1, "repairs": 0, "trials": 0, "retries": 0, "steps": 1, "readmes": 1}
        for name, least in least_of.items():
            if getattr(self, name) < least:
                raise UsageError(f"ml_agent: {name}={getattr(self, name)}: at least {least} is needed")
        if self.tokens < LEAST_TOKENS:
            raise UsageError(f"ml_agent: tokens={self.tokens}: at least {LEAST_TOKENS} are needed")


def options_of(given: MLAgentOptions | Mapping[str, Any] | None) -> MLAgentOptions:
    """The options, from an object or from their names.

    Raises:
        UsageError: one is unknown, or cannot be.
    """
    return from_names(MLAgentOptions, "ml_agent", given)


PAPER = MLAgentOptions(stop_early=False, readme_first=False, check=False)
"""The agent as published."""
