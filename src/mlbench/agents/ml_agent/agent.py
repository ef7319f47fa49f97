"""ML-Agent on Inspect's agent protocol: for both benches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import CachePolicy, ChatMessageAssistant, ModelOutput, get_model
from inspect_ai.util import sandbox

from mlbench.agents.ml_agent.interface_feedback import Inspection
from mlbench.agents.ml_agent.options import MLAgentOptions, options_of
from mlbench.agents.ml_agent.pipeline import SolvePipeline
from mlbench.agents.ml_agent.result import KEY, SolveResult
from mlbench.agents.ml_agent.search import SearchResult
from mlbench.agents.ml_agent.search.catalogue import of_folders
from mlbench.agents.ml_agent.submission import reply, run_files
from mlbench.agents.ml_agent.task_input import Job, job_of
from mlbench.agents.ml_agent.tool_calls import LLMClient
from mlbench.agents.ml_agent.trial_run import TrialRun
from mlbench.interface_check.checker_pool import Checkers
from mlbench.records import UsageError
from mlbench.sandbox.jail import WORKSPACE
from mlbench.sandbox.limits import bounds
from mlbench.scoring.runtime import machine

GIVEN, CHOOSE = "given", "choose"


@agent(name="ml_agent")
def ml_agent(
    suite: str = "pocket",
    repository: str | None = GIVEN,
    options: MLAgentOptions | Mapping[str, Any] | None = None,
    leave: Literal["reply", "run.sh"] = "reply",
    workers: int | None = None,
    run: str | None = None,
) -> Agent:
    """The agent of the v1 paper, with improvements (see `MLAgentOptions`).

    What it did stands in the output's metadata, under `ml_agent` (see `SolveResult`).

    Args:
        suite: whose repositories there are.
        repository: `given`: the row's own; `choose` or None: one of the suite's, which it has to find; or a name.
        options: as `MLAgentOptions`, or its fields by name.
        leave: `reply`: fenced code; `run.sh`: that file in the sandbox's workspace, where it is tried before.
        workers: checks at the same time; as a rule the processors.
        run: replies are kept in Inspect's cache under this name, so that a resumed run pays for none twice.

    Raises:
        UsageError: no such suite or repository, or options that cannot be.
        RunError: a checkout or the environment for the check cannot be made.
    """
    wanted = options_of(options)
    place = machine("bubblewrap", suite, bounds(None), workers)
    search = of_folders(place.checkouts.items(), {each.name: each.domain for each in place.suite.repositories})
    checkers = Checkers(place)
    inspection = Inspection(lambda found: checkers.of(found.name), place.workers) if wanted.check else None
    if repository not in (GIVEN, CHOOSE, None):
        place.suite.repository(repository)

    def given(job: Job) -> SearchResult | None:
        if repository in (CHOOSE, None):
            return None
        name = job.repository if repository == GIVEN else repository
        if not name:
            raise UsageError("ml_agent: the task names no repository; give one, or let it choose")
        return SearchResult(name, folder=place.checkouts[name])

    async def execute(state: AgentState) -> AgentState:
        job = job_of(state.messages)
        repository_given = given(job)
        # where it is to choose, the folder and what runs before would give the repository away
        told = job if repository_given else replace(job, folder="", prefix="")
        desk = LLMClient(get_model(), wanted, CachePolicy(expiry=None, scopes={"run": run}) if run else None)
        trial = TrialRun(job, sandbox()) if leave == "run.sh" and wanted.trials else None
        result = await SolvePipeline(told, desk, search, repository_given, inspection, trial).done()
        if leave == "run.sh":
            for file in run_files(job, result):
                await sandbox().write_file(f"{WORKSPACE}/{file.path}", file.text)
        return _left(state, job, result, desk)

    return execute


def _left(state: AgentState, job: Job, result: SolveResult, desk: LLMClient) -> AgentState:
    text = reply(job, result)
    output = ModelOutput.from_content(str(desk.model), text)
    output.metadata = {KEY: result.record()}
    state.messages.extend([*desk.trajectory, ChatMessageAssistant(content=text, source="generate")])
    state.output = output
    return state
