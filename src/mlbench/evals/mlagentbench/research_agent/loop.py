"""The loop of the research agent: ask, parse, act, observe, log, until it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from inspect_ai.model import ChatMessage, ChatMessageUser
from inspect_ai.tool import Tool

from mlbench.evals.mlagentbench.actions import act, unreadable
from mlbench.evals.mlagentbench.research_agent import log
from mlbench.evals.mlagentbench.research_agent.budget import ResearchBudget
from mlbench.evals.mlagentbench.research_agent.fact_check import unfounded
from mlbench.evals.mlagentbench.research_agent.llm import ResearchLLM
from mlbench.evals.mlagentbench.research_agent.options import ResearchOptions
from mlbench.evals.mlagentbench.research_agent.parsing import UnreadableError, parse
from mlbench.evals.mlagentbench.research_agent.prompt import PromptContext, prompt
from mlbench.evals.mlagentbench.research_agent.result import ResearchOutcome, ResearchResult
from mlbench.evals.mlagentbench.research_agent.steps import FINAL_ANSWER, ParsedReply, ResearchStep
from mlbench.truncate import head_and_tail

_FILE_TEXT = "content"
"""The input of actions that write a file; the agent knows figures that it has written itself."""


@dataclass
class ResearchLoop:
    """One run of the research agent.

    Attributes:
        context: the constant parts of the prompt.
        tools: the tools of the actions.
        llm: asks the models.
        budget: limits steps and seconds.
        options: of the agent.
        messages: gets each reply and each observation.
        steps: the steps so far.
        entries: the log entry of each step.
        doubts: figures of the last Fact Check without a source.
        all_doubts: figures of all Fact Checks without a source.
        summarised: the number of summarised observations.
    """

    context: PromptContext
    tools: Sequence[Tool]
    llm: ResearchLLM
    budget: ResearchBudget
    options: ResearchOptions
    messages: list[ChatMessage]
    steps: list[ResearchStep] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)
    doubts: tuple[str, ...] = ()
    all_doubts: tuple[str, ...] = ()
    summarised: int = 0

    async def run(self) -> ResearchResult:
        """Take steps until the Final Answer or a limit of the agent's own.

        Raises:
            SandboxUnavailableError: the sandbox failed.
            LimitExceededError: a limit of the sample was exceeded.
        """
        unreadable_in_a_row = 0
        while len(self.steps) < self.budget.steps:
            if self.budget.left <= 0:
                return self._result(ResearchOutcome.TIME_LIMIT)
            step = await self._step()
            if step.parsed and _is_final(step.parsed):
                return self._result(ResearchOutcome.ANSWERED, _answer(step.parsed))
            unreadable_in_a_row = 0 if step.parsed else unreadable_in_a_row + 1
            if unreadable_in_a_row == self.options.faults:
                return self._result(ResearchOutcome.UNREADABLE)
        return self._result(ResearchOutcome.STEP_LIMIT)

    async def go_on(self, steps: Sequence[ResearchStep]) -> None:
        """Begin after these steps; they count as steps of this run."""
        for step in steps:
            self.steps.append(step)
            if self.options.log:
                self.entries.append(await self._entry(step))

    async def _step(self) -> ResearchStep:
        """Ask for one reply, do its action, and record the step."""
        number = len(self.steps) + 1
        left = self.budget.shown(number) if self.options.show_budget else None
        last = self.steps[-self.options.last :]
        text = prompt(self.context, last, left, await self._relevant_log(), self.doubts)
        output = await self.llm.ask(text)
        reply = output.completion
        if output.choices:
            self.messages.append(output.message)
        parsed: ParsedReply | None = None
        try:
            parsed = parse(reply)
            named = [action.name for action in self.context.actions]
            observation = await act(self.tools, parsed.action, dict(parsed.inputs), named)
        except UnreadableError as fault:
            self.llm.costs = replace(self.llm.costs, unreadable=self.llm.costs.unreadable + 1)
            observation = (
                f"The reply could not be read: {fault}. Nothing was done. Reply in the form that is asked for."
            )
            await unreadable(self.tools, observation)
        step = ResearchStep(number, reply, parsed, observation, await self._summary(observation, parsed))
        self._check(parsed)
        self.steps.append(step)
        self.messages.append(ChatMessageUser(content=step.shown))
        if self.options.log and not (parsed and _is_final(parsed)):
            self.entries.append(await self._entry(step))
        return step

    async def _summary(self, observation: str, parsed: ParsedReply | None) -> str:
        if len(observation) <= self.options.longest or (parsed and _is_final(parsed)):
            return head_and_tail(observation, self.options.longest)
        self.summarised += 1
        purpose = parsed.thoughts.get("Thought", "") if parsed else ""
        summary = await self.llm.helped("summary", observation=observation, purpose=purpose)
        # if the helper returns nothing or too much, head and tail have to suffice
        return head_and_tail(summary or observation, self.options.longest)

    async def _entry(self, step: ResearchStep) -> str:
        if self.options.free_log:
            return log.entry(step)
        return await self.llm.helped("log", reply=step.reply, observation=step.shown) or log.entry(step)

    async def _relevant_log(self) -> str:
        """Return log entries for the present plan; empty while the prompt shows all steps."""
        if not self.options.log or len(self.steps) < self.options.last:
            return ""
        plan = next((_plan(step.parsed) for step in reversed(self.steps) if step.parsed), "")
        if self.options.free_log:
            return "\n\n".join(log.relevant(self.entries[: -self.options.last], plan))
        return await self.llm.helped("retrieval", log="\n\n".join(self.entries), plan=plan)

    def _check(self, parsed: ParsedReply | None) -> None:
        """Find figures of the Fact Check that no earlier step shows."""
        self.doubts = ()
        if parsed is None or not self.options.check_facts:
            return
        written = [str(step.parsed.inputs.get(_FILE_TEXT, "")) for step in self.steps if step.parsed]
        known = [self.context.problem, *written, *(step.observation for step in self.steps)]
        self.doubts = unfounded(parsed.thoughts.get("Fact Check", ""), known)
        self.all_doubts += self.doubts

    def _result(self, outcome: ResearchOutcome, answer: str = "") -> ResearchResult:
        return ResearchResult(outcome, answer, self.summarised, self.all_doubts, self.llm.costs)


def _is_final(parsed: ParsedReply) -> bool:
    return "".join(filter(str.isalpha, parsed.action)).lower() == FINAL_ANSWER.replace(" ", "").lower()


def _answer(parsed: ParsedReply) -> str:
    return "\n".join(str(value) for value in parsed.inputs.values())


def _plan(parsed: ParsedReply) -> str:
    return " ".join(parsed.thoughts.get(name, "") for name in ("Research Plan and Status", "Thought"))
