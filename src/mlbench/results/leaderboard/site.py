"""Write the leaderboard: a self-contained page, and a page with every attempt of each re-judged submission."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from mlbench import __version__, web
from mlbench.atomic_write import write_file
from mlbench.records import RunError, UsageError
from mlbench.results import format
from mlbench.results.leaderboard import cost_plot
from mlbench.results.leaderboard.boards import boards
from mlbench.results.leaderboard.check import as_submitted
from mlbench.results.leaderboard.check_record import CheckRecord, log_file, read_check
from mlbench.results.leaderboard.claims import claim_fault
from mlbench.results.leaderboard.submission import PREDICTIONS, BoardSubmission, InvalidSubmission, read_submissions
from mlbench.results.load_log import read_run
from mlbench.results.page_environment import page_environment, source
from mlbench.results.report import render_report
from mlbench.results.result_records import ResultRecord

PAGE, ATTEMPTS = "index.html", "attempts"


@dataclass(frozen=True)
class CheckedSubmission:
    """A submission, what its check found, and the address of its page.

    Attributes:
        fault: why its claims are not shown; empty if they are.
    """

    submission: BoardSubmission
    check: CheckRecord | None
    page: str
    fault: str = ""

    @property
    def digest(self) -> str:
        """Digest of the predictions."""
        return self.submission.digests[PREDICTIONS]


def write_site(root: Path, folder: Path) -> tuple[Path, list[InvalidSubmission]]:
    """Write all pages; return the first one, and the folders that are no valid submission.

    Raises:
        UsageError: there is no valid submission.
        RunError: a page cannot be written.
    """
    submissions, invalid = read_submissions(root)
    if not submissions:
        raise UsageError(f"{root}: no submission is valid: {invalid[0].fault}")
    found = []
    try:
        (folder / ATTEMPTS).mkdir(parents=True, exist_ok=True)
        for submission in submissions:
            check = read_check(root, submission)
            page = ""
            if check and check.judged and (attempts := _attempts(root, submission)):
                page = f"{ATTEMPTS}/{submission.name}.html"
                write_file(folder / page, attempts)
            found.append(CheckedSubmission(submission, check, page, claim_fault(submission)))
        write_file(folder / PAGE, render_board(found))
    except OSError as error:
        raise RunError(f"cannot write into {folder}: {error.strerror}; name another folder with -o") from error
    return folder / PAGE, invalid


def _attempts(root: Path, submission: BoardSubmission) -> str:
    """The page with every attempt; empty if the log of the judging is not here."""
    try:
        run = read_run(log_file(root, submission.name), submission.metadata.suite)
    except UsageError:
        return ""
    return render_report([as_submitted(run, submission.metadata)])


def render_board(found: list[CheckedSubmission]) -> str:
    """Return the leaderboard's page as text."""
    environment = page_environment("mlbench.results.leaderboard")
    environment.filters["between"] = _between
    environment.globals |= {"cost_plot": cost_plot.cost_plot, "plot_size": cost_plot}
    script = '"use strict";\n' + source(environment, "board.js")
    made = boards((each.submission, each.check, each.page) for each in found)
    return environment.get_template("board.html.jinja").render(
        boards=made,
        found=found,
        settings=sorted({each.submission.metadata.setting for each in found}),
        meanings=format.MEANINGS,
        version=__version__,
        css=Markup(web.source(web.COLOURS) + source(environment, "board.css")),
        script=Markup(script),
        script_hash=f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}",
    )


def _between(record: ResultRecord) -> str:
    """The record's interval in whole per cent; empty if it has none."""
    if record.low is None or record.high is None:
        return ""
    return f"{100 * record.low:.0f}–{100 * record.high:.0f}"
