"""The actions with a helper: what it is asked, what of its reply is used, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai.model import ModelOutput, ModelUsage

from mlbench.evals.mlagentbench.actions.llm_actions import BLOCK, blocks_of, code_in
from mlbench.evals.mlagentbench.actions.observations import ActionError
from tests.mlagentbench.problem_fixtures import STARTER, Workplace, played


def helper(*replies: str) -> tuple[list[str], Callable[..., ModelOutput]]:
    """The prompts that a helper was given, and the helper itself: it says these, one after the other."""
    asked: list[str] = []

    def reply(messages: list[object], *_: object) -> ModelOutput:
        asked.append(messages[-1].text)  # type: ignore[attr-defined]
        output = ModelOutput.from_content("mockllm/model", replies[len(asked) - 1])
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return asked, reply


def test_a_file_is_understood_block_by_block(tmp_path: Path) -> None:
    asked, replies = helper("part one", "part two", "part three", "together")
    text = "".join(f"line {number}\n" for number in range(2200))

    async def scene(at: Workplace) -> None:
        seen = await at.do("Understand File", file_name="long.txt", things_to_look_for="the last number")
        assert seen == "together"
        assert [prompt[:11] for prompt in asked[:3]] == ["Part 1 of 3", "Part 2 of 3", "Part 3 of 3"]
        assert "the last number" in asked[0]
        assert "line 2199" in asked[2]
        assert "part one" in asked[3] and "part three" in asked[3]

    played(scene, tmp_path, replies=replies, files={"long.txt": text.encode()})


def test_blocks_are_whole_lines_where_that_can_be() -> None:
    text = "a" * 9_000 + "\n" + "b" * 25_000 + "\nc"
    blocks = blocks_of(text)
    assert "".join(blocks) == text
    assert max(map(len, blocks)) == BLOCK
    assert blocks[0] == "a" * 9_000 + "\n"
    assert blocks_of("") == [""]


def test_an_edit_is_saved_and_its_difference_shown(tmp_path: Path) -> None:
    new = STARTER.replace("0.5", "0.9")
    asked, replies = helper(f"Here you are:\n~~~~python\n{new}~~~~\nIt prints 0.9.", "```\nx = 1\n```")

    async def scene(at: Workplace) -> None:
        edit = {"script_name": "train.py", "edit_instruction": "print 0.9", "save_name": "better.py"}
        seen = await at.do("Edit Script (AI)", **edit)
        assert seen.startswith("saved as better.py:\n--- before\n+++ better.py\n@@ -1,2 +1,2 @@\n-print('score 0.5')\n")
        assert STARTER in asked[0] and "print 0.9" in asked[0]
        assert await at.do("Read File", file_name="better.py") == new
        assert await at.do("Read File", file_name="train.py") == STARTER
        assert "saved as new.py" in await at.do(
            "Edit Script (AI)", **{**edit, "script_name": "new.py", "save_name": "new.py"}
        )
        assert await at.do("Read File", file_name="new.py") == "x = 1\n"
        await at.do("Undo Edit Script", script_name="better.py")
        assert "there is no file" in await at.do("Read File", file_name="better.py")

    played(scene, tmp_path, replies=replies)


def test_a_segment_is_edited_alone(tmp_path: Path) -> None:
    asked, replies = helper("~~~~\ntwo\nand a half (\n~~~~")

    async def scene(at: Workplace) -> None:
        await at.do("Write File", file_name="a.py", content="one\n2\nthree")
        edit = {"script_name": "a.py", "edit_instruction": "words", "save_name": "a.py"}
        seen = await at.do("Edit Script Segment (AI)", start_line_number=2, end_line_number=2, **edit)
        assert "-2\n+two\n+and a half (\n" in seen
        assert "\nnote: it is not Python: line " in seen
        assert await at.do("Read File", file_name="a.py") == "one\ntwo\nand a half (\nthree"
        assert "three" not in asked[0]
        assert "no such lines" in await at.do(
            "Edit Script Segment (AI)", start_line_number=9, end_line_number=9, **edit
        )
        await at.do("Undo Edit Script", script_name="a.py")
        assert await at.do("Read File", file_name="a.py") == "one\n2\nthree"

    played(scene, tmp_path, replies=replies)


def test_replies_without_code_and_edits_of_what_is_too_large_or_fixed_are_refused(tmp_path: Path) -> None:
    _, replies = helper("I cannot.", f"~~~~\n{STARTER}~~~~", "~~~~\nid,y\n~~~~", "~~~~\nx\n~~~~")

    async def scene(at: Workplace) -> None:
        async def edit(name: str, save: str) -> str:
            given = {"script_name": name, "edit_instruction": "", "save_name": save}
            return await at.do("Edit Script (AI)", **given)

        assert "held no code: nothing was changed" in await edit("train.py", "train.py")
        assert "the helper changed nothing" in await edit("train.py", "train.py")
        assert "must not change" in await edit("train.csv", "./train.csv")
        assert "is outside of the workspace" in await edit("train.py", "../out.py")
        assert "edit a segment" in await edit("long.txt", "long.txt")
        assert [step.error for step in at.steps.read()] == [
            "no-code-in-reply",
            "no-code-in-reply",
            "read-only-file",
            "refused-path",
            "invalid-input",
        ]

    played(scene, tmp_path, replies=replies, files={"long.txt": b"x" * 70_000})


def test_the_longest_block_is_the_code() -> None:
    assert code_in("```sh\nls\n```\nthen\n```python\nlong = 1\nlonger = 2\n```") == "long = 1\nlonger = 2\n"
    assert code_in('~~~~\n"""\n```\nnot the end\n```\n"""\n~~~~') == '"""\n```\nnot the end\n```\n"""\n'
    for reply in ("", "x = 1", "```\n\n```"):
        with pytest.raises(ActionError, match="no code"):
            code_in(reply)


def test_reflection_and_retrieval_see_the_steps(tmp_path: Path) -> None:
    asked, replies = helper("go on", "train.py prints 0.5")

    async def scene(at: Workplace) -> None:
        await at.do("Execute Script", script_name="train.py")
        assert await at.do("Reflection", things_to_reflect_on="is 0.5 real?") == "go on"
        assert await at.do("Retrieval from Research Log", current_plan="a forest") == "train.py prints 0.5"
        for prompt, wanted in zip(asked, ("is 0.5 real?", "a forest"), strict=True):
            assert "Predict toads." in prompt
            assert "1. execute_script (script_name: train.py)\nexit code 0" in prompt
            assert wanted in prompt

    played(scene, tmp_path, replies=replies)


def test_a_summary_stands_in_the_log_that_is_searched(tmp_path: Path) -> None:
    asked, replies = helper("found")

    async def scene(at: Workplace) -> None:
        told = await at.do("Append Summary to Research Log", content="A forest reaches 0.7. " + "x" * 3_000)
        assert told == "the summary stands in the research log"
        assert await at.do("Retrieval from Research Log", current_plan="a forest") == "found"
        assert "A forest reaches 0.7. xxx" in asked[0]
        assert "x" * 2_001 not in asked[0]

    played(scene, tmp_path, replies=replies)
