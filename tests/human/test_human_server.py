"""The server of the page for people: a row without its reference, refusals, and answers that the one judge judges."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mlbench.human.server import HumanServer
from mlbench.human.service import HumanService
from mlbench.human.session import HumanSession
from mlbench.human.session_records import LONGEST, session_plan
from mlbench.records import Setting
from mlbench.results.load_log import read_run
from mlbench.results.person import answered_by_person, published_note
from mlbench.suites.suite import load_suite
from mlbench.web.local_server import MOST
from tests.command_line import mlbench
from tests.local_server import ask, own
from tests.suite_builder.reviewing import made


def begun(folder: Path, setting: Setting = "oracle", person: str = "human") -> HumanSession:
    suite = folder / "small"
    plan = session_plan(
        str(suite if suite.is_dir() else made(suite)), split="full", setting=setting, k=2, person=person
    )
    return HumanSession.begin(folder / f"taken-{setting}", plan)


def served(session: HumanSession) -> Iterator[HumanServer]:
    with HumanServer(HumanService(session)) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def session(tmp_path: Path) -> HumanSession:
    return begun(tmp_path)


@pytest.fixture
def server(session: HumanSession) -> Iterator[HumanServer]:
    yield from served(session)


def work(server: HumanServer, **fields: Any) -> Any:
    return ask(server, own(server, "work"), {"row": 0, "seconds": 1, **fields})


def test_a_row_is_shown_as_a_model_sees_it_and_never_its_reference(server: HumanServer) -> None:
    sample = load_suite(server.service.session.plan.suite).row(0).sample
    answer = ask(server, own(server, "row?id=0"))
    assert answer.status == 200 and answer.json["instruction"] == sample.instruction
    assert [document["path"] for document in answer.json["documents"]] == ["README.md"]
    assert not {"output", "arguments", "oracle", "reference"} & set(answer.json)
    for text in (answer.text, ask(server, own(server)).text, ask(server, own(server, "session")).text):
        assert sample.output not in text and json.dumps(sample.arguments)[1:-1] not in text


def test_a_setting_without_documents_or_with_files(tmp_path: Path) -> None:
    for running in served(begun(tmp_path, "code")):
        found = ask(running, own(running, "row?id=0")).json["documents"]
        assert {document["path"] for document in found} == {"README.md", "train.py"}


def test_work_is_stored(server: HumanServer, session: HumanSession) -> None:
    assert work(server, do="save", text="pyth", seconds=2.5).json["entry"]["state"] == "draft"
    done = work(server, do="submit", text="python train.py", seconds=9, number=1)
    assert done.status == 200 and done.json["entry"] == {
        "id": 0,
        "repository": "pulsar",
        "type": "Bash Script",
        "state": "answered",
        "attempts": 1,
        "seconds": 9.0,
    }
    assert work(server, do="give-up", row=1).json["entry"]["state"] == "given up"
    overview = ask(server, own(server, "session")).json
    assert [row["state"] for row in overview["rows"]] == ["answered", "given up"]
    again = HumanSession(session.folder)
    assert again.work(0).attempts[0].text == "python train.py" and again.work(1).given_up


def test_a_repeated_request_adds_no_second_answer(server: HumanServer) -> None:
    assert work(server, do="submit", text="a", number=1).status == 200
    again = work(server, do="submit", text="a", number=1)
    assert again.status == 422 and "not the next" in again.json["faults"][0]


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "localhost:1", ""])
def test_another_host_is_refused(server: HumanServer, host: str) -> None:
    """DNS rebinding: a foreign name that suddenly means this machine."""
    assert ask(server, own(server, "row?id=0"), Host=host).status == 421
    assert ask(server, own(server, "work"), {"do": "save", "row": 0, "seconds": 1}, Host=host).status == 421


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"X_Mlbench_Token": "nonsense"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Content_Type": "text/plain"}, 404),
        ({"Content_Length": str(MOST + 1)}, 413),
    ],
)
def test_only_the_own_page_stores(
    server: HumanServer, session: HumanSession, headers: dict[str, str], status: int
) -> None:
    request = {"do": "submit", "row": 0, "text": "x", "seconds": 1, "number": 1}
    assert ask(server, own(server, "work"), request, **headers).status == status
    assert session.work(0).attempts == ()


@pytest.mark.parametrize(
    ("body", "status", "fault"),
    [
        (b"{", 400, "Invalid JSON"),
        (b"[" * 100_000, 400, "Invalid JSON"),
        (b'{"do": "save", "row": 0, "seconds": 1, "text": "\\ud800"}', 400, ""),
        (b'{"do": "save", "row": 0, "seconds": NaN}', 400, "seconds"),
        ({"do": "delete", "row": 0, "seconds": 1}, 400, "do: "),
        ({"do": "save", "row": 0, "seconds": -1}, 400, "seconds: "),
        ({"do": "save", "row": 0, "seconds": 1e12}, 400, "seconds: "),
        ({"do": "save", "row": 0, "seconds": 1, "text": "x" * (LONGEST + 1)}, 400, "text: "),
        ({"do": "save", "row": "../../x", "seconds": 1}, 400, "row: "),
        ({"do": "save", "row": 77, "seconds": 1}, 422, "no row 77"),
        ({"do": "submit", "row": 0, "seconds": 1, "text": "  ", "number": 1}, 422, "is empty"),
    ],
)
def test_a_bad_request_is_told_so(server: HumanServer, body: Any, status: int, fault: str) -> None:
    answer = ask(server, own(server, "work"), body)
    assert answer.status == status and fault in answer.json["faults"][0]


def test_what_is_not_there_is_not_found(server: HumanServer) -> None:
    for name in ("nothing", "row", "row?id=", "row?id=-1", "row?id=x", "row?id=99", "row?id=" + "9" * 5000):
        assert ask(server, own(server, name)).status == 404


def test_a_full_disk_is_told_and_nothing_is_lost(
    server: HumanServer, session: HumanSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("mlbench.human.session.write_file", full)
    answer = work(server, do="submit", text="a", number=1)
    assert answer.status == 500 and "nothing was stored" in answer.json["faults"][0]
    assert session.work(0).attempts == ()


def test_the_one_judge_judges_a_person(tmp_path: Path) -> None:
    session = begun(tmp_path, person="anna")
    reference = load_suite(session.plan.suite).row(0).sample.output
    session.submit(0, "echo \x1b[31m <img src=x>; rm -rf / #", 30, 1)
    session.submit(0, reference, 50, 2)
    session.close()
    judged = mlbench("verify", str(session.folder), "--display", "none", cwd=tmp_path)
    assert judged.returncode == 0, judged.stderr
    assert "mlbench/human/anna" in judged.stdout and "59 of 68 samples, interval 77-93" in " ".join(
        judged.stdout.split()
    )
    run = read_run(next((tmp_path / "logs").glob("*.eval")))
    assert (run.model, run.split, run.setting, run.each, run.seconds) == ("mlbench/human/anna", "full", "oracle", 2, 50)
    assert [[verdict.passed for verdict in each.verdicts.values()] for each in run.attempts] == [[False], [True]]
    assert [each.seconds for each in run.attempts] == [30, 20]
    assert answered_by_person(run) and run.usage.tokens == 0
    assert published_note([run]).startswith("Run 1: 1 of the session's 2 rows are answered or given up; only these")


def test_a_session_without_an_answer_is_not_judged(tmp_path: Path) -> None:
    session = begun(tmp_path)
    session.close()
    judged = mlbench("verify", str(session.folder), cwd=tmp_path)
    assert judged.returncode == 2 and "no row is answered yet; `mlbench human` opens the page" in judged.stderr
    nothing = mlbench("verify", str(tmp_path), cwd=tmp_path)
    assert nothing.returncode == 2 and "session.json: cannot be read" in nothing.stderr


def test_the_model_of_a_person_answers_nothing_else(tmp_path: Path) -> None:
    for model, why in [("mlbench/human", "answers only in"), ("mlbench/gold/anna", "no baseline mlbench/gold/anna")]:
        asked = mlbench("eval", "pocket", "--model", model, "--limit", "1", "--display", "none", cwd=tmp_path)
        assert asked.returncode in (1, 2) and why in asked.stderr + asked.stdout
