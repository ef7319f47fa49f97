"""Options that several commands take, in bundles: one name, one meaning, one default."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer
from typer import Option

from mlbench.records import UsageError

if TYPE_CHECKING:
    from mlbench.run_config import RunConfig

Suite = Annotated[str | None, typer.Argument(help="A bundled or fetched suite, or the folder of one.")]
Attempts = Annotated[int, Option("-k", help="Attempts per sample; the table shows pass@k up to this k.")]
Sandbox = Annotated[str, Option(help="Where candidates run: bubblewrap, docker or local (not contained).")]
PaperTimeout = Annotated[float, Option(help="Under `paper`, a program still running after this many seconds passes.")]
Workers = Annotated[int | None, Option(help="Candidates judged in parallel (default: the number of CPUs).")]
Cache = Annotated[bool, Option(help="Use the verdict cache.")]
LogDir = Annotated[Path, Option("--log-dir", help="Folder of the logs.")]
Display = Annotated[str | None, Option(help="Progress: rich, plain, full or none (default: by the terminal).")]
MaxSamples = Annotated[int | None, Option(help="Samples in parallel.")]


@dataclass(frozen=True)
class RowOptions:
    """Which rows of a suite."""

    split: Annotated[str, Option(help="full, quarter, id_train or ood_train.")] = "full"
    limit: Annotated[int | None, Option(help="At most this many rows, spread evenly over the split.")] = None
    repo: Annotated[str | None, Option(help="Only rows of this repository.")] = None


@dataclass(frozen=True)
class ModelOptions:
    """Which model, and how it is reached."""

    model: Annotated[str | None, Option(help="PROVIDER/NAME as in Inspect.")] = None
    base_url: Annotated[str | None, Option(help="Address of the model's endpoint.")] = None
    model_arg: Annotated[list[str] | None, Option("-M", help="NAME=VALUE for the model's provider.")] = None


@dataclass(frozen=True)
class GenerationOptions:
    """How the model is asked."""

    temperature: Annotated[float | None, Option(help="Sampling temperature.")] = None
    max_tokens: Annotated[int | None, Option(help="Tokens of one reply.")] = None
    seed: Annotated[int | None, Option(help="Sampling seed, for providers that take one.")] = None
    max_connections: Annotated[int | None, Option(help="Requests to the model in parallel.")] = None
    max_retries: Annotated[int, Option(help="Retries of one request if the endpoint fails.")] = 7


@dataclass(frozen=True)
class BudgetOptions:
    """What one sample may use."""

    token_limit: Annotated[int | None, Option(help="Tokens of one sample.")] = None
    cost_limit: Annotated[float | None, Option(help="US dollars of one sample.")] = None
    time_limit: Annotated[float | None, Option(help="Working seconds of one sample, without queueing.")] = None
    model_cost: Annotated[Path | None, Option(help="File with prices of models, as Inspect reads it.")] = None


@dataclass(frozen=True)
class AgentBudgetOptions(BudgetOptions):
    """What one sample of an agent may use."""

    step_limit: Annotated[int | None, Option(help="Model calls of one sample; the next one ends it.")] = None


@dataclass(frozen=True)
class JudgeOptions:
    """Bounds of the sandbox in which a candidate runs when it is judged."""

    run_limit: Annotated[float, Option(help="Seconds of wall time of one candidate when it is judged.")] = 60.0
    memory_limit: Annotated[float, Option(help="MiB of memory of one sandbox, all its processes.")] = 2048
    disk_limit: Annotated[float, Option(help="MiB that may be written in one sandbox.")] = 256
    process_limit: Annotated[int, Option(help="Processes in one sandbox.")] = 256
    output_limit: Annotated[float, Option(help="MiB kept of each output stream, head and tail.")] = 1


@dataclass(frozen=True)
class LogOptions:
    """Where the log goes, and whether an unfinished one is continued."""

    resume: Annotated[bool, Option("--resume", help="Continue the newest unfinished run.")] = False
    max_samples: MaxSamples = None
    log_dir: LogDir = Path("logs")
    display: Display = None


def expand_options(**defaults: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Replace each parameter that is a bundle by the bundle's options, as Typer wants them.

    Args:
        defaults: defaults of this command that differ from those of the bundle.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(command, include_extras=True)
        bundles = {name: hints[name] for name in inspect.signature(command).parameters if is_dataclass(hints[name])}
        parameters = []
        for name, parameter in inspect.signature(command).parameters.items():
            if name not in bundles:
                parameters.append(parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY))
                continue
            types = get_type_hints(bundles[name], include_extras=True)
            for each in fields(bundles[name]):
                default = defaults.get(each.name, each.default)
                assert default is not MISSING, f"{each.name}: an option needs a default"
                parameters.append(
                    inspect.Parameter(
                        each.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=types[each.name]
                    )
                )

        def expanded(**values: Any) -> None:
            made = {
                name: kind(**{each.name: values.pop(each.name) for each in fields(kind)})
                for name, kind in bundles.items()
            }
            command(**values, **made)

        expanded.__name__, expanded.__doc__ = command.__name__, command.__doc__
        expanded.__module__ = command.__module__
        expanded.__annotations__ = {each.name: each.annotation for each in parameters}
        expanded.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return expanded

    return decorate


def run_config(
    logs: LogOptions,
    model: ModelOptions | None = None,
    generation: GenerationOptions | None = None,
    **more: Any,
) -> RunConfig:
    """The typed record of a run, from its options.

    Args:
        more: further fields of `RunConfig`.

    Raises:
        UsageError: a value cannot be.
    """
    from mlbench.run_config import Generation, RunConfig

    model, asked = model or ModelOptions(), generation or GenerationOptions()
    at_least(1, max_samples=logs.max_samples, max_connections=asked.max_connections, max_tokens=asked.max_tokens)
    at_least(1, workers=more.get("workers"))
    at_least(0, max_retries=asked.max_retries)
    return RunConfig(
        log_dir=logs.log_dir,
        display=logs.display,
        base_url=model.base_url,
        model_args=pairs(model.model_arg or []),
        max_samples=more.pop("max_samples", logs.max_samples),
        generation=Generation(
            temperature=asked.temperature,
            max_tokens=asked.max_tokens,
            seed=asked.seed,
            max_connections=asked.max_connections,
            max_retries=asked.max_retries,
        ),
        **more,
    )


def at_least(least: int, **options: int | None) -> None:
    """Refuse an option whose value is too small.

    Raises:
        UsageError: one is; names it.
    """
    for name, value in options.items():
        if value is not None and value < least:
            dashes = "--" if len(name) > 1 else "-"
            raise UsageError(f"{dashes}{name.replace('_', '-')} {value}: at least {least} is needed")


def pairs(words: list[str], option: str = "-M") -> dict[str, Any]:
    """NAME=VALUE words as a dict; values are YAML, as in Inspect's own `-M`.

    Raises:
        UsageError: a word has no `=`, or its value is not YAML.
    """
    import yaml

    found = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not name or not equals:
            raise UsageError(f"{option} {word}: NAME=VALUE is wanted")
        try:
            found[name.replace("-", "_")] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise UsageError(f"{option} {word}: the value is not YAML; quote it") from error
    return found


_WITH_RESUME = ("resume", "log_dir", "display", "max_samples", "model_cost")
"""Options that go with `--resume`: where the run is, and what belongs to this machine."""


def only_resumes(context: typer.Context, *further: str) -> None:
    """Refuse what a resumed run takes from its log.

    Raises:
        UsageError: an option, or an argument, that would be ignored; names it.
    """
    own = (*_WITH_RESUME, *further)
    ignored = [
        parameter.opts[0] if parameter.param_type_name == "option" else parameter.name
        for parameter in context.command.params
        if parameter.name not in own
        and (source := context.get_parameter_source(parameter.name or "")) is not None
        and source.name == "COMMANDLINE"
    ]
    if ignored:
        raise UsageError(f"--resume goes on with what the run began with: leave {', '.join(map(str, ignored))} out")


def given(**values: Any) -> dict[str, Any]:
    """The options that have a value."""
    return {name: value for name, value in values.items() if value is not None}
