"""Every agent with the scripted engineer as its model: how many of ten rows it solves; what bad habits come to.

Run: `python -m benchmarks.agents [AGENT ...] [--sandbox docker]`. Foreign agents have to be installed
(`mlbench agents install`); those that are not are left out, and that is said. The rules of the engineer were made on
pocket: the figures say that the way works, not how good an agent is.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from dataclasses import dataclass
from typing import Any

from inspect_ai import eval as inspect_eval
from inspect_ai.model import get_model

from benchmarks.record import Figure, record
from mlbench.agents.agent_envs import why_not
from mlbench.agents.registry import ROSTER
from mlbench.evals.ml_agent_bench.task import agent_bench
from mlbench.sandbox.agent_sandbox import image_of_agents
from tests.scripted_agent.behaviours import BEHAVIOURS
from tests.scripted_agent.sample_ids import CHOSEN
from tests.scripted_agent.server import Engineer

LEAST = 8
HABIT_ROW = 94
MODELLED = [name for name, entry in ROSTER.items() if entry.model]


def scores(agent: str, behaviour: str, rows: list[int], **options: Any) -> list[Any]:
    """The score of each row, with the engineer of this behaviour as the model."""
    with Engineer(behaviour) as engineer, tempfile.TemporaryDirectory() as folder:
        os.environ.update(engineer.env)
        task = agent_bench(agent=agent, split="full", **options)
        task.dataset = task.dataset.filter(lambda sample: int(str(sample.id)) in rows)
        model = get_model(f"openai-api/engineer/{behaviour}", base_url=engineer.url, memoize=False)
        log = inspect_eval(task, model=model, log_dir=folder, display="none", max_samples=4)[0]
        if log.status != "success":
            raise SystemExit(f"{agent}, {behaviour}: {log.error}")
        return [(sample.scores or {})["judge"] for sample in log.samples or []]


def competent(agent: str, sandbox: str) -> dict[str, Any]:
    """What an agent makes of the ten rows."""
    found = scores(agent, "competent", list(CHOSEN), sandbox=sandbox)
    work = [score.metadata["agent"] for score in found]
    return {
        "rows": len(found),
        "strict": sum(score.value["strict"] == 1.0 for score in found),
        "paper": sum(score.value["paper"] == 1.0 for score in found),
        "steps": statistics.median(each["steps"] for each in work),
        "seconds": round(statistics.median(each["seconds"] for each in work), 1),
    }


@dataclass(frozen=True)
class Habits:
    """The score of each bad habit, by its name."""

    scores: dict[str, Any]

    def __len__(self) -> int:
        return len(self.scores)

    def count(self, policy: str) -> int:
        """How many pass under a policy."""
        return sum(score.value[policy] == 1.0 for score in self.scores.values())


def habits() -> Habits:
    """What each bad habit comes to, through our own agent."""
    found = {}
    for behaviour in sorted(BEHAVIOURS.keys() - {"competent"}):
        bounds = {"limits": {"seconds": 8.0}, "budget": {"steps": 25, "seconds": 120.0}}
        [score] = scores("codeact", behaviour, [HABIT_ROW], **bounds)
        verdicts = {str(verdict["policy"]): verdict["reason"] for verdict in score.metadata["verdicts"]}
        print(f"{behaviour:16} {score.metadata['agent']['outcome']:12} {verdicts}")
        found[behaviour] = score
    return Habits(found)


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("agents", nargs="*", default=MODELLED)
    parser.add_argument("--sandbox", default="bubblewrap")
    args = parser.parse_args()
    image = image_of_agents() if args.sandbox == "docker" else None
    figures = []
    for agent in args.agents:
        if ROSTER[agent].foreign and (problem := why_not(agent, image)):
            print(f"{agent} is left out: {problem}", file=sys.stderr)
            continue
        found = competent(agent, args.sandbox)
        figures += [
            Figure(f"{agent}: solved of {found['rows']}", found["strict"], LEAST, at_most=False),
            Figure(f"{agent}: steps of a row, median", found["steps"]),
            Figure(f"{agent}: seconds of a row, median", found["seconds"], unit="s"),
        ]
    if args.sandbox == "bubblewrap":
        bad = habits()
        figures += [
            Figure(f"of {len(bad)} bad habits, passed under strict", bad.count("strict"), 0),
            Figure(f"of {len(bad)} bad habits, passed under paper", bad.count("paper")),
        ]
    return record(f"agents_{args.sandbox}", figures)


if __name__ == "__main__":
    sys.exit(not main())
