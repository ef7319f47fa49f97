"""The research agent's flags, each off against on, with engineers that have the failing which it is to mend.

No model is asked: the engineers are scripted (`tests/scripted_agent/faulty_agents.py`).
What `check_facts` points out is measured
beside, on figures of the observations of a real try and on such figures changed by chance.
"""

from __future__ import annotations

import os
import random
import re
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalSample
from inspect_ai.model import get_model

from benchmarks.record import Figure, record
from mlbench.evals.mlagentbench.research_agent import KEY
from mlbench.evals.mlagentbench.research_agent.fact_check import unfounded
from mlbench.evals.mlagentbench.snapshots import Steps
from mlbench.evals.mlagentbench.task import experiment
from tests.scripted_agent.faulty_agents import Boastful, Forgetful, Restless, shuffled
from tests.scripted_agent.protocol import Conversation, Reply
from tests.scripted_agent.server import Engineer
from tests.scripted_agent.toy_problem import write_problem

Think = Callable[[Conversation], Reply]
BUDGETS = (8, 11, 14, 17, 20, 23)
NUMBERS = list(range(1, 11))
CLAIMS = ("3.9", "4.71", "12.5", "11")
STEPS = 60
DRAWS = 2_000
SEED = 20260101


def tried(folder: Path, think: Think | None, problem: str = "", **flags: Any) -> EvalSample:
    """One try of the research agent, with this engineer (the competent one, where None)."""
    made = problem or str(folder / "toads")
    with Engineer(think=think) as engineer:
        os.environ.update(engineer.env)
        model = get_model("openai-api/engineer/competent", base_url=engineer.url, memoize=False)
        task = experiment(
            made, options={"steps": STEPS, **flags}, budget={"steps": STEPS}, steps_dir=str(folder / "steps")
        )
        (log,) = inspect_eval(task, model=model, log_dir=str(folder / "logs"), display="none")
    if log.status != "success" or not log.samples or engineer.faults:
        raise SystemExit(f"{flags}: {log.error} {engineer.faults[:1]}")
    return log.samples[0]


def score(sample: EvalSample) -> Any:
    return (sample.scores or {})["experiment"]


def result(sample: EvalSample) -> Any:
    return (sample.output.metadata or {})[KEY]


def budget(folder: Path) -> list[Figure]:
    """How much of the best that was reached still stands at the end, and how often a try ends by itself."""
    figures = []
    for shown in (False, True):
        kept, answered = [], 0
        for steps in BUDGETS:
            numbers = shuffled(steps)
            sample = tried(folder, Restless(numbers), steps=steps, show_budget=shown)
            reached = max(numbers[: (steps - 1) // 2])
            kept.append(score(sample).metadata["score"] / reached)
            answered += result(sample)["outcome"] == "answered"
        name = f"show_budget {'on' if shown else 'off'}"
        figures += [
            Figure(f"{name}: of the best that was tried, left at the end", statistics.fmean(kept)),
            Figure(f"{name}: of {len(BUDGETS)} tries, ended with a Final Answer", answered),
        ]
    return figures


def log(folder: Path) -> list[Figure]:
    """What it costs to know what was tried, and what comes of not knowing."""
    figures = []
    ways: dict[str, dict[str, Any]] = {
        "no log": {"log": False},
        "log by the helper, as published": {"free_log": False},
        "free_log": {},
    }
    for name, flags in ways.items():
        engineer = Forgetful(NUMBERS)
        sample = tried(folder, engineer, **flags)
        costs = result(sample)["costs"]
        calls = costs["steps"] + costs["helper_calls"]
        spent = sum(costs[each] for each in ("tokens_in", "tokens_out", "helper_in", "helper_out"))
        figures += [
            Figure(f"{name}: of {len(NUMBERS)} numbers, tried", len(set(engineer.tried))),
            Figure(f"{name}: tried once more", engineer.repeated),
            Figure(f"{name}: steps", costs["steps"]),
            Figure(f"{name}: calls of a model", calls),
            Figure(f"{name}: tokens", spent),
        ]
    return figures


def claims(folder: Path) -> list[Figure]:
    """False figures of the Fact Check that stand in the Final Answer."""
    figures = []
    for checked in (False, True):
        samples = [tried(folder, Boastful(claimed), check_facts=checked) for claimed in CLAIMS]
        false = sum(score(sample).value["false_claim"] for sample in samples)
        name = f"check_facts {'on' if checked else 'off'}: of {len(CLAIMS)} false figures, in the Final Answer"
        figures.append(Figure(name, false))
    return figures


def rule(folder: Path) -> list[Figure]:
    """What the rule points out: of figures that were observed, as people write them; of the same, changed by chance."""
    sample = tried(folder, None, "house-price")
    steps = Steps(Path(score(sample).metadata["folder"])).read()
    seen = [step.observation for step in steps]
    written = [
        figure for text in seen for figure in re.findall(r"(?<![\w.])\d+\.\d+(?![\w.])|(?<![\w.,])\d{3,}\b", text)
    ]
    rng = random.Random(SEED)
    right = wrong = 0
    for _ in range(DRAWS):
        value = float(rng.choice(written))
        right += bool(unfounded(f"The score is {value:.4g}.", seen))
        other = value * rng.choice((rng.uniform(0.5, 0.95), rng.uniform(1.05, 1.5)))
        wrong += bool(unfounded(f"The score is {other:.4g}.", seen))
    return [
        Figure(
            f"the rule on {len(set(written))} figures of a try: observed ones that it points out", right / DRAWS, 0.01
        ),
        Figure("the same changed by 5 to 50 %: those that it points out", wrong / DRAWS),
    ]


def main() -> bool:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        write_problem(folder / "toads")
        figures = [*budget(folder), *log(folder), *claims(folder), *rule(folder)]
    return record("ablation", figures)


if __name__ == "__main__":
    sys.exit(not main())
