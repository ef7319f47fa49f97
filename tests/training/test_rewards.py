"""The interface check as a reward: 1 for the reference, 0 for what is wrong or hostile, the same under any order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mlbench.cli import app
from mlbench.prompts.messages import fenced
from mlbench.records import UsageError
from mlbench.suites.suite import load_suite
from mlbench.training.rewards import InterfaceReward, interface, reply_text

ROWS = [row.sample for row in load_suite("pocket").splits["id_train"][::200]]


@pytest.fixture(scope="module")
def reward() -> Iterator[InterfaceReward]:
    with interface("pocket", 2) as opened:
        yield opened


def test_references_are_rewarded_and_others_are_not(reward: InterfaceReward) -> None:
    gold = [fenced(row.output, row.kind) for row in ROWS]
    ids = [row.id for row in ROWS]
    assert reward(gold, row=ids) == [1.0] * len(ROWS)
    shifted = [*gold[1:], gold[0]]
    assert reward(shifted, row=ids) == [0.0] * len(ROWS)
    assert reward(["", "I do not know.", "```bash\ntrue\n```"], row=ids[:3]) == [0.0] * 3


def test_messages_count_as_their_text(reward: InterfaceReward) -> None:
    row = ROWS[0]
    message = [{"role": "assistant", "content": fenced(row.output, row.kind)}]
    assert reward([message], row=[row.id], prompts=["whatever"], trainer_state=None) == [1.0]
    assert reply_text(message) == fenced(row.output, row.kind)
    with pytest.raises(TypeError, match="a text or a list of messages"):
        reply_text(3)


def test_a_hostile_reply_gets_nothing(reward: InterfaceReward) -> None:
    row = next(row for row in ROWS if row.kind == "shell")
    hostile = [
        f"```bash\necho '{row.output.splitlines()[0]}'\n```",
        "```bash\nkill -9 -1\n```",
        "```python\nimport os; os._exit(0)\n```",
        "```bash\n" + "x" * 200_000 + "\n```",
        "\x00\ud800```bash\n\x00\n```",
    ]
    assert reward(hostile, row=[row.id] * len(hostile)) == [0.0] * len(hostile)
    assert reward([fenced(row.output, row.kind)], row=[row.id]) == [1.0]


def test_right_answers_become_examples(tmp_path: Path) -> None:
    """Two different right replies, one of them twice, and a wrong one; the test set is refused."""
    row = next(each for each in ROWS if each.kind == "shell")
    gold = fenced(row.output, "shell")
    replies = [gold, "Here it is:\n" + gold, fenced(f"# run\n{row.output}", "shell"), "```bash\ntrue\n```"]
    file = tmp_path / "answers.jsonl"
    maker = {"model": "tiny", "split": "id_train", "setting": "oracle", "context_tokens": 8192, "reply_tokens": 2048}
    about = {"answered_by": maker}
    file.write_text(json.dumps({"id": row.id, "github_id": row.github_id, "output": replies, **about}) + "\n")
    words = ["train", "sample", "pocket", "--answers", str(file), "-o"]
    result = CliRunner().invoke(app, [*words, str(tmp_path / "own.jsonl")])
    assert result.exception is None and "2 examples of 3 right replies (4 to 1 rows)" in result.output, result.output
    made = [json.loads(line) for line in (tmp_path / "own.jsonl").read_text().splitlines()]
    assert [each["completion"][0]["content"] for each in made] == [gold, fenced(f"# run\n{row.output}", "shell")]
    assert {(each["suite"], each["split"], each["setting"]) for each in made} == {("pocket", "id_train", "oracle")}
    nowhere = CliRunner().invoke(app, [*words, str(tmp_path / "no" / "own.jsonl")]).exception
    assert isinstance(nowhere, UsageError) and f"there is no folder {tmp_path / 'no'}" in str(nowhere)
    test = load_suite("pocket").splits["full"][0].sample
    line = {"id": test.id, "github_id": test.github_id, "output": ["x"]}
    file.write_text(json.dumps(line) + "\n")
    refused = CliRunner().invoke(app, [*words, str(tmp_path / "other.jsonl")]).exception
    assert isinstance(refused, UsageError) and "does not say what made the answers" in str(refused)
    file.write_text(json.dumps({**line, **about}) + "\n")
    refused = CliRunner().invoke(app, [*words, str(tmp_path / "other.jsonl")]).exception
    assert isinstance(refused, UsageError) and "no training row" in str(refused)
