"""A session loses nothing: every change is a whole file on the disk, and the same command continues it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mlbench.human.session import HumanSession
from mlbench.human.session_records import ATTEMPTS, RowState, SessionPlan, session_plan
from mlbench.records import UsageError
from mlbench.suites.outputs import read_outputs
from mlbench.suites.suite import load_suite
from tests.suite_builder.reviewing import made


@pytest.fixture
def suite(tmp_path: Path) -> str:
    return str(made(tmp_path / "small"))


@pytest.fixture
def plan(suite: str) -> SessionPlan:
    return session_plan(suite, split="full", setting="oracle")


@pytest.fixture
def session(plan: SessionPlan, tmp_path: Path) -> HumanSession:
    return HumanSession.begin(tmp_path / "taken", plan)


def test_the_plan_is_the_paper_s_and_has_the_rows_of_the_split(plan: SessionPlan, suite: str) -> None:
    assert plan.k == ATTEMPTS == 5 and plan.person == "human"
    assert plan.rows == tuple(row.id for row in load_suite(suite).splits["full"])


@pytest.mark.parametrize("name", ["", "a/b", "../x", "<b>", "a b", "-x", "x" * 41, "a\n"])
def test_a_name_is_safe_everywhere(name: str, suite: str) -> None:
    with pytest.raises(UsageError, match="^--name "):
        session_plan(suite, split="full", setting="oracle", person=name)


def test_drafts_answers_and_time_are_there_again(session: HumanSession, plan: SessionPlan) -> None:
    first, second = plan.rows
    session.save(first, "python tr", 3.5)
    session.submit(second, "python train.py", 10, 1)
    session.submit(second, "python train.py --rate 1", 25, 2)
    session.close()
    again = HumanSession.begin(session.folder, plan)
    assert again.work(first).draft == "python tr" and again.work(first).state is RowState.DRAFT
    assert [(each.text, each.seconds) for each in again.work(second).attempts] == [
        ("python train.py", 10),
        ("python train.py --rate 1", 15),
    ]
    assert again.work(second).draft == "" and again.work(second).seconds == 25


def test_time_never_becomes_less(session: HumanSession, plan: SessionPlan) -> None:
    """A second window that was opened earlier knows of less time."""
    session.save(plan.rows[0], "x", 90)
    session.save(plan.rows[0], "y", 4)
    assert session.work(plan.rows[0]).seconds == 90 and session.work(plan.rows[0]).draft == "y"


def test_a_write_that_fails_leaves_the_earlier_answer(
    session: HumanSession, plan: SessionPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.submit(plan.rows[0], "python train.py", 10, 1)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            session.submit(plan.rows[0], "another", 20, 2)
    assert len(session.work(plan.rows[0]).attempts) == 1
    session.close()
    assert len(HumanSession.begin(session.folder, plan).work(plan.rows[0]).attempts) == 1


def test_an_answer_is_on_the_disk_before_it_is_confirmed(
    session: HumanSession, plan: SessionPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a loss of power, a rename that was not synced is gone: file and folder are synced."""
    synced: list[str] = []
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda fd: (synced.append(os.readlink(f"/proc/self/fd/{fd}")), real(fd))[1])
    session.save(plan.rows[0], "x", 1)
    assert len(synced) == 2 and Path(synced[0]).name.startswith(".new-") and synced[1] == str(session.folder / "rows")


def test_what_cannot_be_an_answer_is_refused(session: HumanSession, plan: SessionPlan) -> None:
    row = plan.rows[0]
    for text, number, why in [(" \n", 1, "empty"), ("x", 2, "not the next"), ("x", 0, "not the next")]:
        with pytest.raises(UsageError, match=why):
            session.submit(row, text, 1, number)
    for number in range(1, plan.k + 1):
        session.submit(row, "x", number, number)
    with pytest.raises(UsageError, match="5 answers already"):
        session.submit(row, "x", 9, plan.k + 1)
    with pytest.raises(UsageError, match="cannot be given up"):
        session.give_up(row, 9)
    with pytest.raises(UsageError, match="no row 999"):
        session.save(999, "", 1)


