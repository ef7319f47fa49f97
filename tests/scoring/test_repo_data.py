"""Data that a script makes for a repository: where it lies, and what is refused."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from mlbench.records import RunError
from mlbench.repositories.environments import environment
from mlbench.sandbox.bubblewrap import BubblewrapConfig, BubblewrapSandbox
from mlbench.sandbox.runtime import RunSetup
from mlbench.scoring.repo_data import run_setup

SCRIPT = """
import sys
from pathlib import Path

checkout, target = map(Path, sys.argv[1:])
files = {
    "data/digits.txt": (checkout / "README.md").read_text().upper(),
    "config.txt": "made",
    "home/.cache/weights.bin": "weights",
    "root/datasets/train.csv": "a,b",
}
for path, text in files.items():
    (target / path).parent.mkdir(parents=True, exist_ok=True)
    (target / path).write_text(text)
"""


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lock = tmp_path_factory.mktemp("lock") / "requirements.txt"
    lock.write_text("")
    return environment(lock)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / f"toy-{tmp_path.name}"
    folder.mkdir()
    (folder / "README.md").write_text("read me")
    (folder / "config.txt").write_text("own")
    return folder


def made(checkout: Path, env: Path, text: str) -> RunSetup:
    script = checkout.parent / "make_data.py"
    script.write_text(text)
    return run_setup(checkout, env, script)


def test_files_lie_over_the_checkout_in_the_home_and_at_absolute_paths(checkout: Path, env: Path) -> None:
    setup = made(checkout, env, SCRIPT)
    assert (setup.checkout / "data/digits.txt").read_text() == "READ ME"
    assert (setup.checkout / "config.txt").read_text() == "made"
    assert (checkout / "config.txt").read_text() == "own"
    assert not {"home", "root"} & {entry.name for entry in setup.checkout.iterdir()}
    config = BubblewrapConfig(repository=str(setup.checkout), home=str(setup.home), shown=setup.shown)
    look = "cat ~/.cache/weights.bin /datasets/train.csv; echo more >> ~/.cache/weights.bin && cat ~/.cache/weights.bin"

    async def run() -> tuple[str, int]:
        box = BubblewrapSandbox(config)
        try:
            execution = await box.run(["bash", "-c", f"{look}; touch /datasets/x"])
            return execution.stdout, execution.exit_code
        finally:
            await box.close()

    printed, code = anyio.run(run)
    assert printed == "weightsa,bweightsmore\n"
    assert code != 0  # absolute paths are read-only
    assert setup.home is not None and (setup.home / ".cache/weights.bin").read_text() == "weights"


def test_data_is_made_once_and_again_when_the_script_changes(checkout: Path, env: Path) -> None:
    first = made(checkout, env, SCRIPT)
    assert made(checkout, env, SCRIPT) == first
    assert made(checkout, env, SCRIPT + "#").checkout != first.checkout


def test_without_a_script_the_checkout_is_as_it_is(checkout: Path, env: Path) -> None:
    assert run_setup(checkout, env, checkout / "none.py") == RunSetup(env, checkout)


def test_a_script_that_fails_is_named_with_its_last_words(checkout: Path, env: Path) -> None:
    with pytest.raises(RunError, match=r"make_data\.py failed: no words; run it by hand: python make_data\.py"):
        made(checkout, env, "import sys; sys.exit('no words')")


def test_a_link_of_the_repository_leads_nowhere(checkout: Path, env: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (checkout / "data").symlink_to(outside)
    with pytest.raises(RunError, match="data/digits.txt lies behind a link of the repository"):
        made(checkout, env, SCRIPT)
    assert not list(outside.iterdir())


def test_the_system_is_not_covered(checkout: Path, env: Path) -> None:
    with pytest.raises(RunError, match="it makes /usr below root/"):
        made(checkout, env, SCRIPT.replace("root/datasets", "root/usr"))
