"""The steps of agents that have tools of their own."""

from __future__ import annotations

from pathlib import Path

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
from workplace import Workplace, played, problem

from mlbench.experiments.actions import recorded
from mlbench.experiments.replies import since_it_spoke
from mlbench.experiments.snapshots import Progress, Step, Steps
from mlbench.experiments.turns import Turns

CLOCK = "echo one > clock.txt; date +%s.%N"


def kept(folder: Path) -> list[Step]:
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


def test_what_is_done_between_two_replies_is_a_step(tmp_path: Path) -> None:
    async def scene(at: Workplace) -> None:
        outputs = [ModelOutput.from_content("m", words) for words in ("run it", "that is all")]
        for output in outputs:
            output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        model = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
        messages: list[ChatMessage] = [ChatMessageUser(content="improve it")]
        await at.jail.run(["/bin/sh", "-c", "echo mine > notes.txt"])
        turns = await Turns.begin(problem())

        async def asked() -> None:
            config = GenerateConfig()
            assert await turns.asked(model, messages, [], None, config) is None  # type: ignore[func-returns-value]
            output = await model.generate(messages, config=config)
            messages.append(output.message)

        await asked()
        assert store_as(Progress).steps == 0
        await at.jail.run(["/bin/sh", "-c", "echo 1 > first.txt; rm train.py"])
        messages.append(ChatMessageUser(content="it printed 0.7"))
        messages.append(ChatMessageAssistant(content="Ok."))  # aider's own words
        messages.append(ChatMessageUser(content="go on"))
        await asked()
        await turns.end("I am done")
        first, last = at.steps.read()
        assert (first.action, first.reply, first.observation) == ("turn", "run it", "it printed 0.7\n\ngo on")
        assert (first.changed, first.removed) == (("first.txt",), ("train.py",))
        assert (last.action, last.reply, last.observation) == ("turn", "that is all", "I am done")
        assert last.changed == ()

    played(scene, tmp_path)


def test_an_agent_that_never_asked_has_no_step(tmp_path: Path) -> None:
    async def scene(at: Workplace) -> None:
        await (await Turns.begin(problem())).end("no key")

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
