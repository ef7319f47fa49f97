"""What the options of `mlbench train` ask for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, get_args

from mlbench.cli.options import at_least
from mlbench.records import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import typer

    from mlbench.training.export import TrainingSet
    from mlbench.training.recipes import Dtype, TrainingRecipe
    from mlbench.training.tune_config import TrainingRows, TuneConfig


def made_set(
    suite: str,
    split: str,
    setting: str,
    context_tokens: int,
    reply_tokens: int | None,
    tokenizer: str,
    limit: int | None,
    against: list[Path] | None,
) -> TrainingSet:
    """The examples that the options ask for.

    Raises:
        UsageError: an option has a wrong value, or the suite's repositories are not fetched.
    """
    from mlbench.prompts.context import Context
    from mlbench.prompts.settings import known_setting
    from mlbench.scoring.runtime import checkouts_of
    from mlbench.suites.suite import load_suite
    from mlbench.training.export import training_set

    at_least(1, limit=limit, reply_tokens=reply_tokens)
    known = known_setting(setting)
    context = Context(context_tokens, tokenizer, reply=reply_tokens)
    loaded = load_suite(suite)
    others = [load_suite(str(folder)) for folder in against or ()]
    return training_set(loaded, split, known, checkouts_of(loaded), context, limit=limit, against=others)


def training_rows(
    suite: str | None, split: str, setting: str, reply_tokens: int | None, limit: int | None
) -> TrainingRows:
    """The rows that a run is trained on.

    Raises:
        UsageError: no suite is given, or a name is wrong.
    """
    from mlbench.prompts.settings import known_setting
    from mlbench.suites.suite import full_name
    from mlbench.training.tune_config import TrainingRows

    if suite is None:
        raise UsageError("no suite is given: `mlbench list suites` shows their names; or --config run.yaml")
    return TrainingRows(
        suite=full_name(suite), split=split, setting=known_setting(setting), reply_tokens=reply_tokens, limit=limit
    )


def tune_config(
    rows: TrainingRows | Path, model: str | None, full: bool, recipe: TrainingRecipe, context_tokens: int, dtype: Dtype
) -> TuneConfig:
    """The configuration of a run.

    Args:
        rows: the rows to train on, or a file of examples.
        model: a folder, or a name on the Hub.
        full: train all weights.
        recipe: the hyper-parameters.
        context_tokens: the longest sequence.
        dtype: of the weights.

    Raises:
        UsageError: no model is given.
    """
    from mlbench.training.tune_config import TuneConfig

    if model is None:
        raise UsageError("no model is given: --model FOLDER, or a name on the Hub; or --config run.yaml")
    return TuneConfig(
        examples=rows,
        model=str(Path(model).resolve()) if Path(model).is_dir() else model,
        method="full" if full else "lora",
        recipe=recipe,
        context_tokens=context_tokens,
        dtype=dtype,
    )


def refuse_no_folder(output: Path) -> None:
    """Refuse a file whose folder does not exist, before a model is loaded.

    Raises:
        UsageError: there is no such folder.
    """
    if not output.parent.is_dir():
        raise UsageError(f"{output}: there is no folder {output.parent}; make it, or name another file with -o")


def only_config(context: typer.Context) -> None:
    """Refuse what `--config` says already.

    Raises:
        UsageError: an option or argument would be ignored; names it.
    """
    ignored = [
        parameter.opts[0] if parameter.param_type_name == "option" else str(parameter.name)
        for parameter in context.command.params
        if parameter.name not in ("config", "output")
        and (source := context.get_parameter_source(parameter.name or "")) is not None
        and source.name == "COMMANDLINE"
    ]
    if ignored:
        raise UsageError(f"--config says this already: leave {', '.join(ignored)} out, or write it into the file")


def known_dtype(name: str) -> Dtype:
    """The type of weights of this name.

    Raises:
        UsageError: there is no such type.
    """
    from mlbench.training.recipes import Dtype

    for known in get_args(Dtype):
        if name == known:
            return known  # type: ignore[no-any-return]
    raise UsageError(f"--dtype {name}: no such type; there are: {', '.join(get_args(Dtype))}")


def known_recipe(name: str, changed: Mapping[str, float | int | None]) -> TrainingRecipe:
    """The recipe of this name, with the values that are given.

    Raises:
        UsageError: there is no such recipe, or a value is not allowed.
    """
    from pydantic import ValidationError

    from mlbench.training.recipes import RECIPES, TrainingRecipe

    if name not in RECIPES:
        raise UsageError(f"no recipe {name!r}; there are: {', '.join(sorted(RECIPES))}")
    given = {key: value for key, value in changed.items() if value is not None}
    try:
        return TrainingRecipe.model_validate({**RECIPES[name].model_dump(), **given})
    except ValidationError as error:
        fault = error.errors()[0]
        raise UsageError(f"--{str(fault['loc'][0]).replace('_', '-')}: {fault['msg'].lower()}") from error
