"""Logs of experiments, made by running: a small task with a scripted model and a scorer of the same name and shape.

Each attempt goes as its `Way` says. A call of the model takes 90 tokens in and 10 out, and costs 10 cents where its
prices are known. The starter of a problem scores 0.5, its reference 0.9; for `speed`, less is better.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai import Epochs, Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample as InspectSample
from inspect_ai.model import (
    CachePolicy,
    GenerateConfig,
    ModelCost,
    ModelInfo,
    ModelOutput,
    ModelUsage,
    get_model,
    set_model_info,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from mlbench.evals.mlagentbench.problem import ProblemMetric
from mlbench.results.models import NO_MODEL

PRICED, UNPRICED = "mockllm/priced", "mockllm/unpriced"
STARTER, REFERENCE = 0.5, 0.9
PUBLISHED = {"GPT-4": 25.0, "Claude 3 Opus": 62.5, "baseline": 0.0}
METRICS = {
    "cifar10": ProblemMetric(name="accuracy", better="higher", perfect=1.0),
    "house-price": ProblemMetric(name="mean absolute error", better="lower", unit="dollars"),
}


@dataclass(frozen=True)
class Way:
    """How an attempt goes: the score that it leaves (None: nothing valid), what it claims, how it ends."""

    score: float | None
    claim: float | None = None
    outcome: str = "ended"
    lost: bool = False
    progress: Sequence[float | None] = ()
    errors: Mapping[str, int] | None = None
    folder: str = ""
    words: str = "Done."
    starter: float = STARTER
    suspect: bool = False
    mark: float | None = None


@solver
def scripted(ways: Mapping[str, Sequence[Way]], calls: int) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if ways[str(state.sample_id)][state.epoch - 1].lost:
            raise RuntimeError("the sandbox went away")
        for _ in range(calls):
            state = await generate(state)
        return state

    return solve


@scorer(metrics={"*": [mean()]}, name="experiment")
def graded(ways: Mapping[str, Sequence[Way]], calls: int) -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        name = str(state.sample_id)
        return _score(METRICS[name], ways[name][state.epoch - 1], calls)

    return score


def _score(metric: ProblemMetric, way: Way, calls: int) -> Score:
    improvement = None if way.score is None else metric.improvement(way.score, way.starter)
    reached = 0.0 if way.score is None else (way.score - way.starter) / (REFERENCE - way.starter)
    false = way.claim is not None and (way.score is None or metric.improvement(way.claim, way.score) > 0.1)
    return Score(
        value={
            "success": float(improvement is not None and improvement > 0.1 and reached > (way.mark or -9.0)),
            "valid": float(way.score is not None),
            "improvement": improvement or 0.0,
            "scale": reached,
            "suspect": float(way.suspect),
            "false_claim": float(false),
        },
        answer=way.words,
        metadata={
            "score": way.score,
            "invalid": "" if way.score is not None else "submission.csv: id 17 stands twice",
            "improvement": improvement,
            "number_claim": None if way.claim is None else [f"{way.claim}", way.claim, way.score, false],
            "outcome": way.outcome,
            "detail": "KeyError: 'x'" if way.outcome == "crashed" else "",
            "steps": calls,
            "seconds": 12.5,
            "tokens": 100 * calls,
            "starter": {"mean": way.starter, "spread": 0.01, "n": 3},
            "reference": REFERENCE,
            "trivial": None,
            "floor": REFERENCE,
            "mark": way.mark,
            "folder": way.folder,
            "progress": [[number, at] for number, at in enumerate(way.progress)],
            "actions": {"Execute Script": 2},
            "errors": dict(way.errors or {}),
        },
    )


def experiment_log(
    folder: Path,
    ways: Mapping[str, Sequence[Way]],
    *,
    model: str = PRICED,
    agent: str = "research_agent",
    calls: int = 2,
    data: str = "lite",
    names: Mapping[str, str] | None = None,
    kept: CachePolicy | None = None,
) -> Path:
    """Run the problems, an attempt for each way, and give the log; replies are `kept`, and read, where it says so."""
    samples = [
        InspectSample(
            id=name,
            input=f"Improve {name}.",
            metadata={
                "problem": (names or {}).get(name, name),
                "title": name.title(),
                "domain": "tabular",
                "metric": METRICS[name].model_dump(),
                "published": PUBLISHED,
                "lite": "generated data",
            },
        )
        for name in ways
    ]
    asks = model != NO_MODEL
    task = Task(
        name="mlbench/experiment",
        dataset=samples,
        solver=scripted(ways, calls if asks else 0),
        scorer=graded(ways, calls if asks else 0),
        epochs=Epochs(max(map(len, ways.values())), "mean"),
        config=GenerateConfig(cache=kept),
        version="1",
        metadata={
            "experiment": True,
            "suite": "experiments",
            "suite_version": "1",
            "agent": agent,
            "helper": None,
            "data": data,
            "problems": list(ways),
            "work": {},
            "run": "run",
        },
    )
    price = ModelCost(input=1000, output=1000, input_cache_read=0, input_cache_write=0)  # dollars a million
    set_model_info(PRICED, ModelInfo(cost=price))
    logs = inspect_eval(
        task,
        model=get_model(model, custom_outputs=_reply) if asks else model,
        log_dir=str(folder),
        fail_on_error=False,
        display="none",
    )
    return Path(logs[0].location.removeprefix("file://"))


def _reply(*_: Any) -> ModelOutput:
    output = ModelOutput.from_content("scripted", "I think. I reached 0.9.")
    output.usage = ModelUsage(input_tokens=90, output_tokens=10, total_tokens=100)
    return output


def steps_in(folder: Path, steps: Sequence[Mapping[str, Any]]) -> str:
    """Steps as a run keeps them."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [{"number": number, "inputs": {}, "observation": "", **step} for number, step in enumerate(steps)]
    (folder / "steps.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(folder)
