"""Docker as a sandbox: what is said where it cannot be used, what a container gets, what is left of killed runs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from mlbench.records import RunError, UsageError
from mlbench.sandbox import containers
from mlbench.sandbox.containers import Container
from mlbench.sandbox.docker import cleanup, engine, images
from mlbench.sandbox.docker.images import DockerImage, image_for, prepare
from mlbench.sandbox.limits import MIB, Limits

CACHED = (engine.answering, images.prepare, cleanup.owner, cleanup.folder, containers._bounds_disk)


@pytest.fixture(autouse=True)
def afresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """As in a new process, with a cache of its own."""
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path / "cache"))
    for name in ("MLBENCH_DOCKER_IMAGE", "MLBENCH_DOCKER_BASE"):
        monkeypatch.delenv(name, raising=False)
    for each in CACHED:
        each.cache_clear()
    yield
    for each in CACHED:
        each.cache_clear()


@pytest.fixture
def docker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A `docker` that does what the script says that a test writes there; what it was told stands in `told`."""
    program = tmp_path / "bin" / "docker"
    program.parent.mkdir()
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    return program


def does(program: Path, *cases: str) -> None:
    """Each case is a pattern of the arguments and what to do then; else it prints nothing and succeeds."""
    lines = [f'echo "$*" >> {program.parent}/told', 'case "$*" in', *(f"{case};;" for case in cases), "esac"]
    program.write_text("\n".join(["#!/bin/sh", *lines]))
    program.chmod(0o755)


def told(program: Path) -> str:
    return (program.parent / "told").read_text()


def test_without_docker_it_says_what_to_install(docker: Path) -> None:
    with pytest.raises(UsageError, match=r"^docker is not installed: see https://.*or use --sandbox bubblewrap$"):
        prepare(DockerImage("x"))


@pytest.mark.parametrize(
    ("case", "kind", "said"),
    [
        ("version*) echo Cannot connect to the Docker daemon at unix:///x. >&2; exit 1", RunError, "systemctl start"),
        ("version*) echo permission denied while trying to connect >&2; exit 1", UsageError, "usermod -aG docker"),
        ("compose*) echo \"'compose' is not a docker command\" >&2; exit 1", UsageError, "docker-compose-plugin"),
        ("image*) echo No such image >&2; exit 1", UsageError, "docker pull x"),
        ("run*) echo it has no git", UsageError, "cannot be used as a sandbox: it has no git"),
    ],
)
def test_what_is_missing_is_said_in_a_line_with_what_mends_it(
    docker: Path, monkeypatch: pytest.MonkeyPatch, case: str, kind: type[Exception], said: str
) -> None:
    does(docker, case)
    monkeypatch.setenv("MLBENCH_DOCKER_IMAGE", "x")
    with pytest.raises(kind, match=said) as error:
        prepare(image_for("ours:1", Path(os.devnull), installable=True))
    assert "\n" not in str(error.value)


def test_an_engine_that_does_not_answer_is_not_waited_for_for_ever(docker: Path) -> None:
    does(docker, "hang) exec sleep 100")
    with pytest.raises(engine.DockerError, match="did not answer within"):
        engine.docker("try", "hang", seconds=0.2)


def test_an_image_is_built_once_and_again_when_its_requirements_change(docker: Path, tmp_path: Path) -> None:
    lock = tmp_path / "lock.txt"
    lock.write_text("")
    image = DockerImage("ours:1", lock, "base:1", installable=True)
    does(docker, f"image*) [ ! -e {tmp_path}/label ] || cat {tmp_path}/label")
    prepare(image)
    (build,) = [line for line in told(docker).splitlines() if line.startswith("build")]
    assert "--network none" in build
    assert "BASE=base:1" in build
    (tmp_path / "label").write_text(image.content())
    prepare.cache_clear()
    prepare(image)
    assert told(docker).count("build ") == 1
    lock.write_text("six==1\n")
    prepare.cache_clear()
    prepare(image)
    assert told(docker).count("build ") == 2


