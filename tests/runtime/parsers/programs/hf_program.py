# ruff: noqa: UP006, UP035, UP045
import enum
from dataclasses import dataclass, field
from typing import List, Literal, Optional

from transformers import HfArgumentParser


class Size(enum.Enum):
    small = "small"
    large = "large"


@dataclass
class Model:
    name: str = field(metadata={"help": "which"})
    layers: Optional[int] = None
    size: Size = Size.small
    norm: Literal["batch", "layer"] = "batch"
    pretrained: bool = True


@dataclass
class Data:
    rate: float = field(default=0.1, metadata={"help": "learning rate", "aliases": ["--lr"]})
    files: List[str] = field(default_factory=lambda: ["a.txt"])
    split: str = field(default="train", metadata={"choices": ["train", "test"]})
    shuffle: bool = False


if __name__ == "__main__":
    model, data = HfArgumentParser((Model, Data)).parse_args_into_dataclasses()
    assert isinstance(data.files, list)
    assert model.name != "fail"
