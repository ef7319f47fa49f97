"""The environments of real repositories: seeds, the way they are installed, and what the command line says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mlbench.records import RunError
from mlbench.repositories import catalogue, repo_environments, seeded_imports
from mlbench.repositories.dockerfile import dockerfile, image_tag
from mlbench.repositories.repo_environments import CPU_BUILDS, is_installed, own_bytes, repo_environment, requirements
from mlbench.repositories.uv_client import NoWheelError
from tests.command_line import mlbench

_LOCKED = [name for name in catalogue.names() if catalogue.pinned(name).cpu_lock]


@pytest.mark.parametrize("name", _LOCKED)
def test_a_lock_has_versions_and_hashes_and_no_addresses(name: str) -> None:
    lock = catalogue.pinned(name).cpu_lock
    assert lock is not None
    text = lock.read_text()
    packages = text.replace("\\\n", " ").splitlines()
    assert "://" not in text
    assert all("==" in line and "--hash=sha256:" in line for line in packages if line.strip())


def test_two_processes_draw_the_same_numbers(tmp_path: Path) -> None:
    (tmp_path / "mlbench_seeds.py").write_bytes(Path(str(seeded_imports.__file__)).read_bytes())
    (tmp_path / "torch.py").write_text("seed = None\ndef manual_seed(number):\n    global seed\n    seed = number\n")
    code = "import mlbench_seeds, random, torch, numpy; print(random.random(), numpy.random.rand(), torch.seed)"
    env = {"PYTHONPATH": str(tmp_path), "PATH": "/usr/bin"}
    command = [sys.executable, "-c", code]
    runs = [subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert runs[0].split()[2:] == ["0"]
    assert runs[0] == runs[1]


@pytest.fixture
def uv(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[str, ...]]:
    """The calls of uv, which makes nothing but folders; it fails if a lock says so."""
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path / "cache"))
    calls: list[tuple[str, ...]] = []

    def make(folder: Path, what: str) -> None:
        (folder / "lib/python3.11/site-packages").mkdir(parents=True)

    def run(what: str, *words: str) -> None:
        calls.append(words)
        if "-r" not in words:
            return
        text = Path(words[words.index("-r") + 1]).read_text()
        if "sources" in text:
            raise NoWheelError(what, "sources", "1.4")
        if "nowhere" in text or ("cpu" in text and "--find-links" not in words):
            raise RunError(f"cannot build {what}: no such version")

    monkeypatch.setattr(repo_environments, "make_environment", make)
    monkeypatch.setattr(repo_environments, "run_uv", run)
    return calls


def test_an_environment_is_built_once_from_exactly_its_lock(uv: list[tuple[str, ...]], tmp_path: Path) -> None:
    lock = tmp_path / "toy.cpu.txt"
    lock.write_text("einops==0.8.2\n")
    assert not is_installed(lock)
    folder = repo_environment(lock)
    assert repo_environment(lock) == folder and is_installed(lock)
    assert len(uv) == 1 and {"--no-deps", "--require-hashes"} <= set(uv[0])
    assert {file.name for file in folder.rglob("*.pth")} == {"mlbench_seeds.pth", "mlbench_witness.pth"}


def test_wheels_without_cuda_are_looked_for_where_they_are_published(uv: list[tuple[str, ...]], tmp_path: Path) -> None:
    lock = tmp_path / "toy.cpu.txt"
    lock.write_text("torch==2.13.0+cpu\n")
    repo_environment(lock)
    assert [words[-2:] == ("--find-links", CPU_BUILDS) for words in uv] == [False, True]


def test_a_lock_that_cannot_be_had_is_one_line(uv: list[tuple[str, ...]], tmp_path: Path) -> None:
    lock = tmp_path / "toy.cpu.txt"
    lock.write_text("nowhere==1\n")
    with pytest.raises(RunError, match="^cannot build the environment of toy: no such version$"):
        repo_environment(lock)
    assert not is_installed(lock)


def test_a_package_without_a_wheel_is_built_by_the_sandbox_or_refused(
    uv: list[tuple[str, ...]], tmp_path: Path
) -> None:
    """uv built it on this machine, outside of any sandbox."""
    lock = tmp_path / "toy.cpu.txt"
    lock.write_text("einops==0.8.2\nsources==1.4 \\\n    --hash=sha256:00\n")
    with pytest.raises(RunError, match="sources==1.4 has no wheel for this Python"):
        repo_environment(lock)
    asked: list[str] = []

    def build(line: str) -> Path:
        asked.append(line)
        return tmp_path / "sources-1.4-py3-none-any.whl"

    repo_environment(lock, build)
    assert asked == ["sources==1.4 --hash=sha256:00"]
    assert uv[-1][-1] == str(tmp_path / "sources-1.4-py3-none-any.whl")
    assert all({"--only-binary", ":all:"} <= set(words) for words in uv)


def test_files_with_several_names_are_counted_once(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 100)
    (tmp_path / "b").hardlink_to(tmp_path / "a")
    assert own_bytes(tmp_path) == 100


def test_an_environment_that_does_not_exist_stops_no_other(tmp_path: Path) -> None:
    without = next(name for name in catalogue.names() if name not in _LOCKED)
    done = mlbench("repos", "install", "--cpu", without, cwd=tmp_path)
    assert done.returncode == 1
    assert f"{without}: no environment without a GPU is known" in done.stderr
    assert done.stdout.splitlines()[-1] == "0 environments, 0.0 GB"


def test_a_dockerfile_needs_no_buildkit() -> None:
    """`COPY <<'LOCK'` ended the classic builder with: no source files were specified."""
    text = dockerfile(catalogue.pinned(_LOCKED[0]))
    assert "<<" not in text and "# syntax" not in text


def test_a_dockerfile_holds_the_commit_and_the_lock() -> None:
    entry = catalogue.pinned(_LOCKED[0])
    text = dockerfile(entry)
    assert entry.commit in text and "--require-hashes" in text
    assert entry.cpu_lock is not None
    wanted = requirements(entry.cpu_lock.read_text())
    assert len(wanted) > 1 and all(f"    '{line}' \\\n" in text for line in wanted)
    assert all("==" in line and "--hash=sha256:" in line for line in wanted)
    assert image_tag(entry) == f"mlbench-{entry.name.lower()}:{entry.commit[:12]}"
