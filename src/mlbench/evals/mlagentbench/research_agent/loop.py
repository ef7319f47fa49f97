"""The loop of the research agent: ask, read, act, look, note; until it answers or nothing is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from inspect_ai.model import ChatMessage, ChatMessageUser
from inspect_ai.tool import Tool

from mlbench.evals.mlagentbench.actions import act
from mlbench.evals.mlagentbench.research_agent import log
from mlbench.evals.mlagentbench.research_agent.budget import ResearchBudget
from mlbench.evals.mlagentbench.research_agent.fact_check import unfounded
from mlbench.evals.mlagentbench.research_agent.llm import ResearchLLM, cut
from mlbench.evals.mlagentbench.research_agent.options import ResearchOptions
from mlbench.evals.mlagentbench.research_agent.parsing import UnreadableError, parse
from mlbench.evals.mlagentbench.research_agent.prompt import PromptContext, prompt
from mlbench.evals.mlagentbench.research_agent.result import ResearchOutcome, ResearchResult
from mlbench.evals.mlagentbench.research_agent.steps import FINAL_ANSWER, ParsedReply, ResearchStep

_FILE_TEXT = "content"
"""The input of the actions that write a file: what stands in it is known, and need not be observed."""


@dataclass
class ResearchLoop:
    """One try.

    Attributes:
        messages: where the trace is kept: each reply, and what came of it.
        steps, entries: what was done, and the log's entry for each, in order.
        doubts: figures of the last Fact Check that nobody saw; `all_doubts` those of every one.
    """

    ground: PromptContext
    tools: Sequence[Tool]
    desk: ResearchLLM
    budget: ResearchBudget
    options: ResearchOptions
    messages: list[ChatMessage]
    steps: list[ResearchStep] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)
    doubts: tuple[str, ...] = ()
    all_doubts: tuple[str, ...] = ()
    summarised: int = 0

    async def done(self) -> ResearchResult:
        """Work until an end.

        Raises:
            SandboxUnavailableError: the sandbox failed.
            LimitExceededError: a limit that was set from outside.
        """
        in_a_row = 0
        while len(self.steps) < self.budget.steps:
            if self.budget.left <= 0:
                return self._result(ResearchOutcome.TIME_LIMIT)
            step = await self._step()
            if step.said and _is_final(step.said):
                return self._result(ResearchOutcome.ANSWERED, _answer(step.said))
            in_a_row = 0 if step.said else in_a_row + 1
            if in_a_row == self.options.faults:
                return self._result(ResearchOutcome.UNREADABLE)
        return self._result(ResearchOutcome.STEP_LIMIT)

    async def _step(self) -> ResearchStep:
        number = len(self.steps) + 1
        left = self.budget.shown(number) if self.options.show_budget else None
        last = self.steps[-self.options.last :]
        text = prompt(self.ground, last, left, await self._noted(), self.doubts)
        output = await self.desk.ask(text)
        reply = output.completion
        if output.choices:
            self.messages.append(output.message)
        said: ParsedReply | None = None
        try:
            said = parse(reply)
            seen = await act(self.tools, said.action, dict(said.inputs))
        except UnreadableError as fault:
            self.desk.costs = replace(self.desk.costs, unreadable=self.desk.costs.unreadable + 1)
            seen = f"The reply could not be read: {fault}. Nothing was done. Reply in the form that is asked for."
        step = ResearchStep(number, reply, said, seen, await self._summary(seen, said))
        self._check(said)
        self.steps.append(step)
        self.messages.append(ChatMessageUser(content=step.shown))
        if self.options.log and not (said and _is_final(said)):
            self.entries.append(await self._entry(step))
        return step

    async def _summary(self, seen: str, said: ParsedReply | None) -> str:
        if len(seen) <= self.options.longest or (said and _is_final(said)):
            return cut(seen, self.options.longest)
        self.summarised += 1
        purpose = said.thoughts.get("Thought", "") if said else ""
        summary = await self.desk.helped("summary", observation=seen, purpose=purpose)
        # without words from the helper, or with more than there were, head and tail have to do
        return cut(summary or seen, self.options.longest)

    async def _entry(self, step: ResearchStep) -> str:
        if self.options.free_log:
            return log.entry(step)
        return await self.desk.helped("log", reply=step.reply, observation=step.shown) or log.entry(step)

    async def _noted(self) -> str:
        """What the log says, from the fourth step on: before that, the last steps are all there is."""
        if not self.options.log or len(self.steps) < self.options.last:
            return ""
        plan = next((_plan(step.said) for step in reversed(self.steps) if step.said), "")
        if self.options.free_log:
            return "\n\n".join(log.relevant(self.entries[: -self.options.last], plan))
        return await self.desk.helped("retrieval", log="\n\n".join(self.entries), plan=plan)

    def _check(self, said: ParsedReply | None) -> None:
        """Hold the Fact Check against what was seen up to this step: it was written before its action was done."""
        self.doubts = ()
        if said is None or not self.options.check_facts:
            return
        written = [str(step.said.inputs.get(_FILE_TEXT, "")) for step in self.steps if step.said]
        known = [self.ground.problem, *written, *(step.seen for step in self.steps)]
        self.doubts = unfounded(said.thoughts.get("Fact Check", ""), known)
        self.all_doubts += self.doubts

    def _result(self, outcome: ResearchOutcome, answer: str = "") -> ResearchResult:
        return ResearchResult(outcome, answer, self.summarised, self.all_doubts, self.desk.costs)


def _is_final(said: ParsedReply) -> bool:
    return "".join(filter(str.isalpha, said.action)).lower() == FINAL_ANSWER.replace(" ", "").lower()


def _answer(said: ParsedReply) -> str:
    return "\n".join(str(value) for value in said.inputs.values())


def _plan(said: ParsedReply) -> str:
    return " ".join(said.thoughts.get(name, "") for name in ("Research Plan and Status", "Thought"))
