# ruff: noqa: UP045
from dataclasses import dataclass
from typing import Optional

import simple_parsing


@dataclass
class Options:
    name: str
    lr: float = 0.1
    layers: Optional[int] = None
    fast: bool = False


if __name__ == "__main__":
    parser = simple_parsing.ArgumentParser()
    parser.add_arguments(Options, dest="options")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    assert isinstance(args.options, Options)