def test_a_person_stays_with_the_last_answer(session: HumanSession, plan: SessionPlan) -> None:
    """Pass@5 needs five attempts a row: the last answer stands for those that were not given."""
    first, second = plan.rows
    assert session.attempts() == []
    session.submit(first, "python a.py", 10, 1)
    session.submit(first, "```bash\npython b.py\n```", 30, 2)
    session.give_up(second, 7)
    found = session.attempts()
    assert [(each.sample.id, each.number) for each in found] == [(row, n) for row in plan.rows for n in range(1, 6)]
    assert [each.reply for each in found[:3]] == [
        "```bash\npython a.py\n```\n",
        "```bash\npython b.py\n```",
        "```bash\npython b.py\n```",
    ]
    assert [each.seconds for each in found[:5]] == [10, 20, 0, 0, 0]
    assert {each.reply for each in found[5:]} == {""} and found[5].seconds == 7
    session.submit(second, "python c.py", 9, 1)  # giving up can be taken back
    assert session.work(second).state is RowState.ANSWERED


def test_the_predictions_are_a_file_that_verify_reads(session: HumanSession, plan: SessionPlan) -> None:
    session.submit(plan.rows[0], "python train.py", 10, 1)
    outputs = read_outputs(session.folder / "predictions.jsonl", load_suite(plan.suite))
    assert outputs.faults == () and [each.reply for each in outputs.attempts] == [
        each.reply for each in session.attempts()
    ]


def test_another_session_in_the_folder_is_refused(session: HumanSession, suite: str) -> None:
    session.close()
    other = session_plan(suite, split="full", setting="code")
    with pytest.raises(UsageError, match="holds a session with setting oracle, not code; name another folder with -o"):
        HumanSession.begin(session.folder, other)


def test_two_commands_cannot_open_a_session(session: HumanSession, plan: SessionPlan) -> None:
    with pytest.raises(UsageError, match="is open in another `mlbench human`"):
        HumanSession.begin(session.folder, plan)
    session.close()
    HumanSession.begin(session.folder, plan).close()


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[]", b'{"draft": 1}', b'{"seconds": 1e999}', b'{"x": 1}'])
def test_a_broken_file_is_named(session: HumanSession, plan: SessionPlan, content: bytes) -> None:
    session.close()
    file = session.folder / "rows" / f"{plan.rows[0]}.json"
    file.write_bytes(content)
    with pytest.raises(UsageError, match=f"^{re.escape(str(file))}: not as `mlbench human` writes it"):
        HumanSession(session.folder)
    with pytest.raises(UsageError, match=r"session\.json: cannot be read"):
        HumanSession(session.folder / "rows")


@pytest.mark.parametrize("kill", [signal.SIGINT, signal.SIGKILL])
def test_the_command_can_end_at_any_time(tmp_path: Path, suite: str, kill: signal.Signals) -> None:
    import http.client

    command = [sys.executable, "-m", "mlbench", "human", suite, "--split", "full", "-o", "taken", "--no-browser"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.match(r"2 rows for human: http://127\.0\.0\.1:(\d+)/([\w-]+)/ ", line)
        assert found is not None, line
        connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=60)
        headers = {"X-Mlbench-Token": found[2], "Content-Type": "application/json"}
        body = json.dumps({"do": "submit", "row": 1, "text": "python train.py", "seconds": 66.6, "number": 1})
        connection.request("POST", f"/{found[2]}/work", body, headers)
        assert connection.getresponse().status == 200
        os.kill(process.pid, kill)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert HumanSession(tmp_path / "taken").work(1).attempts[0].text == "python train.py"
    if kill is signal.SIGINT:
        assert (process.returncode, err) == (0, "")
        assert out.strip().splitlines() == [
            "2 rows: 1 open, 1 answered; 1.1 minutes of active time",
            "next: mlbench verify taken",
            "the same command continues with the open rows",
        ]
