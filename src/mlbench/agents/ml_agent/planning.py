"""Stage 3, planning: judge a repository, list the settings, order the READMEs."""

from __future__ import annotations

from mlbench.agents.ml_agent.prompts import render_prompt
from mlbench.agents.ml_agent.repo_view import RepoView, cut
from mlbench.agents.ml_agent.search import SearchResult
from mlbench.agents.ml_agent.task_input import Job
from mlbench.agents.ml_agent.tool_calls import LLMClient
from mlbench.agents.ml_agent.tool_schemas import Judgement, Offer
from mlbench.prompts.context import Document


async def judge_repository(
    job: Job, client: LLMClient, repository: SearchResult, view: RepoView, *, given: bool
) -> Judgement:
    """Ask the model whether a repository can do the task, from its name, tree and main README.

    If the model names no README, the judgement gets the main one.

    Args:
        job: the task.
        client: asks the model.
        repository: the repository to judge.
        view: its files.
        given: whether the repository is given, so that there is no other one.

    Raises:
        StoppedError: the decision stays invalid, or the steps are used up.
    """
    budget = view.counting.fits(client.options.tokens)
    main = next((each for path in view.readmes[:1] if (each := view.read(path, budget // 2))), None)
    listed = cut(Document("", "\n".join(view.readmes)), budget // 8, view.counting)
    paths = listed.text.split("\n") if listed else []
    prompt = render_prompt(
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
    decision = (await client.conversation(prompt).ask([offer])).decision
    assert isinstance(decision, Judgement)
    readmes = list(dict.fromkeys(decision.readmes if paths else [])) or paths[:1]
    return decision.model_copy(update={"readmes": readmes[: client.options.readmes]})
