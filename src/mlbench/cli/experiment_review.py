"""`mlbench experiment review`: scores that are too good to be true, and what a person says of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mlbench.records import UsageError
from mlbench.results.log_paths import refuse_missing

if TYPE_CHECKING:
    from mlbench.results.mlagentbench.models import Experiment


def review_suspects(logs: Sequence[Path], accept: Sequence[str], reject: Sequence[str]) -> None:
    """Show the suspect scores of some logs, or write down what a person says of them.

    Args:
        logs: logs, or folders of logs; with a decision, one log.
        accept: attempts whose scores count, as PROBLEM:NUMBER.
        reject: attempts whose scores do not count.

    Raises:
        UsageError: no log is named, or a decision is about no suspect attempt of the one log.
    """
    from mlbench.results.load_log import read_run
    from mlbench.results.logs import logs_in
    from mlbench.results.mlagentbench.reviews import SuspectReview, review_key, write_review

    if not logs:
        raise UsageError("review takes logs, or folders of logs: mlbench experiment review logs")
    refuse_missing(logs)
    runs = []
    for file in (each for log in logs for each in logs_in(log)):
        try:
            runs.append(read_run(file))
        except UsageError:
            if file in logs:  # a file in a folder may be of another program
                raise
    runs = [run for run in runs if run.experiments]
    suspects = [
        (Path(run.location), each)
        for run in runs
        for each in run.experiments
        if each.suspect or each.is_suspect or each.accepted is not None
    ]
    for accepted, names in ((True, accept), (False, reject)):
        for name in names:
            of = [(log, each) for log, each in suspects if review_key(each) == name]
            if len(of) != 1:
                known = ", ".join(review_key(each) for _, each in suspects) or "none"
                which = f"{len(of)} of these logs have it: name one log" if of else f"suspect are: {known}"
                raise UsageError(f"no single suspect attempt {name:.60}; {which}")
            write_review(of[0][0], name, SuspectReview(accepted=accepted))
            print(f"{name}: {'accepted' if accepted else 'rejected'}")
    if accept or reject:
        return
    for log, each in suspects:
        print("\n".join(_shown(log, each)))
    if not suspects:
        print(f"no score is suspect in {len(runs)} run{'s' if len(runs) != 1 else ''}")


def _shown(log: Path, each: Experiment) -> list[str]:
    """An attempt in some lines: what it reached, what can be reached, and where its steps are."""
    from mlbench.results.format import printable, score
    from mlbench.results.mlagentbench.reviews import review_key

    said = {None: "nobody has looked", True: "accepted", False: "rejected"}[each.accepted]
    ends = f"trivial {score(each.trivial)}, starter {score(each.starter.mean if each.starter else None)}, "
    name = review_key(each)
    where = re.sub(r"^file://", "", str(log))
    lines = [
        f"{printable(name)}: {printable(each.problem.metric.name)} {score(each.score)} ({said})",
        f"  {ends}reference {score(each.reference)}, floor {score(each.floor)}",
        f"  steps: {printable(each.folder) or 'not kept'}",
    ]
    if each.accepted is None:
        lines.append(f"  mlbench experiment review {where} --accept {name}   (or --reject {name})")
    return lines
