"""The tree search with scripted models: actions, sandbox and grader are the true ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalSample
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from mlbench.agents.agent_run import AgentRun
from mlbench.evals.mlagentbench.problem import DATA_SEED
from mlbench.evals.mlagentbench.snapshots import Steps
from mlbench.evals.mlagentbench.task import experiment
from tests.scripted_agent.toy_problem import write_problem

STARTER_SCORE = "none"


def guess(number: int | str, said: float | None = None, leave: bool = True) -> str:
    """A reply whose script leaves a number, and says that its score is this or another one."""
    write = f"open('guess.txt', 'w').write('{number}')\n" if leave else ""
    return f"I leave {number}.\n\n```python\n{write}print('validation score:', {number if said is None else said})\n```"


def run(
    folder: Path, *replies: str, budget: dict[str, float] | None = None, starter: str = "", **options: object
) -> EvalSample:
    """One attempt at the made-up problem whose largest number is wanted. The last reply is said for ever."""
    said: list[str] = []
    problem = write_problem(folder / "toads")
    if starter:
        (problem / "visible" / "train.py").write_text(starter)

    def generate(messages: list[Any], *rest: object) -> ModelOutput:
        said.append(messages[-1].text)
        output = ModelOutput.from_content("mockllm", replies[min(len(said), len(replies)) - 1])
        output.usage = ModelUsage(input_tokens=100, output_tokens=0, total_tokens=100)
        return output

    model = get_model("mockllm/model", custom_outputs=generate, memoize=False)
    task = experiment(
        str(problem),
        agent="tree_search",
        data_seed=DATA_SEED,
        options=dict(options),
        budget=budget,
        steps_dir=str(folder / "steps"),
    )
    (log,) = inspect_eval(task, model=model, log_dir=str(folder / "logs"), display="none")
    assert log.status == "success", log.error
    assert log.samples
    log.samples[0].metadata["said"] = said
    return log.samples[0]


def result(sample: EvalSample) -> dict[str, Any]:
    found: dict[str, Any] = (sample.output.metadata or {})["tree_search"]
    return found


def about(sample: EvalSample) -> dict[str, Any]:
    assert sample.scores, sample.error
    return sample.scores["experiment"].metadata or {}


def kinds(sample: EvalSample) -> list[tuple[str, int | None, float | None]]:
    return [(node["kind"], node["parent"], node["score"]) for node in result(sample)["nodes"]]


def test_it_drafts_improves_the_best_and_hands_that_in(tmp_path: Path) -> None:
    replies = [STARTER_SCORE, guess(3), guess(7), guess(5), guess(9), guess(8)]
    sample = run(tmp_path, *replies, steps=6, drafts=2, debug_share=0)
    made = [("starter", None, None), ("draft", None, 3), ("draft", None, 7), ("improve", 2, 5), ("improve", 2, 9)]
    assert kinds(sample) == [*made, ("improve", 4, 8)]
    assert (result(sample)["best"], result(sample)["outcome"]) == (4, "ended")
    # the last script left 8: the best was run once more
    assert about(sample)["score"] == 9
    assert about(sample)["number_claim"][1:] == [9, 9, False]
    assert about(sample)["outcome"] == "ended"
    last = sample.metadata["said"][-1]
    assert "4. improve of 2: I leave 9. — validation score 9.0\nThe best is number 4." in last
    assert "Now improve script 4" in last
    assert "This is reply 6 of 6." in last


def test_a_failing_script_is_mended(tmp_path: Path) -> None:
    broken = "I try.\n```python\nraise SystemExit('no such column')\n```"
    sample = run(tmp_path, STARTER_SCORE, broken, guess(4), steps=3, drafts=1, debug_share=1)
    assert kinds(sample)[1:] == [("draft", None, None), ("debug", 1, 4)]
    assert "exit code 1: no such column" in result(sample)["nodes"][1]["fault"]
    assert "Now mend script 1" in sample.metadata["said"][-1]
    assert about(sample)["score"] == 4


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        ("```python\nopen('guess.txt', 'w').write('9')\n```", "it printed no line `validation score: NUMBER`"),
        (guess("nine", 9), "this cannot be graded: "),
        (guess(9, leave=False), "this cannot be graded: "),
    ],
)
def test_a_script_without_score_or_submission_is_not_handed_in(tmp_path: Path, reply: str, fault: str) -> None:
    """The third leaves nothing: what the script before it had left must not count as its own."""
    sample = run(tmp_path, STARTER_SCORE, guess(2), reply, steps=3, drafts=2)
    assert fault in result(sample)["nodes"][2]["fault"]
    assert (result(sample)["best"], about(sample)["score"]) == (1, 2)


def test_the_starter_stands_if_nothing_is_better_than_its_known_score(tmp_path: Path) -> None:
    starter = "open('guess.txt', 'w').write('6')\nprint('the number is 6.0')\n"
    sample = run(tmp_path, "6.0", guess(2), starter=starter, steps=3)
    assert (result(sample)["best"], about(sample)["score"]) == (0, 6)
    assert kinds(sample)[0] == ("starter", None, 6.0)


def test_replies_without_code_end_it(tmp_path: Path) -> None:
    sample = run(tmp_path, STARTER_SCORE, guess(5), "I cannot do that.")
    assert (result(sample)["outcome"], about(sample)["outcome"]) == ("gave-up", "gave-up")
    assert (result(sample)["costs"]["unreadable"], about(sample)["score"]) == (3, 5)


def test_a_limit_in_between_leaves_the_best(tmp_path: Path) -> None:
    replies = [STARTER_SCORE, guess(9), guess(2)]
    sample = run(tmp_path, *replies, budget={"tokens": 350, "steps": 50})
    assert sample.store_as(AgentRun).outcome == "token-limit"
    assert about(sample)["score"] == 9


def test_its_steps_are_recorded_as_those_of_other_agents(tmp_path: Path) -> None:
    sample = run(tmp_path, STARTER_SCORE, guess(5), steps=2)
    steps = Steps(Path(about(sample)["folder"])).read()
    actions = ["write_file", "execute_script", "write_file", "write_file", "execute_script", "validate_submission"]
    assert [step.action for step in steps] == [*actions, "final_answer"]
    assert steps[2].reply == guess(5)
