"""The experimenter: moves by what the files look like, keeping and undoing, in both ways of speaking."""

from __future__ import annotations

import ast
import json

import pytest

from tests.scripted_agent.behaviours import reply_of
from tests.scripted_agent.experimenter import Notes, Turn, chosen, next_step, score_of, written
from tests.scripted_agent.protocol import Call, Conversation, Message, Tool

LOOPS = """
import numpy as np
PADDING, STRIDE = 2, 1
def slow(x, w, b):
    for i in range(3):
        for row in range(3):
            for k in range(3):
                y = np.sum(x * w)
    return y
np.save("output.npy", slow(1, 2, 3))
"""
TABLE = "lines 1 to 2 of 9:\n    1 Id,Size,Price\n    2 7,3.5,100"
TEXTS = "lines 1 to 2 of 9:\n    1 text,label\n    2 " + "word " * 20 + ",1"


@pytest.mark.parametrize(
    "problem, script, data, wanted",
    [
        ("the mean absolute error", "test.csv", TABLE, ["tables", "tables"]),
        ("the accuracy, and the probability of each class", "test.csv", TEXTS, ["texts", "texts"]),
        ("`edge_index`: who cites", "graph['node_feat']", "", ["graphs", "graphs"]),
        ("as fast as you can", LOOPS, "", ["convolutions"]),
        ("something else", "print(1)", "", []),
    ],
)
def test_moves_are_chosen_by_what_the_files_look_like(problem: str, script: str, data: str, wanted: list[str]) -> None:
    moves = chosen(problem, script, data)
    assert [name for name, _ in moves] == wanted
    for name, constants in moves:
        ast.parse(written(name, constants, script))


def test_constants_are_set_and_a_function_is_replaced_where_it_stands() -> None:
    assert "ROUNDS, RATE, LEAVES = 200, 0.05, 12" in written("tables", {"ROUNDS": 200, "LEAVES": 12}, "")
    assert "WORDS, STRENGTH = (1, 5), 0.1" in written("texts", {"WORDS": [1, 5], "STRENGTH": 0.1}, "")
    new = written("convolutions", {}, LOOPS)
    assert "def slow(pictures" in new
    assert "for i in" not in new
    assert new.endswith('np.save("output.npy", slow(1, 2, 3))\n')
    assert "PADDING, STRIDE = 2, 1" in new


@pytest.mark.parametrize(
    "seen, wanted",
    [
        ("exit code 0 after 3.2 s\nstdout:\nepoch 4: validation accuracy 0.413\nstderr:\nwarning 7", 0.413),
        ("exit code 0 after 0.1 s\nstdout:\n2.90 seconds", 2.9),
        ("exit code 1 after 0.1 s\nstdout:\naccuracy 0.99", None),
        ("exit code 0 after 9.0 s\nnothing was printed", None),
    ],
)
def test_scores_are_what_was_printed(seen: str, wanted: float | None) -> None:
    assert score_of(seen) == wanted


def way(scores: list[float]) -> list[str]:
    """The actions in a workspace with a table where running gives these scores; the error is to be small."""
    notes, turns, waiting = Notes(), list[Turn](), list(scores)
    while len(turns) < 20:
        step = next_step("the mean absolute error", notes, turns[-3:])
        notes = Notes.read(step.notes.write())
        seen = {"List Files": "train.csv (9)\ntrain.py (9)", "Read File": "test.csv", "Inspect Script Lines": TABLE}
        if step.act.name == "Execute Script":
            seen["Execute Script"] = f"exit code 0 after 1.0 s\nstdout:\nerror {waiting.pop(0)}"
        turns.append(Turn(step.act.name, step.act.inputs, seen.get(step.act.name, "done")))
        if step.act.name == "Final Answer":
            return [turn.name for turn in turns[3:]] + [str(step.act.inputs["final_answer"])]
    raise AssertionError("he does not end")


def test_what_is_better_is_kept() -> None:
    run, write = "Execute Script", "Write File"
    assert way([9, 7, 5])[:-1] == [run, write, run, write, run, "Final Answer"]
    assert "is 5 now; the starter's was 9" in way([9, 7, 5])[-1]


def test_what_is_worse_is_undone_and_the_kept_script_run_again() -> None:
    run, write, undo = "Execute Script", "Write File", "Undo Edit Script"
    assert way([9, 5, 7, 5])[:-1] == [run, write, run, write, run, undo, run, "Final Answer"]
    assert "is 5 now" in way([9, 5, 7, 5])[-1]
    assert way([9, 10, 5])[:-1] == [run, write, run, undo, write, run, "Final Answer"]


def test_in_text_he_goes_by_the_notes_of_the_last_step() -> None:
    prompt = "<problem>\nthe mean absolute error\n</problem>\nResearch Plan and Status: the plan\n"
    first = reply_of("competent", Conversation("m", (Message("user", prompt),))).text
    assert "\nAction: List Files\nAction Input: {" in first
    seen = f'{prompt}<step number="1">\n{first}\nObservation:\ntrain.py (9)\n</step>\n'
    second = reply_of("competent", Conversation("m", (Message("user", seen),))).text
    assert second.endswith('Action: Read File\nAction Input: {"file_name": "train.py"}')


def test_as_a_helper_he_gives_the_beginning_back() -> None:
    asked = "<observation>\nabc\n</observation>\nSummarise it in at most 300 words for the researcher."
    assert reply_of("competent", Conversation("m", (Message("user", asked),))).text == "abc"


def test_with_tools_he_goes_through_the_conversation_again() -> None:
    names = ("list_files", "read_file", "write_file", "execute_script", "final_answer")
    tools = tuple(Tool(name, "", {}) for name in names)
    call = Call("list_files", json.dumps({"dir_path": "."}), "c1")
    told = (
        Message("user", "Make the error small."),
        Message("assistant", "", (call,)),
        Message("tool", "train.py (9)", answers="c1"),
    )
    assert reply_of("competent", Conversation("m", told[:1], tools)).calls[0].name == "list_files"
    assert reply_of("competent", Conversation("m", told, tools)).calls[0].name == "read_file"
