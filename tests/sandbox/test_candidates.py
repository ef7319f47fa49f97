"""One candidate in a sample's sandbox: how it is run, and what is looked for afterwards."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mlbench.records import PYTHON_TYPE, Candidate, Execution, ExitKind, Sample
from mlbench.sandbox.bubblewrap import BubblewrapConfig, BubblewrapSandbox
from mlbench.sandbox.execute import CLAIMS, execute
from mlbench.suites.suite import load_split

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("code", "ending", "absent"),
    [
        ("mkdir -p out/a; touch out/a/x.npz; sleep 60", ExitKind.TIMEOUT, ("log.txt",)),
        ("touch log.txt x.npz; sleep 60", ExitKind.TIMEOUT, ("out/**/*.npz",)),
        ("true", ExitKind.EXITED, ()),  # one that has ended has said so by its exit
    ],
)
async def test_artefacts_of_a_run_that_is_ended(
    repository: Path, shell_sample: Sample, code: str, ending: ExitKind, absent: tuple[str, ...]
) -> None:
    box = BubblewrapSandbox(BubblewrapConfig(repository=str(repository)))
    wanted = ("log.txt", "out/**/*.npz")
    try:
        execution = await execute(
            box, shell_sample, Candidate(code, "shell", "test"), 0.5, lambda root: {}, artefacts=wanted
        )
    finally:
        await box.close()
    assert (execution.ending, execution.absent) == (ending, absent)


@pytest.fixture
def shell_sample() -> Sample:
    return next(row for row in load_split("pocket", "full") if row.kind == "shell" and row.path in (".", "./"))


async def ran(repository: Path, sample: Sample, candidate: Candidate, **options: object) -> Execution:
    box = BubblewrapSandbox(BubblewrapConfig(repository=str(repository)))
    try:
        return await execute(box, sample, candidate, 20, lambda root: {}, **options)  # type: ignore[arg-type]
    finally:
        await box.close()


async def test_what_a_candidate_leaves(repository: Path, shell_sample: Sample) -> None:
    """What matters most comes first; neither its own text nor what was there before is among it."""
    code = "echo x > a; mkdir out; echo y > out/b; rm data.txt"
    execution = await ran(repository, shell_sample, Candidate(code, "shell", "test"), outputs=["/workspace/out/*"])
    assert execution.outcome is not None and execution.outcome.removed == ("/workspace/data.txt",)
    assert [file.path for file in execution.outcome.files] == ["/workspace/out/b", "/workspace/a"]
    assert (repository / "data.txt").exists()


async def test_nobody_looks_where_nobody_asks(repository: Path, shell_sample: Sample) -> None:
    execution = await ran(repository, shell_sample, Candidate("echo x > a", "shell", "test"))
    assert execution.outcome is None


@pytest.mark.parametrize("claims", [True, False])
async def test_claims_are_among_what_is_left(claims: bool, repository: Path, shell_sample: Sample) -> None:
    code = 'echo x > a; [ -z "$MLBENCH_CLAIMS" ] || { mkdir "$MLBENCH_CLAIMS"; echo y > "$MLBENCH_CLAIMS/0.npz"; }'
    candidate = Candidate(code, "shell", "test")
    execution = await ran(repository, shell_sample, candidate, outputs=[], claims=claims)
    assert execution.outcome is not None
    found = [file.path for file in execution.outcome.files]
    assert found == ([f"{CLAIMS}/0.npz"] if claims else []) + ["/workspace/a"]


@pytest.mark.parametrize("file", ["", "solve.py"])
async def test_a_python_file_has_the_name_that_its_answer_gives_it(
    file: str, repository: Path, shell_sample: Sample
) -> None:
    """An answer may start or import itself by the name under which it says that it is saved."""
    sample = replace(shell_sample, type=PYTHON_TYPE, prefix_code="python() { /usr/bin/env ls ./*.py; }")
    candidate = Candidate("print(1)", "python", "test", file=file)
    execution = await ran(repository, sample, candidate, outputs=[])
    assert execution.stdout == f"./{file or 'mlbench_candidate.py'}\n"
    assert execution.outcome is not None and execution.outcome.files == ()
