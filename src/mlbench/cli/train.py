"""`mlbench train`: training examples, fine-tuning, and answers of local models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mlbench.cli.options import Tokenizer, at_least
from mlbench.cli.train_options import (
    known_dtype,
    known_recipe,
    made_set,
    only_config,
    refuse_no_folder,
    training_rows,
    tune_config,
)
from mlbench.records import UsageError

train = typer.Typer(help="Fine-tune a model on a suite's training rows.", no_args_is_help=True)

SuiteName = Annotated[str, typer.Argument(help="Name of a suite (`mlbench list suites`), or the path of its folder.")]
Split = Annotated[str, typer.Option(help="Training split: id_train or ood_train.")]
SettingName = Annotated[str, typer.Option("--setting", help="What prompts show: oracle, readme, retrieval or code.")]
ContextTokens = Annotated[int, typer.Option(help="The model's context window in tokens, its reply included.")]
ReplyTokens = Annotated[
    int | None, typer.Option(help="Tokens that prompts leave free for the reply (default: as `mlbench eval`).")
]
RowLimit = Annotated[
    int | None,
    typer.Option("--limit", help="Use at most this many rows, spread over the split; a higher limit keeps them."),
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
    """Write training examples in common formats.

    The trainers TRL, axolotl, LLaMA-Factory and unsloth read them.

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
    context: typer.Context,
    suite: Annotated[
        str | None, typer.Argument(help="Name of a suite (`mlbench list suites`), or the path of its folder.")
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", help="The model: a folder, also with one GGUF file, or a Hub name.")
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder of the run; the same one continues it.")
    ] = Path("run"),
    config: Annotated[
        Path | None, typer.Option("--config", help="The run.yaml of a run to make again, instead of other options.")
    ] = None,
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
    reply_tokens: ReplyTokens = None,
    dtype: DtypeName = "auto",
    limit: RowLimit = None,
) -> None:
    """Fine-tune a model, or continue an interrupted run.

    The same command with the same folder continues the run.
    Several GPUs: `accelerate launch -m mlbench train run --config run.yaml -o DIR`.
    """
    from mlbench.training.models import refuse_without_extra
    from mlbench.training.tune_config import read_config

    refuse_without_extra()
    if config is None:
        changed = {"epochs": epochs, "learning_rate": learning_rate, "batch_size": batch_size, "seed": seed}
        changed["held_out"] = held_out
        at_least(1, batch_size=batch_size, context_tokens=context_tokens, reply_tokens=reply_tokens, limit=limit)
        rows = examples.resolve() if examples else training_rows(suite, split, setting, reply_tokens, limit)
        asked = tune_config(rows, model, full, known_recipe(recipe, changed), context_tokens, known_dtype(dtype))
    else:
        only_config(context)
        asked = read_config(config)
    from mlbench.training.fine_tune import fine_tune, is_first_process

    tuned = fine_tune(asked, output)
    if is_first_process():
        drawn = _draw_curve(output)
        print(f"tuned model: {tuned}; its curve: {drawn}")


def _draw_curve(folder: Path) -> Path:
    """Draw the losses of a run if the extra `report` is installed; returns the file to look at."""
    from mlbench.atomic_write import write_file
    from mlbench.results.training_curve import training_curve

    table = folder / "curve.csv"
    drawn = training_curve(table.read_text(encoding="utf-8"))
    return write_file(folder / "curve.svg", drawn) if drawn else table


