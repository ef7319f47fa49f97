"""The action that checks the form of the submission."""

from __future__ import annotations

from inspect_ai.util import store_as

from mlbench.agents.agent_run import AgentRun
from mlbench.evals.mlagentbench.actions.files import Action
from mlbench.evals.mlagentbench.actions.observations import ActionFault, Observation
from mlbench.evals.mlagentbench.actions.sample_state import desk
from mlbench.evals.mlagentbench.data import prepared
from mlbench.evals.mlagentbench.grading import left
from mlbench.evals.mlagentbench.problem import ResearchProblem
from mlbench.evals.mlagentbench.submission_form import form_fault

CANNOT_BE_GRADED = "this cannot be graded: "
"""Begins the observation of a submission with a fault."""


def validation(problem: ResearchProblem) -> Action:
    """Return the action for a problem."""

    async def validate_submission() -> Observation:
        """See whether the submission in the workspace can be graded, and if not, which file breaks which rule.

        It is not scored. A program that will be measured is run once, on the inputs that you have.
        """
        state = await desk(problem.bounds.script_seconds)
        archive = await left(problem, state.jail, store_as(AgentRun).since, clear=False)
        fault = await form_fault(problem, await prepared(problem), archive)
        if fault:
            return Observation(f"{CANNOT_BE_GRADED}{fault}", ActionFault.INVALID_SUBMISSION)
        return Observation("the submission has the right form; it was not scored")

    return validate_submission
