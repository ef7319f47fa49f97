"""Stages 1 and 2, retrieval and sorting: keywords, a search, candidates, their ranking (ML-Bench v1, section 5.2)."""

from __future__ import annotations

from dataclasses import dataclass

import anyio.to_thread

from mlbench.agents.ml_agent.prompts import words
from mlbench.agents.ml_agent.repo_view import cut
from mlbench.agents.ml_agent.result import SolveOutcome
from mlbench.agents.ml_agent.search import Search, SearchResult
from mlbench.agents.ml_agent.task_input import Job
from mlbench.agents.ml_agent.tool_calls import LLMClient, StoppedError
from mlbench.agents.ml_agent.tool_schemas import Keywords, Offer, Ranking
from mlbench.prompts.context import Document
from mlbench.prompts.tokens import counter


@dataclass(frozen=True)
class RepositoryChoice:
    """What the search kept, in its order, and as the model ranked it."""

    found: tuple[SearchResult, ...]
    ranked: tuple[SearchResult, ...]


async def choose(job: Job, desk: LLMClient, search: Search) -> RepositoryChoice:
    """The repositories to look at, the best first.

    Raises:
        StoppedError: nothing is found, or a decision stays invalid.
        UsageError, RunError: the search fails.
    """
    decided = await desk.conversation(words("keywords", instruction=job.instruction)).ask([Offer(Keywords)])
    assert isinstance(decided.decision, Keywords)
    keywords = decided.decision.keywords
    found = await anyio.to_thread.run_sync(search.find, keywords, desk.options.candidates)
    if not found:
        raise StoppedError(SolveOutcome.NOTHING_FOUND, f"no repository was found for: {', '.join(keywords)}")
    if len(found) == 1:
        return RepositoryChoice(tuple(found), tuple(found))
    by_name = {each.name: each for each in found}
    prompt = words("ranking", instruction=job.instruction, repositories=[_cut(each, desk) for each in found])
    decided = await desk.conversation(prompt).ask([Offer(Ranking, {"names": tuple(by_name)})])
    assert isinstance(decided.decision, Ranking)
    names = dict.fromkeys([*decided.decision.names, *by_name])  # those that it left out come last
    return RepositoryChoice(tuple(found), tuple(by_name[name] for name in names))


def _cut(found: SearchResult, desk: LLMClient) -> SearchResult:
    """With so much of the README that all of them fit."""
    share = desk.options.tokens // (2 * desk.options.candidates)
    counting = counter(desk.options.tokenizer)
    readme = cut(Document("", found.readme), counting.fits(share), counting) if found.readme else None
    return SearchResult(found.name, found.description, found.topics, readme.text if readme else "")
