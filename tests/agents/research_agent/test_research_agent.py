"""The research agent's way: what it is shown, what it does with replies, how it ends. The actions are stand-ins."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import Agent, as_solver
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import Tool, ToolDef
from inspect_ai.util import turn_limit

from mlbench.evals.mlagentbench.actions import FURTHER, hidden_actions
from mlbench.evals.mlagentbench.actions import PUBLISHED as ACTIONS
from mlbench.evals.mlagentbench.problem import ProblemMetric, ResearchProblem
from mlbench.evals.mlagentbench.published_files import KnownSeed, ProblemBudget
from mlbench.evals.mlagentbench.research_agent import (
    KEY,
    PUBLISHED,
    ResearchOptions,
    options_of,
    reacting,
    research_agent,
    trivial,
)
from mlbench.evals.mlagentbench.research_agent.budget import ResearchBudget
from mlbench.records import UsageError

PROBLEM = ResearchProblem(
    name="toads",
    title="Toads",
    domain="tables",
    text="Predict toads.",
    lite="made up",
    metric=ProblemMetric(name="accuracy", better="higher"),
    starter=KnownSeed(mean=1, spread=0, seeds=1),
    bounds=ProblemBudget(steps=6),
)
LOOK = ("List Files", {"dir_path": "."})
END = ("Final Answer", {"final_answer": "The accuracy is 0.66."})


def saying(action: str, inputs: Mapping[str, Any], facts: str = "none", plan: str = "go on") -> str:
    return (
        f"Reflection: fine\nResearch Plan and Status: {plan}\nFact Check: {facts}\nThought: I do it\n"
        f"Action: {action}\nAction Input: {json.dumps(inputs)}"
    )


def tools(observation: str = "exit code 0 after 1.0 s\nstdout:\naccuracy 0.6583") -> list[Tool]:
    async def list_files(dir_path: str = ".") -> str:
        """List the files.

        Args:
            dir_path: the folder.
        """
        return "train.py (20)"

    async def execute_script(script_name: str) -> str:
        """Run a script.

        Args:
            script_name: the script.
        """
        return observation

    async def retrieval_from_research_log(current_plan: str) -> str:
        """Look into the log.

        Args:
            current_plan: the plan.
        """
        return ""

    async def final_answer(
        final_answer: str, claimed_score: float | None = None, metric: str = "", split: str = ""
    ) -> str:
        """End.

        Args:
            final_answer: what was reached.
            claimed_score: its score.
            metric: the score's.
            split: of the data.
        """
        return "kept"

    made = (list_files, execute_script, retrieval_from_research_log, final_answer)
    return [ToolDef(each).as_tool() for each in made]


@dataclass
class Tried:
    sample: EvalSample
    prompts: list[str]

    @property
    def result(self) -> dict[str, Any]:
        found: dict[str, Any] = (self.sample.output.metadata or {})[KEY]
        return found


def speaking(replies: Sequence[str | ModelOutput], prompts: list[str]) -> Model:
    """A model that says these, the last one for ever."""

    def generate(messages: list[ChatMessage], *rest: object) -> ModelOutput:
        prompts.append("\n".join(message.text for message in messages))
        said = replies[min(len(prompts), len(replies)) - 1]
        output = said if isinstance(said, ModelOutput) else ModelOutput.from_content("mockllm", said)
        output.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)  # or Inspect counts
        return output

    return get_model("mockllm/model", custom_outputs=generate, memoize=False)


def tried(
    folder: Path, replies: Sequence[str | ModelOutput], make: Callable[[], Agent], limits: Sequence[Any] = ()
) -> Tried:
    prompts: list[str] = []
    task = Task([Sample(input=PROBLEM.text)], solver=as_solver(make(), limits=list(limits)))
    (log,) = inspect_eval(task, model=speaking(replies, prompts), log_dir=str(folder), display="none")
    assert log.status == "success", log.error
    assert log.samples
    return Tried(log.samples[0], prompts)


def working(folder: Path, *replies: str | ModelOutput, **options: Any) -> Tried:
    helper, run, actions = options.pop("helper", None), options.pop("run", None), options.pop("tools", tools())
    return tried(folder, replies, lambda: research_agent(PROBLEM, actions, options, helper, run))


def test_it_acts_until_its_final_answer(tmp_path: Path) -> None:
    run = ("Execute Script", {"script_name": "train.py"})
    done = working(tmp_path, saying(*LOOK), saying(*run), saying(*END))
    assert done.sample.output.completion == "The accuracy is 0.66."
    assert (done.result["outcome"], done.result["costs"]["steps"]) == ("answered", 3)
    first, second, third = done.prompts
    assert "Predict toads." in first
    assert "- List Files: List the files." in first
    assert 'Action Input: {"script_name": string}' in first
    assert "<step" not in first
    assert "Observation:\ntrain.py (20)\n</step>" in second
    assert '<step number="2">' in third
    assert "accuracy 0.6583" in third
    assert "This is step 3 of 6. Of 18000 seconds, " in third
    assert [m.role for m in done.sample.messages] == ["user", *["assistant", "user"] * 3, "assistant"]


def test_three_steps_are_shown_and_the_log_begins_with_the_fourth(tmp_path: Path) -> None:
    replies = [saying(*LOOK, plan=f"plan {n}") for n in range(1, 6)]
    done = working(tmp_path, *replies, saying(*END))
    assert ["<log>" in prompt for prompt in done.prompts] == [False] * 4 + [True] * 2
    assert [prompt.count("<step ") for prompt in done.prompts] == [0, 1, 2, 3, 3, 3]
    assert "[Reasoning]: I do it\n[Action]: List Files (dir_path: .)\n[Observation]: train.py (20)" in done.prompts[4]


def test_without_a_log_nothing_of_it_is_there(tmp_path: Path) -> None:
    done = working(tmp_path, *[saying(*LOOK)] * 5, saying(*END), log=False)
    assert not any("<log>" in prompt or "Retrieval from Research Log" in prompt for prompt in done.prompts)
    assert "Retrieval from Research Log" in working(tmp_path, saying(*END)).prompts[0]


def test_replies_that_cannot_be_read_come_back_with_the_fault(tmp_path: Path) -> None:
    done = working(tmp_path, "I think.", "Action: List Files", saying(*LOOK), "Hm.", saying(*END))
    assert 'could not be read: there is no line that begins with "Action:"' in done.prompts[1]
    assert "I think.\nObservation:" in done.prompts[1]
    assert (done.result["outcome"], done.result["costs"]["unreadable"]) == ("answered", 3)


@pytest.mark.parametrize("reply", ["I'm sorry.", "", ModelOutput(model="mockllm", choices=[])])
def test_three_of_them_in_a_row_end_it(tmp_path: Path, reply: str | ModelOutput) -> None:
    done = working(tmp_path, reply)
    assert (done.result["outcome"], len(done.prompts)) == ("unreadable-replies", 3)
    assert done.sample.output.completion == ""


def test_it_ends_with_its_steps(tmp_path: Path) -> None:
    done = working(tmp_path, saying(*LOOK))
    assert (done.result["outcome"], len(done.prompts)) == ("step-limit", 6)
    assert "It is the last one" in done.prompts[5]


def test_an_unknown_action_is_an_observation(tmp_path: Path) -> None:
    done = working(tmp_path, saying("Launch Rocket", {}), saying("List Files", {"when": "now"}), saying(*END))
    assert "there is no action 'Launch Rocket'" in done.prompts[1]
    assert "when is not one of its inputs" in done.prompts[2]


def test_long_observations_are_summarised_by_the_helper(tmp_path: Path) -> None:
    asked: list[str] = []
    long = tools("head " + "x" * 6000 + " tail")
    run = saying("Execute Script", {"script_name": "a.py"})
    done = working(tmp_path, run, saying(*END), tools=long, helper=speaking(["It ran."], asked))
    assert len(asked) == 1
    assert "Observation:\nIt ran.\n</step>" in done.prompts[1]
    assert (done.result["summarised"], done.result["costs"]["helper_calls"]) == (1, 1)


def test_a_helper_without_words_leaves_head_and_tail(tmp_path: Path) -> None:
    run = saying("Execute Script", {"script_name": "a.py"})
    done = working(tmp_path, run, saying(*END), tools=tools("head " + "x" * 6000 + " tail"), helper=speaking([""], []))
    assert "head xxx" in done.prompts[1]
    assert "characters left out]" in done.prompts[1]
    assert "xxx tail\n</step>" in done.prompts[1]


def test_as_published_the_prompt_has_its_rules_and_no_log(tmp_path: Path) -> None:
    done = working(tmp_path, *[saying(*LOOK)] * 4, saying(*END), **PUBLISHED.__dict__)
    assert not any("<log>" in prompt for prompt in done.prompts)
    assert all("Install no packages" in prompt for prompt in done.prompts)
    assert ["Begin." in prompt for prompt in done.prompts] == [True, False, False, False, False]


def test_as_published_hidden_actions_are_not_named_but_work(tmp_path: Path) -> None:
    async def write_file(file_name: str) -> str:
        """Write a file.

        Args:
            file_name: the file.
        """
        return f"{file_name} is written"

    known = [*tools(), ToolDef(write_file).as_tool()]
    dance, write = saying("Dance", {}), saying("Write File", {"file_name": "a.py"})
    done = working(tmp_path, dance, write, saying(*END), tools=known, **PUBLISHED.__dict__)
    assert "- Write File: " not in done.prompts[0] and "- List Files: " in done.prompts[0]
    assert "there are: List Files, Execute Script, Final Answer" in done.prompts[1]
    assert "a.py is written" in done.prompts[2]
    assert "- Write File: " in working(tmp_path, saying(*END), tools=known).prompts[0]


@pytest.mark.parametrize(("log", "count"), [(True, 10), (False, 11)])
def test_without_the_log_reflection_is_hidden_too(log: bool, count: int) -> None:
    hidden = hidden_actions(log)
    assert hidden <= {*ACTIONS.values(), *FURTHER.values()}
    assert (len(hidden), "reflection" in hidden) == (count, not log)


def test_as_published_with_a_log_the_helper_keeps_it_and_no_budget_is_shown(tmp_path: Path) -> None:
    asked: list[str] = []
    published = {**PUBLISHED.__dict__, "log": True, "helper": speaking(["noted"], asked)}
    done = working(tmp_path, *[saying(*LOOK, facts="It is 0.99.")] * 4, saying(*END), **published)
    assert "\nnoted\n</log>" in done.prompts[3]
    assert not any("This is step" in prompt or "stand in no observation" in prompt for prompt in done.prompts)
    assert len(asked) == 4 + 2  # an entry for each step but the last, a retrieval from the fourth on


def test_the_helper_s_calls_are_no_turns(tmp_path: Path) -> None:
    options = replace(PUBLISHED, log=True, steps=4)
    make = lambda: research_agent(PROBLEM, tools(), options, speaking(["noted"], []))  # noqa: E731
    done = tried(tmp_path, [*[saying(*LOOK)] * 3, saying(*END)], make, [turn_limit(5)])
    assert done.result["outcome"] == "answered"


def test_figures_that_nobody_saw_are_pointed_out_once(tmp_path: Path) -> None:
    run = ("Execute Script", {"script_name": "train.py"})
    done = working(tmp_path, saying(*run), saying(*LOOK, facts="It is 0.66, then 0.91."), saying(*LOOK), saying(*END))
    assert ["stand in no observation so far: 0.91." in prompt for prompt in done.prompts] == [False, False, True, False]
    assert done.result["unfounded"] == ["0.91"]
    unread = working(tmp_path, saying(*LOOK, facts="It is 0.91."), "Hm.", saying(*END))
    assert ["stand in no observation" in prompt for prompt in unread.prompts] == [False, True, False]


def test_what_it_wrote_into_a_file_it_knows(tmp_path: Path) -> None:
    write = ("Write File", {"file_name": "a.py", "content": "rate = 0.0125"})
    done = working(tmp_path, saying(*write), saying(*LOOK, facts="The rate is 0.0125."), saying(*END))
    assert done.result["unfounded"] == []


def test_a_resumed_run_pays_for_no_reply_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    replies = [saying(*LOOK), saying(*END)]
    assert len(working(tmp_path, *replies, run="one").prompts) == 2
    again = working(tmp_path, *replies, run="one")
    assert (again.prompts, again.result["outcome"]) == ([], "answered")
    assert len(working(tmp_path, *replies, run="another").prompts) == 2


def test_time_is_shown_in_twentieths_and_ends() -> None:
    now = [0.0]
    budget = ResearchBudget(50, 1000, lambda: now[0])
    shown = {}
    for now[0] in (0, 1, 49, 51, 960, 999.5, 2000):
        shown[now[0]] = budget.shown(1).seconds
    assert shown == {0: 1000, 1: 950, 49: 950, 51: 900, 960: 40, 999.5: 0, 2000: 0}
    assert budget.left < 0


def test_what_was_waited_for_counts_once_also_where_it_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A resumed run gets its replies at once: it showed more time than there was, so that no later reply was found."""
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    first = ModelOutput.from_content("mockllm", saying(*LOOK))
    costs = [working(tmp_path, first, saying(*END), run="one").result["costs"] for _ in range(2)]
    assert costs[0] == costs[1]
    assert costs[0]["seconds"] > 0


