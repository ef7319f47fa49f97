"""Turn rows into Inspect samples: prompt, sandbox, and metadata for the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from inspect_ai.dataset import Sample as InspectSample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser

from mlbench.prompts.context import Context
from mlbench.prompts.messages import ROW
from mlbench.prompts.settings import known_setting, render
from mlbench.records import Completeness, Sample
from mlbench.score_records import SampleMetadata
from mlbench.scoring.runtime import SuiteRuntime
from mlbench.suites.difficulty import difficulty
from mlbench.suites.rows import SuiteRow
from mlbench.suites.selection import SelectionAttempt
from mlbench.suites.suite_repository import Repository


def inspect_samples(
    suite: str, attempts: Sequence[SelectionAttempt], setting: str, place: SuiteRuntime, context: Context | None = None
) -> list[InspectSample]:
    """Return one Inspect sample per attempt; a numbered attempt has an id like `17#2`.

    Args:
        suite: the name of the suite.
        attempts: the rows to ask for.
        setting: what the model is shown: `oracle`, `oracle-published`, `readme`, `retrieval`, `code` or `closed`.
        place: the sandbox, checkouts and environments of the suite.
        context: how many documents are shown; None for the defaults.

    Raises:
        UsageError: no setting has this name.
    """
    known = known_setting(setting)
    samples = []
    for attempt in attempts:
        row = attempt.sample
        repository = place.suite.repository_of(row.github_id)
        where = place.place(repository.name)
        listed = place.suite.row(row.id)
        checkout = place.checkouts[repository.name]
        prompt = render(row, checkout, repository.name, known, context or Context(), listed.oracle)
        about = {"suite": suite, "id": row.id, "reply": attempt.reply, "seconds": attempt.seconds}
        samples.append(
            InspectSample(
                id=str(row.id) if attempt.number is None else f"{row.id}#{attempt.number}",
                input=[
                    ChatMessageSystem(content=prompt.system),
                    ChatMessageUser(content=prompt.user, metadata={ROW: about}),
                ],
                target=row.output,
                metadata={
                    **row_metadata(row, repository, listed, attempt.number),
                    "shown": prompt.record(),
                },
                sandbox=where.sandbox,
                files=where.files,
                setup=where.setup,
            )
        )
    return samples


def row_metadata(
    row: Sample,
    repository: Repository,
    listed: SuiteRow | None = None,
    attempt: int | None = None,
) -> dict[str, object]:
    """Return what the results need to know about a row: a `SampleMetadata` as JSON.

    Args:
        row: the row.
        repository: its repository.
        listed: the row in its suite; None if no suite is known.
        attempt: the attempt's number; None if Inspect's epochs count the attempts.
    """
    return SampleMetadata(
        row=row.id,
        github_id=row.github_id,
        repository=repository.name,
        domain=repository.domain,
        type=row.type,
        path=row.path,
        arguments=row.required(),
        attempt=attempt,
        completeness=listed.completeness if listed else Completeness.UNKNOWN,
        difficulty=asdict(difficulty(row)),
        twin_of=listed.twin_of if listed else None,
        renamed=dict(listed.renamed) if listed else {},
    ).model_dump()
