"""What a killed attempt showed is shown once more: prompts stay the same, and no reply is paid for twice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from inspect_ai.util import store_as

from mlbench.evals.mlagentbench.actions.replay import ReplayLog, asked
from mlbench.evals.mlagentbench.snapshots import Progress, SnapshotStep, Steps
from tests.mlagentbench.problem_fixtures import Workplace, played

CLOCK = "import time\nprint('finished at', time.perf_counter_ns())\n"
WHOLE = 20_000


def step(number: int, seen: str, **more: str) -> SnapshotStep:
    return SnapshotStep(
        number, "run", observation=seen, seconds=number, asked=asked("run", {"number": number}, "data"), **more
    )


def shown(earlier: ReplayLog, *steps: SnapshotStep) -> list[str]:
    return [earlier.again(each, WHOLE).observation for each in steps]


def test_a_step_that_was_done_before_shows_what_it_showed_then() -> None:
    before = [step(1, "3.1 s"), step(2, "0.2 s")]
    now = [step(1, "2.9 s"), step(2, "0.3 s"), step(3, "0.4 s")]
    assert shown(ReplayLog([before]), *now) == ["3.1 s", "0.2 s", "0.4 s"]
    assert ReplayLog([before]).again(replace(now[0], seconds=99.0), WHOLE).seconds == 1
    assert shown(ReplayLog(), *now) == ["2.9 s", "0.3 s", "0.4 s"]


def test_from_where_it_goes_another_way_it_shows_what_comes_of_that() -> None:
    before = [step(1, "3.1 s"), step(2, "0.2 s"), step(3, "0.7 s")]
    other = replace(step(2, "0.3 s"), asked=asked("run", {"number": 7}, "data"))
    assert shown(ReplayLog([before]), step(1, "2.9 s"), other, step(3, "0.4 s")) == ["3.1 s", "0.3 s", "0.4 s"]
    failed = step(2, "0.3 s", error="failed-script")
    assert shown(ReplayLog([before]), step(1, "2.9 s"), failed, step(3, "0.4 s")) == ["3.1 s", "0.3 s", "0.4 s"]
    old = [replace(each, asked="") for each in before]
    assert shown(ReplayLog([old]), replace(step(1, "2.9 s"), asked="")) == ["2.9 s"]


def test_the_longest_of_several_attempts_helps_as_far_as_it_is_the_same() -> None:
    first, second = [step(1, "3.1 s"), step(2, "0.2 s"), step(3, "0.7 s")], [step(1, "3.1 s")]
    now = [step(1, "2.9 s"), step(2, "0.3 s"), step(3, "0.4 s")]
    assert shown(ReplayLog([second, first]), *now) == ["3.1 s", "0.2 s", "0.7 s"]
    second = [step(1, "3.2 s")]  # it is what the kept replies were last about
    assert shown(ReplayLog([second, first]), *now) == ["3.2 s", "0.3 s", "0.4 s"]


def test_what_was_not_kept_whole_is_not_shown_again() -> None:
    earlier = ReplayLog([[step(1, "x" * 30)]])
    assert earlier.again(step(1, "y" * 30), whole=20).observation == "y" * 30


def test_an_attempt_that_is_begun_again_makes_its_files_and_shows_its_old_times(tmp_path: Path) -> None:
    async def scene(at: Workplace) -> None:
        at.steps.begin()  # as the solver does it, once more
        first = await at.do("Write File", file_name="clock.py", content=CLOCK)
        second = await at.do("Execute Script", script_name="clock.py")
        again = "".join([first, second])
        assert kept.setdefault("shown", again) == again
        assert kept.setdefault("seconds", store_as(Progress).seconds) == store_as(Progress).seconds > 0
        other = await at.do("Execute Script", script_name="clock.py", arguments=["another"])
        assert "finished at" in other
        if "other" in kept:
            assert other == kept["other"]
            assert await at.do("Execute Script", script_name="clock.py") != second  # a new one
        kept["other"] = other

    kept: dict[str, object] = {}
    for life in (1, 2, 3):
        (tmp_path / "steps").mkdir(exist_ok=True)
        folder = tmp_path / f"life-{life}"
        folder.mkdir()
        (folder / "steps").symlink_to(tmp_path / "steps")
        played(scene, folder)
    lives = [Steps(tmp_path / "steps"), *(Steps(tmp_path / "steps" / f"earlier-{n}") for n in (1, 2))]
    told = [[(each.action, each.observation, each.changed) for each in life.read()[:3]] for life in lives]
    assert told[0] == told[1] == told[2]
    assert told[0][0][2] == ("clock.py",)
    assert len(Steps(tmp_path / "steps").earlier()) == 2
