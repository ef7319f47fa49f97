"""Aider with somebody who says yes to everything, as it is one who edits with a person beside it.

Aider asks whether it may run the shell commands that it suggests, and its own `--yes-always` means no there. In a
sandbox the answer is yes. After each edit it runs `run.sh` (its `--test-cmd`), and what fails goes back to the model:
that is the only way in which it goes on by itself, and this loop is bounded by aider's number of reflections.
"""

import os
import subprocess
import sys
from pathlib import Path

ROUNDS = 12  # aider's own is 3, for a person who would ask again
SCRIPT = "run.sh"
TRY = f"timeout 60 bash {SCRIPT}"
FLAGS = (
    *("--model", "openai/inspect", "--edit-format", "diff", "--map-tokens", "2048", "--yes-always"),
    *("--max-chat-history-tokens", "32000"),  # of a model that it does not know, aider sums up all beyond 1024
    *("--no-auto-commits", "--no-dirty-commits", "--no-gitignore", "--no-auto-lint", "--auto-test", "--test-cmd", TRY),
    *("--no-show-model-warnings", "--no-check-model-accepts-settings", "--no-check-update", "--no-show-release-notes"),
    *("--analytics-disable", "--no-detect-urls", "--disable-playwright", "--no-pretty", "--no-stream"),
    *("--no-fancy-input", "--suggest-shell-commands"),
)


def track() -> None:
    """Aider knows the files that git knows. Its history stands outside; no contents are read into it."""
    subprocess.run(["git", "init", "--quiet", "--separate-git-dir", str(Path.home() / ".aider-git")], check=True)
    subprocess.run(["git", "add", "--intent-to-add", "."], check=False, capture_output=True)


def untrack() -> None:
    Path(".git").unlink(missing_ok=True)


def start(task: str) -> None:
    from aider import io, main, models, repomap  # type: ignore[import-not-found]
    from aider.coders import base_coder  # type: ignore[import-not-found]

    asked = io.InputOutput.confirm_ask

    def agree(self, *words, **more):  # type: ignore[no-untyped-def]
        return asked(self, *words, **more | {"explicit_yes_required": False})

    io.InputOutput.confirm_ask = agree
    base_coder.Coder.max_reflections = ROUNDS
    models.ModelInfoManager._update_cache = lambda self: None  # it would fetch a list of prices
    notes = Path.home() / ".aider-notes"
    notes.mkdir(exist_ok=True)
    repomap.RepoMap.TAGS_CACHE_DIR = str(notes / "tags")
    message = notes / "task"
    message.write_text(task)
    kept = ["--input-history-file", str(notes / "input"), "--chat-history-file", str(notes / "chat.md")]
    if main.main([*FLAGS, *kept, "--message-file", str(message)]):
        sys.exit("aider ended with an error")


def run() -> None:
    words = sys.stdin.read()
    ours = not os.path.exists(".git")
    if ours:
        track()
    try:
        start(words)
    finally:
        if ours:
            untrack()
    print("ended: message answered")


run()
