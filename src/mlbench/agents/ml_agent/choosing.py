"""Stages 1 and 2, retrieval and sorting: keywords, a search, candidates, their ranking (ML-Bench v1, section 5.2)."""

from __future__ import annotations

from dataclasses import dataclass

import anyio.to_thread

from mlbench.agents.ml_agent.deciding import Desk, StoppedError
from mlbench.agents.ml_agent.decisions import Keywords, Offer, Ranking
from mlbench.agents.ml_agent.job import Job
from mlbench.agents.ml_agent.result import Outcome
from mlbench.agents.ml_agent.search import Found, Search
from mlbench.agents.ml_agent.shown import cut
from mlbench.agents.ml_agent.words import words
from mlbench.prompts.context import Document
from mlbench.prompts.tokens import counter


@dataclass(frozen=True)
class Choice:
    """What the search kept, in its order, and as the model ranked it."""

    found: tuple[Found, ...]
    ranked: tuple[Found, ...]


async def choose(job: Job, desk: Desk, search: Search) -> Choice:
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
        raise StoppedError(Outcome.NOTHING_FOUND, f"no repository was found for: {', '.join(keywords)}")
    if len(found) == 1:
        return Choice(tuple(found), tuple(found))
    by_name = {each.name: each for each in found}
    prompt = words("ranking", instruction=job.instruction, repositories=[_cut(each, desk) for each in found])
    decided = await desk.conversation(prompt).ask([Offer(Ranking, {"names": tuple(by_name)})])
    assert isinstance(decided.decision, Ranking)
    names = dict.fromkeys([*decided.decision.names, *by_name])  # those that it left out come last
    return Choice(tuple(found), tuple(by_name[name] for name in names))


def _cut(found: Found, desk: Desk) -> Found:
    """With so much of the README that all of them fit."""
    share = desk.options.tokens // (2 * desk.options.candidates)
    counting = counter(desk.options.tokenizer)
    readme = cut(Document("", found.readme), counting.fits(share), counting) if found.readme else None
    return Found(found.name, found.description, found.topics, readme.text if readme else "")
