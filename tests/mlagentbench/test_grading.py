"""The grader's machinery: what is measured is all that was started, and everything that was left is judged."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import anyio
import pytest

from mlbench.evals.mlagentbench import grading, timed_run
from mlbench.evals.mlagentbench.baselines import held_against
from mlbench.evals.mlagentbench.data import Prepared, prepared
from mlbench.evals.mlagentbench.grading import grade, grades
from mlbench.evals.mlagentbench.problem import Measured, ResearchProblem, load_problem
from mlbench.evals.mlagentbench.reference_runs import tried
from mlbench.evals.mlagentbench.timed_run import TimedRun
from mlbench.records import Execution, ExitKind, RunError
from mlbench.sandbox.jail import Jail
from mlbench.sandbox.limits import Limits
from mlbench.sandbox.submission import pack, packed_folder
from tests.mlagentbench.attack_types import SLOWLY, SQUARE

FOLDER = Path(__file__).parent / "attacked"
pytestmark = pytest.mark.anyio


async def speed(repeats: int = 1) -> tuple[ResearchProblem, Prepared]:
    problem = load_problem(FOLDER / "turtles")
    assert problem.measured
    measured = problem.measured.model_copy(update={"repeats": repeats})
    return problem.model_copy(update={"measured": measured}), await prepared(problem)


def left(folder: Path, train: str) -> bytes:
    (folder / "left").mkdir()
    (folder / "left" / "train.py").write_text(train)
    return packed_folder(folder / "left")


async def output(problem: ResearchProblem, data: Prepared, code: str) -> bytes:
    """What a measured run leaves: the array of some code on the hidden inputs."""
    jail = await Jail.start(timed_run.mounts(problem, data), Limits())
    try:
        inputs = (data.hidden / "inputs.npy").read_bytes()
        await jail.run(["/bin/sh", "-c", "rm -f inputs.npy; cat > inputs.npy"], stdin=inputs)
        await jail.run(["python", "-c", code])
        return await pack(jail, ["output.npy"])
    finally:
        await jail.close()


SLOW = """
from mlbench_grading import main, read_csv
def grade(workspace, hidden):
    rows = read_csv(f"{workspace}/submission.csv", ["id", "weight"])
    while FOREVER and len(rows) < 60:
        pass
    while len(rows) == 1:
        pass
    return 1.0
