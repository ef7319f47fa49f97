from __future__ import annotations

from dataclasses import dataclass

from jsonargparse import CLI


@dataclass
class Train:
    lr: float = 0.1
    epochs: int | None = None


SLOW = Train(lr=0.2)


def tune(model: str, train: Train = SLOW, devices: int = 1) -> None:
    pass


def sample(model: str, seed: int = 3) -> None:
    pass


if __name__ == "__main__":
    CLI({"tune": tune, "sample": sample})
