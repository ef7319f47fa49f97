"""Supervised fine-tuning with TRL: completion-only loss, checkpoints that survive a kill, a held-out loss."""

from __future__ import annotations

import csv
import errno
import json
import math
import os
import random
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypedDict

from mlbench.atomic_write import write_file
from mlbench.prompts.context import Context
from mlbench.records import RunError, UsageError
from mlbench.scoring.runtime import checkouts_of
from mlbench.suites.suite import load_suite
from mlbench.training.examples import Message
from mlbench.training.export import training_set, write_training_set
from mlbench.training.models import (
    load_model,
    load_tokenizer,
    lora_config,
    out_of_memory_named,
    packs_apart,
    refuse_long_context,
)
from mlbench.training.recipes import TrainingRecipe
from mlbench.training.tune_config import TuneConfig, refuse_another_run, write_config
from mlbench.training.tuned_model import known_repositories, suite_split, write_tuned

KNOBS = "--context-tokens or --batch-size (and raise the recipe's accumulate)"
CHECKPOINTS = "checkpoints"
_FULL_DISK = ("No space left", "file write failed", "PytorchStreamWriter", "inline_container")
"""What writers of checkpoints say if the disk is full."""
EVALUATIONS = 4
"""How often an epoch is evaluated and saved."""


class ExampleRecord(TypedDict):
    """What training reads of an example.

    Attributes:
        split: the split of its row, as `suite_split` names it.
        github: the address of its repository; None if the example does not say it.
    """

    prompt: list[Message]
    completion: list[Message]
    split: str
    github: str | None


def fine_tune(config: TuneConfig, folder: Path) -> Path:
    """Train a model, or go on from its last complete checkpoint; returns the folder of the tuned model.

    The folder gets `run.yaml`, `examples/`, `checkpoints/`, `curve.csv`, `summary.json` and `model/`.

    Args:
        config: the run.
        folder: a new folder, or one of the same run that was interrupted.

    Raises:
        UsageError: the examples or the model cannot be used, or the folder holds another run.
        RunError: memory or disk is not enough; the last complete checkpoint stays.
    """
    import torch
    from transformers import EarlyStoppingCallback
    from trl import SFTConfig

    recipe = config.recipe
    # a model that cannot be used claims no folder, so that the same folder can be named with another one
    refuse_another_run(folder, config)
    tokenizer, model = load_tokenizer(config.model), load_model(config.model, dtype=config.dtype)
    refuse_long_context(config.model, model, config.context_tokens)
    with full_disk_named(folder), _first_alone():
        records = read_examples(_claimed(folder, config))
    train, held_out = divided(fitting(records, tokenizer, config.context_tokens), recipe.held_out, recipe.seed)
    # a share of all updates, however many packing and devices make of them
    every = 1 / (EVALUATIONS * math.ceil(recipe.epochs))
    on_gpu = torch.cuda.is_available()
    arguments = SFTConfig(
        output_dir=str(folder / CHECKPOINTS),
        max_length=config.context_tokens,
        completion_only_loss=True,
        packing=recipe.packing and packs_apart(),
        learning_rate=recipe.learning_rate,
        num_train_epochs=recipe.epochs,
        per_device_train_batch_size=recipe.batch_size,
        per_device_eval_batch_size=recipe.batch_size,
        gradient_accumulation_steps=recipe.accumulate,
        lr_scheduler_type="cosine" if recipe.schedule == "cosine" else "constant",
        warmup_steps=recipe.warmup,
        gradient_checkpointing=on_gpu,
        bf16=on_gpu and torch.cuda.is_bf16_supported(),
        use_cpu=not on_gpu,
        eval_strategy="steps" if held_out else "no",
        eval_steps=every if held_out else None,
        save_strategy="steps",
        save_steps=every,
        save_total_limit=2,
        load_best_model_at_end=bool(held_out and recipe.patience),
        metric_for_best_model="eval_loss",
        logging_steps=1,
        report_to="none",
        seed=recipe.seed,
        data_seed=recipe.seed,
    )
    callbacks = [EarlyStoppingCallback(recipe.patience)] if held_out and recipe.patience else []
    trainer = _trainer(recipe)(
        model=model,
        args=arguments,
        train_dataset=_dataset(train),
        eval_dataset=_dataset(held_out) if held_out else None,
        processing_class=tokenizer,
        peft_config=lora_config(recipe) if config.method == "lora" else None,
        callbacks=callbacks,
    )
    with out_of_memory_named(KNOBS), full_disk_named(folder):
        trainer.train(resume_from_checkpoint=last_checkpoint(folder / CHECKPOINTS))
        if is_first_process():
            trainer.save_model(str(folder / "model"))
            tokenizer.save_pretrained(str(folder / "model"))
            repositories = known_repositories(record["github"] for record in train)
            write_tuned(folder / "model", config.model, {record["split"] for record in train}, repositories)
            _write_history(trainer.state.log_history, folder)
    return folder / "model"


