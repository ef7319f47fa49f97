"""kill -9 in the middle of an experiment, then --resume: every step is kept, no kept reply is asked for again."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.scripted_agent.protocol import Conversation, Reply
from tests.scripted_agent.server import Engineer
from tests.scripted_agent.toy_problem import script, write_problem
from tests.serving.experiments import MODEL, Blow, Lab, account, live, told

RUN = ("Execute Script", {"script_name": "train.py"})
WAY = [
    ("List Files", {"dir_path": "."}),
    RUN,
    ("Write File", {"file_name": "train.py", "content": script(3)}),
    RUN,
    ("Write File", {"file_name": "train.py", "content": script(4)}),
    RUN,
    ("Final Answer", {"final_answer": "The number is 4."}),
]


def think(said: Conversation) -> Reply:
    """He goes his way, whatever he sees."""
    number = re.search(r"^This is step (\d+) of 12\.", said.text, re.M)
    assert number, said.text[-300:]
    action, inputs = WAY[int(number[1]) - 1]
    return Reply(f"Thought: {number[0]}\nAction: {action}\nAction Input: {json.dumps(inputs)}")


def test_a_run_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    """Scripts print times: after a resume each prompt behind the first run was another one, and was paid for again."""
    place = Lab(tmp_path)
    problem = write_problem(tmp_path / "toads")
    with Engineer(think=think) as engineer:
        url = ("--base-url", engineer.url)
        first = live(place, engineer, (str(problem), "--model", MODEL, *url), Blow(5))
        second = live(place, engineer, ("--resume",))
    assert not engineer.faults
    assert (second.done.code, second.done.stderr) == (0, "")
    (name,) = first.steps
    assert len(first.steps[name]) in (3, 4)
    found = account(place, [first, second])
    assert (found.scored, found.lost, found.steps_lost, found.asked_again) == (1, 0, 0, 0)
    assert len(engineer.asked) == len(WAY) + found.on_their_way <= len(WAY) + 1
    assert [step.action for step in second.steps[name]] == [name.lower().replace(" ", "_") for name, _ in WAY]
    assert told(second.steps[name])[:3] == told(first.steps[name])[:3]
    assert "1/1 scored" in second.done.stdout


def search(said: Conversation) -> Reply:
    """He has a script for each reply; what he is shown does not matter."""
    number = re.search(r"^This is reply (\d+) of 12\.", said.text, re.M)
    if number is None:
        return Reply("none")
    n = int(number[1])
    return Reply(f"I leave {n}.\n```python\n{script(n)}print('validation score:', {n})\n```")


def test_a_tree_search_that_is_killed_makes_the_same_tree(tmp_path: Path) -> None:
    place = Lab(tmp_path)
    problem = write_problem(tmp_path / "toads")
    with Engineer(think=search) as engineer:
        url = ("--base-url", engineer.url, "--agent", "tree_search", "--step-limit", "12")
        first = live(place, engineer, (str(problem), "--model", MODEL, *url), Blow(6))
        second = live(place, engineer, ("--resume",))
    assert not engineer.faults
    assert (second.done.code, second.done.stderr) == (0, "")
    found = account(place, [first, second])
    assert (found.scored, found.lost, found.steps_lost, found.asked_again) == (1, 0, 0, 0)
    assert len(engineer.asked) == 12 + found.on_their_way
    assert "1/1 scored" in second.done.stdout
