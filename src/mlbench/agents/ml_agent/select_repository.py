"""Stages 1 and 2: keywords, search and ranking (ML-Bench v1, section 5.2)."""

from __future__ import annotations

from dataclasses import dataclass

import anyio.to_thread

from mlbench.agents.ml_agent.prompts import render_prompt
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
    """The repositories that the search returned, in its order and in the model's."""

    found: tuple[SearchResult, ...]
    ranked: tuple[SearchResult, ...]


async def choose(job: Job, client: LLMClient, search: Search) -> RepositoryChoice:
    """Search for repositories and let the model rank them, best first.

    Args:
        job: the task.
        client: asks the model.
        search: finds repositories by keywords.

    Raises:
        StoppedError: the search found nothing, a decision stays invalid, or the steps are used up.
        UsageError, RunError: the search failed.
    """
    decided = await client.conversation(render_prompt("keywords", instruction=job.instruction)).ask([Offer(Keywords)])
    assert isinstance(decided.decision, Keywords)
    keywords = decided.decision.keywords
    found = await anyio.to_thread.run_sync(search.find, keywords, client.options.candidates)
    if not found:
        raise StoppedError(SolveOutcome.NOTHING_FOUND, f"no repository was found for: {', '.join(keywords)}")
    if len(found) == 1:
        return RepositoryChoice(tuple(found), tuple(found))
    by_name = {each.name: each for each in found}
    prompt = render_prompt(
        "ranking", instruction=job.instruction, repositories=[_shortened(each, client) for each in found]
    )
    decided = await client.conversation(prompt).ask([Offer(Ranking, {"names": tuple(by_name)})])
    assert isinstance(decided.decision, Ranking)
    names = dict.fromkeys([*decided.decision.names, *by_name])  # repositories that the ranking leaves out come last
    return RepositoryChoice(tuple(found), tuple(by_name[name] for name in names))


def _shortened(found: SearchResult, client: LLMClient) -> SearchResult:
    """Return a repository with its README cut, so that all candidates fit into one prompt."""
    share = client.options.tokens // (2 * client.options.candidates)
    counting = counter(client.options.tokenizer)
    readme = cut(Document("", found.readme), counting.fits(share), counting) if found.readme else None
    return SearchResult(found.name, found.description, found.topics, readme.text if readme else "")
