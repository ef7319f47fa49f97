from dataclasses import dataclass, field
from enum import Enum

from omegaconf import OmegaConf


class Kind(Enum):
    sgd = 1
    adam = 2


@dataclass
class Optimizer:
    lr: float = 0.1
    kind: Kind = Kind.sgd


@dataclass
class Config:
    optimizer: Optimizer = field(default_factory=Optimizer)
    steps: int = 10


if __name__ == "__main__":
    OmegaConf.merge(OmegaConf.structured(Config), OmegaConf.from_cli())
