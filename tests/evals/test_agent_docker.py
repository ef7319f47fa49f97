"""Agents in real containers: what they have there, the same verdicts, and nothing left after an end of any kind.

Each needs an engine: `pytest -m docker`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.util import sandbox

from mlbench.agents.baselines import ANSWER_FILE, run_script
from mlbench.agents.registry import ROSTER, AgentEntry
from mlbench.evals.ml_agent_bench.task import agent_bench
from mlbench.prompts.messages import ROW
from mlbench.repositories.environments import environment
from mlbench.sandbox.docker.cleanup import LABEL, owner
from mlbench.sandbox.docker.engine import docker
from mlbench.suites.suite import load_suite, sample_of
from tests.serving.command import PROGRAM, Place
from tests.serving.kill_resume import final_log

pytestmark = pytest.mark.docker

SCRIPT, CODE = 5, 242


@agent
def handy(seen: dict[str, str], commands: Mapping[str, str] | None = None) -> Agent:
    """Leaves the reference. Of the suite's packages it makes the names only: no more is carried over."""

    async def execute(state: AgentState) -> AgentState:
        box = sandbox()
        row = next(about["id"] for message in state.messages if (about := (message.metadata or {}).get(ROW)))
        place = environment(load_suite("pocket").requirements)
        names = [folder.name for folder in place.glob("lib/python*/site-packages/*.dist-info")]
        made = await box.exec(["bash", "-c", f"cd /opt/env/lib/python*/site-packages && mkdir {' '.join(names)}"])
        assert made.success, made.stderr
        sample = sample_of("pocket", row)
        folder = sample.path.removeprefix("./").rstrip("/") or "."
        if sample.kind == "python":
            await box.write_file(f"{folder}/{ANSWER_FILE}", sample.output)
        await box.write_file("run.sh", run_script(sample, folder))
        for name, command in (commands or {}).items():
            done = await box.exec(["bash", "--login", "-c", command], timeout=60)
            seen[name] = (done.stdout + done.stderr).strip()
        return state

    return execute


def bench(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, made: Agent, *rows: int, **options: Any) -> dict[int, Any]:
    """The score of each row, the agent being one of the test's own."""
    monkeypatch.setitem(ROSTER, "nothing", AgentEntry("nothing", "of a test", lambda suite: made, model=False))
    task = agent_bench(agent="nothing", split="full", sandbox="docker", **{"network": "none", **options})
    task.dataset = task.dataset.filter(lambda sample: int(str(sample.id)) in rows)
    log = inspect_eval(task, model="mlbench/nothing", log_dir=str(tmp_path), display="none", fail_on_error=False)[0]
    assert log.status == "success", log.error
    assert [sample.error for sample in log.samples or [] if sample.error] == []
    assert ours(owner()) == []
    return {int(sample.id): (sample.scores or {})["judge"] for sample in log.samples or []}


def ours(of: str = "") -> list[str]:
    """Containers and networks of this owner, or of any."""
    label = f"label={LABEL}" + (f"={of}" if of else "")
    containers = docker("list", "ps", "--all", "--filter", label, "--format", f'{{{{.ID}}}} {{{{.Label "{LABEL}"}}}}')
    networks = docker("list", "network", "ls", "--filter", label, "--format", f'{{{{.ID}}}} {{{{.Label "{LABEL}"}}}}')
    return [*containers.splitlines(), *networks.splitlines()]


def test_the_reference_passes_in_both_languages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    scores = bench(monkeypatch, tmp_path, handy({}), SCRIPT, CODE)
    assert {row: score.value["strict"] for row, score in scores.items()} == {SCRIPT: 1.0, CODE: 1.0}


def test_an_agent_is_a_user_without_powers_and_reaches_the_index_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    ask = 'import urllib.request as u; u.urlopen("http://127.0.0.1:3141/simple/no-such-project/")'
    seen: dict[str, str] = {}
    commands = {
        "user": "id -u; stat -c %U /workspace/README.md /opt/env/bin/pip",
        "powers": "grep -E '^(CapEff|CapBnd|NoNewPrivs):' /proc/self/status",
        "network": "ls /sys/class/net; git --version",
        "pip": "command -v pip",
        "index": f"python -c '{ask}'",
        "repository": "touch /repository/new",
        "processes": "cat /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max 2>/dev/null",
        "memory": "cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2>/dev/null",
        "file": "head -c 9000000 /dev/zero > large; stat -c %s large; rm -f large",
    }
    room = {"memory": 256 * 2**20, "written": 8 * 2**20, "processes": 77}
    scores = bench(monkeypatch, tmp_path, handy(seen, commands), SCRIPT, sandbox_limits=room, network="index")
    assert scores[SCRIPT].value["strict"] == 1.0
    assert seen["user"].split() == ["1000", "user", "user"]
    assert seen["powers"].split() == ["CapEff:", "0" * 16, "CapBnd:", "0" * 16, "NoNewPrivs:", "1"]
    assert seen["network"].split()[:2] == ["lo", "git"]
    assert "HTTP Error 404" in seen["index"]
    assert seen["pip"] == "/opt/env/bin/pip"
    assert "Read-only file system" in seen["repository"]
    assert (seen["processes"], seen["memory"]) == ("77", str(256 * 2**20))
    assert str(8 * 2**20) in seen["file"].splitlines()


class Run:
    """`mlbench agent` as a user starts it, in docker, with the agent that does nothing."""

    def __init__(self, root: Path) -> None:
        self.place = Place(root)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        config = os.environ.get("DOCKER_CONFIG") or str(Path.home() / ".docker")
        return subprocess.Popen(
            [str(PROGRAM), "agent", *arguments, "--log-dir", str(self.place.logs), "--display", "plain"],
            env=self.place.env(DOCKER_CONFIG=config),
            cwd=self.place.root,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def new(self) -> subprocess.Popen[str]:
        options = ("--agent", "nothing", "--limit", "2", "--max-samples", "2", "--network", "none")
        return self.start("pocket", *options, "--sandbox", "docker")


def of_process(pid: int) -> list[str]:
    return [line for line in ours() if line.split("-")[-2] == str(pid)]


def wait_until(true: Callable[[], object], seconds: float = 90) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came about"
        time.sleep(0.1)


def test_an_interrupted_run_leaves_nothing(tmp_path: Path) -> None:
    process = (run := Run(tmp_path)).new()
    wait_until(lambda: of_process(process.pid))
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == 130, stderr
    assert of_process(process.pid) == []
    assert not list(run.place.root.rglob("*.compose.yaml"))


def test_what_a_killed_run_left_is_gone_when_it_is_resumed(tmp_path: Path) -> None:
    process = (run := Run(tmp_path)).new()
    wait_until(lambda: of_process(process.pid))
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    time.sleep(2)  # what the engine was told to do, it does
    assert of_process(process.pid), "nothing was left: the test tests nothing"
    resumed = run.start("--resume")
    _, stderr = resumed.communicate(timeout=300)
    assert resumed.returncode == 0, stderr
    assert of_process(process.pid) + of_process(resumed.pid) == []
    log = final_log(run.place)
    assert len(log.samples or []) == len({sample.id for sample in log.samples or []}) == 2
    assert all(sample.scores and not sample.error for sample in log.samples or [])
