"""Every attack on an experiment, done for real: by the published actions, in the jail, before the task's own scorer.

Run: `python -m tests.mlagentbench.attack_experiments [--minutes N] [--again]`. What was done is kept in
`benchmarks/results/attacks_on_experiments.jsonl`: a run that was stopped goes on, `--again` does everything anew.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from inspect_ai import Task, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset
from inspect_ai.solver import Generate, Solver, TaskState, chain, solver
from inspect_ai.util import sandbox, store_as

from benchmarks.kept_runs import KeptRuns
from mlbench.agents.agent_run import AgentRun
from mlbench.evals.mlagentbench.actions import act, actions
from mlbench.evals.mlagentbench.data import place_of, prepared
from mlbench.evals.mlagentbench.problem import DATA_SEED, ResearchProblem, load_problem
from mlbench.evals.mlagentbench.snapshots import SnapshotStep, Steps
from mlbench.evals.mlagentbench.task import experiment, keep_steps
from mlbench.reasons import AgentOutcome
from mlbench.sandbox.limits import MIB
from mlbench.sandbox.submission import clock
from tests.mlagentbench.attack_types import Attack
from tests.mlagentbench.attacks import ATTACKS
from tests.mlagentbench.attacks_on_measures import STAYS

FOLDER = Path(__file__).parent / "attacked"
ROOM = {"memory": 512 * MIB, "written": 192 * MIB, "processes": 64}
DRAWN = 2**101 + 7
"""A seed as a run draws it."""
PART = 8
"""Attacks of one evaluation, of those that run in parts."""
_NOTHING = "nothing says so"


@dataclass(frozen=True)
class Outcome:
    """What became of an attack: the scorer's figures, and its last step before the final answer."""

    attack: Attack
    value: dict[str, float]
    score: float | None
    invalid: str
    last: SnapshotStep
    problems: tuple[str, ...] = ()

    def reported(self) -> str:
        """Where it is said that it failed: the grader's line, what the agent saw, the claim, or the score itself."""
        if self.invalid:
            return self.invalid
        if self.value["false_claim"]:
            return "a false claim"
        if self.last.error or self.attack.seen:
            text = self.last.observation.strip().splitlines()
            return f"{self.last.error or 'seen'}: {text[-1] if text else ''}"
        return _NOTHING if self.score is None else f"measured: {self.score:g}"

    def faults(self) -> Iterator[str]:
        """What of it is not as it must be."""
        attack = self.attack
        yield from self.problems
        if self.value["success"]:
            yield f"IT SUCCEEDED with {self.score}"
        if not re.search(attack.invalid, self.invalid):
            yield f"invalid: {self.invalid!r}, expected {attack.invalid!r}"
        if not re.search(attack.seen, self.last.observation):
            yield f"seen: {self.last.observation[-300:]!r}, expected {attack.seen!r}"
        if not re.fullmatch(attack.error, self.last.error):
            yield f"the kind of error is {self.last.error!r}, expected {attack.error!r}"
        if bool(self.value["false_claim"]) is not attack.false_claim:
            yield f"false claim: {bool(self.value['false_claim'])}, expected {attack.false_claim}"
        if self.reported() == _NOTHING:
            yield "it is not reported"


def outcomes(attacks: Sequence[Attack], folder: Path) -> list[Outcome]:
    """Do them all. The runs of a problem are one evaluation; problems of speed are graded one by one.

    Args:
        folder: where steps and logs are written.
    """
    found = []
    for name, drawn in sorted({(attack.problem, attack.drawn) for attack in attacks}):
        chosen = [attack for attack in attacks if (attack.problem, attack.drawn) == (name, drawn)]
        found += _of_problem(load_problem(FOLDER / name, seed=DRAWN if drawn else DATA_SEED), chosen, folder)
    return sorted(found, key=lambda each: attacks.index(each.attack))


def _of_problem(problem: ResearchProblem, attacks: Sequence[Attack], folder: Path) -> list[Outcome]:
    anyio.run(prepared, problem)
    before = _digest(problem)
    log = inspect_eval(
        _task(problem, attacks, folder),
        model="mockllm/model",
        log_dir=str(folder / "logs"),
        display="none",
        max_samples=4,
    )[0]
    assert log.status == "success", log.error
    by_name = {attack.name: attack for attack in attacks}
    shared = [*_alive(), *(["CHANGED: what everybody starts from"] if _digest(problem) != before else [])]
    found = []
    for sample in log.samples or []:
        assert sample.scores, sample.error
        score, kept = sample.scores["experiment"], Steps(folder / "steps" / "run" / f"{sample.id}-{sample.epoch}")
        said, values = score.metadata or {}, dict(score.value)  # type: ignore[arg-type]
        attack = by_name[str(sample.id)]
        problems = [*shared, *_record(attack, kept)]
        found.append(Outcome(attack, values, said["score"], said["invalid"], kept.read()[-2], tuple(problems)))
    return found


