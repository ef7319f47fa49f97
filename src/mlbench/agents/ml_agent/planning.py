"""Stage 3, planning: can a repository serve, what does the instruction fix, which READMEs are read in which order."""

from __future__ import annotations

from mlbench.agents.ml_agent.prompts import words
from mlbench.agents.ml_agent.repo_view import RepoView, cut
from mlbench.agents.ml_agent.search import SearchResult
from mlbench.agents.ml_agent.task_input import Job
from mlbench.agents.ml_agent.tool_calls import LLMClient
from mlbench.agents.ml_agent.tool_schemas import Judgement, Offer
from mlbench.prompts.context import Document


async def judge(job: Job, desk: LLMClient, repository: SearchResult, view: RepoView, *, given: bool) -> Judgement:
    """The model's judgement of a repository, from its name, tree and main README.

    Where it names no README of one that serves, the main one is read.

    Raises:
        StoppedError: the decision stays invalid.
    """
    budget = view.counting.fits(desk.options.tokens)
    main = next((each for path in view.readmes[:1] if (each := view.read(path, budget // 2))), None)
    listed = cut(Document("", "\n".join(view.readmes)), budget // 8, view.counting)
    paths = listed.text.split("\n") if listed else []
    prompt = words(
        "planning",
        repository=repository.name,
        tree=view.tree(budget // 4),
        main=main,
        readmes=paths,
        unlisted=len(view.readmes) - len(paths),
        instruction=job.instruction,
        given=given,
    )
    hidden = frozenset() if paths else frozenset({"readmes"})
    offer = Offer(Judgement, {"readmes": tuple(paths)} if paths else {}, hidden)
    decision = (await desk.conversation(prompt).ask([offer])).decision
    assert isinstance(decision, Judgement)
    readmes = list(dict.fromkeys(decision.readmes if paths else [])) or paths[:1]
    return decision.model_copy(update={"readmes": readmes[: desk.options.readmes]})
