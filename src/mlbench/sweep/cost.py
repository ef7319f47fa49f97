"""What a run of a sweep will cost, before anything is asked: tokens, and dollars where a price is known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mlbench.prompts.context import Context
from mlbench.prompts.settings import known_setting, render
from mlbench.prompts.tokens import counter
from mlbench.scoring.runtime import checkouts_of
from mlbench.suites.selection import select
from mlbench.suites.suite import load_suite
from mlbench.sweep.plan import SweepPlan, SweepRun


@dataclass(frozen=True)
class RunCost:
    """The expected cost of a run.

    Attributes:
        calls: model calls.
        tokens_in: tokens of all prompts, by the token counter `estimate`.
        tokens_out: tokens of all replies, if each takes the most that it may.
        dollars: at most; None if the price is unknown.
    """

    calls: int
    tokens_in: int
    tokens_out: int
    dollars: float | None


def cost_of(plan: SweepPlan, run: SweepRun, shard: str | None = None) -> RunCost:
    """Return what a run costs at most; `eval_models.set_prices` must have read the prices.

    Args:
        plan: the sweep.
        run: one of its runs.
        shard: the part of the rows that is run; None for all.

    Raises:
        UsageError: a repository is not fetched.
        RunError: a checkout cannot be made.
    """
    from inspect_ai.model import get_model_info

    context = plan.context()
    rows, tokens = _prompts(run.suite, run.setting, plan.split, plan.repo, plan.limit, shard, context)
    calls = rows * run.k
    tokens_in, tokens_out = tokens * run.k, calls * context.reserve
    if run.model.model.startswith("mlbench/"):  # baselines ask nothing
        return RunCost(calls, 0, 0, 0.0)
    about = get_model_info(run.model.model)
    price = about.cost if about else None
    dollars = None if price is None else (tokens_in * price.input + tokens_out * price.output) / 1e6
    return RunCost(calls, tokens_in, tokens_out, dollars)


@cache
def _prompts(
    suite: str, setting: str, split: str, repo: str | None, limit: int | None, shard: str | None, context: Context
) -> tuple[int, int]:
    """The number of rows, and the tokens of their prompts; models differ in neither."""
    loaded = load_suite(suite)
    folders: dict[str, Path] = checkouts_of(loaded, (repo,) if repo else ())
    rows, count, tokens = (
        select(loaded, split, repo=repo, limit=limit, shard=shard),
        counter(context.tokenizer).count,
        0,
    )
    for row in rows:
        name = loaded.repository_of(row.github_id).name
        prompt = render(row, folders[name], name, known_setting(setting), context, loaded.row(row.id).oracle)
        tokens += count(prompt.system) + count(prompt.user)
    return len(rows), tokens
