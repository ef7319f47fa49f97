"""ML-Agent's options: three improvements over the paper, each with a flag, and limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mlbench.agents.parse_options import from_names
from mlbench.records import UsageError

LEAST_TOKENS = 2000


@dataclass(frozen=True)
class MLAgentOptions:
    """Options of ML-Agent; with the three flags off it is the agent of the paper (v1).

    Attributes:
        stop_early: ask for the answer as soon as the shown text has an example and a name for every setting.
        readme_first: open code only if the model names what the documents leave open.
        check: send each answer through the interface check, and the program's errors back to the model.
        candidates: the most repositories that a search returns.
        repairs: the most answers that the check sends back.
        trials: the most trial runs in the sandbox, if the answer is left as `run.sh`.
        retries: how often an invalid decision is asked for again.
        steps: the most calls of the model.
        readmes: the most READMEs that are read in one repository.
        tokens: tokens of the repository that one conversation may show.
        tokenizer: counts these tokens; see `mlbench.prompts.tokens`.
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
    """Return the options, from an object or from their names.

    Raises:
        UsageError: a name is unknown, or a value is not allowed.
    """
    return from_names(MLAgentOptions, "ml_agent", given)


PAPER = MLAgentOptions(stop_early=False, readme_first=False, check=False)
"""The agent as published."""
