"""How a model is trained: the paper's configuration, and one that today's practice prefers."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Method = Literal["lora", "full"]
Dtype = Literal["auto", "float32", "bfloat16"]
"""Type of the weights; `auto` is bfloat16 on a GPU that has it, else float32."""


class TrainingRecipe(BaseModel):
    """Hyper-parameters of a fine-tuning run.

    Attributes:
        learning_rate, epochs, batch_size: `batch_size` counts examples per device and step.
        accumulate: steps whose gradients are summed up before an update.
        schedule: `step` multiplies the learning rate by `decay` after each epoch; `cosine` falls to zero.
        warmup: share of the updates in which the learning rate rises.
        held_out: share of the rows that measure the held-out loss; 0 measures none.
        patience: evaluations without a better held-out loss after which training stops; 0 never stops early.
        packing: join short examples to one sequence.
        lora_rank, lora_alpha, lora_dropout, lora_targets: of LoRA; the targets `all-linear` are PEFT's.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    learning_rate: float = Field(gt=0)
    epochs: float = Field(gt=0)
    batch_size: int = Field(gt=0)
    accumulate: int = Field(default=1, gt=0)
    schedule: Literal["step", "cosine"]
    decay: float = Field(default=0.85, gt=0, le=1)
    warmup: float = Field(default=0.0, ge=0, lt=1)
    held_out: float = Field(ge=0, lt=1)
    patience: int = Field(default=0, ge=0)
    packing: bool
    lora_rank: int = Field(gt=0)
    lora_alpha: int = Field(gt=0)
    lora_dropout: float = Field(ge=0, lt=1)
    lora_targets: tuple[str, ...] | Literal["all-linear"]
    seed: int = 42


RECIPES: dict[str, TrainingRecipe] = {
    "paper": TrainingRecipe(
        learning_rate=1e-4,
        epochs=3,
        batch_size=4,
        schedule="step",
        decay=0.85,
        held_out=0.1,
        packing=True,
        lora_rank=8,
        lora_alpha=32,
        lora_dropout=0.05,
        lora_targets=("q_proj", "v_proj"),
    ),
    "default": TrainingRecipe(
        learning_rate=2e-4,
        epochs=3,
        batch_size=4,
        accumulate=4,
        schedule="cosine",
        warmup=0.03,
        held_out=0.05,
        patience=3,
        packing=True,
        lora_rank=16,
        lora_alpha=32,
        lora_dropout=0.05,
        lora_targets="all-linear",
    ),
}
"""`paper`: as in the paper's published training code. `default`: LoRA on all linear layers, a cosine schedule."""
