# ruff: noqa: UP042
import enum

import typer
from typer.models import List, Optional  # noqa: F401 - as programs of older versions did


class Model(str, enum.Enum):
    a = "a"
    b = "b"


def main(name: str, lr: float = 0.1, model: Model = Model.a, fast: bool = False, size: int = 3):
    pass


if __name__ == "__main__":
    typer.run(main)
