"""ML-Agent with a model that cannot call tools: it takes its decisions in text."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from inspect_ai.model import ChatMessage, ModelOutput, get_model
from inspect_ai.tool import ToolInfo

from mlbench.agents.ml_agent.options import PAPER, MLAgentOptions
from mlbench.agents.ml_agent.pipeline import SolvePipeline
from mlbench.agents.ml_agent.result import SolveOutcome, SolveResult
from mlbench.agents.ml_agent.search import SearchResult
from mlbench.agents.ml_agent.search.catalogue import RepositoryCatalogue
from mlbench.agents.ml_agent.task_input import Job
from mlbench.agents.ml_agent.text_calls import call_in, described
from mlbench.agents.ml_agent.tool_calls import LLMClient
from mlbench.agents.ml_agent.tool_schemas import Keywords, Offer, OpenFile, Ranking, RejectReadme, ToolAnswer
from tests.agents.ml_agent.playing import Policy, call, playing
from tests.scripted_agent.server import Engineer
from tests.scripted_agent.toolless import written

pytestmark = pytest.mark.anyio

JOB = Job("Train a toad on the lake data for 5 epochs.", "shell")
CODE = "python train.py --data lake \\\n  --n_epochs 5"
ANY = (Offer(ToolAnswer), Offer(OpenFile), Offer(RejectReadme))
SAID = {
    "judge_repository": '<decision>\n{"tool": "judge_repository", "suitable": true, "reason": "it trains", "readmes":'
    ' ["README.md"]}\n</decision>',
    "answer": f'<decision>{{"tool": "answer", "language": "bash", "plan": "train"}}</decision>\n```bash\n{CODE}\n```',
}
"""The reply to a question that describes a tool in text."""


def said(text: str) -> ModelOutput:
    return ModelOutput.from_content("mockllm", text)


def in_text(messages: list[ChatMessage]) -> ModelOutput:
    """The reply to what the last message describes."""
    named = re.findall(r"^(\w+): ", messages[-1].text, re.M)
    return said(next(SAID[name] for name in named if name in SAID))


async def work(policy: Policy, toad: SearchResult, retries: int = 1) -> tuple[SolveResult, LLMClient]:
    client = LLMClient(playing(policy), replace(PAPER, retries=retries))
    return await SolvePipeline(JOB, client, RepositoryCatalogue(()), toad).run(), client


@pytest.mark.parametrize(
    ("text", "tool", "arguments"),
    [
        ('{"tool": "open_file", "path": "a.py"}', "open_file", {"path": "a.py"}),
        ('```json\n{"name": "open_file", "arguments": {"path": "a.py"}}\n```', "open_file", {"path": "a.py"}),
        ('<decision>{"tool": "answer", "code": "a\nb"}</decision>', "answer", {"code": "a\nb"}),
        ('I do not take {"tool": "reject_readme"} but {"tool": "open_file"}', "open_file", {}),
        ('<decision>{"tool": "open_file"}</decision> and {"tool": "answer"}', "open_file", {}),
        ('<decision>{"tool": "open_file"}', "open_file", {}),
        ("Use {x} and {'y'}: " + '{"tool": "launch"}', "launch", {}),
        ("{" * 100_000, None, None),
        ('{"a": ' * 5_000, None, None),
        ("no", None, None),
        ('{"path": "a.py"}', None, None),
    ],
)
def test_a_decision_is_read_from_text(text: str, tool: str | None, arguments: dict[str, Any] | None) -> None:
    found = call_in(text, ANY)
    assert (found and found.function, found and found.arguments) == (tool, arguments)


def test_the_only_decision_needs_no_name() -> None:
    found = call_in('Here: {"keywords": ["toad"]}', [Offer(Keywords)])
    assert found and (found.function, found.arguments) == ("search_repositories", {"keywords": ["toad"]})
    assert call_in('{"toads": 1}', [Offer(Keywords)]) is None


def test_code_may_stand_in_a_fence() -> None:
    text = 'First:\n```bash\nls\n```\n```json\n{"tool": "answer", "language": "bash"}\n```\n```bash\nmake all\n```'
    found = call_in(text, ANY)
    assert found and found.arguments == {"language": "bash", "code": "make all"}
    found = call_in('{"tool": "answer", "code": "a"}\n```\nb\n```', ANY)
    assert found and found.arguments == {"code": "a"}


def test_tools_are_described_with_their_arguments_and_values() -> None:
    text = described([Offer(Ranking, {"names": ("frog", "toad")})])
    assert "  names (array, required): Names of the repositories, the best first. One of: frog, toad.\n" in text + "\n"
    assert "Markdown" not in text and "Markdown" in described(ANY)


async def test_a_model_that_writes_instead_of_calling_is_understood(toad: SearchResult) -> None:
    """It called no tool, so the run ended with `invalid-decision`."""
    offered: list[int] = []

    def policy(messages: list[ChatMessage], tools: list[ToolInfo]) -> ModelOutput:
        offered.append(len(tools))
        return said("Which tools?") if len(offered) == 1 else in_text(messages)

    result, client = await work(policy, toad)
    assert (result.outcome, result.code) == (SolveOutcome.ANSWERED, CODE)
    assert (offered, result.costs.invalid) == ([1, 1, 0], 1)
    roles = [message.role for message in client.trajectory]
    assert roles == ["system", "user", "assistant", "user", "assistant", "system", "user", "assistant"]


async def test_an_endpoint_that_refuses_tools_is_asked_without(toad: SearchResult) -> None:
    class RefusedError(Exception):
        status_code = 400

    def policy(messages: list[ChatMessage], tools: list[ToolInfo]) -> ModelOutput:
        if tools:
            raise RefusedError("model x does not support tools")
        return in_text(messages)

    result, client = await work(policy, toad)
    assert (result.outcome, result.costs.steps, client.in_text) == (SolveOutcome.ANSWERED, 2, True)


@pytest.mark.parametrize("status", [None, 401, 429, 500])
async def test_another_error_is_not_taken_for_a_refusal(toad: SearchResult, status: int | None) -> None:
    class BrokenError(Exception):
        status_code = status

    def policy(messages: list[ChatMessage], tools: list[ToolInfo]) -> ModelOutput:
        assert tools
        raise BrokenError("no")

    with pytest.raises(BrokenError):
        await work(policy, toad)


async def test_who_has_called_a_tool_is_not_read(toad: SearchResult) -> None:
    judged = call("judge_repository", suitable=True, reason="", readmes=["README.md"])
    left = [judged, said(SAID["answer"]), call("answer", language="bash", code="make")]
    result, _ = await work(lambda messages, tools: left.pop(0), toad)
    assert (result.code, result.costs.invalid) == ("make", 1)


async def test_a_fault_in_text_is_sent_back_in_text(toad: SearchResult) -> None:
    left = [said('{"tool": "judge_repository", "suitable": "perhaps"}'), said(SAID["judge_repository"])]
    left += [said('{"tool": "answer"}'), said(SAID["answer"])]
    result, client = await work(lambda messages, tools: left.pop(0), toad)
    assert (result.outcome, result.costs.invalid) == (SolveOutcome.ANSWERED, 2)
    assert {message.role for message in client.trajectory} == {"system", "user", "assistant"}
    assert any("Not valid: suitable: Input should be a valid boolean" in each.text for each in client.trajectory)


async def test_a_real_endpoint_without_tools_gets_the_same_answer(toad: SearchResult) -> None:
    pytest.importorskip("openai")
    job = Job("Train on the lake data for 5 epochs with a learning rate of 0.2.", "shell")
    found = []
    for engineer in (Engineer(), Engineer(think=written)):
        with engineer:
            model = get_model("openai-api/here/m", base_url=engineer.url, api_key="none", memoize=False)
            client = LLMClient(model, MLAgentOptions(check=False))
            result = await SolvePipeline(job, client, RepositoryCatalogue((toad,)), None).run()
        assert engineer.faults == []
        found.append((result.outcome, result.code, result.costs.invalid, client.in_text))
    code = "python train.py --data lake --lr 0.2 --n_epochs 5"
    assert found == [(SolveOutcome.ANSWERED, code, 0, False), (SolveOutcome.ANSWERED, code, 0, True)]
