"""What a fine-tuning run depends on: its `run.yaml`."""

from __future__ import annotations

from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mlbench.atomic_write import write_file
from mlbench.records import Setting, UsageError
from mlbench.training.recipes import Dtype, Method, TrainingRecipe

RUN = "run.yaml"


class TrainingRows(BaseModel):
    """The rows whose examples a run makes.

    Attributes:
        suite: name of a suite, or the path of its folder.
        split: `id_train` or `ood_train`.
        setting: what the prompts show.
        reply_tokens: tokens that prompts leave free for the reply; None for the default of an evaluation.
        limit: at most this many rows, spread evenly.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    suite: str
    split: str = "id_train"
    setting: Setting = "oracle"
    reply_tokens: int | None = Field(default=None, gt=0)
    limit: int | None = Field(default=None, gt=0)


class TuneConfig(BaseModel):
    """Everything that a fine-tuning run depends on; `run.yaml` in its folder holds it.

    Attributes:
        examples: the rows to make examples of, or a file of prompt-completion records (`mlbench train export`,
            `mlbench train sample`).
        model: a folder, a folder with one GGUF file, or a name on the Hub.
        method: `lora` trains an adapter, `full` all weights.
        context_tokens: the longest sequence.
        dtype: of the base model's weights. A LoRA adapter has float32.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    examples: TrainingRows | Path
    model: str
    method: Method = "lora"
    recipe: TrainingRecipe
    context_tokens: int = Field(default=8192, gt=0)
    dtype: Dtype = "auto"


def read_config(file: Path) -> TuneConfig:
    """Read a `run.yaml`.

    Raises:
        UsageError: it cannot be read, or is no configuration of a run.
    """
    try:
        return TuneConfig.model_validate(yaml.safe_load(file.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: cannot be read ({getattr(error, 'strerror', None) or 'no text'})") from error
    except yaml.YAMLError as error:
        raise UsageError(f"{file}: not a run.yaml ({' '.join(str(error).split())[:160]})") from error
    except ValidationError as error:
        fault = error.errors()[0]
        raise UsageError(f"{file}: {'.'.join(map(str, fault['loc']))}: {fault['msg'].lower()}") from error


def refuse_another_run(folder: Path, config: TuneConfig) -> bool:
    """Return whether a folder holds this run already.

    Raises:
        UsageError: it holds something else.
    """
    file = folder / RUN
    if file.is_file():
        if read_config(file) != config:
            raise UsageError(f"{folder}: holds another run (its {RUN} differs); name another folder with -o")
        return True
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder}: not empty, and not a training run; name another folder with -o")
    return False


def write_config(folder: Path, config: TuneConfig) -> None:
    """Write the `run.yaml` of a new run."""
    folder.mkdir(parents=True, exist_ok=True)
    write_file(folder / RUN, yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False))
