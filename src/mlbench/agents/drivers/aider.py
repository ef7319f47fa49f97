"""Run aider, and answer yes to all of its questions: it is made to work with a person.

Aider asks before it runs a shell command that it suggests, and its own `--yes-always` means no there. In a sandbox
the answer is yes. The output goes back to the model, which continues until it has nothing more to run or to write.
If the task asks for `run.sh`, aider runs it after each edit (`--test-cmd`), and a failure goes back as well.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 10_000  # aider's default of 3 expects a person who asks again; the benchmark sets the limits
SCRIPT = "run.sh"
TRY = f"timeout 60 bash {SCRIPT}"
SECONDS = 300  # for one block of commands, which may install packages
KEPT = 30_000  # characters of an output that the model is shown; aider itself has no limit
LARGEST = 100_000  # bytes of a file that may be added to the chat, where it stays; replies name data files, too
GO_ON = "The commands were run; what they printed is above. Go on. If the task is done, reply without any commands."
FLAGS = (
    *("--model", "openai/inspect", "--edit-format", "diff", "--map-tokens", "2048", "--yes-always"),
    *("--max-chat-history-tokens", "32000"),  # for an unknown model, aider summarises everything beyond 1024 tokens
    *("--no-auto-commits", "--no-dirty-commits", "--no-gitignore", "--no-auto-lint"),
    *("--no-show-model-warnings", "--no-check-model-accepts-settings", "--no-check-update", "--no-show-release-notes"),
    *("--analytics-disable", "--no-detect-urls", "--disable-playwright", "--no-pretty", "--no-stream"),
    *("--no-fancy-input", "--suggest-shell-commands"),
)
TESTS = ("--auto-test", "--test-cmd", TRY)


def track() -> None:
    """Make a git index, which tells aider the files; the git folder is outside the repository."""
    subprocess.run(["git", "init", "--quiet", "--separate-git-dir", str(Path.home() / ".aider-git")], check=True)
    subprocess.run(["git", "add", "--intent-to-add", "."], check=False, capture_output=True)


def untrack() -> None:
    """Remove the file that points to the git folder."""
    Path(".git").unlink(missing_ok=True)


def run_cmd(
    command: str, verbose: bool = False, error_print: object = None, cwd: str | Path | None = None
) -> tuple[int, str]:
    """Run a command by bash within a time limit; return exit status and output.

    Aider's own function uses `sh`, and waits as long as any process holds the output open.
    """
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
    """Patch aider so that it continues where it would ask a person or wait for one."""
    from aider import commands, io  # type: ignore[import-not-found]
    from aider.coders.base_coder import Coder  # type: ignore[import-not-found]

    ask, add_files, shell = io.InputOutput.confirm_ask, Coder.check_for_file_mentions, Coder.run_shell_commands

    def confirm(self, question, *words, **more):  # type: ignore[no-untyped-def]
        if question.startswith("Add file to the chat") and Path(more["subject"]).stat().st_size > LARGEST:
            return False
        return ask(self, question, *words, **more | {"explicit_yes_required": False})

    def check_mentions(self, content):  # type: ignore[no-untyped-def]
        ignored = set(self.ignore_mentions)
        added = add_files(self, content)
        large = ", ".join(sorted(self.ignore_mentions - ignored))
        refused = f"Too large to be added to the chat, look into it by shell commands: {large}" if large else ""
        return "\n".join(filter(None, [added, refused]))

    def run_all(self):  # type: ignore[no-untyped-def]
        printed = shell(self)
        if self.shell_commands:
            self.reflected_message = GO_ON
        self.shell_commands = []  # or aider would run them again after each reply
        return printed

    def run_block(self, block, group):  # type: ignore[no-untyped-def]
        """Run a whole block in one shell, so that `cd` and here-documents work."""
        return f"Output from {block.strip()}\n{run_cmd(block, cwd=self.root)[1]}"

    io.InputOutput.confirm_ask = confirm
    Coder.check_for_file_mentions, Coder.run_shell_commands, Coder.handle_shell_commands = (
        check_mentions,
        run_all,
        run_block,
    )
    Coder.max_reflections = ROUNDS
    commands.run_cmd = run_cmd


def start(task: str) -> None:
    """Run aider on a task; exit with an error if aider does."""
    from aider import main, models, repomap

    say_yes()
    models.ModelInfoManager._update_cache = lambda self: None  # the original downloads a list of prices
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
    """Read the task, and run aider in a repository with a git index."""
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
