"""`mlbench leaderboard`: make and check submissions, write the page, export results."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from mlbench.cli.options import Cache, Sandbox, Workers, given
from mlbench.records import Policy, RunError, UsageError

if TYPE_CHECKING:
    from mlbench.results.leaderboard.check import Judge


class LeaderboardGroup(TyperGroup):
    """`mlbench leaderboard DIR -o SITE` is short for `mlbench leaderboard build DIR -o SITE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put `build` before a first word that is a folder and no command."""
        if args and args[0] not in self.commands and not args[0].startswith("-") and Path(args[0]).is_dir():
            args = ["build", *args]
        return super().parse_args(ctx, args)


leaderboard = typer.Typer(
    cls=LeaderboardGroup,
    help="Make, check and show submissions; DIR alone builds the page.",
    no_args_is_help=True,
)

Root = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of submissions.")]


@leaderboard.command("add")
def leaderboard_add(
    logs: Annotated[list[Path], typer.Argument(help="Logs of one configuration, or folders of logs.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder to make, as DIR/NAME; the run's date is put before NAME.")
    ],
    name: Annotated[str | None, typer.Option(help="Name on the page (default: the agent's or model's name).")] = None,
    organisation: Annotated[str | None, typer.Option(help="Who made the submission.")] = None,
    url: Annotated[str | None, typer.Option(help="Page about the model or agent (http or https).")] = None,
    contact: Annotated[str | None, typer.Option(help="Whom to ask about the submission.")] = None,
    open_weights: Annotated[
        bool | None, typer.Option(help="Whether the model's weights can be downloaded.", show_default="unknown")
    ] = None,
    cutoff: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="End of the model's training data, as YYYY-MM-DD.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="The model's name, if the log does not name the one used.")] = None,
    split: Annotated[str | None, typer.Option(help="The answered split; needed for a log of verify.")] = None,
    setting: Annotated[str | None, typer.Option(help="What the model was shown; needed for a log of verify.")] = None,
    date: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Day of the run, if not that of the log (YYYY-MM-DD).")
    ] = None,
    notes: Annotated[str | None, typer.Option(help="A line about the run.")] = None,
) -> None:
    """Make a submission from logs."""
    from mlbench.results.leaderboard.add import add_submission
    from mlbench.results.logs import read_runs

    fields = given(
        name=name,
        organisation=organisation,
        url=url,
        contact=contact,
        open_weights=open_weights,
        cutoff=cutoff.date() if cutoff else None,
        model=model,
        split=split,
        setting=setting,
        date=date.date() if date else None,
        notes=notes,
    )
    print(f"submission: {add_submission(read_runs(logs), output, **fields)}")


@leaderboard.command("check")
def leaderboard_check(
    root: Root,
    only: Annotated[list[str] | None, typer.Option("--only", help="Check only this submission; repeatable.")] = None,
    policy: Annotated[
        Policy | None,
        typer.Option(help="Rule to judge by: strict runs the answers, interface runs nothing (default: strict)."),
    ] = None,
    sandbox: Sandbox = "bubblewrap",
    workers: Workers = None,
    cache: Cache = True,
) -> None:
    """Judge the predictions again, and list false claims.

    What was found is kept in DIR/checks. The exit code is 1 if a claim does not hold or a submission is not valid.
    """
    from mlbench.results.format import printable
    from mlbench.results.leaderboard.check import check_submission
    from mlbench.results.leaderboard.check_record import CheckOutcome, log_file, write_check
    from mlbench.results.leaderboard.submission import read_submissions

    submissions, invalid = read_submissions(root)
    for unknown in set(only or ()) - {each.name for each in submissions} - {each.name for each in invalid}:
        there = ", ".join(sorted([*(each.name for each in submissions), *(each.name for each in invalid)]))
        raise UsageError(f"--only {unknown}: {root} has no such submission; it has: {there}")
    wrong = 0
    for broken in invalid:
        if not only or broken.name in only:
            print(printable(f"{broken.name}: not valid: {broken.fault}"))
            wrong += 1
    for submission in submissions:
        if only and submission.name not in only:
            continue
        try:
            record, log = check_submission(submission, judging(root, sandbox, workers, cache), policy)
        except Exception as error:  # one submission, however it is made, must not keep the others from their check
            print(printable(f"{submission.name}: could not be checked: {type(error).__name__}: {error}"))
            wrong += 1
            continue
        try:
            write_check(root, record)
            if log is not None:
                log.replace(log_file(root, submission.name))
                log.parent.rmdir()
        except OSError as error:
            raise RunError(f"cannot write into {root / 'checks'}: {error.strerror}") from error
        rules = f" by {', '.join(record.policies)}" if record.policies else ""
        print(f"{submission.name}: {record.outcome}{rules}{f' ({record.reason})' if record.reason else ''}")
        for line in (*record.faults.counted(), *(each.text() for each in record.differences)):
            print(printable(f"  {line}"))
        wrong += record.outcome is CheckOutcome.DIFFERS or bool(record.differences)
    if wrong:
        raise RunError(f"{wrong} submission{'s' * (wrong != 1)} not confirmed; the lines above say why")


@leaderboard.command("build")
def leaderboard_build(
    root: Root,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write the pages into.")] = Path("site"),
) -> None:
    """Write the static page of all submissions, and one page for each.

    Re-judged figures are shown if `mlbench leaderboard check` has judged the submission as it is now.
    """
    from mlbench.results.format import printable
    from mlbench.results.leaderboard.site import write_site

    page, skipped = write_site(root, output)
    for each in skipped:
        print(printable(f"mlbench: left out: {each.name}: {each.fault}"), file=sys.stderr)
    print(f"leaderboard: {page}")


@leaderboard.command("export")
def leaderboard_export(
    root: Root,
    form: Annotated[
        Literal["every-eval-ever", "hub", "inspect"], typer.Option("--format", help="Format of the files.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write the files into.")] = Path("export"),
    dataset: Annotated[str, typer.Option(help="Id of the suite's dataset on the Hub, for hub.")] = "",
    repository: Annotated[str, typer.Option(help="Address of the repository of mlbench, for inspect.")] = "",
    commit: Annotated[str, typer.Option(help="Commit of that repository, for inspect.")] = "",
) -> None:
    """Write the results in the format of another leaderboard.

    every-eval-ever writes one JSON file per submission. hub writes `.eval_results` YAML of each re-judged model.
    inspect writes the entry of inspect_evals' register.
    """
    from mlbench.results.leaderboard.exportable import ExportNames
    from mlbench.results.leaderboard.exports import ExportFormat, export

    for file in export(root, ExportFormat(form), output, ExportNames(dataset, repository, commit)):
        print(file)


def judging(root: Path, sandbox: str, workers: int | None, cache: bool) -> Judge:
    """Return a judge that keeps its logs in the folder `checks` of the submissions."""

    def judge(predictions: Path, suite: str, policy: Policy) -> Path:
        import tempfile

        from mlbench.api import run_verify
        from mlbench.eval_runs import complete, failure
        from mlbench.run_config import RunConfig

        (root / "checks").mkdir(exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=".new-", dir=root / "checks"))
        config = RunConfig(log_dir=folder, display="none", workers=workers, cache=cache, max_samples=32)
        log, _ = run_verify(
            predictions, suite, sandbox, 10.0, policy, config, print, execute=policy is not Policy.INTERFACE
        )
        if not complete(log):
            raise RunError(f"not all answers could be judged: {failure(log)}; run the same command again")
        return Path(log.location.removeprefix("file://"))

    return judge
