"""Every agent with the scripted engineer as its model: how many of ten rows it solves; what bad habits come to.

Run: `python -m benchmarks.agents [AGENT ...] [--sandbox docker]`. Foreign agents have to be installed
(`mlbench agents install`); those that are not are left out, and that is said. The rules of the engineer were made on
pocket: the figures say that the way works, not how good an agent is.

`python -m benchmarks.agents --baselines` judges submissions without any model instead: on every row of `quarter`, the
reference and an empty workspace (ml-bench under `interface`, pocket under `strict`), and on some rows of ml-bench the
cheats of `agent_cheats.py`. `--suite NAME` measures one of the two.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio
from inspect_ai import eval as inspect_eval
from inspect_ai.model import get_model

from benchmarks.agent_cheats import cheats_of
from benchmarks.record import Figure, record
from mlbench.agents.agent_envs import why_not
from mlbench.agents.registry import ROSTER
from mlbench.evals.ml_agent_bench.baselines import baselines, judged_work
from mlbench.evals.ml_agent_bench.scorer import AgentScorer
from mlbench.evals.ml_agent_bench.task import agent_bench, trial_runtime
from mlbench.records import Policy
from mlbench.sandbox.agent_sandbox import image_of_agents
from mlbench.suites.selection import select
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


BASELINES = {"ml-bench": Policy.INTERFACE, "pocket": Policy.STRICT}
CHEATED_ROWS = 9


def baseline_figures(suite: str, policy: Policy) -> list[Figure]:
    """What the reference and an empty workspace come to on the rows of `quarter`."""
    runtime = trial_runtime(suite, policy=policy)
    rows = select(runtime.suite, "quarter")
    found = anyio.run(partial(baselines, runtime, rows))
    for each in found:
        if each.gold or each.nothing:
            print(f"{suite}, row {each.row}: {each.gold or 'an empty workspace passes'}")
    title = f"{suite}, {policy.value}: of {len(rows)} rows"
    return [
        Figure(f"{title}, the reference passes", sum(not each.gold for each in found), len(rows), at_most=False),
        Figure(f"{title}, an empty workspace passes", sum(each.nothing for each in found), 0),
    ]


def cheat_figures(suite: str, policy: Policy) -> list[Figure]:
    """How many cheats pass on some rows of `quarter`."""
    runtime = trial_runtime(suite, policy=policy)
    rows = select(runtime.suite, "quarter", limit=CHEATED_ROWS)

    async def judge_all() -> list[str]:
        core, passed, count = AgentScorer(runtime), [], 0
        try:
            for row in rows:
                for name, cheat in cheats_of(row):
                    verdict = (await judged_work(core, row, cheat.leave)).verdicts[0]
                    passed += [f"{row.id}: {name}"] if verdict.passed else []
                    count += 1
        finally:
            await core.close()
        return [str(count), *passed]

    count, *passed = anyio.run(judge_all)
    print("\n".join(f"passed: {each}" for each in passed))
    return [Figure(f"{suite}, {policy.value}: of {count} cheats on {len(rows)} rows, passed", len(passed), 0)]


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("agents", nargs="*", default=MODELLED)
    parser.add_argument("--sandbox", default="bubblewrap")
    parser.add_argument("--baselines", action="store_true")
    parser.add_argument("--suite", choices=sorted(BASELINES))
    args = parser.parse_args()
    if args.baselines:
        chosen = {name: BASELINES[name] for name in ([args.suite] if args.suite else BASELINES)}
        found = [figure for suite, policy in chosen.items() for figure in baseline_figures(suite, policy)]
        found += cheat_figures("ml-bench", Policy.INTERFACE) if "ml-bench" in chosen else []
        return record(f"agents_baselines{'_' + args.suite if args.suite else ''}", found)
    image = image_of_agents() if args.sandbox == "docker" else None
    figures = []
    for agent in args.agents:
        if ROSTER[agent].foreign and (problem := why_not(agent, image)):
            print(f"{agent} is left out: {problem}", file=sys.stderr)
            continue
        solved = competent(agent, args.sandbox)
        figures += [
            Figure(f"{agent}: solved of {solved['rows']}", solved["strict"], LEAST, at_most=False),
            Figure(f"{agent}: steps of a row, median", solved["steps"]),
            Figure(f"{agent}: seconds of a row, median", solved["seconds"], unit="s"),
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
