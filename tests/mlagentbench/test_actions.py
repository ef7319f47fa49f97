"""The published actions on files: what they show, what they refuse in a line, what can be undone."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai.tool import ToolDef
from inspect_ai.util import SandboxUnavailableError

from mlbench.evals.mlagentbench.actions import FURTHER, PUBLISHED, act, actions
from mlbench.evals.mlagentbench.actions.undo import LARGEST
from mlbench.evals.mlagentbench.snapshots import errors_by_kind
from tests.mlagentbench.problem_fixtures import STARTER, Workplace, played, problem

ODD = ("a.py;id", "-rf", "two words.py", "new\nline.py", "$(id)", "ü.py", "'quote\"", "sub/dir/deep.py", "end\n")


def test_the_tools_are_the_published_ones_with_their_inputs() -> None:
    tools = {ToolDef(tool).name: ToolDef(tool) for tool in actions(problem(), interactive=True)}
    assert list(tools) == [*PUBLISHED.values(), *FURTHER.values()]
    assert list(tools["edit_script_segment_ai"].parameters.properties) == [
        "script_name",
        "start_line_number",
        "end_line_number",
        "edit_instruction",
        "save_name",
    ]
    assert tools["execute_script"].parameters.required == ["script_name"]
    assert all(tool.description and not tool.parallel for tool in tools.values())
    assert "request_help" not in {ToolDef(tool).name for tool in actions(problem())}


def test_files_of_any_name_are_listed_read_written_and_copied(tmp_path: Path) -> None:
    async def scene(at: Workplace) -> None:
        assert (await at.do("List Files", dir_path=".")).split("\n") == ["train.csv (11)", f"train.py ({len(STARTER)})"]
        for name in ODD:
            assert "is written" in await at.do("Write File", file_name=name, content=f"# {name}\n")
            assert await at.do("Read File", file_name=name) == f"# {name}\n"
        shown = await at.do("List Files", dir_path=".")
        assert "new\\nline.py (14)" in shown.split("\n")
        assert "sub/" in shown.split("\n")
        await at.do("Copy File", source="-rf", destination="a.py;id")
        assert await at.do("Read File", file_name="a.py;id") == "# -rf\n"
        await at.do("Append File", file_name="/workspace/./sub/../-rf", content="more")
        assert await at.do("read file ", file_name="-rf") == "# -rf\nmore"
        assert await at.do("List Files", dir_path="sub/dir/") == "deep.py (18)"

    played(scene, tmp_path)


def test_what_is_wrong_is_said_in_a_line_and_counted(tmp_path: Path) -> None:
    async def scene(at: Workplace) -> None:
        for name, inputs, words in (
            ("Fly", {}, "there is no action 'Fly'; there are: List Files, "),
            ("Read File", {}, "Read File: file_name is missing; it takes file_name"),
            ("Read File", ["train.py"], "its inputs have to be an object"),
            ("Read File", {"file_name": "train.py", "x\ny": 1}, "x\\ny is not one of its inputs"),
            ("Write File", {"file_name": "a", "content": 5}, "content: Input should be a valid string"),
            (
                "Inspect Script Lines",
                {"script_name": "train.py", "start_line_number": "one", "end_line_number": 2},
                "start",
            ),
            ("Read File", {"file_name": ""}, "empty"),
            ("Read File", {"file_name": "a\0b"}, "a\\x00b cannot be a file's name"),
            ("Write File", {"file_name": "n" * 5000, "content": ""}, "File name too long"),
            ("Read File", {"file_name": "none.py"}, "there is no file none.py"),
            ("Read File", {"file_name": "."}, "is a folder"),
            ("Write File", {"file_name": ".", "content": ""}, "is a folder"),
            ("Write File", {"file_name": "train.py/x", "content": ""}, "train.py/x: "),
            ("List Files", {"dir_path": "none"}, "there is no folder none"),
            ("Read File", {"file_name": "../workspace_secret"}, "is outside of the workspace"),
            ("Write File", {"file_name": "/etc/passwd", "content": "x"}, "is outside of the workspace"),
            ("Read File", {"file_name": "binary"}, "is not a text file (12 bytes)"),
            ("Read File", {"file_name": "empty"}, "the file is empty"),
            ("Undo Edit Script", {"script_name": "train.py"}, "no edit of train.py is left to undo"),
            ("Script Status", {"handle": "x"}, "there is no script with the handle 'x' (none was started)"),
        ):
            seen = await act(at.tools, name, inputs)
            assert words in seen, (name, inputs, seen)
            assert "\n" not in seen
        assert errors_by_kind(at.steps.read()) == {
            "invalid-input": 12,
            "no-such-file": 2,
            "refused-path": 2,
            "cannot-read-or-write": 3,
        }

    played(scene, tmp_path, files={"binary": b"\0" * 12, "empty": b""})


def test_long_files_are_shown_by_head_tail_and_lines(tmp_path: Path) -> None:
    async def scene(at: Workplace) -> None:
        seen = await at.do("Read File", file_name="long.txt")
        assert seen.startswith("1\n2\n") and seen.endswith("\n100000\n")
        assert len(seen) < 13_000
        assert "characters left out" in seen
        lines = {"script_name": "long.txt", "start_line_number": 50_000}
        seen = await at.do("Inspect Script Lines", **lines, end_line_number=50_099)
        assert seen.startswith("lines 50000 to 50099 of 100000:\n50000 50000\n")
        assert "101 lines are too many" in await at.do("Inspect Script Lines", **lines, end_line_number=50_100)
        assert "there are no such lines" in await at.do("Inspect Script Lines", **lines, end_line_number=-1)

    played(scene, tmp_path, files={"long.txt": "".join(f"{n}\n" for n in range(1, 100_001)).encode()})


def test_every_edit_can_be_undone_several_times_back_and_by_file(tmp_path: Path) -> None:
    async def scene(at: Workplace) -> None:
        async def content() -> str:
            return await at.do("Read File", file_name="train.py")

        await at.do("Write File", file_name="train.py", content="one")
        await at.do("Append File", file_name="./train.py", content=" two")
        await at.do("Write File", file_name="other.py", content="other")
        await at.do("Copy File", source="other.py", destination="sub/../train.py")
        assert await content() == "other"
        assert "(2 more can be)" in await at.do("Undo Edit Script", script_name="/workspace/train.py")
        assert await content() == "one two"
        await at.do("Undo Edit Script", script_name="train.py")
        assert await content() == "one"
        assert "is not there any more" in await at.do("Undo Edit Script", script_name="other.py")
        await at.do("Undo Edit Script", script_name="train.py")
        assert await content() == STARTER
        assert "no edit of train.py" in await at.do("Undo Edit Script", script_name="train.py")
        await at.do("Write File", file_name="large", content="small")
        assert "was not kept" in await at.do("Undo Edit Script", script_name="large")

    played(scene, tmp_path, files={"large": b"x" * (LARGEST + 1)})


def test_a_failure_of_the_machine_is_not_an_observation(tmp_path: Path) -> None:
    async def scene(at: Workplace) -> None:
        await at.do("List Files", dir_path=".")
        await at.jail.close()
        with pytest.raises(SandboxUnavailableError):
            await at.do("Read File", file_name="train.py")
        assert len(at.steps.read()) == 1

    played(scene, tmp_path)


def test_without_a_folder_nothing_is_kept_and_all_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from inspect_ai.util import store_as

    from mlbench.evals.mlagentbench.snapshots import Progress

    async def scene(at: Workplace) -> None:
        store_as(Progress).folder = ""
        await at.do("Write File", file_name="a.py", content="print(1)")
        assert "1" in await at.do("Execute Script", script_name="a.py")
        assert store_as(Progress).steps == 2
        assert at.steps.read() == []

    played(scene, tmp_path)


def test_a_person_is_asked_for_help(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rich.console.Console.input", lambda *_, **__: "try a forest ")

    async def scene(at: Workplace) -> None:
        assert await at.do("Request Help", request="what now? [red]") == "try a forest"

    played(scene, tmp_path, interactive=True)