def _record(attack: Attack, kept: Steps) -> Iterator[str]:
    """What is wrong with the record: it goes on whatever an attack does, and knows of no change that must not be."""
    steps = kept.read()
    if len(steps) != len(attack.does) + 1:
        yield f"of {len(attack.does) + 1} steps, {len(steps)} are recorded"
    for step in steps:
        if set(load_problem(FOLDER / attack.problem).read_only) & {*step.changed, *step.removed}:
            yield f"CHANGED: {step.changed} {step.removed}"
    if not steps[-1].unkept:
        kept.restore(len(steps))


def _task(problem: ResearchProblem, attacks: Sequence[Attack], folder: Path) -> Task:
    task = experiment(
        [str(problem.folder)],
        agent="trivial",
        data_seed=problem.data_seed,
        sandbox_limits=ROOM,
        steps_dir=str(folder / "steps"),
    )
    [sample] = task.dataset
    samples = [sample.model_copy(update={"id": attack.name}) for attack in attacks]
    by_name = {attack.name: attack for attack in attacks}
    return task_with(
        task,
        dataset=MemoryDataset(samples),
        solver=chain(keep_steps(str(folder / "steps"), "run"), attacking(by_name)),
    )


@solver
def attacking(attacks: dict[str, Attack]) -> Solver:
    """Do what the sample's attack does, and end."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        attack, work = attacks[str(state.sample_id)], store_as(AgentRun)
        work.since, work.outcome = await clock(sandbox()), AgentOutcome.ENDED
        tools = actions(load_problem(FOLDER / attack.problem))
        for each in attack.does:
            await act(tools, each.action, each.inputs)
        await act(tools, "Final Answer", {"final_answer": "done", **attack.claim})
        return state

    return solve


def _digest(problem: ResearchProblem) -> str:
    """SHA-256 of the files from which everybody starts."""
    folder = place_of(problem).workspace
    found = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        found.update(file.name.encode() + (file.read_bytes() if file.is_file() else b""))
    return found.hexdigest()


def _alive() -> Iterator[str]:
    """Processes that an attack left on the machine."""
    for name in os.listdir("/proc"):
        with suppress(OSError):
            if name.isdigit() and STAYS.encode() in Path("/proc", name, "cmdline").read_bytes().split(b"\0"):
                yield f"STILL RUNS: {name}"


def in_parts(attacks: Sequence[Attack], kept: KeptRuns, folder: Path) -> Iterator[tuple[Attack, dict[str, Any]]]:
    """Do a few at a time those that were not done yet, and yield what is known of each."""
    missing = [attack for attack in attacks if kept.get(_key(attack)) is None]
    missing.sort(key=lambda attack: attack.problem)
    for at in range(0, len(missing), PART):
        part = missing[at : at + PART]
        if not kept.may_begin():
            continue
        for each in outcomes(part, folder / str(at)):
            run = {"success": each.value["success"], "reported": each.reported()[:200], "faults": list(each.faults())}
            kept.keep(_key(each.attack), run)
    for attack in attacks:
        if run := kept.get(_key(attack)):
            yield attack, run


def _key(attack: Attack) -> str:
    return f"{attack.name} {hashlib.sha256(repr(attack).encode()).hexdigest()[:16]}"


def main() -> int:
    """Print the table. 0 where every attack failed and was reported, else 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, metavar="N", help="begin no further part after that")
    parser.add_argument("--again", action="store_true", help="forget what was done before")
    args = parser.parse_args()
    kept = KeptRuns("attacks_on_experiments", args.minutes, again=args.again)
    with tempfile.TemporaryDirectory(prefix="mlbench-attacks-") as folder:
        found = list(in_parts(ATTACKS, kept, Path(folder)))
    width = max(len(attack.name) for attack in ATTACKS)
    for attack, run in found:
        print(f"{attack.group:10}  {attack.name:{width}}  {'; '.join(run['faults']) or run['reported'][:110]}")
    wrong = sum(bool(run["faults"]) for _, run in found)
    print(f"{len(found)} of {len(ATTACKS)} attacks on experiments; ", end="")
    print(f"succeeded {sum(bool(run['success']) for _, run in found)}; not as it must be {wrong}")
    return int(bool(wrong) or len(found) < len(ATTACKS))


if __name__ == "__main__":
    sys.exit(main())
