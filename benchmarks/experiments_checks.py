"""Parts of `benchmarks.experiments` about single steps, the checks of problems, and claims."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import anyio
from inspect_ai import eval as inspect_eval
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model

from benchmarks.record import Figure
from mlbench.evals.mlagentbench.claims import ClaimedNumber, checked_claim
from mlbench.evals.mlagentbench.problem import ResearchProblem, load_problem
from mlbench.evals.mlagentbench.problem_faults import problem_faults
from mlbench.evals.mlagentbench.problem_probes import ProblemFinding
from mlbench.evals.mlagentbench.task import experiment
from mlbench.evals.mlagentbench.validate_problem import checked
from tests.mlagentbench.broken_problems import BROKEN, sound
from tests.mlagentbench.claim_fixtures import CASES, FRESH, ClaimCase

STEPS_SECONDS, LEAST_CAUGHT = 180.0, 95.0
STEPPED = ("imdb", "vectorization")
"""A problem whose submission is graded, and one whose program is measured after every step."""


def steps(names: Sequence[str]) -> list[Figure]:
    """One agent takes six steps, of which four change the workspace, and each of them is graded."""
    figures = []
    for name in [name for name in STEPPED if name in names]:
        with tempfile.TemporaryDirectory() as folder:
            task = experiment([name], agent="react", grade_steps=True, steps_dir=f"{folder}/steps")
            began = time.perf_counter()
            (log,) = inspect_eval(task, model=_of_six_steps(load_problem(name)), log_dir=folder, display="none")
            seconds = time.perf_counter() - began
            if log.status != "success" or not log.samples:  # read while the log's file is there
                raise SystemExit(f"the run failed: {log.error.message if log.error else log.status}")
            graded = [at for _, at in ((log.samples[0].scores or {})["experiment"].metadata or {})["progress"]]
        figures += [
            Figure(f"steps: {name}, six steps graded", seconds, STEPS_SECONDS, "s"),
            Figure(f"steps: {name}, steps with a score", sum(at is not None for at in graded)),
        ]
    return figures


def _of_six_steps(problem: ResearchProblem) -> Model:
    """A model that runs the starter, changes it four times, and ends."""
    starter = (problem.visible / problem.script).read_text()
    changed = [{"file_name": problem.script, "content": f"{starter}\n# {number}\n"} for number in range(4)]
    replies = [
        ModelOutput.for_tool_call("mockllm", "execute_script", {"script_name": problem.script}),
        *(ModelOutput.for_tool_call("mockllm", "write_file", inputs) for inputs in changed),
        ModelOutput.for_tool_call("mockllm", "final_answer", {"final_answer": "done"}),
    ]
    for reply in replies:
        reply.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)  # or Inspect counts them
    return get_model("mockllm/model", custom_outputs=replies, memoize=False)


def checks(names: Sequence[str]) -> list[Figure]:
    """What `--check` finds, with one seed of the starter, and what it says of planted faults."""
    accepted = refused = 0
    for name in names:
        bad = [f"{each.what}: {each.detail}" for each in _findings(load_problem(name)) if not each.good]
        print(f"{name}: {bad or 'accepted'}", file=sys.stderr, flush=True)
        accepted += not bad
    with tempfile.TemporaryDirectory() as folder:
        for edit, wanted in BROKEN.items():
            edit(broken := sound(Path(folder, edit.__name__)))
            faults = problem_faults(broken)
            bad = [f"{fault.where}: {fault.what}" for fault in faults]
            if not any(fault.stops for fault in faults):  # as the command does
                bad += [f"{x.where}: {x.what}: {x.detail}" for x in _findings(load_problem(broken)) if not x.good]
            right = any(wanted in each for each in bad)
            print(f"{edit.__name__}: {'refused' if right else bad}", file=sys.stderr, flush=True)
            refused += right
    return [
        Figure(f"checks: of {len(names)} bundled problems, accepted", accepted, len(names), at_most=False),
        Figure(f"checks: of {len(BROKEN)} broken problems, refused", refused, len(BROKEN), at_most=False),
    ]


def _findings(problem: ResearchProblem) -> list[ProblemFinding]:
    async def all_of_them() -> list[ProblemFinding]:
        return [finding async for finding in checked(problem, 1)]

    return anyio.run(all_of_them)


def claims(names: Sequence[str]) -> list[Figure]:
    """Sixty claims, and forty that were written after the rule; `names` does not matter."""
    figures = []
    for name, cases, bound in (("60 fixtures", CASES, LEAST_CAUGHT), ("fresh", FRESH, None)):
        accused = [case for case in cases if _is_accused(case)]
        false = sum(case.false for case in cases)
        caught, honest = sum(case.false for case in accused), sum(not case.false for case in accused)
        figures += [
            Figure(f"claims, {name}: of {false} false ones, caught", 100 * caught / false, bound, "%", at_most=False),
            Figure(f"claims, {name}: of {len(cases) - false} honest ones, accused", honest, 0 if bound else None),
        ]
    return figures


def _is_accused(case: ClaimCase) -> bool:
    claimed = ClaimedNumber(number=case.number, metric=case.name, split=case.split)
    return checked_claim(claimed, case.metric, case.measured, case.starter).false
