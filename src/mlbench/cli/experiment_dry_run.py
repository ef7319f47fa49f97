"""`mlbench experiment --dry-run`: say what a run would lack, before anything is downloaded or paid for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mlbench.records import RunError, UsageError

if TYPE_CHECKING:
    from mlbench.evals.mlagentbench.problem import ResearchProblem


def show_what_is_missing(problems: Sequence[ResearchProblem], accepted: bool) -> None:
    """Print a line for each problem: ready, what would be downloaded, or what it lacks.

    The sites are asked for the first bytes of each file that is not here, so that a login that they refuse is found.

    Args:
        problems: the research problems.
        accepted: whether the user has accepted the terms of the published data.

    Raises:
        SystemExit: a problem lacks something; exit code 1.
    """
    lacking = False
    for problem in problems:
        try:
            print(f"{problem.name}: {_state(problem, accepted)}")
        except (RunError, UsageError) as error:
            lacking = True
            said = str(error)
            print(said if said.startswith(problem.name) else f"{problem.name}: {said}")
    if lacking:
        raise SystemExit(1)


def _state(problem: ResearchProblem, accepted: bool) -> str:
    """Say that a problem is ready, and what a run would fetch or build first.

    Raises:
        UsageError: consent, a login or a file is missing, or a login is refused.
        RunError: a site cannot be reached, or a file has changed.
    """
    from mlbench.evals.mlagentbench.data import has_packages
    from mlbench.evals.mlagentbench.download import fetched, held, probe_downloads

    missing = probe_downloads(problem, accepted) if problem.data != "lite" else []
    if problem.data != "lite" and not missing:
        fetched(problem, accepted)  # all files are here: their hashes are recorded, if they were not
        held(problem)
    first = [f"downloads {', '.join(missing)}"] if missing else []
    first += [] if has_packages(problem) else [f"installs the packages of {problem.environment or 'scikit-learn'}"]
    return f"ready; a run first {' and '.join(first)}" if first else "ready"
