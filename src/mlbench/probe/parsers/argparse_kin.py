"""ConfigArgParse and simple-parsing: argparse records what they parse, in several rounds that belong together."""

from __future__ import annotations

from typing import Any

from .shared import uncounted

MODULES = ("configargparse", "simple_parsing")


def install(module: Any, recorder: Any) -> None:
    for name in ("parse_args", "parse_known_args"):
        setattr(module.ArgumentParser, name, uncounted(getattr(module.ArgumentParser, name), recorder))
