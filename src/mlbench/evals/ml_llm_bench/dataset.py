"""From rows to Inspect's samples: the prompt, the sandbox, and what the results need to know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspect_ai.dataset import Sample as InspectSample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser

from mlbench.prompts.agent_prompt import agent_task
from mlbench.prompts.context import Context
from mlbench.prompts.messages import ROW
from mlbench.prompts.settings import known_setting, render
from mlbench.records import Sample
from mlbench.sandbox.agent_sandbox import AgentSandboxFactory
from mlbench.scoring.runtime import SuiteRuntime
from mlbench.suites.selection import SelectionAttempt
from mlbench.suites.suite import Repository, load_suite


def inspect_samples(
    suite: str, attempts: Sequence[SelectionAttempt], setting: str, place: SuiteRuntime, context: Context | None = None
) -> list[InspectSample]:
    """One Inspect sample an attempt. Where the attempt is numbered, its id says so: `17#2`."""
    known = known_setting(setting)
    samples = []
    for attempt in attempts:
        row = attempt.sample
        repository = place.suite.repository_of(row.github_id)
        where = place.place(repository.name)
        origin = place.suite.row(row.id).origin if known == "oracle" else None
        file = origin.recipe.segment.file if origin else None
        prompt = render(row, place.checkouts[repository.name], repository.name, known, context or Context(), file)
        about = {"suite": suite, "id": row.id, "reply": attempt.reply}
        samples.append(
            InspectSample(
                id=str(row.id) if attempt.number is None else f"{row.id}#{attempt.number}",
                input=[
                    ChatMessageSystem(content=prompt.system),
                    ChatMessageUser(content=prompt.user, metadata={ROW: about}),
                ],
                target=row.output,
                metadata={**described(row, repository), "attempt": attempt.number, "shown": prompt.record()},
                sandbox=where.sandbox,
                files=where.files,
                setup=where.setup,
            )
        )
    return samples


def agent_samples(
    suite: str, rows: Sequence[Sample], workshop: AgentSandboxFactory, seconds: float
) -> list[InspectSample]:
    """One Inspect sample a row, for agents: the task in words, and the sandbox in which to do it.

    Args:
        seconds: how long `run.sh` may take when it is judged.
    """
    loaded = load_suite(suite)
    samples = []
    for row in rows:
        repository = loaded.repository_of(row.github_id)
        where = workshop.place(repository.name)
        words = agent_task(row, repository.name, workshop.network, seconds)
        message = ChatMessageUser(content=words, metadata={ROW: {"suite": suite, "id": row.id, "reply": None}})
        samples.append(
            InspectSample(
                id=str(row.id),
                input=[message],
                target=row.output,
                metadata={**described(row, repository), "attempt": None},
                sandbox=where.sandbox,
                files=where.files,
                setup=where.setup,
            )
        )
    return samples


def described(row: Sample, repository: Repository) -> dict[str, Any]:
    """What the results need to know of a row."""
    return {
        "row": row.id,
        "github_id": row.github_id,
        "repository": repository.name,
        "domain": repository.domain,
        "type": row.type,
        "path": row.path,
        "arguments": row.required(),
    }