@train.command("generate")
def train_generate(
    suite: SuiteName,
    model: ModelPath,
    output: Annotated[Path, typer.Option("--output", "-o", help="File of the answers; the same one is continued.")],
    split: Annotated[str, typer.Option(help="Split of the suite: full, quarter, id_train or ood_train.")] = "full",
    setting: SettingName = "oracle",
    adapter: Adapter = None,
    name: Annotated[
        str | None, typer.Option(help="Name of the model in tables (default: of its base's folder, or on the Hub).")
    ] = None,
    k: Annotated[int, typer.Option("-k", help="Replies per row.")] = 1,
    temperature: Temperature = 0.0,
    max_tokens: MaxTokens = 512,
    batch: Batch = 8,
    seed: Seed = 0,
    context_tokens: ContextTokens = 8192,
    reply_tokens: ReplyTokens = None,
    dtype: DtypeName = "auto",
    limit: RowLimit = None,
) -> None:
    """Answer rows with a local model; `verify` judges them.

    Generation and judging can then happen on different machines. Each line says which model made it, what it was tuned
    on, and what it was shown.
    """
    from mlbench.prompts.context import Context
    from mlbench.prompts.settings import known_setting
    from mlbench.scoring.runtime import checkouts_of
    from mlbench.suites.answered_by import AnsweredBy
    from mlbench.suites.selection import spread
    from mlbench.suites.suite import known_split, load_suite
    from mlbench.training.examples import training_examples
    from mlbench.training.fine_tune import full_disk_named
    from mlbench.training.generate import Sampling, answered, answers, local_generator
    from mlbench.training.models import load_model, load_tokenizer, refuse_without_extra
    from mlbench.training.tuned_model import asked_repositories, tuned_model

    at_least(0, temperature=temperature)
    at_least(1, k=k, batch=batch, max_tokens=max_tokens, limit=limit, reply_tokens=reply_tokens)
    known_split(split)
    refuse_no_folder(output)
    refuse_without_extra()
    loaded = load_suite(suite)
    context = Context(context_tokens, reply=reply_tokens)
    if max_tokens > context.reserve:
        raise UsageError(f"--max-tokens {max_tokens}: prompts leave {context.reserve} tokens; raise --reply-tokens")
    tuned = tuned_model(model, adapter)
    maker = AnsweredBy.model_validate(
        {
            "model": name or tuned.model,
            "tuned_on": tuned.beside(twins.of.suite if (twins := loaded.twin_file) else loaded.name),
            "tuned_repositories": tuned.compared_with(asked_repositories(loaded, split)),
            "split": split,
            "setting": known_setting(setting),
            "context_tokens": context_tokens,
            "reply_tokens": context.reserve,
            "temperature": temperature,
            "max_tokens": max_tokens,
            "seed": seed,
        }
    )
    done = answered(output, maker)
    rows = spread(loaded.splits[split], limit)
    if not rows:
        raise UsageError(f"split {split} of {loaded.name} has no rows")
    prompts = list(training_examples(loaded, rows, known_setting(setting), checkouts_of(loaded), context))
    sampling = Sampling(k=k, temperature=temperature, max_tokens=max_tokens, batch=batch, seed=seed)
    generator = local_generator(load_model(model, adapter, known_dtype(dtype)), load_tokenizer(model), sampling)
    count = len(done)
    with full_disk_named(output), output.open("a", encoding="utf-8") as stream:
        for answer in answers(prompts, {row.id: row.github_id for row in rows}, generator, sampling, done):
            stream.write(answer.line(maker))
            stream.flush()
            count += 1
            print(f"\r{count} of {len(prompts)} rows", end="", flush=True)
    print(f"\nanswers: {output}; judge them with `mlbench verify {output} --suite {suite}`")


@train.command("merge")
def train_merge(
    model: ModelPath,
    output: Annotated[Path, typer.Option("--output", "-o", help="New folder of the model.")],
    adapter: Adapter = None,
    dtype: DtypeName = "auto",
) -> None:
    """Write a model with its adapter as one folder.

    Any program that loads models of transformers reads it, such as Inspect's hf/, and a further run can start from it.
    Without --adapter, a GGUF file becomes such a folder.
    """
    from mlbench.training.models import refuse_without_extra

    refuse_without_extra()
    if output.exists():
        raise UsageError(f"{output}: exists already; name a new folder with -o")
    refuse_no_folder(output)
    from mlbench.training.merge import merge

    print(f"model: {merge(model, adapter, known_dtype(dtype), output)}")


