"""How a script that makes published data ready is called: `full.py RAW OUT --seed N`."""

from __future__ import annotations

import argparse
from pathlib import Path


class PreparingCall(argparse.Namespace):
    """The folder of the fetched files, the one in which `visible/` and `hidden/` are made, and the seed."""

    raw: Path
    out: Path
    seed: int


def called() -> PreparingCall:
    """What this script was called with."""
    parser = argparse.ArgumentParser()
    parser.add_argument("raw", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, required=True)
    return parser.parse_args(namespace=PreparingCall())
