"""The baselines of the research agent, on the same actions: trivial and ReAct."""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.agent import Agent, AgentPrompt, AgentState, AgentSubmit, agent, react
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelOutput
from inspect_ai.tool import Tool, ToolDef

from mlbench.evals.mlagentbench.actions import act, keep_malformed_calls
from mlbench.evals.mlagentbench.problem import ResearchProblem

_FINAL_ANSWER = "final_answer"
_INSTRUCTIONS = """
You are a researcher at a Linux machine who improves machine-learning experiments. You look and act by calling tools,
nobody else is there, and nobody answers questions. Look before you act, run the starter before you change it, read what
scripts say, keep what helps and undo what does not.
"""
_SUBMIT = "Call `final_answer` when the work is done; what counts is what stands in the workspace then."


@agent(name="trivial")
def trivial(problem: ResearchProblem, tools: Sequence[Tool]) -> Agent:
    """Return the published baseline: it runs the unchanged starter and asks no model."""

    async def execute(state: AgentState) -> AgentState:
        observation = await act(tools, "Execute Script", {"script_name": problem.script})
        answer = f"I ran {problem.script} as it was."
        await act(tools, "Final Answer", {_FINAL_ANSWER: answer})
        state.messages += [
            ChatMessageUser(content=observation),
            ChatMessageAssistant(content=answer, source="generate"),
        ]
        state.output = ModelOutput.from_content("none", answer)
        return state

    return execute


def reacting(problem: ResearchProblem, tools: Sequence[Tool]) -> Agent:
    """Return Inspect's ReAct agent with these tools; it ends with `final_answer`."""
    final = next(tool for tool in tools if ToolDef(tool).name == _FINAL_ANSWER)
    known = ToolDef(final)

    async def answer(final_answer: str, claimed_score: float | None = None, metric: str = "", split: str = "") -> str:
        await final(final_answer=final_answer, claimed_score=claimed_score, metric=metric, split=split)
        return final_answer  # ReAct takes the tool's result as the answer

    submit = ToolDef(answer, name=_FINAL_ANSWER, description=known.description, parameters=known.parameters)
    return react(
        name="react",
        description="A researcher who improves experiments",
        prompt=AgentPrompt(
            instructions=_INSTRUCTIONS, handoff_prompt=None, assistant_prompt=None, submit_prompt=_SUBMIT
        ),
        tools=[tool for tool in tools if tool is not final],
        submit=AgentSubmit(name=_FINAL_ANSWER, tool=submit, answer_only=True),
        on_continue=keep_malformed_calls(problem),
    )
