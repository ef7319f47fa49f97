"""Judge the references of a run's rows, and an empty workspace, before an agent works on them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial

import anyio
from inspect_ai.util import SandboxEnvironment

from mlbench.agents.agent_run import AgentRun
from mlbench.agents.baselines import leave_reference
from mlbench.evals.ml_agent_bench.scorer import AgentScorer
from mlbench.interface_check.verdict_cache import VerdictCache
from mlbench.reasons import AgentOutcome
from mlbench.records import RunError, Sample
from mlbench.repositories.agent_env import Pin, pins_of
from mlbench.repositories.environments import bare_environment, environment
from mlbench.sandbox.bubblewrap import BubblewrapConfig, BubblewrapSandbox
from mlbench.sandbox.submission import clock, left
from mlbench.score_records import ScoreRecord
from mlbench.scoring.runtime import SuiteRuntime

_NAMED = 5

Work = Callable[[SandboxEnvironment, Sample], Awaitable[None]]
"""What an agent without a model does in its sandbox."""


@dataclass(frozen=True)
class BaselineResult:
    """The verdicts of the two baselines on one row.

    Attributes:
        row: its `id`.
        gold: why the reference fails; empty if it passes.
        nothing: whether an empty workspace passes.
    """

    row: int
    gold: str
    nothing: bool


def refuse_unsolvable(runtime: SuiteRuntime, rows: Sequence[Sample]) -> None:
    """Refuse rows whose reference fails, or that an empty workspace passes. Results are kept on disk.

    Args:
        runtime: the machine that judges the run.
        rows: the rows of the run.

    Raises:
        RunError: there are such rows; says which and why.
    """
    with ThreadPoolExecutor(1) as thread:  # an event loop may be running in this thread
        found = thread.submit(anyio.run, partial(baselines, runtime, rows)).result()
    if wrong := [each for each in found if each.nothing]:
        raise RunError(f"{_rows(runtime, wrong)} pass with an empty workspace: no agent can be judged on them")
    if wrong := [each for each in found if each.gold]:
        raise RunError(
            f"{_rows(runtime, wrong)} cannot be solved here, because their references fail: {wrong[0].gold};"
            " leave them out (--repo, --split), or see `mlbench suites check`"
        )


async def baselines(runtime: SuiteRuntime, rows: Sequence[Sample]) -> list[BaselineResult]:
    """Judge the reference and an empty workspace on each row, as submissions of agents."""
    facts = runtime.suite.log_metadata, runtime.limits.model_dump(), str(runtime.environment), runtime.policies
    cache = VerdictCache("agent baselines", *facts)
    core = AgentScorer(runtime)
    room = anyio.CapacityLimiter(runtime.workers)
    results: list[BaselineResult] = []

    async def one(sample: Sample) -> None:
        repository = runtime.suite.repository_of(sample.github_id).name
        place = [runtime.checkouts[repository].name, runtime.executes(sample.id)]

        async def make() -> dict[str, object]:
            nothing = await judged_work(core, sample, _nothing)
            try:
                gold = _fault(await judged_work(core, sample, leave_reference))
            except RunError as error:  # under strict, the run of a reference that fails has no verdict
                gold = str(error)
            return {"gold": gold, "nothing": nothing.verdicts[0].passed}

        async with room:
            result, _ = await cache.once([asdict(sample), *place], make, lambda found: not found["gold"])
        results.append(BaselineResult(sample.id, str(result["gold"]), bool(result["nothing"])))

    try:
        async with anyio.create_task_group() as tasks:
            for sample in rows:
                tasks.start_soon(one, sample)
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None
    finally:
        await core.close()
    return sorted(results, key=lambda each: each.row)


async def judged_work(core: AgentScorer, sample: Sample, work: Work) -> ScoreRecord:
    """Judge what some work leaves in a fresh sandbox of an agent. The suite's packages count as installed.

    Args:
        core: the scorer of the suite.
        sample: the row.
        work: what is done in the sandbox.

    Raises:
        SandboxUnavailableError: the sandbox failed.
        RunError: the row's reference fails here.
    """
    machine = core.place
    repository = machine.suite.repository_of(sample.github_id).name
    folder = str(machine.checkouts[repository])
    box = BubblewrapSandbox(BubblewrapConfig(repository=folder, environment=str(bare_environment())))
    try:
        since = await clock(box)
        await work(box, sample)
        submission = replace(await left(box, since), packages=_packages(machine))
        return await core.judged(sample, repository, box, submission, AgentRun(outcome=AgentOutcome.ENDED), "gold")
    finally:
        await box.close()


async def _nothing(box: SandboxEnvironment, sample: Sample) -> None:
    """Leave the workspace empty."""


def _packages(machine: SuiteRuntime) -> tuple[Pin, ...]:
    """The packages of the suite's own environment; none if it has no environment, or nothing is run."""
    if not (machine.suite.executable and machine.execute):
        return ()
    folder = machine.environment or environment(machine.suite.requirements)
    return pins_of(each.name for each in folder.glob("lib/python*/site-packages/*.dist-info"))


def _fault(record: ScoreRecord) -> str:
    verdict = record.verdicts[0]
    if verdict.passed:
        return ""
    return f"{verdict.stage}: {verdict.reason}: {' '.join(verdict.evidence.split())[:300]}"


def _rows(runtime: SuiteRuntime, wrong: Sequence[BaselineResult]) -> str:
    named = ", ".join(str(each.row) for each in wrong[:_NAMED])
    more = ", …" if len(wrong) > _NAMED else ""
    return f"suite {runtime.suite.name}: {len(wrong)} rows ({named}{more})"
