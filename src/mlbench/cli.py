"""The command line: one short function a verb. Heavy imports wait until a verb needs them."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mlbench import __version__
from mlbench.types import Policy, RunError, UsageError

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog


app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Can this model, or this agent, use a real machine-learning repository?",
)

LogDir = Annotated[Path, typer.Option("--log-dir", help="Folder of the logs.")]
Sandbox = Annotated[str, typer.Option(help="Where candidates run: bubblewrap, docker or local (not contained).")]
Seconds = Annotated[float, typer.Option("--time-limit", help="Seconds of wall time of one candidate.")]
Memory = Annotated[float, typer.Option("--memory-limit", help="MiB of memory of one candidate, all its processes.")]
Written = Annotated[float, typer.Option("--disk-limit", help="MiB that one candidate may write.")]
Processes = Annotated[int, typer.Option("--process-limit", help="Processes of one candidate.")]
Output = Annotated[float, typer.Option("--output-limit", help="MiB kept of each output stream, head and tail.")]
PaperTimeout = Annotated[float, typer.Option(help="Seconds after which the published rule takes a program for a pass.")]
Workers = Annotated[int | None, typer.Option(help="Candidates at the same time; as a rule the processors.")]
Remember = Annotated[bool, typer.Option(help="Take over what was found before for the same answer in the same place.")]
Display = Annotated[str | None, typer.Option(help="Progress: rich, plain, full, none; as a rule by the terminal.")]


STOPPED = 130
"""The exit code after Ctrl-C."""


def main() -> None:
    """Run the command line; an error is one line, exit code 2 (usage) or 1 (run)."""
    try:
        app()
    except UsageError as error:
        _fail(error, 2)
    except RunError as error:
        _fail(error, 1)
    except SystemExit as leaving:
        if leaving.code != STOPPED:  # what Typer makes of Ctrl-C, without a word
            raise
        _fail(
            RunError("stopped; what was finished is printed or in the log, `mlbench eval --resume` goes on with a run"),
            STOPPED,
        )
    except BrokenPipeError:
        sys.stderr.close()
        raise SystemExit(1) from None
    except Exception as error:
        if os.environ.get("MLBENCH_TRACEBACK"):
            raise
        _fail(RunError(f"unforeseen {type(error).__name__}: {error}; MLBENCH_TRACEBACK=1 shows where"), 1)


def _fail(error: Exception, code: int) -> None:
    print(f"mlbench: {' '.join(str(error).split())}", file=sys.stderr)
    raise SystemExit(code)


@app.callback(invoke_without_command=True)
def _version(version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False) -> None:
    if version:
        print(f"mlbench {__version__}")
        raise typer.Exit


@app.command("eval")
def evaluate(
    suite: Annotated[str | None, typer.Argument(help="A bundled suite, or the folder of one.")] = None,
    model: Annotated[
        str | None, typer.Option(help="PROVIDER/NAME as in Inspect; mlbench/gold is the reference.")
    ] = None,
    setting: Annotated[str, typer.Option(help="What the model is shown: oracle or readme.")] = "oracle",
    k: Annotated[int, typer.Option("-k", help="Answers a row.")] = 1,
    split: Annotated[str, typer.Option(help="full, quarter, id_train or ood_train.")] = "full",
    limit: Annotated[int | None, typer.Option(help="Only so many rows, spread over the split.")] = None,
    repo: Annotated[str | None, typer.Option(help="Only this repository.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the newest run that did not finish.")] = False,
    base_url: Annotated[str | None, typer.Option(help="Address of the model's endpoint.")] = None,
    model_arg: Annotated[list[str] | None, typer.Option("-M", help="NAME=VALUE for the model's provider.")] = None,
    temperature: Annotated[float | None, typer.Option()] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Tokens of one answer.")] = None,
    seed: Annotated[int | None, typer.Option(help="For the providers that take one.")] = None,
    max_connections: Annotated[int | None, typer.Option(help="Requests to the model at the same time.")] = None,
    max_retries: Annotated[int, typer.Option(help="Tries of one request when the endpoint fails.")] = 7,
    token_limit: Annotated[int | None, typer.Option(help="Tokens of one sample.")] = None,
    cost_limit: Annotated[float | None, typer.Option(help="Dollars of one sample.")] = None,
    model_cost: Annotated[Path | None, typer.Option(help="Prices of models, as Inspect reads them.")] = None,
    max_samples: Annotated[int | None, typer.Option(help="Samples under way at the same time.")] = None,
    sandbox: Sandbox = "bubblewrap",
    time_limit: Seconds = 60.0,
    memory_limit: Memory = 2048,
    disk_limit: Written = 256,
    process_limit: Processes = 256,
    output_limit: Output = 1,
    paper_timeout: PaperTimeout = 10.0,
    workers: Workers = None,
    remember: Remember = True,
    log_dir: LogDir = Path("logs"),
    display: Display = None,
) -> None:
    """Evaluate a model on a suite: answers, verdicts, a table and a log."""
    from mlbench import runs

    _at_least(1, max_samples=max_samples, max_connections=max_connections, max_tokens=max_tokens)
    _at_least(0, max_retries=max_retries)

    options = runs.Options(
        log_dir=log_dir,
        display=display,
        base_url=base_url,
        model_args=_pairs(model_arg or []),
        max_samples=max_samples,
        limits=_given(token_limit=token_limit, cost_limit=cost_limit, model_cost_config=_text(model_cost)),
        generation=_given(
            temperature=temperature,
            max_tokens=max_tokens,
            seed=seed,
            max_connections=max_connections,
            max_retries=max_retries,
        ),
    )
    from mlbench.samples.suites import full_name, load_suite

    if resume:
        if model is not None:
            raise UsageError("--resume goes on with the run's own model and options: leave --model out")
        of_suite = None if suite is None else load_suite(suite).name
        _show(runs.resume(runs.unfinished(log_dir, of_suite), options), Policy.STRICT)
        return
    if suite is None:
        raise UsageError("which suite? `mlbench suites` lists them")
    if model is None:
        raise UsageError("which model? like --model openai/gpt-4o, or --model mlbench/gold for the reference")
    if k < 1:
        raise UsageError(f"-k {k}: at least 1 answer a row is needed")
    from mlbench.tasks.llm_bench import llm_bench

    task = llm_bench(
        suite=full_name(suite),
        split=split,
        setting=setting,
        repo=repo,
        limit=limit,
        k=k,
        sandbox=sandbox,
        paper_timeout=paper_timeout,
        limits=_limits(time_limit, memory_limit, disk_limit, process_limit, output_limit),
        workers=workers,
        remember=remember,
        run=runs.new_run_name(),
    )
    _show(runs.run(task, model, options), Policy.STRICT)


@app.command()
def verify(
    outputs: Annotated[Path, typer.Argument(help="JSON Lines: id, github_id, output (a list of replies).")],
    suite: Annotated[str, typer.Option(help="A bundled suite, or the folder of one.")] = "pocket",
    policy: Annotated[Policy, typer.Option(help="Whose verdicts count.")] = Policy.STRICT,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write every verdict, an object a line.")] = None,
    sandbox: Sandbox = "bubblewrap",
    time_limit: Seconds = 60.0,
    memory_limit: Memory = 2048,
    disk_limit: Written = 256,
    process_limit: Processes = 256,
    output_limit: Output = 1,
    paper_timeout: PaperTimeout = 10.0,
    workers: Workers = None,
    remember: Remember = True,
    max_samples: Annotated[int | None, typer.Option(help="Samples under way at the same time.")] = None,
    log_dir: LogDir = Path("logs"),
    display: Display = None,
) -> None:
    """Judge answers that were made elsewhere."""
    from mlbench import runs

    _at_least(1, max_samples=max_samples)
    from mlbench.results.records import read_run
    from mlbench.results.verdicts import write_verdicts
    from mlbench.samples.outputs import read_outputs
    from mlbench.samples.suites import full_name
    from mlbench.tasks.verify import verify as verify_task

    faults = read_outputs(outputs, suite).faults
    for fault in faults:
        print(f"mlbench: {fault}", file=sys.stderr)
    limits = _limits(time_limit, memory_limit, disk_limit, process_limit, output_limit)
    task = verify_task(str(outputs.resolve()), full_name(suite), sandbox, paper_timeout, limits, workers, remember)
    options = runs.Options(log_dir=log_dir, display=display, max_samples=max_samples)
    log = runs.run(task, "mlbench/replay", options)
    if json_file is not None and log.samples:
        write_verdicts(read_run(Path(log.location.removeprefix("file://"))), policy, json_file)
    _show(log, policy)
    if faults:
        raise RunError(f"{len(faults)} malformed line{'s' * (len(faults) > 1)} in {outputs}; the rest was judged")


@app.command()
def probe(
    directory: Annotated[Path, typer.Argument(help="The repository's folder.")],
    command: Annotated[list[str] | None, typer.Argument(help="After `--`: a command, or a script as one word.")] = None,
    cwd: Annotated[str, typer.Option(help="The folder in the repository that it runs in.")] = ".",
    batch: Annotated[Path | None, typer.Option(help="JSON Lines instead of a command: cwd, code.")] = None,
    environment: Annotated[
        Path | None, typer.Option(help="A virtual environment; without one, what is missing is stubbed.")
    ] = None,
    workers: Workers = None,
) -> None:
    """Say whether a repository's programs accept a command, and with which configuration; nothing is run past that."""
    from mlbench.invocations.batch import probe_batch, probe_one

    if (batch is None) == (not command):
        raise UsageError("one of both: `-- COMMAND ...`, or --batch FILE.jsonl")
    _at_least(1, workers=workers)
    if batch is None:
        print(probe_one(directory, command or [], cwd, environment))
        return
    faults = 0
    for line, fault in probe_batch(directory, batch, environment, workers):
        print(line, flush=True)
        if fault:
            faults += 1
            print(f"mlbench: {fault}", file=sys.stderr)
    if faults:
        raise RunError(f"{faults} malformed line{'s' * (faults > 1)} in {batch}; the rest was checked")


