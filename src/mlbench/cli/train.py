"""`mlbench train`: training examples, fine-tuning, and answers of local models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from mlbench.cli.options import Tokenizer, at_least
from mlbench.records import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mlbench.training.export import TrainingSet
    from mlbench.training.recipes import Dtype, TrainingRecipe

train = typer.Typer(help="Fine-tune a model on a suite's training rows.", no_args_is_help=True)

SuiteName = Annotated[str, typer.Argument(help="Name of a suite (`mlbench list suites`), or the path of its folder.")]
Split = Annotated[str, typer.Option(help="Training split: id_train or ood_train.")]
SettingName = Annotated[str, typer.Option("--setting", help="What prompts show: oracle, readme, retrieval or code.")]
ContextTokens = Annotated[int, typer.Option(help="The model's context window in tokens, its reply included.")]
ReplyTokens = Annotated[int | None, typer.Option(help="Tokens that prompts leave free for the reply.")]
RowLimit = Annotated[
    int | None,
    typer.Option("--limit", help="Use at most this many rows, spread over the split; a higher limit adds to them."),
]
Against = Annotated[
    list[Path] | None,
    typer.Option(help="Folder of a further suite, such as twins, whose test rows must not leak; may be repeated."),
]


@train.command("export")
def train_export(
    suite: SuiteName,
    output: Annotated[Path, typer.Option("--output", "-o", help="New folder to write the examples into.")],
    split: Split = "id_train",
    setting: SettingName = "oracle",
    context_tokens: ContextTokens = 8192,
    reply_tokens: ReplyTokens = None,
    tokenizer: Tokenizer = "estimate",
    limit: RowLimit = None,
    against: Against = None,
) -> None:
    """Write training examples for TRL, axolotl, LLaMA-Factory and unsloth.

    A prompt is the one that `mlbench eval` shows, byte for byte. Rows that give a test row away are left out, and
    rows that are longer than the context.
    """
    from mlbench.training.export import write_training_set

    if output.exists():
        raise UsageError(f"{output}: exists already; name a new folder with -o")
    made = made_set(suite, split, setting, context_tokens, reply_tokens, tokenizer, limit, against)
    write_training_set(made, output)
    print(f"{len(made.examples)} examples of {split}, setting {setting}: {output}/README.md is their datasheet")
    if made.leaks or made.too_long:
        print(f"left out: {len(made.leaks)} that give a test row away, {len(made.too_long)} longer than the context")


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


ModelPath = Annotated[str, typer.Option("--model", help="The model: a folder, also with one GGUF file, or a Hub name.")]
RecipeName = Annotated[str, typer.Option("--recipe", help="Hyper-parameters: default or paper.")]
Batch = Annotated[int, typer.Option(help="Prompts at the same time.")]
Temperature = Annotated[float, typer.Option(help="Sampling temperature; 0 is greedy.")]
MaxTokens = Annotated[int, typer.Option(help="Maximum tokens of one reply.")]
Adapter = Annotated[Path | None, typer.Option(help="Folder of a LoRA adapter that is put on the model.")]
Seed = Annotated[int, typer.Option(help="Seed of the sampling.")]
DtypeName = Annotated[
    str,
    typer.Option("--dtype", help="Type of the weights: auto (bfloat16 on a GPU, else float32), float32 or bfloat16."),
]


@train.command("run")
def train_run(
    suite: SuiteName,
    model: ModelPath,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the run; the same one continues it.")],
    split: Split = "id_train",
    setting: SettingName = "oracle",
    examples: Annotated[
        Path | None, typer.Option(help="Train on this file of `train export` or `train sample` instead.")
    ] = None,
    recipe: RecipeName = "default",
    full: Annotated[bool, typer.Option("--full", help="Train all weights instead of a LoRA adapter.")] = False,
    epochs: Annotated[float | None, typer.Option(help="Epochs, instead of the recipe's.")] = None,
    learning_rate: Annotated[float | None, typer.Option(help="Learning rate, instead of the recipe's.")] = None,
    batch_size: Annotated[int | None, typer.Option(help="Examples per step, instead of the recipe's.")] = None,
    held_out: Annotated[
        float | None,
        typer.Option(help="Share of the examples for the held-out loss, instead of the recipe's; 0: none."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed, instead of the recipe's.")] = None,
    context_tokens: ContextTokens = 8192,
    dtype: DtypeName = "auto",
    limit: RowLimit = None,
) -> None:
    """Fine-tune a model; the same command continues an interrupted run.

    Several GPUs: `accelerate launch -m mlbench train run …`.
    """
    from mlbench.training.export import write_training_set
    from mlbench.training.fine_tune import TuneConfig, fine_tune
    from mlbench.training.models import refuse_without_extra

    refuse_without_extra()
    at_least(1, batch_size=batch_size, context_tokens=context_tokens)
    changed = {"epochs": epochs, "learning_rate": learning_rate, "batch_size": batch_size, "seed": seed}
    changed["held_out"] = held_out
    file = examples or output / "examples" / "prompt_completion.jsonl"
    if examples is None and not file.exists():
        made = made_set(suite, split, setting, context_tokens, None, "estimate", limit, None)
        output.mkdir(parents=True, exist_ok=True)
        write_training_set(made, output / "examples")
    config = TuneConfig(
        examples=file.resolve(),
        model=model,
        method="full" if full else "lora",
        recipe=known_recipe(recipe, changed),
        context_tokens=context_tokens,
        dtype=known_dtype(dtype),
    )
    print(f"tuned model: {fine_tune(config, output)}; its curve: {output / 'curve.csv'}")


@train.command("generate")
def train_generate(
    suite: SuiteName,
    model: ModelPath,
    output: Annotated[Path, typer.Option("--output", "-o", help="File of the answers; the same one is continued.")],
    split: Annotated[str, typer.Option(help="Split of the suite: full, quarter, id_train or ood_train.")] = "full",
    setting: SettingName = "oracle",
    adapter: Adapter = None,
    k: Annotated[int, typer.Option("-k", help="Replies per row.")] = 1,
    temperature: Temperature = 0.0,
    max_tokens: MaxTokens = 512,
    batch: Batch = 8,
    seed: Seed = 0,
    context_tokens: ContextTokens = 8192,
    dtype: DtypeName = "auto",
    limit: RowLimit = None,
) -> None:
    """Answer rows with a local model, in batches, for `mlbench verify`.

    Generation and judging can then happen on different machines.
    """
    from mlbench.prompts.context import Context
    from mlbench.prompts.settings import known_setting
    from mlbench.scoring.runtime import checkouts_of
    from mlbench.suites.selection import spread
    from mlbench.suites.suite import known_split, load_suite
    from mlbench.training.examples import training_examples
    from mlbench.training.generate import Sampling, answered, answers, local_generator
    from mlbench.training.models import load_model, load_tokenizer, refuse_without_extra

    at_least(1, k=k, batch=batch, max_tokens=max_tokens, limit=limit)
    known_split(split)
    refuse_without_extra()
    loaded = load_suite(suite)
    context = Context(context_tokens, reply=max_tokens)
    rows = spread(loaded.splits[split], limit)
    prompts = list(training_examples(loaded, rows, known_setting(setting), checkouts_of(loaded), context))
    sampling = Sampling(k=k, temperature=temperature, max_tokens=max_tokens, batch=batch, seed=seed)
    done = answered(output)
    generator = local_generator(load_model(model, adapter, known_dtype(dtype)), load_tokenizer(model), sampling)
    count = len(done)
    with output.open("a", encoding="utf-8") as stream:
        for answer in answers(prompts, {row.id: row.github_id for row in rows}, generator, sampling, done):
            stream.write(answer.line())
            stream.flush()
            count += 1
            print(f"\r{count} of {len(prompts)} rows", end="", flush=True)
    print(f"\nanswers: {output}; judge them with `mlbench verify {output} --suite {suite}`")


@train.command("sample")
def train_sample(
    suite: SuiteName,
    answers: Annotated[Path, typer.Option(help="Answers to training rows, of `mlbench train generate -k`.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="New file of training examples.")],
    split: Split = "id_train",
    setting: SettingName = "oracle",
    context_tokens: ContextTokens = 8192,
) -> None:
    """Keep a model's own right answers as training examples.

    This is rejection sampling: an answer is right if the policy interface passes it.
    """
    import json

    from mlbench.suites.outputs import read_outputs
    from mlbench.suites.suite import load_suite
    from mlbench.training.generate import RowAnswer
    from mlbench.training.rejection import SamplingCounts, right_answers
    from mlbench.training.rewards import interface

    if output.exists():
        raise UsageError(f"{output}: exists already; name a new file with -o")
    given = read_outputs(answers, load_suite(suite)).attempts
    replies: dict[int, list[str]] = {}
    for attempt in given:
        replies.setdefault(attempt.sample.id, []).append(attempt.reply or "")
    made = made_set(suite, split, setting, context_tokens, None, "estimate", None, None)
    prompts = {example.row: example for example in made.examples}
    if foreign := [row for row in replies if row not in prompts]:
        raise UsageError(f"{answers}: row {foreign[0]} is no training row of {split}; only those may be trained on")
    counts = SamplingCounts()
    with interface(suite) as reward, output.open("w", encoding="utf-8") as stream:
        for example in right_answers(
            (RowAnswer(row, 0, tuple(some)) for row, some in replies.items()), prompts, reward, counts
        ):
            stream.write(json.dumps(example.record(), ensure_ascii=False) + "\n")
    print(f"{output}: {counts.kept} examples of {counts.right} right replies ({counts.replies} to {counts.rows} rows)")
    if counts.undecided:
        print(f"{counts.undecided} replies could not be checked on this machine")


@train.command("grpo")
def train_grpo(
    suite: SuiteName,
    model: ModelPath,
    output: Annotated[Path, typer.Option("--output", "-o", help="New folder of the run.")],
    split: Split = "id_train",
    setting: SettingName = "oracle",
    recipe: RecipeName = "default",
    generations: Annotated[int, typer.Option(help="Replies of one group.")] = 8,
    steps: Annotated[int, typer.Option(help="Updates; -1 for the recipe's epochs.")] = -1,
    batch_size: Annotated[int | None, typer.Option(help="Groups per step, instead of the recipe's.")] = None,
    temperature: Temperature = 1.0,
    max_tokens: MaxTokens = 256,
    context_tokens: ContextTokens = 8192,
    limit: RowLimit = None,
) -> None:
    """Train with GRPO; the interface check is the reward."""
    from mlbench.training.grpo import GrpoConfig, grpo
    from mlbench.training.models import refuse_without_extra

    refuse_without_extra()
    at_least(2, generations=generations)
    if output.exists():
        raise UsageError(f"{output}: exists already; name a new folder with -o")
    made = made_set(suite, split, setting, context_tokens, max_tokens, "estimate", limit, None)
    own = GrpoConfig(generations=generations, max_tokens=max_tokens, temperature=temperature, steps=steps)
    output.mkdir(parents=True)
    tuned = grpo(suite, made.examples, model, known_recipe(recipe, {"batch_size": batch_size}), own, output)
    print(f"tuned model: {tuned}; its rewards: {output / 'rewards.jsonl'}")


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
