"""From rows to Inspect's samples: the prompt, the sandbox, and what the results need to know."""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.dataset import Sample as InspectSample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser

from mlbench.prompts.context import Context
from mlbench.prompts.settings import known_setting, render
from mlbench.samples.origins import origin_of
from mlbench.samples.selection import Attempt
from mlbench.samples.suites import load_suite
from mlbench.sandbox.machines import Machine, Place
from mlbench.solvers.baselines import ROW


def inspect_samples(
    suite: str, attempts: Sequence[Attempt], setting: str, place: Machine, context: Context | None = None
) -> list[InspectSample]:
    """One Inspect sample an attempt. Where the attempt is numbered, its id says so: `17#2`."""
    known = known_setting(setting)
    loaded = load_suite(suite)
    samples = []
    for attempt in attempts:
        row = attempt.sample
        repository = loaded.repository_of(row.github_id)
        where = place.place(repository.name) if loaded.executable else Place()
        origin = origin_of(suite, row.id) if known == "oracle" else None
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
                metadata={
                    "row": row.id,
                    "github_id": row.github_id,
                    "repository": repository.name,
                    "domain": repository.domain,
                    "type": row.type,
                    "path": row.path,
                    "arguments": row.required(),
                    "attempt": attempt.number,
                    "shown": prompt.record(),
                },
                sandbox=where.sandbox,
                files=where.files,
                setup=where.setup,
            )
        )
    return samples
