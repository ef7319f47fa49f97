"""A draft against the repository's own program: what is refused comes back in the program's words, and is mended."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from inspect_ai.model import ChatMessage, ModelOutput
from inspect_ai.tool import ToolInfo

from mlbench.agents.ml_agent.interface_feedback import DraftChecker, check_draft
from mlbench.agents.ml_agent.options import MLAgentOptions
from mlbench.agents.ml_agent.pipeline import SolvePipeline
from mlbench.agents.ml_agent.result import SolveResult
from mlbench.agents.ml_agent.search import SearchResult
from mlbench.agents.ml_agent.search.catalogue import RepositoryCatalogue
from mlbench.agents.ml_agent.task_input import Job
from mlbench.agents.ml_agent.tool_calls import LLMClient
from mlbench.agents.ml_agent.tool_schemas import ToolAnswer
from mlbench.interface_check.check_server import CheckEnv
from mlbench.interface_check.checker import Checker, CheckTarget
from tests.agents.ml_agent.playing import Policy, call, playing, script

pytestmark = pytest.mark.anyio

JOB = Job("Train a toad on the lake data for 5 epochs.", "shell")
JUDGED = call("judge_repository", suitable=True, reason="", readmes=["README.md"])
RIGHT = "python train.py --data lake --n_epochs 5"


@pytest.fixture
async def checker(toad: SearchResult) -> AsyncIterator[Checker]:
    assert toad.folder
    async with Checker(CheckTarget(CheckEnv(toad.folder, preload=())), workers=1) as checker:
        yield checker


def answered(code: str, language: str = "bash", folder: str = ".") -> ModelOutput:
    return call("answer", language=language, folder=folder, code=code)


async def work(
    policy: Policy, toad: SearchResult, checker: Checker, options: MLAgentOptions | None = None
) -> SolveResult:
    desk = LLMClient(playing(policy), options or MLAgentOptions())
    return await SolvePipeline(JOB, desk, RepositoryCatalogue(()), toad, DraftChecker(lambda _: checker, 1)).run()


async def test_what_the_program_refuses_is_mended_in_its_words(toad: SearchResult, checker: Checker) -> None:
    heard: list[str] = []
    replies = script(JUDGED, answered("python train.py --data lake --epochs 5"), answered(RIGHT))

    def policy(messages: list[ChatMessage], tools: list[ToolInfo]) -> ModelOutput:
        heard.append(messages[-1].text)
        return replies(messages, tools)

    result = await work(policy, toad, checker)
    assert result.code == RIGHT
    assert (result.checked.status, result.checked.repairs) == ("accepted", 1)
    assert "refused (unknown-argument)" in heard[-1]
    assert "--n_epochs; int; default 3" in heard[-1]
    assert "--data; one of: pond, lake; required" in heard[-1]
    assert "--lr; float; default 0.1; learning rate" in heard[-1]


async def test_repairs_are_bounded_and_the_best_draft_stays(toad: SearchResult, checker: Checker) -> None:
    wrong = [answered(f"python train.py --data lake --wrong{n} 5") for n in range(9)]
    result = await work(script(JUDGED, *wrong), toad, checker, MLAgentOptions(repairs=2))
    assert (result.checked.status, result.checked.repairs, result.costs.steps) == ("rejected", 2, 4)
    assert "--wrong2" in result.code
    doubted = script(JUDGED, answered("python train.py --data lake"), answered("python train.py --epochs 5"), wrong[0])
    result = await work(doubted, toad, checker, MLAgentOptions(repairs=2))
    assert (result.checked.status, result.code) == ("accepted", "python train.py --data lake")


async def test_a_value_of_the_instruction_that_is_nowhere_is_asked_about_once(
    toad: SearchResult, checker: Checker
) -> None:
    without = answered("python train.py --data lake")
    result = await work(script(JUDGED, without, without), toad, checker)
    assert (result.checked.status, result.checked.doubts) == ("accepted", ("5",))
    result = await work(script(JUDGED, without, answered(RIGHT)), toad, checker)
    assert (result.code, result.checked.doubts) == (RIGHT, ())


@pytest.mark.parametrize(
    ("instruction", "code", "doubts"),
    [
        ("For 5 epochs, please.", "python train.py --data lake --n_epochs 5", ()),
        ("At a rate of 1e-4.", "python train.py --data lake --lr 0.0001", ()),
        ("At a rate of 20 percent.", "python train.py --data lake --lr 0.2", ()),
        ("At a rate of 0.5.", "python train.py --data lake", ("0.5",)),
        ("On big_lake, e.g. at night, i.e. in the dark.", "python train.py --data lake", ("big_lake",)),
        ("On lake.csv: 3 epochs.", "python train.py --data lake", ("lake.csv",)),
        ("On 2D data, step-3 training, v1.5.", "python train.py --data lake", ()),
        ("For seven epochs, please.", "python train.py --data lake --n_epochs 7", ()),
        ("For seven epochs; this one is meant.", "python train.py --data lake --n_epochs 5", ("seven",)),
        ("For 1 epoch.", "python train.py --data lake --n_epochs 10", ("1",)),  # in 10 and 0.1 there is no 1
        ("On the Lake, please.", "python train.py --data pond", ("lake (a choice of data)",)),
        ("On the lake, not on the pond.", "python train.py --data lake", ()),
    ],
)
async def test_doubts_are_of_numbers_and_names(
    instruction: str, code: str, doubts: tuple[str, ...], checker: Checker
) -> None:
    found = await check_draft(checker, Job(instruction, "shell"), ToolAnswer(language="bash", code=code), doubting=True)
    assert found.checked.doubts == doubts
    assert bool(found.feedback) == bool(doubts)


@pytest.mark.parametrize(
    ("answer", "status", "reason"),
    [
        (ToolAnswer(language="bash", folder="../..", code=RIGHT), "rejected", "no-such-folder"),
        (ToolAnswer(language="bash", folder="a\0b", code=RIGHT), "rejected", "no-such-folder"),
        (ToolAnswer(language="bash", folder="nosuch", code=RIGHT), "rejected", "no-such-folder"),
        (ToolAnswer(language="bash", folder="sub", code=f"cd .. && {RIGHT}"), "accepted", ""),
        (ToolAnswer(language="bash", code="echo done"), "rejected", "not-a-call-of-the-repository"),
        (ToolAnswer(language="bash", code="if true; then"), "rejected", "shell-syntax"),
        (ToolAnswer(language="bash", code="python train.py\0"), "rejected", "no-such-file"),
        (ToolAnswer(language="bash", code="```"), "rejected", "shell-syntax"),
        (ToolAnswer(language="python", folder="sub", code="from tool import tool\ntool(5)"), "accepted", ""),
        (
            ToolAnswer(language="python", folder="sub", code="from tool import tool\ntool(m=5)"),
            "rejected",
            "call-does-not-bind",
        ),
    ],
)
async def test_every_bad_draft_has_a_stated_reason(
    answer: ToolAnswer, status: str, reason: str, checker: Checker
) -> None:
    found = await check_draft(checker, Job("x", None), answer, doubting=False)
    assert (found.checked.status, found.checked.reason) == (status, reason)
    assert bool(found.feedback) == (status == "rejected")


async def test_the_folder_that_a_bench_gives_holds_whatever_the_model_says(
    toad: SearchResult, checker: Checker
) -> None:
    job = replace(JOB, folder="./sub", prefix="export DATA=lake")
    code = "cd .. && python train.py --data $DATA --n_epochs 5"
    desk = LLMClient(playing(script(JUDGED, answered(code, folder="elsewhere"))), MLAgentOptions())
    result = await SolvePipeline(job, desk, RepositoryCatalogue(()), toad, DraftChecker(lambda _: checker, 1)).run()
    assert (result.checked.status, result.folder) == ("accepted", "./sub")


async def test_the_options_of_a_refused_absl_program_are_listed_too(toad: SearchResult, checker: Checker) -> None:
    assert toad.folder
    (toad.folder / "flagged.py").write_text(
        "from absl import app, flags\nflags.DEFINE_integer('steps', 3, 'how long', lower_bound=1)\n"
        "app.run(lambda argv: None)\n"
    )
    draft = ToolAnswer(language="bash", code="python flagged.py --steps=0")
    found = await check_draft(checker, Job("x", None), draft, doubting=False)
    assert found.checked.status == "rejected"
    assert "--steps; int; default 3; how long" in found.feedback


async def test_what_is_still_in_doubt_is_asked_about_until_the_answer_stays(
    toad: SearchResult, checker: Checker
) -> None:
    job = replace(JOB, instruction="Train at 0.5 for 7 epochs on lake.")
    half = answered("python train.py --data lake --lr 0.5")
    whole = answered("python train.py --data lake --lr 0.5 --n_epochs 7")
    for replies, doubts in (([half, whole], ()), ([half, half], ("7",))):
        desk = LLMClient(playing(script(JUDGED, answered("python train.py --data lake"), *replies)), MLAgentOptions())
        result = await SolvePipeline(job, desk, RepositoryCatalogue(()), toad, DraftChecker(lambda _: checker, 1)).run()
        assert (result.checked.status, result.checked.doubts, result.costs.steps) == ("accepted", doubts, 4)