@app.command()
def report(
    logs: Annotated[list[Path], typer.Argument(help="Logs, or folders of logs.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the page.")] = Path("report"),
    policy: Annotated[Policy, typer.Option(help="Whose verdicts the table shows; the page shows all.")] = Policy.STRICT,
) -> None:
    """Show one table of all runs, and write one page with every answer and why it passed or failed."""
    from rich.console import Console

    from mlbench.results.logs import read_runs
    from mlbench.results.report import write_report
    from mlbench.results.table import show

    found = read_runs(logs)
    show(found, policy, Console())
    print(f"report: {write_report(found, output)}")


@app.command()
def suites(
    name: Annotated[str | None, typer.Argument(help="A bundled suite, or the folder of one.")] = None,
    export: Annotated[Path | None, typer.Option(help="Write the rows as JSON Lines and Parquet here.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Say what is wrong with the recipes.")] = False,
    lock: Annotated[bool, typer.Option("--lock", help="Write the segments' present hashes into the recipes.")] = False,
) -> None:
    """List suites with their counts; export, check or lock one."""
    from mlbench.samples import suites as rooms
    from mlbench.samples.check import check as check_suite
    from mlbench.samples.check import lock as lock_suite
    from mlbench.samples.export import counted
    from mlbench.samples.export import export as export_suite

    if name is None:
        if export or check or lock:
            raise UsageError("which suite? `mlbench suites` lists them")
        for bundled in rooms.bundled():
            loaded = rooms.load_suite(bundled)
            print(f"{loaded.name}, version {loaded.version}: {len(loaded.repositories)} repositories")
            try:
                splits = rooms.load_rows(bundled)
            except UsageError as error:
                print(f"  {error}")
                continue
            for split, rows in splits.items():
                print(f"  {split:<10} {counted(rows)}")
        return
    suite = rooms.load_suite(name)
    if lock:
        for recipe in lock_suite(suite):
            print(f"locked {recipe}")
    if check:
        faults = check_suite(suite)
        print("\n".join(faults) if faults else f"{suite.name}: every recipe is sound")
        if faults:
            raise RunError(f"{len(faults)} fault{'s' * (len(faults) > 1)} in suite {suite.name}")
    if export is not None:
        for file in export_suite(suite, name, export):
            print(file)
    if lock or check or export:
        return
    splits = rooms.load_rows(name)
    print(f"{suite.name}, version {suite.version}")
    for split, samples in splits.items():
        print(f"  {split:<10} {counted(samples)}")
    print("repositories (rows in " + ", ".join(splits) + ")")
    for repository in suite.repositories:
        counts = " ".join(
            f"{sum(row.github_id == repository.github_id for row in samples):>5}" for samples in splits.values()
        )
        print(f"  {repository.name:<14}{counts}   {repository.domain}, {repository.role}")


