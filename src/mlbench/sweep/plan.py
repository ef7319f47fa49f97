"""The file of a sweep, and the runs that it asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, ValidationError

from mlbench.prompts.context import Context
from mlbench.prompts.settings import known_setting
from mlbench.records import Policy, UsageError
from mlbench.run_config import Budget, Generation, RunConfig
from mlbench.same_facts import SECRETS, facts_key
from mlbench.suites.selection import select
from mlbench.suites.suite import full_name, load_suite


def _listed(given: object) -> object:
    """One value stands for a list with it."""
    return given if isinstance(given, list) else [given]


class SweepModel(BaseModel):
    """A model of a sweep, and how to reach it."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    model: str = Field(min_length=1)
    base_url: str | None = None
    args: dict[str, JsonValue] = Field(default_factory=dict)


def _model(given: object) -> object:
    return {"model": given} if isinstance(given, str) else given


class SweepPlan(BaseModel):
    """A sweep: every combination of models, settings, attempts and suites; the rest is the same for all runs.

    Attributes:
        k: attempts a row.
        split, repo, limit: the rows, as in `mlbench eval`.
        model_cost: file with the prices of models.
        context_tokens: context window; None for the endpoint's, or 128,000.
        generation: sampling and requests.
        budget: limits of one sample.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    suites: Annotated[list[str], BeforeValidator(_listed), Field(min_length=1)]
    models: Annotated[
        list[Annotated[SweepModel, BeforeValidator(_model)]], BeforeValidator(_listed), Field(min_length=1)
    ]
    settings: Annotated[list[str], BeforeValidator(_listed), Field(min_length=1)] = ["oracle"]
    k: Annotated[list[Annotated[int, Field(ge=1)]], BeforeValidator(_listed), Field(min_length=1)] = [1]
    split: str = "full"
    repo: str | None = None
    limit: int | None = None
    policy: Policy | None = None
    context_tokens: int | None = Field(default=None, ge=1)
    model_cost: Path | None = None
    workers: int | None = Field(default=None, ge=1)
    generation: Generation = Generation()
    budget: Budget = Budget()

    def runs(self) -> list[SweepRun]:
        """Return the runs of the sweep, each once, those of one suite and setting together.

        Raises:
            UsageError: a suite, setting, split or repository is not known.
        """
        found = []
        for suite, setting, k, model in product(self.suites, self.settings, self.k, self.models):
            known_setting(setting)
            select(load_suite(full_name(suite)), self.split, repo=self.repo, limit=self.limit)
            found.append(SweepRun(full_name(suite), model, setting, k))
        return list({run.label: run for run in found}.values())

    def config(self, run: SweepRun, log_dir: Path, display: str | None) -> RunConfig:
        """Return the configuration of one run.

        Args:
            run: of this sweep.
            log_dir: folder of the logs.
            display: kind of progress display.
        """
        return RunConfig(
            log_dir=log_dir,
            display=display,
            base_url=run.model.base_url,
            model_args=dict(run.model.args),
            prices=self.model_cost,
            generation=self.generation,
            budget=self.budget,
            workers=self.workers,
        )

    def context(self) -> Context:
        """Return how prompts are filled."""
        return Context(tokens=self.context_tokens or Context.tokens, reply=self.generation.max_tokens)

    def key(self, run: SweepRun, shard: str | None) -> str:
        """Return the key of a run: the same for the same configuration, wherever the model's endpoint is.

        Args:
            run: of this sweep.
            shard: the part of the rows that is run; None for all.
        """
        shared = self.model_dump_json(
            include={"split", "repo", "limit", "policy", "context_tokens", "generation", "budget"}
        )
        model = run.model.model_dump_json(exclude={"base_url": True, "args": set(SECRETS)})
        return facts_key(shared, run.suite, run.setting, run.k, model, shard)


@dataclass(frozen=True)
class SweepRun:
    """One run of a sweep."""

    suite: str
    model: SweepModel
    setting: str
    k: int

    @property
    def label(self) -> str:
        """The run in messages. A model with arguments shows them."""
        own = "".join(f" {name}={value}" for name, value in self.model.args.items())
        return f"{self.suite}, {self.setting}, k={self.k}, {self.model.model}{own}"


def read_plan(file: Path) -> SweepPlan:
    """Read the file of a sweep. Paths in it are relative to its folder.

    Raises:
        UsageError: the file cannot be read, or a field is wrong; names the field.
    """
    try:
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise UsageError(f"{file}: cannot be read: {' '.join(str(error).split())[:200]}") from error
    if not isinstance(content, Mapping):
        raise UsageError(f"{file}: a sweep has at least `suites` and `models`")
    try:
        plan = SweepPlan.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise UsageError(f"{file}: {'.'.join(map(str, first['loc'])) or 'sweep'}: {first['msg'].lower()}") from error
    if plan.model_cost is None:
        return plan
    return plan.model_copy(update={"model_cost": file.parent / plan.model_cost})
