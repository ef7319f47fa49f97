"""The trial of what an agent left, in a fresh jail: only what its `run.sh` does there counts."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from mlbench.records import Execution, ExitKind, LeftBehind
from mlbench.sandbox.bubblewrap import BubblewrapConfig
from mlbench.sandbox.execute import CLAIMS
from mlbench.sandbox.limits import Limits
from mlbench.sandbox.submission import trial

pytestmark = pytest.mark.anyio


def packed(**files: str) -> bytes:
    """Files as an agent's are packed; `__` stands for a folder's slash."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, text in files.items():
            about = tarfile.TarInfo("./" + name.replace("__", "/"))
            about.size, about.mode = len(text), 0o644
            tar.addfile(about, io.BytesIO(text.encode()))
    return buffer.getvalue()


async def tried(
    repository: Path, script: str, archive: bytes = b"", seconds: float = 10, claims: bool = False
) -> Execution:
    config = BubblewrapConfig(repository=str(repository), limits=Limits(seconds=seconds))
    return await trial(config, archive, script.encode(), outputs=["/workspace/out/*"], claims=claims)


def left(execution: Execution) -> dict[str, bytes | None]:
    assert execution.outcome is not None
    return {file.path.removeprefix("/workspace/"): file.content for file in execution.outcome.files}


async def test_files_that_were_brought_along_do_not_count(repository: Path) -> None:
    """An agent may have run the program in its own sandbox; what that left does not show that `run.sh` does."""
    archive = packed(out__old="made before", out__again="made before", notes="mine")
    execution = await tried(repository, "cat out/old; echo now > out/again; echo now > out/new", archive)
    assert execution.stdout == "made before"
    assert left(execution) == {"out/again": b"now\n", "out/new": b"now\n"}


async def test_files_of_the_repository_that_were_brought_along_changed_do_harm(repository: Path) -> None:
    execution = await tried(repository, "true", packed(data="x"))
    assert execution.outcome == LeftBehind()
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        tar.addfile(tarfile.TarInfo("./data.txt"))
    execution = await tried(repository, "true", archive.getvalue())
    assert execution.outcome is not None and execution.outcome.altered == ("/workspace/data.txt",)


async def test_a_script_that_removes_itself_hides_nothing(repository: Path) -> None:
    """What it left could not be read then: neither its files nor that one of the repository's was gone."""
    execution = await tried(repository, "rm run.sh data.txt; mkdir out; echo now > out/new", packed(old="x"))
    assert execution.outcome is not None and execution.outcome.removed == ("/workspace/data.txt",)
    assert left(execution) == {"out/new": b"now\n"}


async def test_a_script_that_touches_itself_does_not_lose_what_it_left(repository: Path) -> None:
    execution = await tried(repository, "mkdir out; echo now > out/new; sleep 0.05; echo '#' >> run.sh")
    assert left(execution) == {"out/new": b"now\n"}


async def test_what_is_left_at_the_time_limit_counts(repository: Path) -> None:
    execution = await tried(repository, "mkdir out; echo now > out/new; sleep 60", seconds=0.5)
    assert execution.ending is ExitKind.TIMEOUT
    assert left(execution) == {"out/new": b"now\n"}


@pytest.mark.parametrize("claims", [True, False])
async def test_a_place_for_claims_is_told_if_they_are_wanted(claims: bool, repository: Path) -> None:
    execution = await tried(repository, 'echo "[$MLBENCH_CLAIMS]"', claims=claims)
    assert execution.stdout == (f"[{CLAIMS}]\n" if claims else "[]\n")


async def test_an_archive_that_cannot_be_unpacked_is_the_agents_fault(repository: Path) -> None:
    execution = await tried(repository, "true", b"no archive")
    assert (execution.exit_code, execution.outcome) == (1, None)
    assert execution.stderr.startswith("its files cannot be unpacked")
