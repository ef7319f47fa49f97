"""`mlbench verify`: judge answers that were made elsewhere."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mlbench.cli.limits import judge_limits
from mlbench.cli.options import (
    Cache,
    Display,
    Executed,
    Gpus,
    JudgeOptions,
    LogDir,
    LogOptions,
    MaxSamples,
    PaperTimeout,
    RayAddress,
    Sandbox,
    ShardOptions,
    Workers,
    expand_options,
    run_config,
)
from mlbench.cli.output import show_run
from mlbench.records import Policy, RunError, UsageError

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

    from mlbench.run_config import RunConfig


@expand_options()
def verify(
    context: typer.Context,
    outputs: Annotated[
        list[Path],
        typer.Argument(
            help="JSON Lines file; each line has id, github_id and output (a list of replies). Or the folder of a"
            " session of `mlbench human`. With --run-sh, the folders that agents left."
        ),
    ],
    run_sh: Annotated[
        bool,
        typer.Option(
            "--run-sh",
            help="Judge the run.sh of each folder. A folder is a workspace, or holds workspace/ and packages.txt.",
        ),
    ] = False,
    row: Annotated[
        list[int] | None,
        typer.Option(help="With --run-sh: the row of each folder (default: the number that its name ends in)."),
    ] = None,
    agent: Annotated[str, typer.Option(help="With --run-sh: the agent's name in tables.")] = "elsewhere",
    suite: Annotated[
        str, typer.Option(help="Name of the answered suite, or the path of its folder; a session knows its own.")
    ] = "pocket",
    policy: Executed = None,
    gpus: Gpus = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write every verdict to this file, one JSON object per line.")
    ] = None,
    sandbox: Sandbox = "bubblewrap",
    *,
    part: ShardOptions,
    ray: RayAddress = None,
    judging: JudgeOptions,
    paper_timeout: PaperTimeout = 10.0,
    workers: Workers = None,
    cache: Cache = True,
    max_samples: MaxSamples = None,
    log_dir: LogDir = Path("logs"),
    display: Display = None,
) -> None:
    """Judge answers that were made elsewhere."""
    logs = LogOptions(max_samples=max_samples, log_dir=log_dir, display=display)
    config = run_config(logs, limits=judge_limits(judging), workers=workers, cache=cache, gpus=gpus)
    from mlbench.api import run_human, run_verify

    first, faults = outputs[0], 0
    if ray is not None and (run_sh or first.is_dir()):
        raise UsageError("--ray judges a file of answers; leave it out for folders")
    shard = part.chosen()
    if run_sh:
        rows = row_of_each(outputs, row or [])
        log = _judged_folders(context, outputs, rows, suite, agent, policy, config, shard)
    elif len(outputs) > 1 or row:
        raise UsageError("several outputs, or --row: these need --run-sh, which judges folders that agents left")
    elif first.is_dir():
        if shard:
            raise UsageError("--shards: a session of `mlbench human` is judged as a whole; leave the option out")
        log = run_human(first, sandbox, paper_timeout, policy, config)
    else:
        log, faults = run_verify(first, suite, sandbox, paper_timeout, policy, config, _tell, shard=shard, ray=ray)
    headline = policy or Policy.STRICT
    if json_file is not None and log.samples:
        from mlbench.results.load_log import read_run
        from mlbench.results.verdicts import write_verdicts

        write_verdicts(read_run(Path(log.location.removeprefix("file://"))), headline, json_file)
    show_run(log, headline)
    if faults:
        raise RunError(f"{faults} malformed line{'s' * (faults > 1)} in {first}; the rest was judged")


def row_of_each(folders: Sequence[Path], rows: Sequence[int]) -> list[int]:
    """Return the row of each folder: as given, or the number that the folder's name ends in (`pocket-17`).

    Raises:
        UsageError: the numbers of rows and folders differ, or a name has no number.
    """
    if rows:
        if len(rows) != len(folders):
            raise UsageError(f"{len(folders)} folders and {len(rows)} rows: give --row once for each folder")
        return list(rows)
    found = [re.search(r"(?:^|[^0-9])([0-9]{1,9})$", folder.resolve().name) for folder in folders]
    if missing := [folder for folder, match in zip(folders, found, strict=True) if match is None]:
        raise UsageError(f"{missing[0]}: its name does not end in the number of a row; give --row ID")
    return [int(match[1]) for match in found if match]


def _judged_folders(
    context: typer.Context,
    folders: Sequence[Path],
    rows: Sequence[int],
    suite: str,
    agent: str,
    policy: Policy | None,
    config: RunConfig,
    shard: str | None,
) -> EvalLog:
    """Judge what agents left, with the limits of `mlbench agent` where none is given."""
    from mlbench.api import run_submissions

    own = {"run_limit": "seconds", "memory_limit": "memory", "disk_limit": "written", "process_limit": "processes"}
    given = {
        field: getattr(config.limits, field)
        for name, field in own.items()
        if (source := context.get_parameter_source(name)) is not None and source.name == "COMMANDLINE"
    }
    return run_submissions(folders, rows, suite, agent, given, policy, config, shard)


def _tell(fault: str) -> None:
    print(f"mlbench: {fault}", file=sys.stderr)
