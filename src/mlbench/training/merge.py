"""Write a model with its adapter as one folder of transformers."""

from __future__ import annotations

from pathlib import Path

from mlbench.atomic_write import new_folder
from mlbench.training.fine_tune import full_disk_named
from mlbench.training.models import load_model, load_tokenizer
from mlbench.training.recipes import Dtype
from mlbench.training.tuned_model import tuned_model, write_record


def merge(model: str, adapter: Path | None, dtype: Dtype, folder: Path) -> Path:
    """Write all weights of a model and its tokenizer; returns the folder.

    Args:
        model: a folder, a folder with one GGUF file, or a name on the Hub.
        adapter: folder of a LoRA adapter whose changes are added to the weights; None writes the model as it is.
        dtype: of the written weights.
        folder: it must not exist.

    Raises:
        UsageError: the model cannot be loaded, or the adapter is of another base.
        RunError: memory or disk is not enough.
    """
    about, tokenizer = tuned_model(model, adapter), load_tokenizer(model)
    loaded = load_model(model, adapter, dtype)
    if adapter is not None:
        loaded = loaded.merge_and_unload()
    with full_disk_named(folder), new_folder(folder) as building:
        loaded.save_pretrained(building)
        tokenizer.save_pretrained(building)
        write_record(building, about)
    return folder
