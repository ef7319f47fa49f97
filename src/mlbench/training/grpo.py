"""Reinforcement learning with TRL's GRPO and the interface check as the reward."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from mlbench.atomic_write import write_file
from mlbench.records import UsageError
from mlbench.training.examples import TrainingExample
from mlbench.training.fine_tune import full_disk_named
from mlbench.training.models import load_model, load_tokenizer, lora_config, out_of_memory_named, refuse_long_context
from mlbench.training.recipes import Dtype, TrainingRecipe
from mlbench.training.rewards import interface
from mlbench.training.tuned_model import write_tuned

KNOBS = "--generations, --max-tokens or --batch-size"


class GrpoConfig(BaseModel):
    """Settings of a run that are GRPO's own.

    Attributes:
        generations: replies of one group, whose rewards are compared with each other.
        max_tokens: the longest reply.
        steps: updates; -1 for the recipe's epochs.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    generations: int = Field(default=8, ge=2)
    max_tokens: int = Field(default=256, gt=0)
    temperature: float = Field(default=1.0, gt=0)
    steps: int = -1


def grpo(
    suite: str,
    split: str,
    examples: Sequence[TrainingExample],
    model: str,
    recipe: TrainingRecipe,
    config: GrpoConfig,
    folder: Path,
    context_tokens: int,
    dtype: Dtype = "auto",
) -> Path:
    """Train an adapter with the reward of a suite; returns its folder.

    Args:
        suite: the suite of the examples' rows.
        split: their split with its suite, as `suite_split` names it.
        examples: prompts; their completions are not used.
        model: a folder, a folder with one GGUF file, or a name on the Hub.
        recipe: learning rate, batch size, LoRA.
        config: settings of GRPO.
        folder: a new folder; gets `model/`, `checkpoints/` and `rewards.jsonl`.
        context_tokens: of a prompt with its reply, at most.
        dtype: of the base model's weights.

    Raises:
        UsageError: the model cannot be used, or there are too few examples for an update.
        RunError: memory or disk is not enough.
    """
    import torch
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    needed = recipe.batch_size * recipe.accumulate
    if len(examples) < needed:
        raise UsageError(f"{len(examples)} rows, and one update takes {needed}: raise --limit or lower --batch-size")
    tokenizer, loaded = load_tokenizer(model), load_model(model, dtype=dtype)
    refuse_long_context(model, loaded, context_tokens)
    folder.mkdir(parents=True)
    on_gpu = torch.cuda.is_available()
    arguments = GRPOConfig(
        output_dir=str(folder / "checkpoints"),
        num_generations=config.generations,
        max_completion_length=config.max_tokens,
        temperature=config.temperature,
        learning_rate=recipe.learning_rate,
        num_train_epochs=recipe.epochs,
        max_steps=config.steps,
        per_device_train_batch_size=config.generations * recipe.batch_size,
        gradient_accumulation_steps=recipe.accumulate,
        gradient_checkpointing=on_gpu,
        bf16=on_gpu and torch.cuda.is_bf16_supported(),
        use_cpu=not on_gpu,
        logging_steps=1,
        save_total_limit=2,
        report_to="none",
        seed=recipe.seed,
    )
    records = [{"prompt": list(each.prompt), "row": each.row} for each in examples]
    with (
        full_disk_named(folder, "and name a new folder with -o"),
        interface(suite) as reward,
        out_of_memory_named(KNOBS),
    ):
        trainer = GRPOTrainer(
            model=loaded,
            reward_funcs=[reward],
            args=arguments,
            train_dataset=Dataset.from_list(records),
            processing_class=tokenizer,
            peft_config=lora_config(recipe),
        )
        trainer.train()
        trainer.save_model(str(folder / "model"))
        write_tuned(folder / "model", model, [split], {each.github for each in examples})
        history = [entry for entry in trainer.state.log_history if "reward" in entry]
        rewards = "".join(json.dumps({name: entry[name] for name in ("step", "reward")}) + "\n" for entry in history)
        write_file(folder / "rewards.jsonl", rewards)
    return folder / "model"