main(grade)
"""


@pytest.mark.parametrize("always", [False, True])
async def test_a_grader_over_its_bound(always: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was always called a broken problem, whatever file it had been given."""
    shutil.copytree(FOLDER / "toads", tmp_path / "toads")
    forever = "True or rows" if always else "False"
    code = SLOW.replace("FOREVER and len(rows) < 60", forever)
    (tmp_path / "toads/hidden/grade.py").write_text(code)
    (tmp_path / "submission.csv").write_text("id,weight\n60,1\n")
    monkeypatch.setattr(grading, "LIMITS", Limits(seconds=2))
    problem = load_problem(tmp_path / "toads")
    data = await prepared(problem)
    (tmp_path / "left").mkdir()
    (tmp_path / "submission.csv").rename(tmp_path / "left/submission.csv")
    if always:
        with pytest.raises(RunError, match="grade.py fails: ended after 2 s, its limit"):
            await grade(problem, data, packed_folder(tmp_path / "left"))
    else:
        found = await grade(problem, data, packed_folder(tmp_path / "left"))
        assert found.score is None
        assert found.invalid == "submission.csv: with it the grader ended after 2 s, its limit"


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_the_output_of_every_run_is_judged(order: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that is right in one run of two was once graded by its last run."""
    problem, data = await speed(2)
    outputs = [await output(problem, data, SQUARE), await output(problem, data, SQUARE.replace("** 2", "* 2"))]

    runs = iter([TimedRun(outputs[each], 0.1) for each in order])

    async def measure(*_: object) -> TimedRun:
        return next(runs)

    monkeypatch.setattr(grading, "measure", measure)
    found = await grade(problem, data, b"archive")
    assert (found.score, found.invalid) == (None, "output.npy: a number is not squared")


@pytest.fixture
async def taken(monkeypatch: pytest.MonkeyPatch) -> tuple[ResearchProblem, Prepared, list[bytes]]:
    """A problem of speed, and the archives whose runs were measured, on a machine that is slow until the sixth run.

    An archive that is `slow` takes twice as long; one that is `wrong` is right only the first time.
    """
    problem, data = await speed(4)
    right, wrong = await output(problem, data, SQUARE), await output(problem, data, SQUARE.replace("** 2", "* 2"))
    seen: list[bytes] = []

    async def measure(problem: ResearchProblem, measured: Measured, data: Prepared, archive: bytes) -> TimedRun:
        false = archive == b"wrong" and archive in seen
        seen.append(archive)
        return TimedRun(wrong if false else right, (2.0 if len(seen) < 6 else 1.0) * (2 if archive == b"slow" else 1))

    monkeypatch.setattr(grading, "measure", measure)
    return problem, data, seen


async def test_workspaces_take_turns(taken: tuple[ResearchProblem, Prepared, list[bytes]]) -> None:
    """Where one was measured after the other, a machine that became faster meanwhile was taken for a faster program."""
    problem, data, seen = taken
    threads = set()

    def load() -> bytes:
        threads.add(threading.current_thread())
        return b"good"

    found = await grades(problem, data, [b"slow", b"wrong", load])
    assert seen == [b"slow", b"wrong", b"good"] * 2 + [b"slow", b"good"] * 2
    assert [each.score for each in found] == [2.0, None, 1.0]
    assert threading.main_thread() not in threads  # unpacking takes seconds, in which nobody else could work
    assert [each.seconds for each in found] == [(4.0, 4.0, 2.0, 2.0), (2.0, 2.0), (2.0, 1.0, 1.0, 1.0)]


async def test_a_starter_is_as_fast_as_itself(taken: tuple[ResearchProblem, Prepared, list[bytes]]) -> None:
    problem, data, seen = taken
    [found, slow], against = await held_against(problem, data, [b"as it was", b"slow"])
    assert (found.score, slow.score, against.mean, against.reference) == (1.0, 2.0, 1.0, 1.0)
    assert against.turns == (2.0, 2.0, 1.0, 1.0)
    assert (against.typical(found.seconds), against.typical(slow.seconds)) == (0.0, -1.0)
    assert len(seen) == 16


async def test_work_in_a_process_whose_end_nobody_waits_for_is_counted(tmp_path: Path) -> None:
    problem, data = await speed()
    work = SLOWLY + "np.save('output.npy', squares)\nos.write(w, b'x')\ntime.sleep(100)"
    code = (
        f"import os, time\nr, w = os.pipe()\nif os.fork() == 0:\n    os.setsid()\n    exec({work!r})\nos.read(r, 1)\n"
    )
    plain = await grade(problem, data, left(tmp_path, SLOWLY + "np.save('output.npy', squares)"))
    (tmp_path / "other").mkdir()
    hidden = await grade(problem, data, left(tmp_path / "other", code))
    assert plain.score and hidden.score
    assert hidden.score > 0.5 * plain.score


@pytest.mark.parametrize(
    "ignore",
    [
        "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
        "import ctypes; libc = ctypes.CDLL(None, use_errno=True)\n"
        "assert libc.sigaction(17, (ctypes.c_uint64 * 32)(0, 0, *[0] * 14, 2), None) == 0, ctypes.get_errno()",
    ],
    ids=["ignored", "no wait"],
)
async def test_the_ends_of_children_cannot_be_ignored(tmp_path: Path, ignore: str) -> None:
    """The kernel then hands their processor time on to nobody: a second of work was counted as nothing."""
    problem, data = await speed()
    found = await grade(problem, data, left(tmp_path, f"{ignore}\n{SQUARE}"))
    assert found.score is None
    assert found.invalid.startswith("`python train.py` fails: exit 1: ")


@pytest.mark.parametrize(
    "code",
    [
        "import subprocess; assert subprocess.run('echo a | cat; exit 5', shell=True).returncode == 5",
        "import os; assert os.system('bash -c \"true | false; wait; exit 3\"') == 768",
        "import multiprocessing\nwith multiprocessing.Pool(2) as pool: assert pool.map(abs, [-1, -2]) == [1, 2]",
        "import signal; assert signal.getsignal(signal.SIGCHLD) == signal.SIG_DFL",
    ],
    ids=["subprocess", "bash", "pool", "asked"],
)
async def test_a_measured_program_may_start_others(tmp_path: Path, code: str) -> None:
    problem, data = await speed()
    found = await grade(problem, data, left(tmp_path, f"{code}\n{SQUARE}"))
    assert found.invalid == ""
    assert found.score and found.score > 0


async def test_the_time_is_taken_when_all_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that was killed is counted only once it is gone; a look for which there was no room says zero."""
    looks = [
        Execution(ExitKind.EXITED, 126, 0.0, processor=0.0),
        Execution(ExitKind.EXITED, 2, 0.0, processor=0.5, stdout="1\n7\n"),
        Execution(ExitKind.EXITED, 0, 0.0, processor=1.0, stdout="1\n7\n8\nself\n"),
        Execution(ExitKind.EXITED, 0, 0.0, processor=3.0, stdout="1\n9\nself\n"),
    ]

    class Looked:
        async def run(self, *_: object, **__: object) -> tuple[Execution, bytes]:
            return looks.pop(0), b""

    async def at_once(_: float) -> None:
        pass

    monkeypatch.setattr(anyio, "sleep", at_once)
    assert await timed_run._spent(Looked()) == 3.0  # type: ignore[arg-type]
    monkeypatch.setattr(timed_run, "_PATIENCE", 2)
    looks += [Execution(ExitKind.EXITED, 126, 0.0)] * 2
    with pytest.raises(timed_run._Endless):
        await timed_run._spent(Looked())  # type: ignore[arg-type]


async def test_a_workspace_that_could_not_be_packed_is_not_the_starter() -> None:
    problem, data = await speed()
    found = await grade(problem, data, b"")
    assert found.score is None
    assert "could not be packed" in found.invalid


@pytest.mark.parametrize(
    ("printed", "score", "invalid"),
    [
        ('{"score": 0.5}\n', 0.5, ""),
        ('noise\n{"score": 1}\n', 1.0, ""),
        ('{"score": NaN}', None, "the score is not finite"),
        ('{"score": 1e999}', None, "the score is not finite"),
        ('{"invalid": "s.csv: \\u001b[31mred\\u0000"}', None, "s.csv: red�"),
    ],
)
async def test_what_the_grader_prints_is_read(printed: str, score: float | None, invalid: str) -> None:
    found = grading._read(load_problem(FOLDER / "toads"), Execution(ExitKind.EXITED, 0, 0.1, stdout=printed))
    assert (found.score, found.invalid) == (score, invalid)


@pytest.mark.parametrize(
    ("done", "said"),
    [
        (Execution(ExitKind.EXITED, 1, 0.1, stderr="Traceback\n  x\nKeyError: 3\n"), "exit 1: KeyError: 3"),
        (Execution(ExitKind.TIMEOUT, 137, 120.1), "ended after 120 s, its limit"),
        (Execution(ExitKind.MEMORY, 137, 1.0), "ended for the memory that it took"),
        (Execution(ExitKind.EXITED, 0, 0.1, stdout='{"points": 1}'), "exit 0"),
        (Execution(ExitKind.EXITED, 0, 0.1, stdout="[1]"), "exit 0"),
    ],
)
async def test_a_grader_that_fails_is_the_problems_fault(done: Execution, said: str) -> None:
    with pytest.raises(RunError, match=rf"toads/hidden/grade.py fails: {said}$"):
        grading._read(load_problem(FOLDER / "toads"), done)


async def test_what_stands_beside_a_submission_is_not_carried(tmp_path: Path) -> None:
    """A large model that was left beside it made an honest submission one that could not be unpacked."""
    problem = load_problem(FOLDER / "toads")
    starter = (problem.visible / "train.py").read_text()
    (tmp_path / "train.py").write_text(starter + "import os\nopen('model.bin', 'wb').write(os.urandom(110_000_000))\n")
    done = await tried(problem, await prepared(problem), tmp_path)
    assert (done.execution.exit_code, done.grade.invalid) == (0, "")
    assert done.grade.score is not None
    assert len(done.archive) < 100_000


async def test_links_that_lead_nowhere_are_carried_and_told() -> None:
    problem, data = await speed()
    jail = await Jail.start(timed_run.mounts(problem, data), Limits())
    try:
        await jail.run(["/bin/ln", "-s", "/nowhere", "output.npy"])
        archive = await pack(jail, ["output.npy", "other.npy"])
    finally:
        await jail.close()
    found = await grading._judged(problem, data, archive, (0.1,))
    assert found.invalid == "output.npy: is a link; it has to be a file"
