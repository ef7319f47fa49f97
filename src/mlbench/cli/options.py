"""Options that several verbs take, and what is made of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mlbench.types import UsageError

if TYPE_CHECKING:
    from mlbench.runs import Options

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

ModelArguments = Annotated[list[str] | None, typer.Option("-M", help="NAME=VALUE for the model's provider.")]


def limits(seconds: float, memory: float, written: float, processes: int, output: float) -> dict[str, float]:
    """The bounds of one candidate by name; MiB become bytes."""
    mib = 1024 * 1024
    return {
        "seconds": seconds,
        "memory": int(memory * mib),
        "written": int(written * mib),
        "processes": processes,
        "output": int(output * mib),
    }


def at_least(least: int, **options: int | None) -> None:
    for name, value in options.items():
        if value is not None and value < least:
            dashes = "--" if len(name) > 1 else "-"
            raise UsageError(f"{dashes}{name.replace('_', '-')} {value}: at least {least} is needed")


def pairs(words: list[str], option: str = "-M") -> dict[str, Any]:
    """Values are YAML, as in Inspect's own `-M`: `streaming=true` is no text, and `max_retries=0` is a number."""
    import yaml

    pairs = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not name or not equals:
            raise UsageError(f"{option} {word}: NAME=VALUE is wanted")
        try:
            pairs[name.replace("-", "_")] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise UsageError(f"{option} {word}: the value is not YAML; quote it") from error
    return pairs


_OF_RESUME = ("resume", "log_dir", "display", "max_samples", "model_cost")
"""What may be said where a run goes on: where it is, and what belongs to this machine."""


def only_goes_on(context: typer.Context, *further: str) -> None:
    """Refuse what a run that goes on has already.

    Raises:
        UsageError: an option, or an argument, that would not be heeded; names it.
    """
    own = (*_OF_RESUME, *further)
    said = [
        parameter.opts[0] if parameter.param_type_name == "option" else parameter.name
        for parameter in context.command.params
        if parameter.name not in own
        and (source := context.get_parameter_source(parameter.name or "")) is not None
        and source.name == "COMMANDLINE"
    ]
    if said:
        raise UsageError(f"--resume goes on with what the run began with: leave {', '.join(map(str, said))} out")


def given(**values: Any) -> dict[str, Any]:
    """Those options that were given."""
    return {name: value for name, value in values.items() if value is not None}


def run_options(
    log_dir: Path,
    display: str | None,
    base_url: str | None,
    model_arg: list[str] | None,
    max_samples: int | None,
    model_cost: Path | None,
    limits: dict[str, Any] | None = None,
    **generation: Any,
) -> Options:
    """What is the same in every run of a bench, as the command line has it.

    Args:
        limits: further ones of Inspect's, of each sample.
        generation: how the model is asked.
    """
    from mlbench.runs import Options

    return Options(
        log_dir=log_dir,
        display=display,
        base_url=base_url,
        model_args=pairs(model_arg or []),
        max_samples=max_samples,
        prices=model_cost,
        limits=given(**(limits or {})),
        generation=given(**generation),
    )
