"""PyTorch Lightning, where it is a stub: what it adds to a parser is not known, and leaves its schema open."""

from __future__ import annotations

from typing import Any

from .shared import is_stub

MODULES = ("pytorch_lightning", "lightning", "lightning.pytorch")


def install(module: Any, recorder: Any) -> None:
    if not is_stub(module):
        return

    def add_argparse_args(parser: Any, *args: Any, **named: Any) -> Any:
        recorder.note("Trainer: the options that it adds are not known here")
        parser.parse_args = lambda args=None, namespace=None: parser.parse_known_args(args, namespace)[0]
        return parser

    module.Trainer.add_argparse_args = add_argparse_args
