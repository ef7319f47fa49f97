"""What each improvement of ML-Agent brings: the scripted engineer on pocket, with the flags on and off.

Bounds: the repository is chosen rightly in 95 % of all rows at least, and with the check strictly more rows (of the
split `quarter`) are solved than without it. A model that cannot call tools solves as many rows as one that can.
`--rows N` takes fewer, spread over the split.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from dataclasses import asdict, dataclass

from inspect_ai import eval as inspect_eval
from inspect_ai.agent import as_solver
from inspect_ai.log import EvalLog

from benchmarks.record import Figure, record
from mlbench.agents.ml_agent import KEY, PAPER, MLAgentOptions, ml_agent
from mlbench.evals.ml_llm_bench.task import llm_bench
from mlbench.records import Policy
from tests.scripted_agent.server import Engineer
from tests.scripted_agent.toolless import written

VARIANTS = {
    "the paper's": PAPER,
    "stop early": MLAgentOptions(readme_first=False, check=False),
    "README first": MLAgentOptions(stop_early=False, check=False),
    "check": MLAgentOptions(stop_early=False, readme_first=False),
    "all": MLAgentOptions(),
}
LEAST_CHOSEN = 0.95


@dataclass(frozen=True)
class Tried:
    """Shares of the rows; steps, opened files and thousands of tokens sent, a row. `solved` only where it is judged."""

    solved: float
    chosen: float
    steps: float
    opened: float
    tokens: float


def tried(engineer: Engineer, options: MLAgentOptions, repository: str, rows: int | None) -> Tried:
    """One evaluation: of pocket's `quarter` where the repository is given, else of the choice alone, in all rows."""
    given = repository == "given"
    task = llm_bench(suite="pocket", split="quarter" if given else "full", limit=rows, cache=False, judged=given)
    task.solver = as_solver(ml_agent("pocket", repository, asdict(options)))
    with tempfile.TemporaryDirectory() as folder:
        (log,) = inspect_eval(
            task,
            model="openai-api/engineer/competent",
            model_base_url=engineer.url,
            model_args={"api_key": "none"},
            log_dir=folder,
            display="none",
        )
        return _summed(log)


def _summed(log: EvalLog) -> Tried:
    """While its file is there: samples are read when they are asked for."""
    if log.status != "success" or not log.samples:
        raise SystemExit(f"the run failed: {log.error.message if log.error else 'no samples'}")
    solved = chosen = steps = opened = tokens = 0.0
    for sample in log.samples:
        result = (sample.output.metadata or {})[KEY]
        if sample.scores:
            score = sample.scores["judge"].value
            assert isinstance(score, dict)
            solved += float(str(score[Policy.STRICT.value]))
        chosen += result["repository"] == sample.metadata["repository"]
        steps += result["costs"]["steps"]
        opened += result["costs"]["opened"]
        tokens += result["costs"]["tokens_in"] / 1000
    return Tried(*(figure / len(log.samples) for figure in (solved, chosen, steps, opened, tokens)))


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=None)
    rows = parser.parse_args().rows
    os.environ.setdefault("INSPECT_LOG_LEVEL", "error")
    with Engineer() as engineer:
        given = {name: tried(engineer, options, "given", rows) for name, options in VARIANTS.items()}
        choosing = tried(engineer, VARIANTS["README first"], "choose", rows)
    with Engineer(think=written) as toolless:
        given["all, in text"] = tried(toolless, VARIANTS["all"], "given", rows)
    figures = [Figure("repository chosen rightly", choosing.chosen, LEAST_CHOSEN, "of rows", at_most=False)]
    for name, found in given.items():
        least = {"check": "the paper's", "all, in text": "all"}.get(name)
        bound = given[least].solved if least else None
        figures += [
            Figure(f"{name}: solved", found.solved, bound, "of rows", at_most=False),
            Figure(f"{name}: steps", found.steps, None, "a row"),
            Figure(f"{name}: files opened", found.opened, None, "a row"),
            Figure(f"{name}: tokens sent", found.tokens, None, "thousand a row"),
        ]
    more = given["check"].solved > given["the paper's"].solved and given["all"].solved > given["README first"].solved
    if not more:
        print("with the check no more rows are solved than without it", file=sys.stderr)
    return record("ml_agent", figures) and more


if __name__ == "__main__":
    sys.exit(not main())
