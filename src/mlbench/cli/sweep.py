"""`mlbench sweep`: many runs from one file; what is finished is not run again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mlbench.cli.options import Display, LogDir, ShardOptions, expand_options
from mlbench.cli.output import show_run
from mlbench.records import Policy, RunError, UsageError

if TYPE_CHECKING:
    from mlbench.sweep.plan import SweepPlan, SweepRun


@expand_options()
def sweep(
    file: Annotated[Path, typer.Argument(help="YAML file with suites and models, and with settings and k.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show the runs, their state and the most that they can cost.")
    ] = False,
    *,
    part: ShardOptions,
    log_dir: LogDir = Path("logs"),
    display: Display = None,
) -> None:
    """Make every run of a file: models × settings × k × suites.

    The same command makes only what is missing: a finished run is left alone, and an unfinished one is continued.
    """
    from mlbench import eval_models, eval_runs
    from mlbench.sweep.plan import read_plan

    eval_runs.known_display(display)
    plan, shard = read_plan(file), part.chosen()
    runs = plan.runs()
    eval_models.set_prices(plan.model_cost)
    if dry_run:
        _show_plan(plan, runs, shard, log_dir)
        return
    faults = 0
    for at, run in enumerate(runs, 1):
        print(f"run {at} of {len(runs)}: {run.label}", flush=True)
        faults += not _finished(plan, run, shard, log_dir, display)
    if faults:
        raise RunError(f"{faults} of {len(runs)} runs are not finished; the same command continues them")
    print(f"all {len(runs)} runs are finished: mlbench results {log_dir}")


def _finished(plan: SweepPlan, run: SweepRun, shard: str | None, log_dir: Path, display: str | None) -> bool:
    """Make one run, and return whether it is finished; if not, says why.

    Args:
        plan: the sweep.
        run: one of its runs.
        shard: the part of the rows that is run; None for all.
        log_dir: folder of the logs.
        display: kind of progress display.
    """
    from mlbench.api import run_eval

    try:
        log = run_eval(
            run.suite,
            run.model.model,
            setting=run.setting,
            split=plan.split,
            repo=plan.repo,
            limit=plan.limit,
            k=run.k,
            agent=None,
            sandbox="bubblewrap",
            paper_timeout=10.0,
            policy=plan.policy,
            context=plan.context(),
            context_tokens=plan.context_tokens,
            config=plan.config(run, log_dir, display),
            shard=shard,
            key=plan.key(run, shard),
        )
        show_run(log, plan.policy or Policy.STRICT)
    except (RunError, UsageError) as error:
        print(f"mlbench: {' '.join(str(error).split())}", file=sys.stderr)
        return False
    return True


def _show_plan(plan: SweepPlan, runs: list[SweepRun], shard: str | None, log_dir: Path) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from mlbench.results.format import printable
    from mlbench.same_run import begun_run
    from mlbench.sweep.cost import cost_of

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for name in ("suite", "model", "setting"):
        table.add_column(name, overflow="fold")
    for name in ("k", "calls", "in", "out", "US$", "state"):
        table.add_column(name, justify="right", no_wrap=True)
    dollars, unknown, tokens_in, tokens_out = 0.0, 0, 0, 0
    for run in runs:
        cost, begun = cost_of(plan, run, shard), begun_run(log_dir, plan.key(run, shard))
        state = "new" if begun is None else "finished" if begun.complete else "unfinished"
        words = (run.suite, run.model.model, run.setting, str(run.k), f"{cost.calls:,}")
        money = "?" if cost.dollars is None else f"{cost.dollars:,.2f}"
        table.add_row(*map(printable, words), f"{cost.tokens_in:,}", f"{cost.tokens_out:,}", money, state)
        if state != "finished":
            unknown += cost.dollars is None
            dollars += cost.dollars or 0.0
            tokens_in, tokens_out = tokens_in + cost.tokens_in, tokens_out + cost.tokens_out
    console = Console()
    console.print(table)
    said = f"To pay at most, for what is not finished: {tokens_in:,} tokens in, {tokens_out:,} out, US$ {dollars:,.2f}"
    if unknown:
        said += f" and {unknown} run{'s' * (unknown > 1)} without a known price (model_cost: FILE has prices)"
    console.print(f"{said}.", highlight=False)
    console.print("Tokens in are estimated; tokens out assume that each reply is as long as it may be.")