def _claimed(folder: Path, config: TuneConfig) -> Path:
    """Claim the folder for a run, write its examples if there are none yet, and return their file.

    Raises:
        UsageError: the folder holds something else, or the rows cannot be used.
        RunError: the folder cannot be written.
    """
    again = refuse_another_run(folder, config)
    rows = config.examples
    if isinstance(rows, Path):
        if not again:
            read_examples(rows)  # a wrong file claims no folder
            write_config(folder, config)
        return rows
    file = folder / "examples" / "prompt_completion.jsonl"
    if not (again and file.exists()):
        suite = load_suite(rows.suite)
        context = Context(config.context_tokens, reply=rows.reply_tokens)
        made = training_set(suite, rows.split, rows.setting, checkouts_of(suite), context, limit=rows.limit)
        write_config(folder, config)
        write_training_set(made, folder / "examples")
    return file


def is_first_process() -> bool:
    """Whether this process is the one that writes, of those that `accelerate launch` starts."""
    return int(os.environ.get("RANK", "0")) == 0


@contextmanager
def _first_alone() -> Iterator[None]:
    """Of the processes that `accelerate launch` starts, let the first one through before the others."""
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        yield
        return
    import torch
    from accelerate import PartialState

    with PartialState(cpu=not torch.cuda.is_available()).main_process_first():
        yield


def _dataset(records: Sequence[ExampleRecord]) -> Any:
    from datasets import Dataset

    return Dataset.from_list([{"prompt": each["prompt"], "completion": each["completion"]} for each in records])


