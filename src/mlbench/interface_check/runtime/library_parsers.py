"""Small parts of missing libraries that decide what a program reads: parsers, and dictionaries of settings."""

from __future__ import annotations

from typing import Any


def known(owner: str, name: str) -> Any:
    """Return a function or class of a missing library; None if it is not known.

    Args:
        owner: the module of the library, as the program imports it.
        name: the name of the function or class.
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


def _deepspeed(parser: Any) -> Any:
    """Add the options of deepspeed 0.15, `deepspeed/__init__.py`; all versions since 0.3 have them."""
    group = parser.add_argument_group("DeepSpeed", "DeepSpeed configurations")
    for name in ("deepspeed", "deepscale"):
        group.add_argument(f"--{name}", action="store_true", help="enable DeepSpeed")
        group.add_argument(f"--{name}_config", help="the file of DeepSpeed's configuration")
    return parser


class _AttributeDict(dict):  # type: ignore[type-arg]  # cannot be subscripted as a base under Python 3.8
    """A dictionary whose keys are attributes, also of the dictionaries in it: `EasyDict` of easydict 1.7 to 1.13."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__()
        self.update(*given, **named)

    def __setitem__(self, name: Any, value: Any) -> None:
        if isinstance(value, dict) and not isinstance(value, _AttributeDict):
            value = type(self)(value)
        elif isinstance(value, (list, tuple)):
            value = type(value)(type(self)(each) if isinstance(each, dict) else each for each in value)
        super().__setitem__(name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __delattr__(self, name: str) -> None:
        del self[name]

    def update(self, *given: Any, **named: Any) -> None:
        for name, value in dict(*(each for each in given if each is not None), **named).items():
            self[name] = value


_MAKERS: dict[str, dict[str, Any]] = {
    "detectron2": {"default_argument_parser": _detectron2},
    "deepspeed": {"add_config_arguments": _deepspeed},
    "easydict": {"EasyDict": _AttributeDict},
}