@app.command()
def build(
    suite: Annotated[str, typer.Argument(help="A bundled suite, or the folder of one.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder for the rows and what was found.")],
    repo: Annotated[str | None, typer.Option(help="Look at the references of this repository alone.")] = None,
    workers: Workers = None,
) -> None:
    """Make a suite's rows from its recipes and repositories, and hold every reference against the interface check."""
    import anyio
    from rich.console import Console
    from rich.progress import Progress

    from mlbench.construction.quality import by_repository, references, write_findings
    from mlbench.results.table import show_references
    from mlbench.samples.export import export
    from mlbench.samples.suites import full_name, load_rows, load_suite
    from mlbench.sandbox.limits import Limits
    from mlbench.sandbox.machines import machine

    _at_least(1, workers=workers)
    name = full_name(suite)
    files = export(load_suite(name), name, output)
    rows = [row for split, part in load_rows(name).items() if split != "quarter" for row in part]  # quarter is in full
    if repo is not None:
        rows = [row for row in rows if row.github_id == load_suite(name).repository(repo).github_id]
    console = Console()
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("references", total=len(rows))
        findings = anyio.run(
            references,
            name,
            rows,
            machine("bubblewrap", name, Limits(), workers),
            lambda done: progress.update(task, completed=done),
        )
    write_findings(findings, output / "references.jsonl")
    show_references(by_repository(findings), console)
    print(f"{files[-1].parent}: {len(files)} files, and references.jsonl")
    failing = sum(not finding.passed for finding in findings)
    if failing:
        raise RunError(f"{failing} of {len(findings)} references do not pass; references.jsonl says why")


