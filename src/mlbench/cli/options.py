"""Options that several commands share, in bundles: one name, one meaning, one default."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer
from typer import Argument, Option

from mlbench.records import Policy, UsageError

if TYPE_CHECKING:
    from mlbench.run_config import RunConfig

Suite = Annotated[
    str | None, typer.Argument(help="Name of a suite (`mlbench list suites`), or the path of its folder.")
]
Attempts = Annotated[int, Option("-k", help="Attempts per row or problem; the table shows pass@k up to this k.")]
Sandbox = Annotated[str, Option(help="Sandbox in which answers run: bubblewrap, docker, k8s or local (no isolation).")]
PaperTimeout = Annotated[
    float, Option(help="Under the policy paper, a program still running after this many seconds passes.")
]
Executed = Annotated[
    Policy | None,
    Option(
        "--policy",
        help="Rule that decides which answers pass, in the table (default: strict). If strict or paper is given,"
        " answers to rows of real repositories are run if `mlbench repos install` has installed their environment.",
    ),
]
Gpus = Annotated[bool, Option("--gpus", help="Let answers use this machine's NVIDIA GPUs (bubblewrap and docker).")]
Workers = Annotated[
    int | None, Option(help="Answers judged in parallel (default: one per CPU; in `mlbench experiment`: 1).")
]
RayAddress = Annotated[
    str | None,
    Option("--ray", help="Judge on a Ray cluster: HOST:PORT of its head node, or auto. Needs the extra ray."),
]
CheckWorkers = Annotated[int | None, Option("--workers", help="Checks that run in parallel (default: one per CPU).")]
Cache = Annotated[bool, Option(help="Reuse the stored verdicts of identical answers.")]
LogDir = Annotated[Path, Option("--log-dir", help="Folder of the logs.")]
Display = Annotated[
    str | None, Option(help="Progress display: rich, plain, full or none (default: chosen by the terminal).")
]
Tokenizer = Annotated[
    str, Option(help="Token counter: estimate, a tiktoken encoding, or the path of a tokenizer.json.")
]
SuiteName = Annotated[str, Argument(help="Name of a suite (`mlbench list suites`), or the path of its folder.")]
JsonFile = Annotated[Path | None, Option("--json", help="Write the unrounded figures to this file.")]
Port = Annotated[int, Option(help="Port of the local page; 0 takes a free one.")]
Browser = Annotated[bool, Option(help="Open the local page in a browser.")]
MaxSamples = Annotated[int | None, Option(help="Samples that run in parallel.")]


@dataclass(frozen=True)
class RowOptions:
    """The rows of a suite that are used."""

    split: Annotated[str, Option(help="Split of the suite: full, quarter, id_train or ood_train.")] = "full"
    limit: Annotated[
        int | None, Option(help="Use at most this many rows, spread over the split; a higher limit keeps them.")
    ] = None
    repo: Annotated[str | None, Option(help="Use only the rows of this repository.")] = None


@dataclass(frozen=True)
class ShardOptions:
    """The part of a run that this machine does."""

    shards: Annotated[
        int | None,
        Option(help="Divide the rows or problems into this many shards; `mlbench results` merges their logs."),
    ] = None
    shard: Annotated[
        int | None,
        Option(help="Shard to run, from 1 to --shards. The same command continues it, or says that it is finished."),
    ] = None

    def chosen(self) -> str | None:
        """Return the shard as tasks take it, such as `3/8`; None without one.

        Raises:
            UsageError: only one of the options is given, or there is no such shard.
        """
        from mlbench.suites.shards import Shard

        if self.shards is None and self.shard is None:
            return None
        if self.shards is None or self.shard is None:
            raise UsageError("--shards N and --shard I belong together: how many there are, and which one this is")
        return str(Shard.of_options(self.shards, self.shard))


@dataclass(frozen=True)
class ModelOptions:
    """The model, and how to reach it."""

    model: Annotated[str | None, Option(help="The model as PROVIDER/NAME, for example openai/gpt-4o.")] = None
    base_url: Annotated[str | None, Option(help="URL of the model's endpoint; if a run is continued: its new URL.")] = (
        None
    )
    model_arg: Annotated[
        list[str] | None, Option("-M", help="Argument of the model's provider, as NAME=VALUE; may be repeated.")
    ] = None


@dataclass(frozen=True)
class GenerationOptions:
    """Sampling and requests."""

    temperature: Annotated[float | None, Option(help="Sampling temperature.")] = None
    max_tokens: Annotated[int | None, Option(help="Maximum tokens of one reply.")] = None
    seed: Annotated[int | None, Option(help="Sampling seed, if the provider supports one.")] = None
    max_connections: Annotated[int | None, Option(help="Maximum parallel requests to the model.")] = None
    max_retries: Annotated[int, Option(help="Maximum retries of a failed request.")] = 7


@dataclass(frozen=True)
class BudgetOptions:
    """Limits of one sample."""

    token_limit: Annotated[int | None, Option(help="Maximum tokens of one sample, prompts and replies together.")] = (
        None
    )
    cost_limit: Annotated[
        float | None, Option(help="Maximum US dollars of one sample, by the prices of --model-cost.")
    ] = None
    time_limit: Annotated[
        float | None, Option(help="Maximum working seconds of one sample; time in queues does not count.")
    ] = None
    model_cost: Annotated[
        Path | None, Option(help="YAML or JSON file with the prices of models, in Inspect's format.")
    ] = None


@dataclass(frozen=True)
class AgentBudgetOptions(BudgetOptions):
    """Limits of one sample of an agent."""

    step_limit: Annotated[int | None, Option(help="Maximum model calls of one sample.")] = None


@dataclass(frozen=True)
class JudgeOptions:
    """Limits of the sandbox in which an answer runs."""

    run_limit: Annotated[float, Option(help="Maximum seconds of wall time for which one answer runs.")] = 60.0
    memory_limit: Annotated[float, Option(help="Maximum memory of one sandbox, in MiB.")] = 2048
    disk_limit: Annotated[float, Option(help="Maximum size of all files written in one sandbox, in MiB.")] = 256
    process_limit: Annotated[int, Option(help="Maximum processes in one sandbox.")] = 256
    output_limit: Annotated[float, Option(help="MiB kept of each output stream: its beginning and its end.")] = 1


@dataclass(frozen=True)
class LogOptions:
    """Folder of the logs, and whether an unfinished run is continued."""

    resume: Annotated[
        bool, Option("--resume", help="Continue the newest unfinished run in the folder of the logs.")
    ] = False
    max_samples: MaxSamples = None
    log_dir: LogDir = Path("logs")
    display: Display = None


def expand_options(**defaults: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that replaces each bundle parameter by the options of the bundle, for Typer.

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
    """Build the `RunConfig` of a run from its options.

    Args:
        logs: log and display options.
        model: model options; None for a command without a model.
        generation: sampling options; None for the defaults.
        more: further fields of `RunConfig`.

    Raises:
        UsageError: a value is not valid.
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


