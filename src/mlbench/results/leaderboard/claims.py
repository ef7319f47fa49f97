"""The figures of a claim: computed from the verdicts that it states, over the rows of the suite.

A claim cannot be trusted, so its own figures are only compared with re-judged ones. Because the page computes what it
shows, a claim has the same groups, rows and k as a submission that was judged again.
"""

from __future__ import annotations

from collections.abc import Iterator

from mlbench.reasons import Reason
from mlbench.records import Policy, RunError, Stage, UsageError, Verdict
from mlbench.results.leaderboard.figures import JudgedFigures, judged_figures
from mlbench.results.leaderboard.metadata import SubmissionMetadata
from mlbench.results.leaderboard.predictions import rows_of, suite_of
from mlbench.results.leaderboard.submission import BoardSubmission, ClaimedResults
from mlbench.results.models import AttemptRecord, RunRecord
from mlbench.suites.suite import Suite


def claimed_figures(submission: BoardSubmission) -> JudgedFigures | None:
    """Return what the claimed verdicts of a submission give; None if it claims nothing.

    Raises:
        UsageError: its suite, suite version, split or rows are not here.
    """
    claimed, metadata = submission.claimed, submission.metadata
    if claimed is None:
        return None
    try:
        suite = suite_of(metadata)
        attempts = tuple(_attempts(claimed, metadata, suite))
    except RunError as error:  # a checkout that was changed
        raise UsageError(str(error)) from error
    policies = [policy for policy in Policy if policy in claimed.judged.passed]
    figures = judged_figures(_run(metadata, attempts), policies)
    errors = {policy: claimed.judged.errors.get(policy, {}) for policy in policies}
    possible = {
        policy: {name: min(count, figures.failed[policy]) for name, count in found.items()}
        for policy, found in errors.items()
    }
    return figures.model_copy(update={"errors": possible})


def claim_fault(submission: BoardSubmission) -> str:
    """Say why the claims of a submission cannot be shown; empty if they can."""
    try:
        claimed_figures(submission)
    except UsageError as error:
        return str(error)
    return ""


def _attempts(claimed: ClaimedResults, metadata: SubmissionMetadata, suite: Suite) -> Iterator[AttemptRecord]:
    """Yield k attempts for each row to answer; what a claim leaves out has failed."""
    for id in rows_of(metadata, suite):
        row = suite.row(id)
        repository = suite.repository_of(row.github_id)
        for n in range(metadata.k):
            verdicts = {}
            for policy, passed in claimed.judged.passed.items():
                given = passed.get(id, ())
                if (result := given[n] if n < len(given) else False) is not None:
                    verdicts[policy] = _verdict(policy, result)
            yield AttemptRecord(
                row=id,
                github_id=row.github_id,
                repository=repository.name,
                domain="",
                type=row.type,
                number=n + 1,
                verdicts=verdicts,
            )


def _verdict(policy: Policy, passed: bool) -> Verdict:
    """A claimed verdict; claims state no reasons, and no page shows this one."""
    return Verdict(policy, passed, Stage.EXECUTION, Reason.EXIT_0 if passed else Reason.EXIT_CODE)


def _run(metadata: SubmissionMetadata, attempts: tuple[AttemptRecord, ...]) -> RunRecord:
    return RunRecord(
        location="",
        task_id="",
        model=metadata.model,
        suite=metadata.suite,
        split=metadata.split,
        setting=metadata.setting,
        version="",
        started="",
        status="success",
        expected=len(attempts),
        each=metadata.k,
        attempts=attempts,
        agent=metadata.agent,
        suite_version=metadata.suite_version,
    )
