"""Programs that are started without arguments and read none, such as `python prepare_data.py`.

Nothing they parse could be recorded. They are accepted if they end by themselves, or end only because this machine
lacks a library or the user's data, and if no part of them could still read arguments. All that an answer could change
is the folder that they run in, so it counts as a setting.
"""

from __future__ import annotations

import os
import re
import sys

from . import assumed_inputs
from .failures import clash, describe, whatever_the_words

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

PARSER, FOLDER = "none", "working folder"
_READS = re.compile(
    r"(?m)^[ \t]*(?:from|import)[ \t]+(?:argparse|optparse|getopt|click|typer|fire|absl|hydra|docopt|tyro|tap|plac"
    r"|simple_parsing|jsonargparse|configargparse|gin|draccus)\b"
    r"|\b(?:HfArgumentParser|ArgumentParser|argv|parse_(?:known_)?args|from_cli|LightningCLI)\b"
)
_IMPORT = re.compile(r"(?m)^[ \t]*(?:from|import)[ \t].*")
_NAME = re.compile(r"[A-Za-z_]\w*")
_LONGEST = 400_000


def excused(error: BaseException | None, tainted: bool, root: str) -> str | None:
    """A note about the end of a program that was given no words; empty if there is nothing to say, None if it fails.

    Args:
        error: the exception that ended it; None if it ended by itself.
        tainted: stubs may have caused the exception.
        root: the repository's folder, with a slash at its end.
    """
    if error is None or (isinstance(error, SystemExit) and error.code in (None, 0)):
        return ""
    if isinstance(error, (ImportError, EOFError, MemoryError, SystemExit)):
        return None
    if whatever_the_words(error) or clash(error) or _may_read_words(root):
        return None
    if tainted:
        return f"stubs stand in for missing libraries: {describe(error, root)}"
    if isinstance(error, OSError):
        name = assumed_inputs.named(str(error), error.filename, root)
        return assumed_inputs.noted(name) if name else None
    return None


def _may_read_words(root: str) -> bool:
    """Whether the program, or a module of the repository that it imports itself, could read arguments further on."""
    return any(_READS.search(text) for text in _texts(root))


def _texts(root: str) -> list[str]:
    """The source of the program, and of the modules of the repository that it imports itself."""
    program = _text_of(sys.modules["__main__"])
    named = {name for line in _IMPORT.findall(program) for name in _NAME.findall(line)}
    texts = [
        _text_of(module)
        for name, module in list(sys.modules.items())
        if name.rpartition(".")[2] in named and str(getattr(module, "__file__", None) or "").startswith(root)
    ]
    return [program, *texts]


def _text_of(module: Any) -> str:
    try:
        with open(str(getattr(module, "__file__", None) or ""), encoding="utf-8", errors="replace") as opened:
            return opened.read(_LONGEST)
    except OSError:
        return ""


def configuration(variables: Mapping[str, str], root: str) -> dict[str, str]:
    """The settings of such a program: the folder that it runs in, and the variables of its command that it reads.

    Args:
        variables: the environment variables that the command sets.
        root: the repository's folder, with a slash at its end.
    """
    texts = _texts(root) if variables else []
    read = {name: value for name, value in variables.items() if any(_reads(text, name) for text in texts)}
    return {FOLDER: os.getcwd(), **{f"${name}": value for name, value in read.items()}}


def _reads(text: str, variable: str) -> bool:
    return re.search(rf"[\"']{re.escape(variable)}[\"']", text) is not None
