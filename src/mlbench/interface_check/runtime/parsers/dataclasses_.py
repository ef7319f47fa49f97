"""HfArgumentParser and TrlParser: dataclasses as options, for programs whose library is a stub.

simple-parsing uses argparse, with dotted names for the fields, and needs no wrapper.
"""

from __future__ import annotations

import sys
import types
from typing import Any

from .shared import is_stub

MODULES = ("transformers", "trl")


def install(module: Any, recorder: Any) -> None:
    """Give a stub of the library our own parser. The real one uses argparse, which is recorded."""
    if is_stub(module):
        from . import hf_parser

        hf_parser.HfArgumentParser.opened = recorder.opened
        if module.__name__ == "trl":
            module.TrlParser = hf_parser.TrlParser
        else:
            attach(module)


def attach(transformers: Any) -> None:
    """Attach our parser to a stub of transformers."""
    from . import hf_parser

    module: Any = types.ModuleType("transformers.hf_argparser")
    for owner in (transformers, module):
        owner.HfArgumentParser = hf_parser.HfArgumentParser
    module.string_to_bool = hf_parser.string_to_bool
    transformers.hf_argparser = sys.modules["transformers.hf_argparser"] = module
