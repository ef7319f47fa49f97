"""git as this project runs it: it asks nobody, fetches nothing by itself, and ends."""

from __future__ import annotations

import os
import subprocess

from mlbench.records import RunError

ENV = {"GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}
SECONDS = 3600.0
"""Wall time of one command; a large repository takes its time on a thin line."""


class GitError(RunError):
    """git refused; says its own words."""


def git(*words: str) -> bytes:
    """What git prints.

    Raises:
        GitError: it failed.
        RunError: it is missing, or does not end.
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
