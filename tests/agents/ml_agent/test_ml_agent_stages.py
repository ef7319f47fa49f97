"""ML-Agent's way through its stages, with a model that says what the test wants it to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from inspect_ai.model import ChatMessage, ModelOutput
from inspect_ai.tool import ToolInfo

from mlbench.agents.ml_agent.options import PAPER, MLAgentOptions
from mlbench.agents.ml_agent.pipeline import SolvePipeline
from mlbench.agents.ml_agent.result import SolveOutcome, SolveResult
from mlbench.agents.ml_agent.search import SearchResult
from mlbench.agents.ml_agent.search.catalogue import RepositoryCatalogue
from mlbench.agents.ml_agent.task_input import Job
from mlbench.agents.ml_agent.tool_calls import LLMClient
from mlbench.records import RunError, UsageError
from tests.agents.ml_agent.playing import Policy, by_tool, call, playing, script

pytestmark = pytest.mark.anyio

JOB = Job("Train a toad on the lake data for 5 epochs.", "shell")
JUDGED = call("judge_repository", suitable=True, reason="it trains", settings=["data", "epochs"], readmes=["README.md"])
ANSWER = call("answer", language="bash", folder=".", plan="train", code="python train.py --data lake --n_epochs 5")
OPEN = call("open_file", path="train.py", missing=["epochs"])
FREE = replace(PAPER, retries=1)


@dataclass
class Seen:
    """A policy that keeps what it was asked."""

    policy: Policy
    tools: list[list[str]] = field(default_factory=list)
    last: list[str] = field(default_factory=list)

    def __call__(self, messages: list[ChatMessage], tools: list[ToolInfo]) -> ModelOutput:
        self.tools.append([tool.name for tool in tools])
        self.last.append(messages[-1].text)
        return self.policy(messages, tools)


async def work(
    policy: Policy,
    *repositories: SearchResult,
    given: SearchResult | None = None,
    options: MLAgentOptions = FREE,
    job: Job = JOB,
) -> SolveResult:
    return await SolvePipeline(
        job, LLMClient(playing(policy), options), RepositoryCatalogue(tuple(repositories)), given
    ).run()


async def test_a_repository_is_found_ranked_judged_and_used(toad: SearchResult) -> None:
    frog = replace(toad, name="frog")
    seen = Seen(
        by_tool(
            search_repositories=call("search_repositories", keywords=["toad"]),
            rank_repositories=call("rank_repositories", names=["toad"]),
            judge_repository=JUDGED,
            answer=ANSWER,
        )
    )
    result = await work(seen, frog, toad)
    assert result.outcome is SolveOutcome.ANSWERED
    assert (result.repository, result.ranked) == ("toad", ("toad", "frog"))
    assert result.code == "python train.py --data lake --n_epochs 5"
    assert [str(place) for place in result.sources] == ["README.md:6-9"]
    assert [tools[0] for tools in seen.tools] == [
        "search_repositories", "rank_repositories", "judge_repository", "answer"
    ]  # fmt: skip
    assert result.costs.steps == 4
    assert result.costs.tokens_in > 100


async def test_a_repository_that_does_not_serve_gives_way_to_the_next(toad: SearchResult) -> None:
    frog = replace(toad, name="frog")
    no = call("judge_repository", suitable=False, reason="frogs only")
    result = await work(
        by_tool(
            search_repositories=call("search_repositories", keywords=["toad"]),
            rank_repositories=call("rank_repositories", names=["frog", "toad"]),
            judge_repository=[no, JUDGED],
            answer=ANSWER,
        ),
        frog,
        toad,
    )
    assert result.repository == "toad"
    assert result.rejected == ("frog: frogs only",)


async def test_a_readme_that_is_put_aside_gives_way_to_the_next(toad: SearchResult) -> None:
    both = call("judge_repository", suitable=True, reason="", readmes=["docs/README.md", "README.md"])
    seen = Seen(script(both, call("reject_readme", reason="empty"), ANSWER))
    result = await work(seen, given=toad)
    assert result.outcome is SolveOutcome.ANSWERED
    assert result.rejected == ("toad/docs/README.md: empty",)
    assert "reject_readme" not in seen.tools[-1], "there is nothing behind the last one"


@pytest.mark.parametrize(
    ("policy", "outcome", "detail"),
    [
        (by_tool(search_repositories=call("search_repositories", keywords=[])), "invalid-decision", "keywords: List"),
        (by_tool(search_repositories=call("nosuch")), "invalid-decision", "no tool 'nosuch'"),
        (by_tool(search_repositories=ModelOutput.from_content("m", "I refuse.")), "invalid-decision", "call one of"),
        (by_tool(search_repositories=ModelOutput(model="m")), "invalid-decision", "call one of"),
        (
            by_tool(
                search_repositories=call("search_repositories", keywords=["x"]),
                judge_repository=call("judge_repository", suitable=True, reason="", readmes=["../../etc/passwd"]),
            ),
            "invalid-decision",
            "readmes: '../../etc/passwd' is none of: README.md, docs/README.md",
        ),
        (
            by_tool(
                search_repositories=call("search_repositories", keywords=["x"]),
                judge_repository=call("judge_repository", suitable=False, reason="no"),
            ),
            "none-suitable",
            "toad: no",
        ),
        (
            by_tool(
                search_repositories=call("search_repositories", keywords=["x"]),
                judge_repository=JUDGED,
                answer=call("answer", language="cobol", code="x"),
            ),
            "invalid-decision",
            "language: Input should be 'bash' or 'python'",
        ),
        (
            by_tool(
                search_repositories=call("search_repositories", keywords=["x"]),
                judge_repository=JUDGED,
                answer=call("answer", language="python", code="x"),
            ),
            "invalid-decision",
            "language: 'python' is none of: bash",
        ),
        (
            by_tool(
                search_repositories=call("search_repositories", keywords=["x"]),
                judge_repository=JUDGED,
                answer=call("answer", language="bash", code="echo \ud800"),
            ),
            "invalid-decision",
            "code: Input should be a valid string",
        ),
    ],
)
async def test_a_decision_that_stays_invalid_is_an_outcome(
    policy: Policy, outcome: str, detail: str, toad: SearchResult
) -> None:
    result = await work(policy, toad)
    assert result.outcome.value == outcome
    assert detail in result.detail
    assert result.code == ""


async def test_a_fault_is_sent_back_and_can_be_mended(toad: SearchResult) -> None:
    seen = Seen(script(JUDGED, call("answer", code="x"), ANSWER))
    result = await work(seen, given=toad)
    assert result.outcome is SolveOutcome.ANSWERED
    assert seen.last[-1] == "Not valid: language: Field required. Call it again, mended."
    assert (result.costs.steps, result.costs.invalid) == (3, 1)


async def test_of_several_calls_the_first_counts_and_each_is_replied_to(toad: SearchResult) -> None:
    both = ModelOutput.for_tool_call("m", "open_file", {"path": "train.py"})
    calls = both.choices[0].message.tool_calls
    assert calls
    calls.append(replace(calls[0], id="other"))

    def policy(messages: list[ChatMessage], tools: list[ToolInfo]) -> ModelOutput:
        if tools[0].name == "judge_repository":
            return JUDGED
        replied = [message.tool_call_id for message in messages if message.role == "tool"]
        if not replied:
            return both
        assert sorted(map(str, replied)) == sorted([str(calls[0].id), "other"])
        return ANSWER

    result = await work(policy, given=toad)
    assert (result.outcome, result.costs.opened) == (SolveOutcome.ANSWERED, 1)


async def test_the_steps_are_bounded_and_the_last_one_is_for_the_answer(toad: SearchResult) -> None:
    seen = Seen(by_tool(judge_repository=JUDGED, open_file=OPEN, answer=ANSWER))
    result = await work(seen, given=toad, options=replace(FREE, steps=4))
    assert seen.tools[-1] == ["answer"]
    assert result.outcome is SolveOutcome.ANSWERED
    result = await work(seen, given=toad, options=replace(FREE, steps=1))
    assert (result.outcome, result.costs.steps) == (SolveOutcome.STEP_LIMIT, 1)


async def test_nothing_beyond_the_tree_is_opened(toad: SearchResult) -> None:
    assert toad.folder
    (toad.folder / "out").symlink_to("/etc")
    (toad.folder / "link.md").symlink_to("/etc/passwd")
    opened = [call("open_file", path=p) for p in ("out/passwd", "link.md", "/etc/passwd", "../secret", ".", "")]
    seen = Seen(script(JUDGED, *opened, ANSWER))
    result = await work(seen, given=toad, options=replace(FREE, retries=9))
    assert result.outcome is SolveOutcome.ANSWERED
    assert result.costs.opened == 0
    assert not any("root:" in text for text in seen.last)


async def test_lines_of_a_file_are_shown_cut_to_the_budget(toad: SearchResult) -> None:
    assert toad.folder
    (toad.folder / "long.py").write_text("\n".join(f"x{n} = {n}" for n in range(1, 20_001)))
    seen = Seen(script(JUDGED, call("open_file", path="./long.py", first_line=11, last_line=12), *[
        call("open_file", path="long.py"), ANSWER
    ]))  # fmt: skip
    await work(seen, given=toad, options=replace(FREE, tokens=2000))
    assert '<document path="long.py" lines="11-12">\nx11 = 11\nx12 = 12\n</document>' in seen.last[2]
    assert "x1 = 1\n" in seen.last[3]
    assert len(seen.last[3]) < 3000


async def test_it_is_asked_to_answer_once_what_was_shown_suffices(toad: SearchResult) -> None:
    learning = call("judge_repository", suitable=True, reason="", settings=["data", "lr"], readmes=["README.md"])
    for options, tools in ((FREE, ["answer", "open_file"]), (replace(FREE, stop_early=True), ["answer"])):
        seen = Seen(by_tool(judge_repository=learning, answer=ANSWER))
        await work(seen, given=toad, options=options)
        assert seen.tools[-1] == tools
    seen = Seen(script(JUDGED, OPEN, ANSWER))  # the epochs are named in the code alone
    await work(seen, given=toad, options=replace(FREE, stop_early=True))
    assert seen.tools[1:] == [["answer", "open_file"], ["answer"]]


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ([], "Not opened: name in `missing`"),
        (["learning rate"], "Not opened: the documents that were shown name it (learning rate: lr)"),
        (["learning rate", "epochs"], '<document path="train.py"'),
    ],
)
async def test_code_is_opened_only_where_the_readme_leaves_something_open(
    missing: Sequence[str], said: str, toad: SearchResult
) -> None:
    opening = call("open_file", path="train.py", missing=missing)
    for options, wanted in ((FREE, '<document path="train.py"'), (replace(FREE, readme_first=True), said)):
        seen = Seen(script(JUDGED, opening, ANSWER))
        await work(seen, given=toad, options=options)
        assert seen.last[-1].startswith(wanted)


async def test_a_document_may_always_be_opened(toad: SearchResult) -> None:
    seen = Seen(script(JUDGED, call("open_file", path="docs/README.md"), ANSWER))
    await work(seen, given=toad, options=replace(FREE, readme_first=True))
    assert "Nothing." in seen.last[-1]


async def test_a_repository_without_readme_is_worked_with_from_its_tree(tmp_path: Path) -> None:
    (tmp_path / "run.py").write_text("print(1)\n")
    bare = SearchResult("bare", folder=tmp_path)
    seen = Seen(by_tool(judge_repository=call("judge_repository", suitable=True, reason=""), answer=ANSWER))
    result = await work(seen, given=bare)
    assert result.outcome is SolveOutcome.ANSWERED
    assert result.sources == ()


async def test_a_repository_that_cannot_be_had_is_left_out_with_a_note(toad: SearchResult) -> None:
    gone = SearchResult("gone/gone", url="https://nowhere.invalid/gone/gone")

    class Half(RepositoryCatalogue):
        def find(self, keywords: Sequence[str], count: int) -> list[SearchResult]:
            return [gone, toad]

        def checkout(self, found: SearchResult) -> Path:
            raise RunError("no network")

    policy = by_tool(
        search_repositories=call("search_repositories", keywords=["toad"]),
        rank_repositories=call("rank_repositories", names=["gone/gone", "toad"]),
        judge_repository=JUDGED,
        answer=ANSWER,
    )
    result = await SolvePipeline(JOB, LLMClient(playing(policy), FREE), Half(())).run()
    assert (result.repository, result.notes) == ("toad", ("left out: no network",))


async def test_nothing_found_is_an_outcome() -> None:
    result = await work(by_tool(search_repositories=call("search_repositories", keywords=["toad"])))
    assert (result.outcome, result.detail) == (SolveOutcome.NOTHING_FOUND, "no repository was found for: toad")


@pytest.mark.parametrize(
    "wrong", [{"candidates": 0}, {"repairs": -1}, {"retries": -1}, {"steps": 0}, {"readmes": 0}, {"tokens": 10}]
)
def test_options_that_cannot_be_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="at least"):
        MLAgentOptions(**wrong)  # type: ignore[arg-type]
