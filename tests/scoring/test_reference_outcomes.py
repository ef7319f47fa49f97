"""What a reference leaves is found once and kept by its content; one that fails is nobody's verdict."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.util import SandboxUnavailableError

from mlbench.interface_check.check_server import CheckEnv
from mlbench.interface_check.checker import Checker, CheckTarget
from mlbench.judging.bind import bind
from mlbench.judging.call_sites import call_sites
from mlbench.judging.compare_config import Expectation
from mlbench.judging.evidence import AnswerEvidence
from mlbench.judging.outcome_spec import OutcomeSpec
from mlbench.judging.outcomes import Expected
from mlbench.judging.policy import Strict
from mlbench.records import Candidate, Execution, ExitKind, LeftBehind, OutputFile, ProcessTrace, RunError, Sample
from mlbench.repositories.environments import environment
from mlbench.sandbox.bubblewrap import BubblewrapConfig, BubblewrapSandbox
from mlbench.sandbox.execute import execute
from mlbench.sandbox.limits import Limits
from mlbench.scoring import reference_runs
from mlbench.scoring.reference_outcomes import Outcomes
from mlbench.scoring.reference_runs import References
from mlbench.suites.suite import load_suite

pytestmark = pytest.mark.anyio

ONCE = "mkdir -p out; echo '{\"loss\": 1}' > out/a.json; rm data.txt; echo draw: $RANDOM$RANDOM$RANDOM"
"""A reference that prints something else each time that it is run."""
SPEC = OutcomeSpec.model_validate({"files": [{"path": "out/*.json"}], "prints": ["draw: <number>"]})
POCKET = load_suite("pocket")
SAMPLE = Sample(1, "x/y", 1, 1, ".", "{}", "", "", "Bash Script", ONCE, "")


@pytest.fixture
def declare(monkeypatch: pytest.MonkeyPatch) -> Callable[[OutcomeSpec | None], None]:
    """Has every recipe declare this."""
    return lambda spec: monkeypatch.setattr(References, "spec_of", lambda self, sample: spec)


@pytest.fixture
def config(repository: Path, declare: Callable[[OutcomeSpec | None], None]) -> BubblewrapConfig:
    declare(SPEC)
    return BubblewrapConfig(repository=str(repository), limits=Limits(seconds=10))


async def test_what_a_reference_leaves_is_kept_by_its_content(config: BubblewrapConfig) -> None:
    """The next process finds what this one has found, all of it."""
    first = await References(POCKET).of(SAMPLE, config)
    again = await References(POCKET).of(replace(SAMPLE, id=2, instruction="other words"), config)
    assert first is not None and first == again
    assert first.figures and not first.fault and not first.running
    assert [file.content for _, file in first.files()] == [b'{"loss": 1}\n']
    assert first.outcome.removed == ("/workspace/data.txt",)


@pytest.mark.parametrize(
    "change",
    [
        {"output": ONCE + "; echo more"},
        {"prefix_code": "cd ."},
        {"path": "./out"},
    ],
)
async def test_another_reference_is_run(change: dict[str, str], config: BubblewrapConfig, repository: Path) -> None:
    (repository / "out").mkdir()
    (repository / "out" / "data.txt").touch()
    found = References(POCKET)
    assert await found.of(SAMPLE, config) != await found.of(replace(SAMPLE, **change), config)  # type: ignore[arg-type]


async def test_another_place_or_another_text_is_run(config: BubblewrapConfig) -> None:
    found = References(POCKET)
    first = await found.of(SAMPLE, config)
    elsewhere = config.model_copy(update={"env": (("X", "1"),)})
    assert (await found.of(SAMPLE, elsewhere)) != first
    other = await found.of(SAMPLE, config, "echo draw: 5")
    assert other is not None and other.figures == ["5"]
    assert await found.of(SAMPLE, config) == first


async def test_who_asks_at_the_same_time_waits_for_the_same_run(config: BubblewrapConfig) -> None:
    found = References(POCKET)
    first, second = await asyncio.gather(found.of(SAMPLE, config), found.of(SAMPLE, config))
    assert first is second and first is not None


async def test_without_a_declaration_nothing_is_run(
    config: BubblewrapConfig, declare: Callable[[OutcomeSpec | None], None]
) -> None:
    declare(None)
    assert await References(POCKET).of(replace(SAMPLE, output="exit 3"), config) is None


async def test_what_a_bound_has_ended_is_not_kept(config: BubblewrapConfig, remembered: Path) -> None:
    short = config.model_copy(update={"limits": Limits(seconds=0.3)})
    slow = await References(POCKET).of(replace(SAMPLE, output=f"{ONCE}; sleep 60"), short)
    assert slow is not None and slow.running and not slow.fault and slow.figures
    small = config.model_copy(update={"limits": Limits(seconds=10, memory=64 << 20)})
    large = await References(POCKET).of(replace(SAMPLE, output="x=$(head -c 200M /dev/zero | tr '\\0' x)"), small)
    assert large is not None and large.fault
    assert list(remembered.iterdir()) == []


async def test_a_sandbox_that_fails_is_tried_again(
    config: BubblewrapConfig, monkeypatch: pytest.MonkeyPatch, remembered: Path
) -> None:
    async def fails(*args: Any, **options: Any) -> Execution:
        raise SandboxUnavailableError("no room")

    found = References(POCKET)
    with monkeypatch.context() as patch:
        patch.setattr(reference_runs, "execute", fails)
        with pytest.raises(SandboxUnavailableError, match="no room"):
            await found.of(SAMPLE, config)
    assert list(remembered.iterdir()) == []
    assert await found.of(SAMPLE, config) is not None


def answered(printed: str = "draw: 5") -> AnswerEvidence:
    execution = Execution(ExitKind.EXITED, 0, 0.1, stdout=printed, witness=ProcessTrace())
    return AnswerEvidence(SAMPLE, Candidate("x", "shell", "fence"), execution=execution)


async def test_a_reference_that_fails_is_no_verdict(config: BubblewrapConfig) -> None:
    """It says something about this machine, and nothing about the answer."""
    evidence = replace(answered(), sample=replace(SAMPLE, output="exit 3"))
    with pytest.raises(RunError, match=r"row 1: the reference ended with exited, exit code 3; see `mlbench"):
        await Outcomes(POCKET, Strict()).completed(evidence, config)


@pytest.mark.parametrize(
    "execution",
    [
        Execution(ExitKind.EXITED, 1, 0.1, witness=ProcessTrace()),  # decided already
        Execution(ExitKind.MEMORY, 137, 0.1, witness=ProcessTrace()),
        Execution(ExitKind.EXITED, 0, 0.1),  # nobody looked
    ],
)
async def test_the_reference_is_not_run_for_nothing(execution: Execution, config: BubblewrapConfig) -> None:
    evidence = replace(answered(), sample=replace(SAMPLE, output="exit 3"), execution=execution)
    assert await Outcomes(POCKET, Strict()).completed(evidence, config) is evidence


@pytest.mark.parametrize(("printed", "figure"), [("draw: 1", "1"), ("draw: 2", "2"), ("draw: 3", "1")])
async def test_an_agents_own_packages_may_come_to_other_figures(
    printed: str, figure: str, config: BubblewrapConfig, declare: Callable[[OutcomeSpec | None], None]
) -> None:
    declare(OutcomeSpec(prints=("draw: <number>",)))
    ours, own = (config.model_copy(update={"env": (("VERSION", each),)}) for each in "12")
    evidence = replace(answered(printed), sample=replace(SAMPLE, output="echo draw: $VERSION"))
    found = await Outcomes(POCKET, Strict()).completed(evidence, ours, own)
    assert found.expected is not None and found.expected.figures == [figure]


def matches(printed: str, *paths: str) -> Expected:
    files = tuple(OutputFile(f"/workspace/{path}", 1, b"1") for path in paths)
    return Expected(SPEC, printed, LeftBehind(files))


def test_a_replay_that_leaves_less_is_nothing_to_be_held_against() -> None:
    """A free setting that keeps a program from working would otherwise pass with an empty outcome."""
    whole = matches("draw: 5\n", "out/a.json")
    assert whole.is_matched_by(matches("draw: 7\ndraw: 8\n", "out/b.json"))
    assert not whole.is_matched_by(matches("draw: 7\n"))
    assert not whole.is_matched_by(matches("", "out/a.json"))


ECHO = """import argparse
p = argparse.ArgumentParser()
p.add_argument("--n", default=1)
p.add_argument("--size", default=1)
"""


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("python p.py --n 5 --size 20", True),
        ("SIZE=9 python p.py --n 5 --size 20", False),  # what a variable changes is not replayed
        ("python p.py --n 5 --size 20 | sed s/25/26/", False),
        ("python p.py --n 5 --size 21", False),  # nothing gives this value
    ],
)
async def test_the_claimed_invocation_is_replayed(
    answer: str, right: bool, repository: Path, declare: Callable[[OutcomeSpec | None], None]
) -> None:
    """A value that the documentation's example gives leads to another figure, rightly."""
    (repository / "p.py").write_text(
        f"import os\n{ECHO}a = p.parse_args()\nprint('sum', int(a.n) + int(a.size) + int(os.environ.get('SIZE', 0)))\n"
    )
    declare(OutcomeSpec(prints=("sum <number>",)))
    place = environment(POCKET.requirements)
    config = BubblewrapConfig(repository=str(repository), environment=str(place), limits=Limits(seconds=10))
    text = "```\npython p.py --n 3 --size 20\n```\n"
    sample = replace(SAMPLE, output="python p.py --n 5", oracle=text, arguments="{'n': '5'}")
    candidate = Candidate(answer, "shell", "fence")
    box = BubblewrapSandbox(config)
    async with Checker(CheckTarget(CheckEnv(repository, place))) as checker:
        reference = await checker.check(Candidate(sample.output, "shell", "reference"))
        ours = call_sites(reference.invocations)
        standard = Expectation(tuple(ours), tuple(bind({"n": "5"}, ours, {})), shown=text, files=frozenset({"p.py"}))
        try:
            execution = await execute(box, sample, candidate, 10, lambda root: {}, True, outputs=())
        finally:
            await box.close()
        evidence = AnswerEvidence(sample, candidate, await checker.check(candidate), standard, execution)
        found = await Outcomes(POCKET, Strict()).completed(evidence, config, checker=checker)
    assert Strict().after(found, execution).passed is right
    assert bool(found.replayed) is right
