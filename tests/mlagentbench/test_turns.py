"""The steps of agents that have tools of their own."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.tool import Tool, ToolDef, bash, tool
from inspect_ai.util import store_as

from mlbench.evals.mlagentbench.actions import recorded
from mlbench.evals.mlagentbench.actions.sample_state import desk
from mlbench.evals.mlagentbench.snapshots import Progress, SnapshotStep, Steps
from mlbench.evals.mlagentbench.step_recorder import StepRecorder
from mlbench.replies import since_it_spoke
from tests.mlagentbench.problem_fixtures import Workplace, played, problem

CLOCK = "echo one > clock.txt; date +%s.%N"


def kept(folder: Path) -> list[SnapshotStep]:
    return Steps(folder / "steps").read()


def test_a_tool_of_others_is_a_step_and_shows_again_what_it_showed(tmp_path: Path) -> None:
    shown = []

    async def scene(at: Workplace) -> None:
        at.steps.begin()
        known = ToolDef(made := recorded(bash(), problem()))
        assert (known.name, list(known.parameters.properties)) == ("bash", ["command"])
        shown.append(await made(command=CLOCK))

    (tmp_path / "steps").mkdir()
    for life in ("first", "second"):
        (tmp_path / life).mkdir()
        (tmp_path / life / "steps").symlink_to(tmp_path / "steps")
        played(scene, tmp_path / life)
    [step] = kept(tmp_path)
    assert (step.action, step.inputs, step.changed) == ("bash", {"command": CLOCK}, ("clock.txt",))
    assert shown == 2 * [step.observation]
    assert len(Steps(tmp_path / "steps").earlier()) == 1


@pytest.mark.parametrize(
    ("error", "kind"),
    [(TimeoutError("too long"), "time-out"), (PermissionError("not yours"), "cannot-read-or-write")],
)
def test_a_tool_that_fails_is_a_step_and_fails(error: Exception, kind: str, tmp_path: Path) -> None:
    @tool
    def failing() -> Tool:
        async def execute() -> str:
            """Fails."""
            raise error

        return execute

    async def scene(at: Workplace) -> None:
        with pytest.raises(type(error)):
            await recorded(failing(), problem())()

    played(scene, tmp_path)
    [step] = kept(tmp_path)
    assert (step.action, step.error, step.observation) == ("failing", kind, str(error))


class Talk:
    """A model that is asked through the filter, as the bridge does it."""

    def __init__(self, turns: StepRecorder, *words: str) -> None:
        self.turns = turns
        outputs = [ModelOutput.from_content("m", each) for each in words]
        for output in outputs:
            output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        self.model = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
        self.messages: list[ChatMessage] = [ChatMessageUser(content="improve it")]

    async def requested(self) -> None:
        await self.turns.asked(self.model, self.messages, [], None, GenerateConfig())

    async def asked(self) -> None:
        await self.requested()
        self.messages.append((await self.model.generate(self.messages)).message)

    def told(self, *words: str) -> None:
        self.messages += [ChatMessageUser(content=each) for each in words]


def test_what_is_done_between_two_replies_is_a_step(tmp_path: Path) -> None:
    async def scene(at: Workplace) -> None:
        await at.jail.run(["/bin/sh", "-c", "echo mine > notes.txt"])
        talk = Talk(await StepRecorder.begin(problem()), "run it", "that is all")
        await talk.asked()
        assert store_as(Progress).steps == 0
        await at.jail.run(["/bin/sh", "-c", "echo 1 > first.txt; rm train.py"])
        talk.told("it printed 0.7")
        talk.messages.append(ChatMessageAssistant(content="Ok."))  # aider's own words
        talk.told("go on")
        await talk.asked()
        await talk.turns.end("I am done")
        first, last = at.steps.read()
        assert (first.action, first.reply, first.observation) == ("turn", "run it", "it printed 0.7\n\ngo on")
        assert (first.changed, first.removed) == (("first.txt",), ("train.py",))
        assert (last.action, last.reply, last.observation) == ("turn", "that is all", "I am done")
        assert last.changed == ()

    played(scene, tmp_path)


def test_a_request_that_failed_and_is_made_again_is_no_step(tmp_path: Path) -> None:
    """An agent may make as many as it likes: what fails counts in no limit."""

    async def scene(at: Workplace) -> None:
        talk = Talk(await StepRecorder.begin(problem()), "run it")
        for _ in range(3):
            await talk.requested()
        await talk.asked()
        talk.told("it printed 0.7")
        for number in range(3):
            await at.jail.run(["/bin/sh", "-c", f"echo {number} > file-{number}.txt"])
            await talk.requested()
        await talk.turns.end("nobody answers")

    played(scene, tmp_path)
    [step] = kept(tmp_path)
    assert (step.reply, step.observation, step.changed) == ("run it", "it printed 0.7", ("file-0.txt",))


def test_a_step_that_cannot_be_kept_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> SnapshotStep:
        raise OSError(28, "No space left on device")

    async def scene(at: Workplace) -> None:
        talk = Talk(await StepRecorder.begin(problem()), "run it")
        await talk.asked()
        assert talk.turns.failed is None
        monkeypatch.setattr(Steps, "add", full)
        with pytest.raises(OSError, match="No space"):
            await talk.requested()
        assert isinstance(talk.turns.failed, OSError)

    played(scene, tmp_path)


def test_a_request_that_is_cancelled_loses_no_file(tmp_path: Path) -> None:
    async def scene(at: Workplace) -> None:
        at_work = await desk(20.0)
        await at_work.begin()
        for number in range(12):
            await at.jail.run(["/bin/sh", "-c", f"echo {number} > file-{number}.txt"])
            with anyio.move_on_after(0.002 * number):
                await at_work.note("turn", "", "", 0.0)
        await at_work.note("turn", "", "the end", 0.0)

    played(scene, tmp_path)
    changed = [path for step in kept(tmp_path) for path in step.changed]
    assert sorted(changed) == sorted(f"file-{number}.txt" for number in range(12))


def test_a_helpers_words_are_not_what_the_next_step_followed_from(tmp_path: Path) -> None:
    def said(*_: object) -> ModelOutput:
        output = ModelOutput.from_content("m", "the helper says")
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    async def scene(at: Workplace) -> None:
        await Talk(await StepRecorder.begin(problem()), "I do two things").asked()
        await at.do("Understand File", file_name="train.py", things_to_look_for="all")
        await at.do("List Files", dir_path=".")

    played(scene, tmp_path, replies=said)
    first, second = kept(tmp_path)
    assert "the helper says" in first.observation
    assert (first.reply, second.reply) == ("I do two things", "")


def test_an_agent_that_never_asked_has_no_step(tmp_path: Path) -> None:
    async def scene(at: Workplace) -> None:
        await (await StepRecorder.begin(problem())).end("no key")

    played(scene, tmp_path)
    assert kept(tmp_path) == []


def test_its_last_words_are_those_that_it_said() -> None:
    said = ModelOutput.from_content("m", " run it ")
    told: list[ChatMessage] = [
        ChatMessageSystem(content="rules"),
        ChatMessageUser(content="task"),
        ChatMessageAssistant(content="run it"),
        ChatMessageUser(content="0.7"),
        ChatMessageAssistant(content="Ok."),
        ChatMessageSystem(content="rules again"),
        ChatMessageUser(content="go on"),
    ]
    assert [each.text for each in since_it_spoke(told, said)] == ["0.7", "go on"]
    for other in (None, ModelOutput.from_content("m", ""), ModelOutput.from_content("m", "something else")):
        assert [each.text for each in since_it_spoke(told, other)] == ["go on"]
    assert [each.text for each in since_it_spoke(told[:2], said)] == ["task"]
