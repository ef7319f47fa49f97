"""One candidate in a sample's sandbox: what is looked for where the time limit ends it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.samples.suites import load_split
from mlbench.sandbox.bubblewrap import BubblewrapConfig, BubblewrapSandbox
from mlbench.sandbox.candidates import execute
from mlbench.types import Candidate, Ending, Sample

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("code", "ending", "absent"),
    [
        ("mkdir -p out/a; touch out/a/x.npz; sleep 60", Ending.TIMEOUT, ("log.txt",)),
        ("touch log.txt x.npz; sleep 60", Ending.TIMEOUT, ("out/**/*.npz",)),
        ("true", Ending.EXITED, ()),  # one that has ended has said so by its exit
    ],
)
async def test_artefacts_of_a_run_that_is_ended(
    repository: Path, shell_sample: Sample, code: str, ending: Ending, absent: tuple[str, ...]
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
