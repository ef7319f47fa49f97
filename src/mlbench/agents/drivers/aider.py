"""Aider with somebody who says yes to everything, as it is one who edits with a person beside it.

Aider asks whether it may run the shell commands that it suggests, and its own `--yes-always` means no there. In a
sandbox the answer is yes: they are run, and what they printed goes back to the model, which goes on until it has
nothing more to run or to write. Where the task asks for `run.sh`, Aider runs it after each edit (its `--test-cmd`), and
a failure goes back too.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 10_000  # aider's own is 3, for a person who would ask again; the bounds are the benchmark's
SCRIPT = "run.sh"
TRY = f"timeout 60 bash {SCRIPT}"
SECONDS = 300  # for one block of commands: packages are installed here
KEPT = 30_000  # characters of an output that the model is shown: aider itself shows all, however much
LARGEST = 100_000  # bytes of a file that is added to the chat, where it stays: data are named too
GO_ON = "The commands were run; what they printed is above. Go on. If the task is done, reply without any commands."
FLAGS = (
    *("--model", "openai/inspect", "--edit-format", "diff", "--map-tokens", "2048", "--yes-always"),
    *("--max-chat-history-tokens", "32000"),  # of a model that it does not know, aider sums up all beyond 1024
    *("--no-auto-commits", "--no-dirty-commits", "--no-gitignore", "--no-auto-lint"),
    *("--no-show-model-warnings", "--no-check-model-accepts-settings", "--no-check-update", "--no-show-release-notes"),
    *("--analytics-disable", "--no-detect-urls", "--disable-playwright", "--no-pretty", "--no-stream"),
    *("--no-fancy-input", "--suggest-shell-commands"),
)
TESTS = ("--auto-test", "--test-cmd", TRY)


def track() -> None:
    """Aider knows the files that git knows. Its history stands outside; no contents are read into it."""
    subprocess.run(["git", "init", "--quiet", "--separate-git-dir", str(Path.home() / ".aider-git")], check=True)
    subprocess.run(["git", "add", "--intent-to-add", "."], check=False, capture_output=True)


def untrack() -> None:
    Path(".git").unlink(missing_ok=True)


def run_cmd(
    command: str, verbose: bool = False, error_print: object = None, cwd: str | Path | None = None
) -> tuple[int, str]:
    """Exit status and output. Aider's own runs it by `sh`, and waits as long as anything holds its output open."""
    with tempfile.TemporaryFile() as file:
        bounded = ["timeout", "--kill-after=5", str(SECONDS), "bash", "-c", command]
        done = subprocess.run(bounded, cwd=cwd, stdin=subprocess.DEVNULL, stdout=file, stderr=file, check=False)
        size = os.fstat(file.fileno()).st_size
        file.seek(0)
        output = file.read(KEPT).decode(errors="replace")
        if size > KEPT:
            file.seek(size - KEPT // 2)
            tail = file.read().decode(errors="replace")
            output = f"{output[: KEPT // 2]}\n[{size - KEPT} bytes left out]\n{tail}"
    late = ": it ran out of time" if done.returncode in (124, 137) else ""
    output += "\n" * (not output.endswith("\n")) + f"[exit status {done.returncode}{late}]\n"
    print(output, flush=True)
    return done.returncode, output


def say_yes() -> None:
    """Where aider would ask a person, or wait for one, it goes on."""
    from aider import commands, io  # type: ignore[import-not-found]
    from aider.coders.base_coder import Coder  # type: ignore[import-not-found]

    ask, name, shell = io.InputOutput.confirm_ask, Coder.check_for_file_mentions, Coder.run_shell_commands

    def agreed(self, question, *words, **more):  # type: ignore[no-untyped-def]
        if question.startswith("Add file to the chat") and Path(more["subject"]).stat().st_size > LARGEST:
            return False
        return ask(self, question, *words, **more | {"explicit_yes_required": False})

    def named(self, content):  # type: ignore[no-untyped-def]
        ignored = set(self.ignore_mentions)
        added = name(self, content)
        large = ", ".join(sorted(self.ignore_mentions - ignored))
        refused = f"Too large to be added to the chat, look into it by shell commands: {large}" if large else ""
        return "\n".join(filter(None, [added, refused]))

    def ran(self):  # type: ignore[no-untyped-def]
        printed = shell(self)
        if self.shell_commands:
            self.reflected_message = GO_ON
        self.shell_commands = []  # they would be run again, each time
        return printed

    def run_block(self, block, group):  # type: ignore[no-untyped-def]
        """All of a block by one shell, not line by line: a `cd` holds, and a here-document is one."""
        return f"Output from {block.strip()}\n{run_cmd(block, cwd=self.root)[1]}"

    io.InputOutput.confirm_ask = agreed
    Coder.check_for_file_mentions, Coder.run_shell_commands, Coder.handle_shell_commands = named, ran, run_block
    Coder.max_reflections = ROUNDS
    commands.run_cmd = run_cmd


def start(task: str) -> None:
    from aider import main, models, repomap

    say_yes()
    models.ModelInfoManager._update_cache = lambda self: None  # it would fetch a list of prices
    notes = Path.home() / ".aider-notes"
    notes.mkdir(exist_ok=True)
    repomap.RepoMap.TAGS_CACHE_DIR = str(notes / "tags")
    message = notes / "task"
    message.write_text(task)
    kept = ["--input-history-file", str(notes / "input"), "--chat-history-file", str(notes / "chat.md")]
    tests = TESTS if SCRIPT in task else ()
    if main.main([*FLAGS, *tests, *kept, "--message-file", str(message)]):
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


if __name__ == "__main__":
    run()
