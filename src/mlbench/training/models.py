"""Load a model, its tokenizer and an adapter with transformers and PEFT; every failure is one line."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mlbench.records import RunError, UsageError
from mlbench.training.recipes import Dtype, TrainingRecipe

NEEDED = ("torch", "transformers", "trl", "peft", "datasets")
"""The packages of the extra `train`."""
ADAPTER = "adapter_config.json"
_HUB_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")
_UNREACHABLE = ("couldn't connect", "offline mode", "name resolution")


def refuse_without_extra() -> None:
    """Report missing packages of the extra `train`.

    Raises:
        UsageError: at least one is not installed.
    """
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise UsageError(f"{', '.join(missing)} not installed: pip install 'mlbench-harness[train]'")


def load_tokenizer(model: str) -> Any:
    """Return a model's tokenizer.

    Args:
        model: a folder, a folder with one GGUF file, or a name on the Hub.

    Raises:
        UsageError: it cannot be loaded, or has no chat template.
    """
    from transformers import AutoTokenizer

    _refuse_no_model(model)
    with load_errors(model):
        tokenizer = AutoTokenizer.from_pretrained(model, **_gguf(model))
    if not tokenizer.chat_template:
        raise UsageError(f"{model}: its tokenizer has no chat template; use an instruction-tuned model")
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def load_model(model: str, adapter: Path | None = None, dtype: Dtype = "auto") -> Any:
    """Return a causal language model.

    Args:
        model: a folder, a folder with one GGUF file, or a name on the Hub.
        adapter: folder of a LoRA adapter that is put on it.
        dtype: of the weights.

    Raises:
        UsageError: it cannot be loaded, or the adapter is of another base.
    """
    import torch
    from transformers import AutoModelForCausalLM

    _refuse_no_model(model)
    if adapter is not None and not (adapter / ADAPTER).is_file():
        raise UsageError(f"{adapter}: no adapter ({ADAPTER} is missing)")
    if dtype == "auto":
        dtype = "bfloat16" if torch.cuda.is_available() and torch.cuda.is_bf16_supported() else "float32"
    attention = {"attn_implementation": "flash_attention_2"} if packs_apart() else {}
    with load_errors(model):
        loaded, found = AutoModelForCausalLM.from_pretrained(
            model, dtype=getattr(torch, dtype), output_loading_info=True, **attention, **_gguf(model)
        )
        _refuse_missing_weights(model, loaded, found["missing_keys"])
        if torch.cuda.is_available():
            loaded = loaded.to("cuda")
    if _gguf(model):
        # transformers unpacks the file to ordinary weights and still calls them quantized, which no trainer takes and
        # nothing saves
        loaded.is_quantized = False
        loaded.hf_quantizer = None
        if hasattr(loaded.config, "quantization_config"):
            del loaded.config.quantization_config
    if adapter is None:
        return loaded
    from peft import PeftModel

    try:
        return PeftModel.from_pretrained(loaded, str(adapter))
    except (RuntimeError, ValueError, KeyError, OSError) as error:
        base = json.loads((adapter / ADAPTER).read_text(encoding="utf-8")).get("base_model_name_or_path")
        why = "its weights have other sizes" if "size mismatch" in str(error) else _line(error)
        raise UsageError(f"{adapter}: does not fit {model}; its base is {base} ({why})") from error


def _refuse_no_model(model: str) -> None:
    """Refuse what is neither a folder with a model nor a name on the Hub.

    Raises:
        UsageError: it is none of them; says what it is.
    """
    folder = Path(model)
    if not folder.is_dir():
        if folder.exists() or not _HUB_NAME.fullmatch(model):
            raise UsageError(f"{model}: no such folder; name the folder of a model, or a name on the Hub")
        return
    names = {file.name for file in folder.iterdir()}
    if "config.json" in names or _gguf(model):
        return
    if ADAPTER in names:
        raise UsageError(f"{model}: an adapter; name its base with --model (`mlbench train merge` writes both as one)")
    raise UsageError(f"{model}: holds no model: neither config.json nor a GGUF file")


def refuse_long_context(model: str, loaded: Any, tokens: int) -> None:
    """Refuse a context that a loaded model was not made for.

    Raises:
        UsageError: the context is longer than the model's.
    """
    if (longest := window(loaded)) is not None and tokens > longest:
        raise UsageError(f"--context-tokens {tokens}: {model} was made for {longest}; give at most that")


def _refuse_missing_weights(model: str, loaded: Any, missing: Collection[str]) -> None:
    """Refuse a model some of whose weights are random, because its file does not have them.

    Raises:
        UsageError: weights are missing.
    """
    tied = {"lm_head.weight"} if getattr(loaded.config, "tie_word_embeddings", False) else set()
    if lost := sorted(set(missing) - tied):
        raise UsageError(f"{model}: {len(lost)} weights are not in its files, such as {lost[0]}; fetch it again")


def window(model: Any) -> int | None:
    """The longest context that a loaded model was made for, in tokens; None if its configuration does not say."""
    longest = getattr(model.config, "max_position_embeddings", None)
    return longest if isinstance(longest, int) and longest > 0 else None


def packs_apart() -> bool:
    """Whether examples that are packed into one sequence stay apart here: only FlashAttention on a GPU does it."""
    import torch

    return torch.cuda.is_available() and find_spec("flash_attn") is not None


def lora_config(recipe: TrainingRecipe) -> Any:
    """Return PEFT's configuration of a recipe's LoRA."""
    from peft import LoraConfig

    targets = recipe.lora_targets
    return LoraConfig(
        r=recipe.lora_rank,
        lora_alpha=recipe.lora_alpha,
        lora_dropout=recipe.lora_dropout,
        target_modules=targets if isinstance(targets, str) else list(targets),
        task_type="CAUSAL_LM",
    )


@contextmanager
def out_of_memory_named(knobs: str) -> Iterator[None]:
    """Turn an out-of-memory error of torch into one line that says which options lower the need.

    Raises:
        RunError: the memory was not enough.
    """
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        if not _is_out_of_memory(error):
            raise
        raise RunError(f"out of memory: lower {knobs} ({_line(error)})") from error


def _is_out_of_memory(error: Exception) -> bool:
    """Whether torch had too little memory, on a GPU or not."""
    return (
        isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError" or "allocate memory" in str(error)
    )


def _gguf(model: str) -> dict[str, str]:
    """The argument that names the GGUF file of a folder; empty if it has none.

    Raises:
        UsageError: there are several.
    """
    files = sorted(file.name for file in Path(model).glob("*.gguf")) if Path(model).is_dir() else []
    if len(files) > 1:
        raise UsageError(f"{model}: several GGUF files ({', '.join(files[:3])}); keep one in the folder")
    return {"gguf_file": files[0]} if files else {}


@contextmanager
def load_errors(model: str) -> Iterator[None]:
    """Turn whatever transformers or the Hub raise while a model is loaded into one line.

    Raises:
        UsageError: the model cannot be loaded.
        RunError: the memory is not enough.
    """
    try:
        yield
    except UsageError:
        raise
    except Exception as error:  # transformers and the Hub's client raise many kinds
        words = _line(error)
        if _is_out_of_memory(error):
            raise RunError(f"out of memory: {model} does not fit; use a smaller model, or --dtype bfloat16") from error
        if "gated" in words.lower():
            raise UsageError(f"{model}: a gated model; ask for access on its page, then `hf auth login`") from error
        if any(mark in words.lower() for mark in _UNREACHABLE):
            raise UsageError(f"{model}: no such folder, and the Hub cannot be reached; name a folder") from error
        raise UsageError(f"{model}: cannot be loaded as a causal language model ({words})") from error


def _line(error: BaseException) -> str:
    return " ".join((str(error) or type(error).__name__).split())[:200]
