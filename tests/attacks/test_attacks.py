"""No attack passes, and none leaves its sandbox; every fifth here, all of them where time does not matter."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mlbench.records import Execution, ExitKind, Policy, Stage, Verdict
from mlbench.results.load_log import AttemptRecord
from tests.attacks import run_attacks
from tests.attacks.attack_agents import FOLDER as AGENTS
from tests.attacks.attack_candidates import Attack, attacks
from tests.attacks.attack_sandbox import FOLDER as SANDBOX
from tests.attacks.attack_sandbox import HOST_KEY, LIMITS, Ground, Prizes, _said
from tests.attacks.run_attacks import Outcome, left_by_agents, outcomes, rejected_references

CANDIDATES = attacks()
AGAINST_THE_SANDBOX = attacks(SANDBOX)
BY_AGENTS = attacks(AGENTS)
EVERY = 5
"""Variants of one idea stand next to each other, by their names: every fifth is one of most ideas."""


def test_every_attack_says_what_it_tries() -> None:
    assert len(CANDIDATES) >= 70
    assert len(AGAINST_THE_SANDBOX) >= 45
    assert len(BY_AGENTS) >= 35
    every = [*CANDIDATES, *AGAINST_THE_SANDBOX, *BY_AGENTS]
    assert [attack.name for attack in every if not attack.aim or attack.aim.startswith("#")] == []
    assert len({attack.aim for attack in every}) == len({(attack.code, attack.row) for attack in every}) == len(every)


def _check(candidates: list[Attack], sandbox: list[Attack]) -> None:
    found, references = outcomes(candidates, sandbox)
    assert rejected_references(references) == []
    assert [str(outcome) for outcome in found if outcome.passed(Policy.STRICT)] == []
    assert [str(outcome) for outcome in found if outcome.reached] == []
    shown = [verdict.evidence for outcome in found for verdict in outcome.attempt.verdicts.values()]
    assert [text for text in shown if any(not sign.isprintable() and sign not in "\n\t" for sign in text)] == []


def test_no_attack_passes_or_escapes() -> None:
    _check(CANDIDATES[::EVERY], AGAINST_THE_SANDBOX[::EVERY])


@pytest.mark.slow
def test_of_all_attacks_none_passes_or_escapes() -> None:
    _check(CANDIDATES, AGAINST_THE_SANDBOX)


def _check_agents(own: list[Attack], answers: list[Attack]) -> None:
    found = left_by_agents(own, answers)
    assert len(found) == len(own) + len(answers)
    assert [str(outcome) for outcome in found if outcome.passed(Policy.STRICT)] == []
    assert any(outcome.passed(Policy.PAPER) for outcome in found), "by the published rule some pass"


def test_nothing_that_an_agent_leaves_passes() -> None:
    _check_agents(BY_AGENTS[::EVERY], CANDIDATES[:: 12 * EVERY])


@pytest.mark.slow
def test_of_all_that_agents_leave_nothing_passes() -> None:
    _check_agents(BY_AGENTS, CANDIDATES)


def test_an_attack_that_was_not_judged_did_not_fail() -> None:
    """One that breaks the judge would else leave the denominator unseen."""
    attempt = AttemptRecord(5, 1, "lichen", "graphs", "Bash Script", 1)
    assert Outcome(CANDIDATES[0], attempt).passed(Policy.STRICT)
    verdict = Verdict(Policy.STRICT, False, Stage.EXECUTION, "exit-code")
    judged = AttemptRecord(5, 1, "lichen", "graphs", "Bash Script", 1, verdicts={Policy.STRICT: verdict})
    assert not Outcome(CANDIDATES[0], judged).passed(Policy.STRICT)


@pytest.fixture
def ground(tmp_path: Path, repository: Path) -> Ground:
    (tmp_path / "env" / "bin").mkdir(parents=True)
    (tmp_path / "env" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    made = Ground(repository, tmp_path / "env")
    made.before = made.state()
    return made


@pytest.fixture
def prizes(tmp_path: Path) -> Iterator[Prizes]:
    with Prizes(tmp_path / "prizes", f"mlbench-attack-{os.getpid()}-observer") as made:
        yield made


def test_what_is_left_alone_is_no_escape(prizes: Prizes, ground: Ground) -> None:
    assert [*prizes.reached(), *ground.changed()] == []
    assert prizes.alive() == []
    assert list(_said(Execution(ExitKind.EXITED, 1, 0.1, stdout="fine", stderr="\x1b[2J\ttext"), prizes)) == []


def test_every_prize_is_watched(prizes: Prizes, ground: Ground) -> None:
    """An observer that sees nothing would find everything contained."""
    told = prizes.told(ground)
    socket.create_connection(("127.0.0.1", int(told["PORT"])), timeout=5).close()
    assert list(prizes.reached()) == ["connected to the host's loopback"]
    for address in ("\0" + told["ABSTRACT"], told["SOCKET"]):
        with socket.socket(socket.AF_UNIX) as knock:
            knock.connect(address)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"x", ("127.0.0.1", int(told["UDP_PORT"])))
    seen = ["connected to the host's abstract socket", "connected to the host's socket", "sent a datagram to the host"]
    assert list(prizes.reached()) == seen
    (prizes.folder / "planted").write_text("")
    planted = Path("/tmp", f"planted-{prizes.mark}")
    planted.write_text("")
    try:
        assert list(prizes.reached()) == ["wrote into a folder of the host", f"left {planted}"]
    finally:
        planted.unlink()
        (prizes.folder / "planted").unlink()
    prizes.bystander.kill()
    prizes.bystander.wait()
    assert list(prizes.reached()) == ["signalled a process of the host"]


def test_survivors_are_found_by_their_mark(prizes: Prizes) -> None:
    survivor = subprocess.Popen(["sleep", "60"], env={"MARK": prizes.mark}, start_new_session=True)
    try:
        ends = time.monotonic() + 5  # a process has no variables yet in the moment of its exec
        while prizes.alive() != [survivor.pid]:
            assert time.monotonic() < ends
    finally:
        survivor.kill()
        survivor.wait()


@pytest.mark.parametrize("deed", ["write", "new", "link", "mode", "environment"])
def test_changes_of_what_is_shared_are_seen(ground: Ground, deed: str) -> None:
    file = ground.repository / "data.txt"
    if deed == "write":
        file.write_text("changed\n")
    elif deed == "new":
        (ground.repository / "new").touch()
    elif deed == "link":
        os.link(file, ground.repository.parent / "hard")
    elif deed == "mode":
        file.chmod(0o4755)
    else:
        (ground.environment / "bin" / "python").touch()
    changed = f"changed {ground.environment / 'bin'}" if deed == "environment" else "changed repository"
    assert list(ground.changed()) == [changed]


def test_what_an_attack_prints_counts_against_it(prizes: Prizes) -> None:
    def said(out: str, seconds: float = 0.1) -> list[str]:
        return list(_said(Execution(ExitKind.EXITED, 0, seconds, stdout=out), prizes))

    assert said(f"a {prizes.secret} b") == [f"printed {prizes.secret}"]
    assert said(HOST_KEY) == [f"printed {HOST_KEY}"]
    assert said("REACHED mem") == ["printed REACHED"]
    assert said("x\n" * 2 * LIMITS.output) == ["its output was not bounded"]
    assert said("", LIMITS.seconds + 2) == [f"ran for {LIMITS.seconds + 2:.1f} s"]


def test_the_runner_says_by_its_exit_status_that_an_attack_passed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where an attack is a right answer, it must not say that all is well."""
    code = "python main.py --data citeseer --alpha 0.5 --k 40 --adj DA"
    (tmp_path / "right.sh").write_text(f"# The right answer.\n{code}\n")
    (tmp_path / "none").mkdir()
    monkeypatch.setattr(run_attacks, "CANDIDATES", tmp_path)
    monkeypatch.setattr(run_attacks, "SANDBOX", tmp_path / "none")
    monkeypatch.setattr(run_attacks, "AGENTS", tmp_path / "none")
    assert run_attacks.main() == 1
    printed = capsys.readouterr().out
    assert "PASSED" in printed
    assert "1 attacks; passed under paper 1" in printed
