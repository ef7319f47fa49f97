"""The tree search at work: ask for a script, run it, check what it leaves, hand in the best."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser, ModelOutput
from inspect_ai.tool import Tool
from inspect_ai.util import LimitExceededError

from mlbench.evals.mlagentbench.actions import ActionError, act, code_in, unreadable
from mlbench.evals.mlagentbench.actions.validation import CANNOT_BE_GRADED
from mlbench.evals.mlagentbench.problem import ResearchProblem
from mlbench.evals.mlagentbench.research_agent.budget import ResearchBudget
from mlbench.evals.mlagentbench.research_agent.llm import ResearchLLM
from mlbench.evals.mlagentbench.research_agent.result import ResearchCosts
from mlbench.evals.mlagentbench.tree_search.options import TreeSearchOptions
from mlbench.evals.mlagentbench.tree_search.script_output import how_it_ended, printed_score, quoted_score
from mlbench.evals.mlagentbench.tree_search.tree import Node, NodeKind, SearchTree
from mlbench.prompts.settings import template
from mlbench.reasons import AgentOutcome
from mlbench.truncate import head_and_tail

_PLAN = 400
"""The most characters of a plan that later prompts repeat."""


@dataclass(frozen=True)
class TreeSearchResult:
    """The result of one run.

    Attributes:
        outcome: `ended`, also when steps or time are used up, because it hands in before; `gave-up` if the model's
            replies held no code.
        best: number of the script that was handed in; 0 is the starter.
        nodes: every script, without its output.
        costs: calls, tokens and seconds.
    """

    outcome: AgentOutcome
    best: int
    nodes: tuple[dict[str, object], ...]
    costs: ResearchCosts

    def record(self) -> dict[str, object]:
        """Return the result as JSON-serialisable values."""
        return {**asdict(self), "outcome": self.outcome.value}


@dataclass
class TreeSearch:
    """One run.

    Attributes:
        problem: the research problem.
        words: the problem as the model is told it.
        tools: those of the actions.
        llm: asks the model.
        budget: limits replies and seconds.
        options: of the search.
        messages: gets each reply and what came of it.
        at: number of the script whose work stands in the workspace; None if a run was broken off.
    """

    problem: ResearchProblem
    words: str
    tools: Sequence[Tool]
    llm: ResearchLLM
    budget: ResearchBudget
    options: TreeSearchOptions
    messages: list[ChatMessage]
    tree: SearchTree = field(init=False)
    at: int | None = None

    def __post_init__(self) -> None:
        self.tree = SearchTree(self.problem.metric.better == "higher")

    async def run(self) -> TreeSearchResult:
        """Try scripts until replies or time run out, and hand in the best.

        Raises:
            SandboxUnavailableError: the sandbox failed.
            LimitExceededError: a limit of the sample was exceeded; the best was handed in before.
        """
        try:
            await self._starter()
            outcome = await self._grow()
        except LimitExceededError:
            # of tokens, cost or calls: the model's call raises it, and the sandbox still answers
            await self._hand_in()
            raise
        self.messages.append(ChatMessageAssistant(content=await self._hand_in(), source="generate"))
        nodes = tuple(
            {name: value for name, value in asdict(node).items() if name not in ("code", "output")}
            for node in self.tree.nodes
        )
        return TreeSearchResult(outcome, self.tree.to_hand_in().number, nodes, self.llm.costs)

    async def _grow(self) -> AgentOutcome:
        chance, without_code = random.Random(f"{self.options.seed} {self.problem.name}"), 0
        while self._may_go_on():
            kind, parent = self.tree.next_move(self.options, chance)
            reply = (await self._ask("tree_search", kind=kind.value, parent=parent)).completion
            try:
                code = code_in(reply)
            except ActionError:
                without_code += 1
                self.llm.costs = replace(self.llm.costs, unreadable=self.llm.costs.unreadable + 1)
                await unreadable(self.tools, "The reply held no code. Nothing was done.")
                if without_code == self.options.faults:
                    return AgentOutcome.GAVE_UP
                continue
            without_code = 0
            plan = head_and_tail(" ".join(reply.partition("```")[0].split()), _PLAN)
            mended = parent.mended + 1 if parent and kind is NodeKind.DEBUG else 0
            await self._try(kind, parent, plan, code, mended)
        return AgentOutcome.ENDED

    def _may_go_on(self) -> bool:
        """Whether a reply is left, and more time than handing in the best needs."""
        best = self.tree.to_hand_in()
        return self.llm.costs.steps < self.budget.steps and self.budget.left > best.seconds

    async def _starter(self) -> None:
        """Run the starter, and ask the model once which number of its output is the score."""
        code = (self.problem.visible / self.problem.script).read_text()
        observation, fault, seconds = await self._run()
        score = printed_score(observation)
        if not fault and score is None:
            reply = await self._ask("tree_search_score", output=head_and_tail(observation, self.options.longest))
            score = quoted_score(reply.completion, observation)
        self._add(NodeKind.STARTER, None, "the starter, unchanged", code, observation, score, fault, seconds)

    async def _try(self, kind: NodeKind, parent: Node | None, plan: str, code: str, mended: int) -> None:
        """Write a script, run it, and add it to the tree."""
        await act(self.tools, "Write File", {"file_name": self.problem.script, "content": code})
        observation, fault, seconds = await self._run()
        score = printed_score(observation)
        if not fault and score is None:
            fault = "it printed no line `validation score: NUMBER`"
        if not fault:
            form = await act(self.tools, "Validate Submission", {})
            fault = form if form.startswith(CANNOT_BE_GRADED) else ""
        self._add(kind, parent, plan, code, observation, score, fault, seconds, mended)

    async def _run(self) -> tuple[str, str, float]:
        """Run the script: the observation, why it failed, and the seconds. What an earlier one left does not count."""
        self.at = None
        for name in self.problem.submission:
            if not (self.problem.visible / name).exists():
                await act(self.tools, "Write File", {"file_name": name, "content": ""})
        observation = await act(self.tools, "Execute Script", {"script_name": self.problem.script})
        return observation, *how_it_ended(observation)

    def _add(
        self,
        kind: NodeKind,
        parent: Node | None,
        plan: str,
        code: str,
        output: str,
        score: float | None,
        fault: str,
        seconds: float,
        mended: int = 0,
    ) -> None:
        self.at = len(self.tree.nodes)
        before = parent.number if parent else None
        self.tree.nodes.append(Node(self.at, kind, before, plan, code, output, score, fault, seconds, mended))
        self.messages.append(ChatMessageUser(content=head_and_tail(output, self.options.longest)))

    async def _hand_in(self) -> str:
        """Put the best script's work into the workspace, and end. Returns the answer."""
        best = self.tree.to_hand_in() if self.tree.nodes else None
        if best and self.at != best.number:
            await act(self.tools, "Write File", {"file_name": self.problem.script, "content": best.code})
            await self._run()
        claim = {"claimed_score": best.score, "split": "validation"} if best and best.good else {}
        tried = max(len(self.tree.nodes) - 1, 0)
        answer = f"I tried {tried} scripts and hand in number {best.number}: {best.plan}" if best else "I ran nothing."
        await act(self.tools, "Final Answer", {"final_answer": answer, **claim})
        return answer

    async def _ask(self, name: str, **fields: object) -> ModelOutput:
        """Ask for one reply to a template."""
        left = self.budget.shown(self.llm.costs.steps + 1)
        best = self.tree.best()
        text = template(name).render(
            problem=self.problem, words=self.words, nodes=self.tree.nodes, best=best, left=left, **fields
        )
        output = await self.llm.ask(text)
        if output.choices:
            self.messages.append(output.message)
        return output
