"""Parsers that missing libraries make for their users' programs, which add only their own options."""

from __future__ import annotations

from typing import Any


def known(owner: str, name: str) -> Any:
    """Return a function of a missing library that makes a parser; None if it is not known.

    Args:
        owner: the module of the library, as the program imports it.
        name: the function's name.
    """
    makers = _MAKERS.get(owner.partition(".")[0], {})
    return makers.get(name)


def _detectron2(epilog: str | None = None) -> Any:
    """The options of detectron2 0.6, `detectron2/engine/defaults.py`; all versions since 0.1 have them."""
    import argparse

    parser = argparse.ArgumentParser(epilog=epilog)
    parser.add_argument("--config-file", default="", help="path to config file")
    parser.add_argument("--resume", action="store_true", help="resume from the last checkpoint")
    parser.add_argument("--eval-only", action="store_true", help="perform evaluation only")
    parser.add_argument("--num-gpus", type=int, default=1, help="number of gpus per machine")
    parser.add_argument("--num-machines", type=int, default=1, help="total number of machines")
    parser.add_argument("--machine-rank", type=int, default=0, help="the rank of this machine")
    parser.add_argument("--dist-url", default="auto", help="initialization URL for the distributed backend")
    parser.add_argument("opts", default=None, nargs=argparse.REMAINDER, help="keys and values of the configuration")
    return parser


_MAKERS: dict[str, dict[str, Any]] = {"detectron2": {"default_argument_parser": _detectron2}}
