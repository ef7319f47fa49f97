"""What is said after Ctrl-C: whether the same command continues, and which command does if it does not."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from mlbench.cli.output import option_of, resume_command

_CONTINUED = {
    ("sweep",),
    ("human",),
    ("train", "run"),
    ("train", "generate"),
    ("repos", "fetch"),
    ("repos", "install"),
}
"""Commands that keep what they have done: given again, they do the rest."""


def advice_after_stop(words: Sequence[str], since: float) -> str:
    """Return what to do after Ctrl-C, in one line.

    Args:
        words: the command line that was stopped, without the program's name.
        since: when it was started, in seconds since the epoch.
    """
    if {tuple(words[:1]), tuple(words[:2])} & _CONTINUED or option_of(words, "--shards"):
        return "stopped; the same command continues"
    if words[:1] == ["verify"] and not {"--run-sh", "--no-cache"} & set(words):
        return "stopped; the same command starts again, and reuses the verdicts that it has found"
    if words and words[0] in ("eval", "agent", "experiment"):
        if _has_log(Path(option_of(words, "--log-dir") or "logs"), since):
            again = "the same command" if "--resume" in words else f"`{resume_command(words)}`"
            anew = "" if "--resume" in words else ", the same command starts a new one"
            return f"stopped; {again} continues this run{anew}"
        return "stopped before the run had a log; the same command starts again"
    return "stopped; the same command starts again"


def _has_log(folder: Path, since: float) -> bool:
    """Return whether a log that can be read was written into the folder since then."""
    if "inspect_ai" not in sys.modules:  # then nothing can have written one
        return False
    from mlbench.eval_runs import headers

    return any(Path(name.removeprefix("file://")).stat().st_mtime >= since for name, _ in headers(folder))