def at_least(least: int, **options: float | None) -> None:
    """Refuse an option whose value is too small.

    Raises:
        UsageError: a value is too small; names the option.
    """
    for name, value in options.items():
        if value is not None and value < least:
            dashes = "--" if len(name) > 1 else "-"
            raise UsageError(f"{dashes}{name.replace('_', '-')} {value}: at least {least} is needed")


def pairs(words: list[str], option: str = "-M") -> dict[str, object]:
    """Parse NAME=VALUE words into a dict; values are YAML, as in Inspect's own `-M`.

    Raises:
        UsageError: a word has no `=`, or its value is not YAML.
    """
    import yaml

    found: dict[str, object] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not name or not equals:
            raise UsageError(f"{option} {word}: write it as NAME=VALUE")
        try:
            found[name.replace("-", "_")] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise UsageError(f"{option} {word}: the value is not YAML; quote it") from error
    return found


_WITH_RESUME = ("resume", "log_dir", "display", "max_samples", "model_cost", "base_url")
"""Options that are allowed with `--resume`: they find the run or describe this machine."""


def only_resumes(context: typer.Context, *further: str) -> None:
    """Refuse options and arguments that a resumed run takes from its log.

    Args:
        context: the command's context.
        further: names of further parameters that are allowed.

    Raises:
        UsageError: an option or argument would be ignored; names it.
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
        raise UsageError(f"--resume takes these from the log of the run: leave {', '.join(map(str, ignored))} out")


def given(**values: Any) -> dict[str, Any]:
    """Return the options that have a value."""
    return {name: value for name, value in values.items() if value is not None}