def read_examples(file: Path) -> list[ExampleRecord]:
    """Read prompt-completion records.

    Raises:
        UsageError: the file cannot be read, is empty, or a line is no such record.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: cannot be read ({getattr(error, 'strerror', None) or 'no text'})") from error
    records: list[ExampleRecord] = []
    for number, line in enumerate(filter(str.strip, lines), start=1):
        try:
            record = json.loads(line)
            texts: ExampleRecord = {
                "prompt": _messages(record["prompt"]),
                "completion": _messages(record["completion"]),
                "split": suite_split(record),
                "github": record.get("github"),
            }
            records.append(texts)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(
                f"{file}, line {number}: no `prompt` and `completion` as lists of messages; see mlbench train export"
            ) from error
    if len(records) < 2:
        raise UsageError(f"{file}: {len(records)} examples; at least 2 are needed, one of them held out")
    return records


def _messages(value: Any) -> list[Message]:
    """The messages of a prompt or a completion.

    Raises:
        KeyError, TypeError, ValueError: it is no list of messages.
    """
    messages: list[Message] = [{"role": each["role"], "content": each["content"]} for each in value]
    if not messages or not all(isinstance(text, str) for each in messages for text in (each["role"], each["content"])):
        raise ValueError("no list of messages")
    return messages


def fitting(records: Sequence[ExampleRecord], tokenizer: Any, context_tokens: int) -> list[ExampleRecord]:
    """The records that fit the context by the model's own tokenizer, so that no reference is cut.

    Args:
        records: the examples.
        tokenizer: the model's, with a chat template.
        context_tokens: the longest sequence.

    Raises:
        UsageError: fewer than 2 fit.
    """
    texts = [tokenizer.apply_chat_template([*r["prompt"], *r["completion"]], tokenize=False) for r in records]
    lengths = [len(ids) for ids in tokenizer(texts, add_special_tokens=False)["input_ids"]]
    kept = [record for record, length in zip(records, lengths, strict=True) if length <= context_tokens]
    if len(kept) < 2:
        raise UsageError(f"--context-tokens {context_tokens}: {len(kept)} of {len(records)} examples fit; raise it")
    if len(kept) < len(records):
        print(f"{len(records) - len(kept)} of {len(records)} examples exceed {context_tokens} tokens and are left out")
    return kept


def divided(
    records: Sequence[ExampleRecord], held_out: float, seed: int
) -> tuple[list[ExampleRecord], list[ExampleRecord]]:
    """Shuffle the records, and split them into those to train on and those held out.

    At least one is held out unless the share is 0.

    Args:
        records: the examples.
        held_out: share of them.
        seed: of the shuffle.
    """
    order = list(records)
    random.Random(seed).shuffle(order)
    count = max(1, round(len(order) * held_out)) if held_out else 0
    return order[count:], order[:count]


def last_checkpoint(folder: Path) -> str | None:
    """The newest complete checkpoint; incomplete ones are removed.

    The trainer writes `trainer_state.json` last, so a checkpoint without it was cut off.
    """
    found = []
    for each in folder.glob("checkpoint-*"):
        try:
            step = int(json.loads((each / "trainer_state.json").read_text(encoding="utf-8"))["global_step"])
            found.append((step, each))
        except (OSError, ValueError, KeyError, TypeError):
            shutil.rmtree(each, ignore_errors=True)
    return str(max(found)[1]) if found else None


def _trainer(recipe: TrainingRecipe) -> type[Any]:
    """TRL's trainer; with the recipe's step decay, which transformers does not have."""
    from torch.optim.lr_scheduler import LambdaLR
    from trl import SFTTrainer

    base: type[Any] = SFTTrainer
    if recipe.schedule != "step":
        return base

    class StepDecayTrainer(base):  # type: ignore[misc]
        lr_scheduler: Any

        def create_scheduler(self, num_training_steps: int, optimizer: Any = None) -> Any:
            """Multiply the learning rate by the recipe's decay after each epoch."""
            if self.lr_scheduler is None:
                updates = max(1, round(num_training_steps / recipe.epochs))
                self.lr_scheduler = LambdaLR(
                    optimizer or self.optimizer, lambda step: recipe.decay ** (step // updates)
                )
            return self.lr_scheduler

    return StepDecayTrainer


@contextmanager
def full_disk_named(folder: Path, then: str = "then the same command goes on") -> Iterator[None]:
    """Turn the error of a full disk into one line; the last complete checkpoint stays.

    Args:
        folder: where the files were to go.
        then: what to do when there is space.

    Raises:
        RunError: the disk is full.
    """
    try:
        yield
    except Exception as error:  # each writer has its own kind; torch's does not keep the system's error
        full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        if not (full or any(mark in str(error) for mark in _FULL_DISK)):
            raise
        raise RunError(f"{folder}: the disk is full; free space, {then}") from error


def _write_history(history: Sequence[Mapping[str, float]], folder: Path) -> None:
    """Write the curve (losses by step) and a summary."""
    columns = ("step", "epoch", "loss", "eval_loss", "learning_rate")
    rows = [entry for entry in history if "loss" in entry or "eval_loss" in entry]
    with (folder / "curve.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    losses = [entry["loss"] for entry in rows if "loss" in entry]
    held_out = [entry["eval_loss"] for entry in rows if "eval_loss" in entry]
    summary = {
        "steps": max((entry["step"] for entry in rows), default=0),
        "last_loss": losses[-1] if losses else None,
        "best_held_out_loss": min(held_out, default=None),
        "last_held_out_loss": held_out[-1] if held_out else None,
    }
    write_file(folder / "summary.json", json.dumps(summary, indent=2) + "\n")