@train.command("sample")
def train_sample(
    suite: SuiteName,
    answers: Annotated[Path, typer.Option(help="Answers to training rows, of `mlbench train generate -k`.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="New file of training examples.")],
) -> None:
    """Keep a model's own right answers as training examples.

    This is rejection sampling: an answer is right if the policy interface passes it. Prompts are those of the answers.
    """
    import json

    from mlbench.atomic_write import open_file
    from mlbench.suites.outputs import read_outputs
    from mlbench.suites.suite import load_suite
    from mlbench.training.fine_tune import full_disk_named
    from mlbench.training.generate import RowAnswer
    from mlbench.training.rejection import SamplingCounts, right_answers
    from mlbench.training.rewards import interface

    if output.exists():
        raise UsageError(f"{output}: exists already; name a new file with -o")
    refuse_no_folder(output)
    given = read_outputs(answers, load_suite(suite))
    maker = given.answered_by
    if maker is None:
        raise UsageError(f"{answers}: does not say what made the answers (`answered_by`); use `mlbench train generate`")
    replies: dict[int, list[str]] = {}
    for attempt in given.attempts:
        replies.setdefault(attempt.sample.id, []).append(attempt.reply or "")
    words = (maker.split, maker.setting, maker.context_tokens, maker.reply_tokens)
    made = made_set(suite, *words, "estimate", None, None)
    prompts = {example.row: example for example in made.examples}
    left_out = {*made.too_long, *(leak.row for leak in made.leaks)}
    replies = {row: some for row, some in replies.items() if row not in left_out}
    if foreign := [row for row in replies if row not in prompts]:
        raise UsageError(
            f"{answers}: row {foreign[0]} is no training row of {maker.split}; only those may be trained on"
        )
    counts = SamplingCounts()
    answered = (RowAnswer(row, 0, tuple(some)) for row, some in replies.items())
    # the file appears when it is complete, so that an interrupted command can be given again
    with (
        interface(suite) as reward,
        full_disk_named(output, "then give the same command again"),
        open_file(output) as stream,
    ):
        for example in right_answers(answered, prompts, reward, counts):
            stream.write(json.dumps(made.columns | example.record(), ensure_ascii=False).encode() + b"\n")
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
    learning_rate: Annotated[float | None, typer.Option(help="Learning rate, instead of the recipe's.")] = None,
    temperature: Temperature = 1.0,
    max_tokens: MaxTokens = 256,
    context_tokens: ContextTokens = 8192,
    reply_tokens: ReplyTokens = None,
    dtype: DtypeName = "auto",
    limit: RowLimit = None,
) -> None:
    """Train with GRPO; the interface check is the reward."""
    from mlbench.training.grpo import GrpoConfig, grpo
    from mlbench.training.models import refuse_without_extra
    from mlbench.training.tuned_model import suite_split

    refuse_without_extra()
    at_least(2, generations=generations)
    at_least(1, max_tokens=max_tokens, steps=None if steps == -1 else steps)
    if temperature <= 0:
        raise UsageError(f"--temperature {temperature}: replies of one group have to differ; give more than 0")
    if output.exists():
        raise UsageError(f"{output}: exists already; name a new folder with -o")
    made = made_set(suite, split, setting, context_tokens, reply_tokens, "estimate", limit, None)
    own = GrpoConfig(generations=generations, max_tokens=max_tokens, temperature=temperature, steps=steps)
    recipe_of = known_recipe(recipe, {"batch_size": batch_size, "learning_rate": learning_rate})
    of = suite_split(made.columns)
    tuned = grpo(suite, of, made.examples, model, recipe_of, own, output, context_tokens, known_dtype(dtype))
    print(f"tuned model: {tuned}; its rewards: {output / 'rewards.jsonl'}")
