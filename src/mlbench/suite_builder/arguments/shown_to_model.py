"""What a model is shown of a task: its script, its program, and each setting with what stands beside its value."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from pathlib import Path

from mlbench.repositories.documents import inner_files
from mlbench.suite_builder.arguments.argument_sources import ArgumentSource
from mlbench.suite_builder.arguments.candidate_values import Wish
from mlbench.suite_builder.arguments.option_reads import is_only_stored, reads_of
from mlbench.suite_builder.arguments.repo_enums import Vocabulary
from mlbench.suite_builder.instructions.task_descriptions import started_name
from mlbench.suite_builder.mining.task_selection import subcommand
from mlbench.suite_builder.types import DraftTask
from mlbench.suites.recipes import Words
from mlbench.truncate import head_and_tail

_LONGEST_PROGRAM, _LONGEST_SCRIPT, _LONGEST_FILE = 16_000, 3000, 400_000
_LONGEST_HELP, _LONGEST_LINE = 200, 120
_CONFIGURATION = re.compile(r"\.(?:ya?ml|toml|cfg|ini|gin|json)$|(?<=config)\d*(\.py)$")  # `config1.py`
_BESIDE, _READS = 20, 2
"""Files beside a value, and places that read a setting."""


def script_of(task: DraftTask, repository: Path) -> str:
    """The beginning of the shell script that a command starts; empty if it starts none of the repository."""
    name = started_name(task) if task.kind == "shell" else ""
    text = source_text(repository / task.path / name, repository) if name.endswith(".sh") else ""
    return text[:_LONGEST_SCRIPT]


def program_text(task: DraftTask, repository: Path) -> str:
    """The source of the program that a command starts, without its middle if it is long; empty for Python.

    Of a tool with subcommands, each in a file of its own name, that file is shown: `olive/cli/optimize.py`.
    """
    if task.kind != "shell" or not task.program.endswith(".py"):
        return ""
    file = repository / task.program
    name = subcommand(task).replace("-", "_")
    own = sorted(file.parent.rglob(f"{name}.py")) if name else []
    return head_and_tail(source_text(own[0] if len(own) == 1 else file, repository), _LONGEST_PROGRAM)


def plain_default(default: object) -> object:
    """A default as it is shown: of what JSON cannot say, such as an enumeration, its value."""
    if not isinstance(default, dict):
        return default
    return default.get("value") if "UNSET" not in str(default) else None


def source_text(file: Path, repository: Path) -> str:
    """A file's text; empty if it cannot be read, or leads out of the repository."""
    try:
        inner = file.resolve().is_relative_to(repository.resolve())
        return file.read_text(encoding="utf-8")[:_LONGEST_FILE] if inner else ""
    except (OSError, ValueError):
        return ""


def is_named(wish: Wish, page: str) -> bool:
    """Whether a page names a setting, as an option or in Python by its name."""
    return any(re.search(rf"(?<![\w-]){re.escape(each)}(?![\w-])", page) for each in wish.options or (wish.name,))


def about_setting(source: ArgumentSource, vocabulary: Vocabulary, task: DraftTask) -> str:
    """A setting in a line: its value, default, choices, type and help; then, indented, the lines that read it.

    Args:
        source: the setting.
        vocabulary: the repository's files, for what stands beside its value.
        task: the task.
    """
    wish, option = source.wish, source.wish.option
    reads = reads_of(vocabulary.repository, task.program, option.place.rpartition(".")[2])
    given = " ".join(wish.original) if source.spans else "not given"
    parts = [f"in the code: {given}" if source.spans else given, f"default: {plain_default(option.default)}"]
    if wish.switch:
        parts.append(f"a switch, {' or '.join(wish.pair)}" if wish.pair else f"a switch, given as {wish.token}")
    is_text = (
        task.kind == "shell"
        and not (option.type or option.choices or wish.switch)
        and isinstance(option.default, int | float)
    )
    parts += ["without a type: what is given stays text"] if is_text and not isinstance(option.default, bool) else []
    parts += [f"choices: {', '.join(option.choices)}"] if option.choices else []
    parts += [f"type: {option.type}"] if option.type else []
    found = _beside(wish.original, vocabulary.repository / task.path) or _of_group(wish, vocabulary.files)
    parts += [f"beside it: {', '.join(found[:_BESIDE])}"] if found else []
    others = [] if found else configurations(wish.original, vocabulary.repository / task.path)
    parts += [f"not there; configurations that are: {', '.join(others[:_BESIDE])}"] if others else []
    parts += [option.help[:_LONGEST_HELP]] if option.help else []
    if is_only_stored(vocabulary.repository, task.program, option.place.rpartition(".")[2]):
        parts += ["as far as a search shows, it is stored and read nowhere"]
    lines = [f"{file}: {line.strip()[:_LONGEST_LINE]}" for file, place in reads for line in place.splitlines()[:1]]
    return "; ".join(parts) + "".join(f"\n    read in {line}" for line in lines[:_READS])


def _beside(words: Words, folder: Path) -> list[str]:
    """The files of the same kind beside the file that a setting names, if it is in the checkout."""
    try:
        file = folder / words[0] if len(words) == 1 else folder
        if not file.is_file():
            return []
        names = sorted(each.name for each in file.parent.glob(f"*{file.suffix}") if each != file)
    except (OSError, ValueError):
        return []
    return [f"{words[0].rpartition('/')[0]}/{name}".lstrip("/") for name in names]


def configurations(words: Words, folder: Path) -> list[str]:
    """The configurations below a command's folder, if a setting names one that is not there: `CONFIG.yaml`."""
    ending = _CONFIGURATION.search(words[0]) if len(words) == 1 else None
    if ending is None or (folder / words[0]).exists():
        return []
    kind = ending[1] or ending[0]
    files = inner_files(folder)
    return [each for each in files if each.endswith(kind) and "conf" in posixpath.dirname(each).lower()]


def _of_group(wish: Wish, files: Sequence[str]) -> list[str]:
    """The choices of a group of configurations (hydra), if a setting's value is a file in a folder of its name."""
    name = wish.name.rpartition(".")[2]
    own = f"{name}/{wish.original[0]}.yaml" if len(wish.original) == 1 else ""
    folder = next((file.removesuffix(own) for file in files if own and f"/{file}".endswith(f"/{own}")), None)
    if folder is None:
        return []
    start = f"{folder}{name}/"
    found = [file.removeprefix(start) for file in files if file.startswith(start) and file.endswith(".yaml")]
    return sorted(each.removesuffix(".yaml") for each in found if "/" not in each and not each.startswith("_"))