def test_out_of_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ResearchBudget, "left", property(lambda self: -1.0))
    done = working(tmp_path, saying(*LOOK))
    assert (done.result["outcome"], done.prompts) == ("time-limit", [])


def test_trivial_runs_the_starter_and_submits(tmp_path: Path) -> None:
    done = tried(tmp_path, [], lambda: trivial(PROBLEM, tools()))
    assert done.prompts == []
    assert "accuracy 0.6583" in done.sample.messages[1].text
    assert done.sample.output.completion == "I ran train.py as it was."


def test_react_ends_with_the_final_answer(tmp_path: Path) -> None:
    calls = [("list_files", {"dir_path": "."}), ("final_answer", {"final_answer": "It is 0.66."})]
    replies = [ModelOutput.for_tool_call("mockllm", name, inputs) for name, inputs in calls]
    done = tried(tmp_path, replies, lambda: reacting(PROBLEM, tools()))
    assert len(done.prompts) == 2
    assert done.sample.output.completion == "It is 0.66."


@pytest.mark.parametrize(
    "given, words",
    [
        ({"lgo": False}, "no option 'lgo'"),
        ({"log": "perhaps"}, "log='perhaps': expected true or false"),
        ({"steps": 0}, "steps=0"),
        ({"steps": 2.5}, "steps=2.5: expected a number"),
        ({"last": None}, "last=None: expected a number"),
        ({"longest": 10}, "longest=10"),
    ],
)
def test_options_that_cannot_be(given: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        options_of(given)
    assert options_of(None) == options_of({"steps": None}) == ResearchOptions()
