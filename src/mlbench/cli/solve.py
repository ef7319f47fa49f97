"""`mlbench solve`: find a repository for a task, and write the command or code."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from mlbench.cli.limits import judge_limits
from mlbench.cli.options import (
    GenerationOptions,
    JudgeOptions,
    LogOptions,
    ModelOptions,
    expand_options,
    run_config,
)
from mlbench.eval_models import refuse_baseline
from mlbench.records import RunError, UsageError

if TYPE_CHECKING:
    from inspect_ai.model import Model

    from mlbench.agents.ml_agent.execute import RunSummary
    from mlbench.agents.ml_agent.options import MLAgentOptions
    from mlbench.agents.ml_agent.result import SolveResult
    from mlbench.agents.ml_agent.solve_setup import SolveRequest
    from mlbench.agents.ml_agent.task_input import Job


@expand_options()
def solve(
    instruction: Annotated[str, typer.Argument(help="What you want to do, in a sentence or two.")],
    repo: Annotated[str, typer.Option(help="Name, folder or URL of the repository (default: one is searched).")] = "",
    *,
    asked: ModelOptions,
    search: Annotated[str, typer.Option(help="Where to search: catalogue (bundled list) or github.")] = "catalogue",
    suite: Annotated[str, typer.Option(help="Search only the repositories of this suite.")] = "",
    folder: Annotated[Path | None, typer.Option(help="Search only the checkouts in this folder.")] = None,
    language: Annotated[Literal["any", "bash", "python"], typer.Option(help="Language of the answer.")] = "any",
    check: Annotated[
        bool, typer.Option(help="Check the answer with the repository's program, and correct it if it is rejected.")
    ] = True,
    execute: Annotated[
        bool, typer.Option("--execute", help="Run the answer in a sandbox and show its output.")
    ] = False,
    environment: Annotated[Path | None, typer.Option(help="Virtual environment of the repository.")] = None,
    mirror: Annotated[Path | None, typer.Option(help="Folder of clones to use instead of the network.")] = None,
    step_limit: Annotated[int, typer.Option(help="Maximum model calls.")] = 30,
    tokens: Annotated[int, typer.Option(help="Maximum tokens of a repository in one prompt.")] = 24_000,
    generation: GenerationOptions,
    judging: JudgeOptions,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Find a repository for a task, and write the command or code.

    The answer is checked with the repository's own program.

    Exit codes: 0 if the program accepts the answer (with --execute: and the answer exits with 0), else 1.
    """
    if not instruction.strip():
        raise UsageError(
            "the instruction is empty; for example: mlbench solve 'I want to fine-tune BERT on MRPC, 3 epochs'"
        )
    name = asked.model or os.environ.get("INSPECT_EVAL_MODEL")
    if not name:
        raise UsageError("no model is given: --model openai/gpt-4o, for example, or set INSPECT_EVAL_MODEL")
    refuse_baseline(name, "name a model")
    held = judge_limits(judging)
    config = run_config(LogOptions(), asked, generation)
    import anyio
    from inspect_ai.model import GenerateConfig
    from inspect_ai.util import SandboxUnavailableError

    from mlbench import eval_models
    from mlbench.agents.ml_agent.options import MLAgentOptions
    from mlbench.agents.ml_agent.solve_setup import SolveRequest
    from mlbench.agents.ml_agent.task_input import Job

    wanted = SolveRequest(repo, search, suite, folder, environment, mirror, held)
    job = Job(instruction.strip(), {"any": None, "bash": "shell", "python": "python"}[language])
    options = MLAgentOptions(check=check, steps=step_limit, tokens=tokens)
    loaded = eval_models.model_of(name, config, GenerateConfig(**config.generation.model_dump()))
    try:
        ok = anyio.run(_solved, job, wanted, options, loaded, execute, as_json)
    except SandboxUnavailableError as error:
        raise RunError(f"{error}; --no-check leaves the check out") from error
    raise typer.Exit(0 if ok else 1)


async def _solved(
    job: Job, wanted: SolveRequest, options: MLAgentOptions, model: Model, execute: bool, as_json: bool
) -> bool:
    """Solve, print the result, and return whether the answer passed the checks that were asked for."""
    from mlbench.agents.ml_agent.execute import execute as run
    from mlbench.agents.ml_agent.interface_feedback import DraftChecker
    from mlbench.agents.ml_agent.pipeline import SolvePipeline
    from mlbench.agents.ml_agent.solve_setup import named_repository, solve_backend
    from mlbench.agents.ml_agent.tool_calls import LLMClient
    from mlbench.eval_models import one_line

    backend = solve_backend(wanted)
    try:
        given = await named_repository(wanted, backend)
        checker = DraftChecker(backend.checker_of, 1) if options.check else None
        work = SolvePipeline(job, LLMClient(model, options), backend.search, given, checker)
        try:
            result = await work.run()
        except (UsageError, RunError):
            raise
        except Exception as error:
            from inspect_ai.util import SandboxUnavailableError

            if isinstance(error, SandboxUnavailableError):
                raise
            raise RunError(f"model {model}: {one_line(error)}") from error
        if not as_json:
            _show(result, "" if given else backend.about)
        ran = None
        if execute and result.code:
            assert work.used is not None
            out = sys.stderr if as_json else sys.stdout
            ran = await run(backend.jail_of(work.used), job, result, lambda piece: _passed_on(piece, out))
        if as_json:
            print(json.dumps(_object(result, ran), indent=2, ensure_ascii=True))
        elif ran:
            print(f"\nended: {ran.ending.value}, exit code {ran.exit_code}, {ran.seconds:.1f} s")
    finally:
        await backend.close()
    accepted = result.checked.status == ("accepted" if options.check else "not-checked")
    return bool(result.code) and accepted and (ran is None or ran.exit_code == 0)


def _show(result: SolveResult, about: str) -> None:
    """Print the result for people, in the order of the work."""
    if about:
        print(f"looked in:  {about}: {', '.join(result.ranked or result.found) or 'nothing found'}")
    print(f"repository: {result.repository or 'none'}")
    for line in result.rejected:
        print(f"put aside:  {_line(line)}")
    for line in result.notes:
        print(f"note:       {_line(line)}")
    if not result.code:
        print(f"no answer:  {result.outcome.value}: {_line(result.detail)}")
        return
    print("plan:")
    for line in result.plan.strip().splitlines() or ["(none was given)"]:
        print(f"  {_printable(line)}")
    print(f"relied on:  {', '.join(map(str, result.sources)) or 'nothing that was shown'}")
    print(f"run in:     {_printable(result.folder)}\n")
    print(_printable(result.code.strip("\n")) + "\n")
    checked = result.checked
    why = f" ({checked.reason}): {_line(checked.message)}" if checked.reason else ""
    print(f"check:      {checked.status}{why}")
    if checked.doubts:
        print(f"not found in what it is told: {_line(', '.join(checked.doubts))}")
    print(f"steps:      {result.costs.steps}, tokens {result.costs.tokens_in:,} in, {result.costs.tokens_out:,} out")


def _object(result: SolveResult, ran: RunSummary | None) -> dict[str, object]:
    return {**result.record(), "ran": asdict(ran) if ran else None}


def _passed_on(piece: bytes, out: Any) -> None:
    out.write(_printable(piece.decode("utf-8", "replace")))
    out.flush()


def _line(text: str) -> str:
    return _printable(" ".join(text.split()))


def _printable(text: str) -> str:
    """Replace characters that control a terminal or that it cannot encode."""
    plain = "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" if c != "\r" else "\n" for c in text)
    return plain.encode("utf-8", "replace").decode()
