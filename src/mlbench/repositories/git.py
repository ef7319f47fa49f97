"""Run git without prompts and implicit downloads, and with a time-out."""

from __future__ import annotations

import os
import subprocess

from mlbench.records import RunError

ENV = {"GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}
SECONDS = 3600.0
"""Time-out of one command in seconds; a large repository takes long over a slow connection."""


class GitError(RunError):
    """A git command failed; quotes its message."""


def git(*words: str) -> bytes:
    """Run git and return its output.

    Raises:
        GitError: git failed.
        RunError: git is not installed, or timed out.
    """
    try:
        done = subprocess.run(
            ["git", *words], capture_output=True, env={**os.environ, **ENV}, timeout=SECONDS, check=False
        )
    except FileNotFoundError as error:
        raise RunError("git is missing (Debian: apt-get install git)") from error
    except subprocess.TimeoutExpired as error:
        raise RunError(f"git did not end within {SECONDS:.0f} s: git {' '.join(words)[:200]}") from error
    if done.returncode != 0:
        said = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
        raise GitError(f"git says: {said[0] if said else 'nothing'}")
    return done.stdout
