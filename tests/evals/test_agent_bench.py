"""The agent bench, end to end, with agents that are a few commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import ChatMessageAssistant, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import bash
from inspect_ai.util import sandbox

from mlbench.agents.baselines import ANSWER_FILE, run_script
from mlbench.agents.registry import ROSTER, AgentEntry
from mlbench.evals.ml_agent_bench.task import agent_bench
from mlbench.prompts.messages import ROW
from mlbench.records import UsageError
from mlbench.sandbox.bubblewrap import BubblewrapSandbox
from mlbench.suites.suite import sample_of
from tests.agent_fixtures import pretend_installed


def row_of(state: AgentState) -> int:
    return int(next(about["id"] for message in state.messages if (about := (message.metadata or {}).get(ROW))))


@agent
def handy(before: str = "", after: str = "", words: str = "") -> Agent:
    """Leaves the reference, with commands before and after; says something at the end."""

    async def execute(state: AgentState) -> AgentState:
        box = sandbox().as_type(BubblewrapSandbox)
        await pretend_installed(box)
        sample = sample_of("pocket", row_of(state))
        folder = sample.path.removeprefix("./").rstrip("/") or "."
        if sample.kind == "python":
            await box.write_file(f"{folder}/{ANSWER_FILE}", sample.output)
        await box.write_file("run.sh", before + run_script(sample, folder))
        if after:
            await box.exec(["bash", "-c", after])
        state.messages.append(ChatMessageAssistant(content=words))
        return state

    return execute


@agent
def talker() -> Agent:
    """Asks the model again and again."""

    async def execute(state: AgentState) -> AgentState:
        while True:
            output = await get_model().generate(state.messages, tools=[bash()])
            state.messages.append(output.message)

    return execute


def bench(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    made: Agent,
    rows: list[int],
    model: Any = "mlbench/nothing",
    **options: Any,
) -> dict[int, Any]:
    """The score of each row, for an agent of the test's own; no network."""
    monkeypatch.setitem(ROSTER, "nothing", AgentEntry("nothing", "of a test", lambda suite: made, model=False))
    task = agent_bench(agent="nothing", split="full", network="none", **{"limits": {"seconds": 20.0}, **options})
    task.dataset = task.dataset.filter(lambda sample: int(str(sample.id)) in rows)
    log = inspect_eval(task, model=model, log_dir=str(tmp_path), display="none", fail_on_error=False)[0]
    assert log.status == "success", log.error
    assert [sample.error for sample in log.samples or [] if sample.error] == []
    return {int(sample.id): (sample.scores or {})["judge"] for sample in log.samples or []}


def test_the_reference_passes_in_both_languages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    scores = bench(monkeypatch, tmp_path, handy(), [5, 21, 242])
    assert {row: score.value for row, score in scores.items()} == {
        row: {"strict": 1.0, "paper": 1.0, "php": 1.0, "semantic_php": 1.0} for row in (5, 21, 242)
    }
    about = scores[5].metadata["agent"]
    assert about["outcome"] == "ended"
    assert about["left_out"] == []
    assert any(package.startswith("numpy==") for package in about["packages"])
    assert scores[5].metadata["errors"] == []


def test_what_it_left_outside_and_what_still_runs_does_not_come_along(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    after = "touch /tmp/flag ~/flag; (while :; do sleep 0.1; done) & disown"
    before = "[ ! -e /tmp/flag ] && [ ! -e ~/flag ] || exit 7\n"
    scores = bench(monkeypatch, tmp_path, handy(before=before, after=after), [5])
    assert scores[5].value["strict"] == 1.0, scores[5].metadata["verdicts"]


def test_files_of_its_own_come_along(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    after = (
        "mkdir -p new/deep; echo kept > 'new/deep/a file'; ln -s deep new/link; touch -d 1999-01-01 'new/deep/a file'"
    )
    before = "grep -q kept 'new/link/a file' || exit 7\n"
    scores = bench(monkeypatch, tmp_path, handy(before=before, after=after), [5])
    assert scores[5].value["strict"] == 1.0, scores[5].metadata["verdicts"]


def test_a_right_answer_without_its_packages_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    scores = bench(monkeypatch, tmp_path, handy(after="rm -rf /opt/env/lib/python*/site-packages/*"), [5])
    assert scores[5].value["strict"] == 0.0
    verdict = scores[5].metadata["verdicts"][0]
    assert "No module named" in verdict["evidence"]
    assert verdict["reason"] == "missing-package"
    assert scores[5].metadata["errors"] == []  # it was E1, a hallucination


def test_a_changed_program_is_seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    after = "sed -i '1i import sys; sys.exit(0)' examples/label_propagation/main.py"
    scores = bench(monkeypatch, tmp_path, handy(after=after), [5])
    assert (scores[5].value["strict"], scores[5].value["paper"]) == (0.0, 1.0)
    assert scores[5].metadata["verdicts"][0]["reason"] == "outcome-destroyed"


def test_asking_a_person_is_an_error_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    scores = bench(monkeypatch, tmp_path, handy(after="rm run.sh", words="Could you tell me where the data is?"), [5])
    assert [error["class"] for error in scores[5].metadata["errors"]] == ["E5"]
    assert scores[5].metadata["errors"][0]["reason"] == "asked-human"


@pytest.mark.parametrize(
    ("work", "outcome"),
    [({"steps": 3}, "step-limit"), ({"tokens": 60}, "token-limit"), ({"seconds": 1, "steps": 10**6}, "time-limit")],
)
def test_every_limit_ends_a_sample_under_its_own_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, work: dict[str, Any], outcome: str
) -> None:
    def paid(*args: Any) -> ModelOutput:
        output = ModelOutput.from_content("mockllm/model", "hm")
        output.usage = ModelUsage(input_tokens=10, output_tokens=10, total_tokens=20)
        return output

    model = get_model("mockllm/model", custom_outputs=paid)
    scores = bench(monkeypatch, tmp_path, talker(), [5], model=model, budget=work)
    about = scores[5].metadata["agent"]
    assert about["outcome"] == outcome
    assert about["steps"] >= 1
    assert scores[5].metadata["verdicts"][0]["reason"] == "no-run-script"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"agent": "nobody"}, "no agent 'nobody'"),
        ({"network": "wlan"}, "no network 'wlan'; there are: none, index, open"),
        ({"sandbox": "local"}, "agents cannot work in the sandbox 'local'; choose from bubblewrap, docker"),
        ({"agent": "human"}, "use --sandbox docker with --agent human"),
        ({"limits": {"seconds": 0}}, "limit seconds"),
        ({"budget": {"steps": 0}}, "limit steps"),
        ({"sandbox_limits": {"memory": 0}}, "limit memory"),
    ],
)
def test_wrong_words_are_named(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as error:
        agent_bench(**options)
    assert said in str(error.value)
