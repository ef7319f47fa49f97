"""`mlbench build` and `mlbench review`: make a suite, and review it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mlbench.cli.options import Browser, CheckWorkers, Port, at_least
from mlbench.records import RunError, UsageError

if TYPE_CHECKING:
    from mlbench.suite_builder.llm import Asker
    from mlbench.suite_builder.source import Wanted


def build(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE...", help="URLs or folders of repositories; or one suite, to write its rows."),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder to write the suite, or the suite's rows, into.")
    ],
    tasks: Annotated[int | None, typer.Option(help="Maximum number of tasks of one repository (default: 120).")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the random choices (default: 0).")] = None,
    revision: Annotated[
        str | None, typer.Option(help="Branch, tag or commit of the repository (default: the newest commit).")
    ] = None,
    since: Annotated[
        str | None, typer.Option(metavar="DATE", help="Refuse a URL whose newest commit is older: YYYY-MM-DD.")
    ] = None,
    mirror: Annotated[Path | None, typer.Option(help="Folder of clones to use instead of the network.")] = None,
    model: Annotated[
        str | None, typer.Option(help="Model that proposes tasks, values and wordings; each proposal is verified.")
    ] = None,
    base_url: Annotated[str | None, typer.Option(help="URL of the model's endpoint.")] = None,
    reader: Annotated[
        str | None, typer.Option(help="Model that reads the finished tasks and refuses bad ones (default: --model).")
    ] = None,
    review: Annotated[
        bool, typer.Option("--review", help="Open the suite in the review page afterwards (see `mlbench review`).")
    ] = False,
    port: Port = 0,
    browser: Browser = True,
    repo: Annotated[
        str | None, typer.Option(help="Check only the references of this repository, if SOURCE is a suite.")
    ] = None,
    workers: CheckWorkers = None,
    ray: Annotated[
        str | None,
        typer.Option(help="Work on a Ray cluster: HOST:PORT of its head node, or auto. Needs the extra ray."),
    ] = None,
) -> None:
    """Make a suite from repositories, or write the rows of a suite.

    From repositories: finds commands in their documentation and makes tasks of them. From a suite: writes its rows
    and checks every reference.
    """
    from mlbench.repositories.pinning import day_of, is_url
    from mlbench.suite_builder.source import Wanted
    from mlbench.suites.suite import bundled, fetched

    at_least(1, workers=workers, tasks=tasks)
    suites = [each for each in sources if each in bundled() + fetched() or (Path(each) / "suite.yaml").is_file()]
    if suites and len(sources) > 1:
        raise UsageError(f"{suites[0]} is a suite; its rows are written alone, without other sources")
    if suites:
        (source,) = suites
        of_a_repository = {
            "--tasks": tasks,
            "--seed": seed,
            "--revision": revision,
            "--since": since,
            "--mirror": mirror,
            "--model": model,
            "--base-url": base_url,
            "--reader": reader,
        }
        for option, given in of_a_repository.items():
            if given is not None:
                raise UsageError(f"{option} is only for a repository; {source} is a suite")
        if review:
            raise UsageError(f"--review is only for a repository; `mlbench review {source}` shows this suite")
        with _cluster(ray, workers) as nodes:
            _rows_of(source, output, repo, workers, nodes)
        return
    if repo is not None:
        raise UsageError(f"--repo is only for a suite; {sources[0]} is none")
    if base_url is not None and model is None:
        raise UsageError("--base-url needs --model PROVIDER/NAME")
    if reader is not None and model is None:
        raise UsageError("--reader needs --model PROVIDER/NAME, whose tasks it reads")
    if not all(map(is_url, sources)) and (revision, since, mirror) != (None, None, None):
        raise UsageError("--revision, --since and --mirror are only for a URL; a folder is used as it is")
    if revision is not None and len(sources) > 1:
        raise UsageError("--revision is only for one URL; of several, the newest commits are taken")
    if ray is not None and (model is not None or not all(map(is_url, sources))):
        raise UsageError("--ray builds repositories at URLs, without --model: a folder or a model is only here")
    wanted = Wanted(revision or "HEAD", day_of(since) if since else "", mirror)
    with _cluster(ray, workers) as nodes:
        askers = (_asker(model, base_url), _asker(reader, None))
        lost = _suite_of(sources, output, wanted, tasks, seed or 0, askers, workers, nodes)
    if review:
        from mlbench.suite_builder.review import serve

        serve(output, port, browser)
    if lost:
        raise RunError(f"{lost} of {len(sources)} repositories are not in the suite; the lines above say why")


def review(
    directory: Annotated[Path, typer.Argument(help="Folder of the suite.")],
    port: Port = 0,
    browser: Browser = True,
) -> None:
    """Accept, edit or reject the tasks of a suite on a local page.

    Decisions are saved in the recipes of the suite.
    """
    from mlbench.suite_builder.review import serve

    serve(directory, port, browser)


@contextmanager
def _cluster(address: str | None, workers: int | None) -> Iterator[int]:
    """Connect to a cluster, if there is an address; the value is the number of its workers, else 0."""
    if address is None:
        yield 0
        return
    from mlbench.cluster.ray_pool import connected

    with connected(address) as processors:
        yield workers or max(1, processors)


def _rows_of(suite: str, output: Path, repo: str | None, workers: int | None, nodes: int) -> None:
    import anyio
    from rich.console import Console
    from rich.progress import Progress

    from mlbench.results.build_tables import show_references
    from mlbench.sandbox.limits import Limits
    from mlbench.scoring.runtime import machine
    from mlbench.suite_builder.quality import by_repository, references, rows, write_findings
    from mlbench.suites.export import export
    from mlbench.suites.suite import full_name, load_suite

    name = full_name(suite)
    loaded = load_suite(name)
    console = Console()
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("writing rows", total=None)
        files = export(loaded, output)
        of_all = [
            row.sample for split, part in loaded.splits.items() if split != "quarter" for row in part
        ]  # it is in full
        if repo is not None:
            of_all = [row for row in of_all if row.github_id == loaded.repository(repo).github_id]
        progress.update(task, description="references", total=len(of_all))

        def told(done: int) -> None:
            progress.update(task, completed=done)

        place = machine("bubblewrap", name, Limits(), workers)
        if nodes:
            from mlbench.cluster.judge_actor import JudgeConfig
            from mlbench.cluster.references_on_ray import references_on_ray

            findings = anyio.run(references_on_ray, of_all, place, JudgeConfig.of_suite(name), nodes, told)
        else:
            findings = anyio.run(references, of_all, place, told)
        progress.update(task, description="instructions", total=None)
        chosen = {row.id for row in of_all}
        worded = [finding for finding in rows(loaded, loaded.samples()) if finding.row in chosen]
    write_findings(findings, output / "references.jsonl")
    write_findings(worded, output / "quality.jsonl")
    show_references(by_repository(findings), console)
    print(f"{files[-1].parent}: {len(files)} files, references.jsonl and quality.jsonl")
    failing = sum(not finding.passed for finding in findings)
    if failing or worded:
        raise RunError(
            f"{failing} of {len(findings)} references do not pass, {len(worded)} rows have other faults:"
            " see references.jsonl and quality.jsonl"
        )


def _suite_of(
    sources: Sequence[str],
    output: Path,
    wanted: Wanted,
    tasks: int | None,
    seed: int,
    askers: tuple[Asker | None, Asker | None],
    workers: int | None,
    nodes: int,
) -> int:
    """Build a suite, and print what became of it; returns the number of repositories that are not in it.

    `askers` are the model that makes the tasks and the one that reads them.
    """
    import os
    from functools import partial

    import anyio
    from rich.console import Console
    from rich.progress import Progress

    from mlbench.results.build_tables import show_steps
    from mlbench.results.format import printable
    from mlbench.suite_builder.build_state import TASKS, BuildOptions
    from mlbench.suite_builder.left_out import documented, summary
    from mlbench.suite_builder.pipeline import build
    from mlbench.suite_builder.source import obtain_all

    found, refused = obtain_all(sources, output, wanted)
    for line in refused:
        print(f"mlbench: {line}", file=sys.stderr)
    wishes = BuildOptions(seed, tasks or TASKS, workers or len(os.sched_getaffinity(0)), *askers)
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("")

        def show(step: str, done: int, of: int) -> None:
            progress.update(bar, description=step, completed=done, total=of or None)

        write_recipes = None
        if nodes:
            from mlbench.cluster.build_on_ray import recipes_on_ray

            write_recipes = recipes_on_ray(nodes, wanted.mirror and wanted.mirror.resolve())
        built = anyio.run(partial(build, found, output, wishes, show, write_recipes))
    show_steps({str(step): found for step, found in built.decisions.items()}, Console())
    for part in built.parts:
        if part.source.lacking:
            print(f"{printable(part.source.name)}: not in the checkout: {printable(part.source.lacking)}")
        made = _count(len(part.recipes), "task")
        print(part.failed or f"{part.source.name}: {made}; {summary(documented(part.decisions))}")
    print(f"{output}: {_count(built.tasks, 'task')}, {_count(built.rows, 'row')}")
    print(f"{output}/steps: every decision and its reason; left_out.md lists the documented commands")
    if wishes.asker is not None:
        print(f"the model: {wishes.asker.cost}")
        if wishes.reader is not None:
            print(f"the reader: {wishes.reader.cost}")
        if not wishes.has_read:
            print(f"a draft: the model did not read every task; {output}/steps/model.jsonl says why")
    else:
        print("a draft by rules, which nobody has read: --model PROVIDER/NAME makes more tasks, and reads them")
    print(f"next: mlbench review {output}   mlbench eval {output} --model PROVIDER/NAME")
    return len(refused) + sum(bool(part.failed) for part in built.parts)


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'s' * (n != 1)}"


def _asker(model: str | None, base_url: str | None) -> Asker | None:
    if model is None:
        return None
    from mlbench.eval_models import model_of
    from mlbench.run_config import RunConfig
    from mlbench.suite_builder.llm import Asker

    return Asker(model_of(model, RunConfig(base_url=base_url)))