repos = typer.Typer(help="The real repositories of the catalogue: pinned, fetched, verified.", no_args_is_help=True)
app.add_typer(repos, name="repos")


@repos.command("fetch")
def repos_fetch(
    names: Annotated[list[str] | None, typer.Argument(help="Of the catalogue; all where none is named.")] = None,
    mirror: Annotated[Path | None, typer.Option(help="A folder of clones, instead of the network.")] = None,
) -> None:
    """Make verified checkouts in the cache; those that are there are only looked at."""
    from mlbench.repositories import catalogue
    from mlbench.repositories.fetch import fetch

    if mirror is not None and not mirror.is_dir():
        raise UsageError(f"--mirror {mirror}: no such folder")
    failed = 0
    for entry in [catalogue.pinned(name) for name in names or catalogue.names()]:
        try:
            checkout = fetch(entry, mirror)
        except (UsageError, RunError) as error:  # the others can still be had
            failed += 1
            print(f"mlbench: {error}", file=sys.stderr)
            continue
        lacking = (
            f"; the source lacks {len(checkout.absent)} files, like {checkout.absent[0]}" if checkout.absent else ""
        )
        print(f"{entry.name} at {entry.commit[:12]}: {checkout.folder}{lacking}")
    if failed:
        raise RunError(f"{failed} of {len(names or catalogue.names())} could not be fetched; the same command goes on")


@repos.command("list")
def repos_list() -> None:
    """Every repository of the catalogue: its pin, whether it is here, what is lacking, its size."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from mlbench.repositories import catalogue
    from mlbench.repositories.fetch import state

    table = Table(box=box.SIMPLE_HEAD, header_style="dim", show_edge=False)
    for heading in ("repository", "commit", "state", "files", "MB"):
        table.add_column(heading, justify="right" if heading in ("files", "MB") else "left")
    for name in catalogue.names():
        entry = catalogue.pinned(name)
        table.add_row(name, entry.commit[:12], state(entry), str(entry.files), f"{entry.bytes / 1e6:.1f}")
    Console().print(table)


def _show(log: EvalLog, policy: Policy) -> None:
    """The table of a run; a run that is not complete says what is missing and how to go on."""
    from rich.console import Console

    from mlbench.results.page import policies_of
    from mlbench.results.records import read_run
    from mlbench.results.table import show
    from mlbench.runs import complete, failure, one_line

    if log.status == "error" and log.error is not None and not log.samples:
        raise RunError(one_line(Exception(log.error.message)))
    run = read_run(Path(log.location.removeprefix("file://")))
    judged = policies_of([run])
    show([run], policy if policy in judged else judged[0], Console())
    print(f"log: {log.location}")
    if not complete(log):
        why = failure(log)
        raise RunError(
            f"{run.scored} of {run.expected} samples were scored{f': {why}' if why else ''};"
            " `mlbench eval --resume` goes on"
        )


def _limits(seconds: float, memory: float, written: float, processes: int, output: float) -> dict[str, float]:
    """The bounds of one candidate by name; MiB become bytes."""
    mib = 1024 * 1024
    return {
        "seconds": seconds,
        "memory": int(memory * mib),
        "written": int(written * mib),
        "processes": processes,
        "output": int(output * mib),
    }


def _at_least(least: int, **options: int | None) -> None:
    for name, value in options.items():
        if value is not None and value < least:
            raise UsageError(f"--{name.replace('_', '-')} {value}: at least {least} is needed")


def _pairs(words: list[str]) -> dict[str, Any]:
    """Values are YAML, as in Inspect's own `-M`: `streaming=true` is no text, and `max_retries=0` is a number."""
    import yaml

    pairs = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not name or not equals:
            raise UsageError(f"-M {word}: NAME=VALUE is wanted")
        try:
            pairs[name.replace("-", "_")] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise UsageError(f"-M {word}: the value is not YAML; quote it") from error
    return pairs


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)