def test_a_build_that_fails_says_why_and_what_to_change(docker: Path, tmp_path: Path) -> None:
    (tmp_path / "lock.txt").write_text("")
    does(
        docker,
        "build*) printf '\\033[91mno such host\\033[0m\\nThe command '\\''/bin/sh -c x'\\'' failed\\n' >&2; exit 1",
    )
    with pytest.raises(RunError, match=r"on base:1: no such host; MLBENCH_DOCKER_BASE=IMAGE"):
        prepare(DockerImage("ours:1", tmp_path / "lock.txt", "base:1"))


def service_of(container: Container) -> dict[str, object]:
    compose = yaml.safe_load(Path(str(container.spec().config)).read_text())
    return dict(compose["services"]["default"])


def test_a_container_is_bounded_and_has_no_network(docker: Path, repository: Path) -> None:
    does(docker, "create*) exit 1")
    limits = Limits(memory=64 * MIB, written=8 * MIB, processes=32)
    service = service_of(Container(DockerImage("x"), repository, limits, env={"PYTHONPATH": "/workspace/src"}))
    assert service["network_mode"] == "none"
    assert service["mem_limit"] == service["memswap_limit"] == 64 * MIB
    assert service["pids_limit"] == 32
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges"]
    assert "storage_opt" not in service
    variables = service["environment"]
    assert isinstance(variables, dict)
    assert variables["PYTHONPATH"] == "/workspace/src"
    assert variables["PATH"].startswith("/opt/env/bin:")
    assert "build" not in service


def test_the_disk_is_bounded_where_the_engine_can(docker: Path, repository: Path) -> None:
    does(docker, "create*) echo made")
    service = service_of(Container(DockerImage("x"), repository, Limits(written=8 * MIB)))
    copied = (repository / "data.txt").stat().st_size
    assert service["storage_opt"] == {"size": str(8 * MIB + copied)}
    assert "rm made" in told(docker)


def test_a_dollar_in_a_path_is_no_variable_of_composes(docker: Path, tmp_path: Path) -> None:
    """Compose put nothing in the place of `$HOME` in a repository's path, and mounted another folder."""
    does(docker)
    (folder := tmp_path / "a$HOME").mkdir()
    file = Path(str(Container(DockerImage("x"), folder, Limits()).spec().config))
    assert "a$$HOME" in file.read_text()


def test_compose_files_go_with_their_process(tmp_path: Path) -> None:
    code = "from mlbench.sandbox.docker import cleanup as leftovers; print(leftovers.folder())"
    done = subprocess.run([sys.executable, "-c", code], env=os.environ, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(str(tmp_path))
    assert not Path(done.stdout.strip()).exists()


def killed_owner() -> str:
    """The name of a process that was killed; its folder is left."""
    code = "import os; from mlbench.sandbox.docker import cleanup as l; l.folder(); print(l.owner(), flush=True)"
    command = [sys.executable, "-c", f"{code}; os.kill(os.getpid(), 9)"]
    return subprocess.run(command, env=os.environ, capture_output=True, text=True, check=False).stdout.strip()


def test_only_who_is_surely_gone_counts_as_gone() -> None:
    me = cleanup.owner().split("-")
    assert not cleanup.is_gone(cleanup.owner())
    assert cleanup.is_gone(killed_owner())
    assert cleanup.is_gone("-".join([*me[:4], "1"])), "another process had this number before"
    assert cleanup.is_gone("-".join([me[0], "earlier", *me[2:]])), "the machine was started anew"
    assert not cleanup.is_gone("-".join(["elsewhere", *me[1:3], "999999999", "1"])), "of another machine"
    assert not cleanup.is_gone("-".join([*me[:2], "1", "999999999", "1"])), "counted in another container"
    for odd in ("", "agents", "a-b-c-d-e", "-".join([*me[:3], "../x", "1"])):
        assert not cleanup.is_gone(odd)


def test_what_killed_runs_left_is_swept_and_nothing_else(docker: Path, tmp_path: Path) -> None:
    gone, alive = killed_owner(), cleanup.owner()
    mine = cleanup.folder()
    does(
        docker,
        f"ps*) printf 'c1 {gone}\\nc2 {alive}\\nc3\\n'",
        f"'network ls'*) echo n1 {gone}",
    )
    cleanup.sweep()
    assert "rm --force --volumes c1\n" in told(docker)
    assert "network rm --force n1\n" in told(docker)
    assert mine.is_dir()
    assert not (tmp_path / "cache" / "docker" / gone).exists()
