"""ML-Agent as an Inspect agent, for both benches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import CachePolicy, ChatMessageAssistant, ModelOutput, get_model
from inspect_ai.util import sandbox

from mlbench.agents.agent_run import report_outcome
from mlbench.agents.ml_agent.interface_feedback import DraftChecker
from mlbench.agents.ml_agent.options import MLAgentOptions, options_of
from mlbench.agents.ml_agent.pipeline import SolvePipeline
from mlbench.agents.ml_agent.result import KEY, SolveOutcome, SolveResult
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
from mlbench.scoring.runtime import SuiteRuntime, machine

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
    """Return the agent of the v1 paper, with improvements (see `MLAgentOptions`).

    The output's metadata has a `SolveResult` under `ml_agent`.

    Args:
        suite: the suite whose repositories the agent can use.
        repository: `given` for the row's own repository; `choose` or None to let the agent find one; or a name.
        options: as `MLAgentOptions`, or its fields by name.
        leave: `reply` answers with fenced code. `run.sh` tries the answer in the sandbox and leaves that file there.
        workers: parallel checks; None for the number of CPUs.
        run: cache replies under this name, so that a resumed run pays for no reply twice.

    Raises:
        UsageError: the suite or repository does not exist, or an option is not allowed.
        RunError: a checkout or the environment of the check cannot be made.
    """
    known = options_of(options)
    place = machine("bubblewrap", suite, bounds(None), workers)
    search = of_folders(place.checkouts.items(), {each.name: each.domain for each in place.suite.repositories})
    checkers = Checkers(place)
    checker = DraftChecker(lambda chosen: checkers.of(chosen.name), place.workers) if known.check else None
    if repository not in (GIVEN, CHOOSE, None):
        place.suite.repository(repository)

    async def execute(state: AgentState) -> AgentState:
        job = job_of(state.messages)
        given = _given_repository(job, repository, place)
        # if the agent is to choose, the folder and the prefix would give the repository away
        visible = job if given else replace(job, folder="", prefix="")
        client = LLMClient(get_model(), known, CachePolicy(expiry=None, scopes={"run": run}) if run else None)
        trial = TrialRun(job, sandbox()) if leave == "run.sh" and known.trials else None
        result = await SolvePipeline(visible, client, search, given, checker, trial).run()
        if leave == "run.sh":
            for file in run_files(job, result):
                await sandbox().write_file(f"{WORKSPACE}/{file.path}", file.text)
        if result.outcome is not SolveOutcome.ANSWERED:
            report_outcome(result.outcome.agent_outcome, result.detail)
        return _final_state(state, job, result, client)

    return execute


def _given_repository(job: Job, repository: str | None, place: SuiteRuntime) -> SearchResult | None:
    """Return the repository that the agent must use; None if it is to choose one."""
    if repository in (CHOOSE, None):
        return None
    name = job.repository if repository == GIVEN else repository
    if not name:
        raise UsageError("ml_agent: the task names no repository; give one, or let it choose")
    return SearchResult(name, folder=place.checkouts[name])


def _final_state(state: AgentState, job: Job, result: SolveResult, client: LLMClient) -> AgentState:
    """Add the trajectory, the reply and the result's metadata to the state."""
    text = reply(job, result)
    output = ModelOutput.from_content(str(client.model), text)
    output.metadata = {KEY: result.record()}
    state.messages.extend([*client.trajectory, ChatMessageAssistant(content=text, source="generate")])
    state.output = output
    return state
