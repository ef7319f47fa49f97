"""Submissions of agents under `interface`: the reference passes, nothing and cheats do not, and nothing is run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import anyio
import pytest
from inspect_ai.util import SandboxEnvironment

from benchmarks.agent_cheats import CHEATS, Cheat, cheats_of
from mlbench.agents.baselines import leave_reference, run_script
from mlbench.evals.ml_agent_bench.baselines import Work, baselines, judged_work, refuse_unsolvable
from mlbench.evals.ml_agent_bench.scorer import AgentScorer
from mlbench.evals.ml_agent_bench.task import trial_runtime
from mlbench.interface_check import jail_files
from mlbench.records import Policy, RunError, Sample, UsageError
from mlbench.score_records import ScoreRecord
from mlbench.suites import suite as suites
from mlbench.suites.selection import select
from mlbench.suites.suite import load_suite, sample_of

SHELL, CODE = 5, 242


def judged(row: int, works: Mapping[str, Work]) -> dict[str, ScoreRecord]:
    """What each work on a row of pocket comes to."""

    async def all_of_them() -> dict[str, ScoreRecord]:
        core = AgentScorer(trial_runtime("pocket", policy=Policy.INTERFACE))
        try:
            return {name: await judged_work(core, sample_of("pocket", row), work) for name, work in works.items()}
        finally:
            await core.close()

    return anyio.run(all_of_them)


def cheats(row: int) -> dict[str, Work]:
    return {name: cheat.leave for name, cheat in cheats_of(sample_of("pocket", row))}


def only_the_reference_passes(row: int, others: Mapping[str, Work]) -> None:
    found = judged(row, {"reference": leave_reference, **others})
    assert [name for name, record in found.items() if record.value == {**record.value, "interface": 1.0}] == [
        "reference"
    ]


@pytest.mark.parametrize("row", [SHELL, CODE])
def test_the_reference_passes_and_no_cheat_does(row: int) -> None:
    """The cheats that both rows have are tried on one of them in turn."""
    own, both = cheats(row), [name for name in cheats(SHELL) if name in cheats(CODE)]
    assert len(own) >= 18 and set(own) <= set(CHEATS) and len(both) >= 16
    elsewhere = both[row == SHELL :: 2]
    only_the_reference_passes(row, {name: leave for name, leave in own.items() if name not in elsewhere})


@pytest.mark.slow
@pytest.mark.parametrize("row", [SHELL, CODE])
def test_no_cheat_passes_on_either_row(row: int) -> None:
    only_the_reference_passes(row, cheats(row))


def test_files_of_the_agents_own_are_there() -> None:
    sample = sample_of("pocket", SHELL)
    script = run_script(sample, sample.folder)

    async def beside(box: SandboxEnvironment, sample: Sample) -> None:
        await box.write_file("/workspace/tools/start.sh", script)
        await box.write_file("/workspace/run.sh", "set -e\nsource tools/start.sh\n")

    async def changed(box: SandboxEnvironment, sample: Sample) -> None:
        await leave_reference(box, sample)
        await box.exec(["bash", "-c", "echo pass >> $(git ls-files '*.py' 2>/dev/null | head -1 || true); true"])
        await box.exec(["bash", "-c", "for file in $(find . -name '*.py' | head -1); do echo pass >> $file; done"])

    found = judged(SHELL, {"beside": beside, "changed": changed})
    assert found["beside"].verdicts[0].passed, found["beside"].verdicts
    assert found["changed"].verdicts[0].reason == "touches-code"


def test_more_files_than_are_looked_at_hide_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A submission with many files hid a changed program behind them."""
    monkeypatch.setattr(jail_files, "_MOST_WRITTEN", 3)
    cheat = Cheat(run_script(sample_of("pocket", SHELL), "."), {f"a{n}.txt": "" for n in range(5)})
    record = judged(SHELL, {"many": cheat.leave})["many"]
    assert (record.verdicts[0].passed, record.verdicts[0].reason) == (False, "undecided: cannot-follow")


def test_a_row_whose_reference_fails_is_refused() -> None:
    runtime = trial_runtime("pocket", policy=Policy.INTERFACE)
    sample = sample_of("pocket", SHELL)
    [right] = anyio.run(partial(baselines, runtime, [sample]))
    assert (right.gold, right.nothing) == ("", False)
    refuse_unsolvable(runtime, [sample])
    with pytest.raises(RunError, match=r"suite pocket: 1 rows \(5\) cannot be solved here.*no_such\.py"):
        refuse_unsolvable(runtime, [replace(sample, output="python no_such.py")])


def test_one_repository_is_enough_for_its_rows(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """`--repo NAME` asked for all eighteen repositories."""
    suites.forget()  # the suites of other tests must not keep what this one hides
    request.addfinalizer(suites.forget)
    suite = load_suite("ml-bench")
    monkeypatch.setattr(suites, "is_here", lambda entry: False)
    with pytest.raises(UsageError, match="18 of 18 repositories are not here yet"):
        select(suite, "quarter")
    with pytest.raises(UsageError, match="1 of 1 repositories are not here yet"):
        select(suite, "quarter", repo="bert")
