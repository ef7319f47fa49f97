"""Selects accepted tasks of different forms, the most different first, and names them."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from mlbench.records import Check, RepositoryCall
from mlbench.shell.shell_static import words
from mlbench.suite_builder.arguments.argument_kinds import is_never, kind_of
from mlbench.suite_builder.mining.commands import argv_of, started, words_of
from mlbench.suite_builder.priorities import NO_PRIORITIES, Priorities
from mlbench.suite_builder.types import CodeBlock, DraftTask

_GENERIC = words(
    "main run train test demo cli eval evaluate inference infer example sample predict app __main__ __init__"
)
MODES = re.compile(
    r"(?:^|[._])(?:do|mode|task|task_name|action|command|cmd|phase|stage|subcommand|is_training)(?:$|[._])"
)
_SUBCOMMAND = re.compile(r"[A-Za-z][a-z0-9]*(?:[_-][a-z0-9]+)*")
IDLE = re.compile(r"gpu|device|worker|rank|port|cuda|verbose|debug|log|wandb|nproc")
_EVALUATES = re.compile(
    r"^(?:do_|is_|run_)?(?:eval|evaluate|test|predict|infer|inference)(?:_only|_mode|_checkpoint|_ckpt)?$"
)
_TRAINS = re.compile(r"^(?:do_|is_|run_)?train(?:ing)?$")
_ENOUGH = 400
_VARIED, _ENOUGH_SETTINGS = 70, 4
"""The lowest rank in `varied.yaml` of a setting that users vary, and how many of them make a task significant."""
_DULL_WORDS = words(
    "a an the of for to in on with and or your how usage use using example examples quick start quickstart"
    " getting started readme basic run running by from as is this that it step run the code"
)


def only_evaluates(given: Mapping[str, Any]) -> bool:
    """Whether a command's settings make its program evaluate a model instead of training it."""
    if any(_TRAINS.search(name) and value in (True, 1, "true", "True", "1") for name, value in given.items()):
        return False  # `--train --test`
    modes = {str(value).lower() for name, value in given.items() if MODES.search(name)}
    if modes & {"eval", "evaluate", "evaluation", "test", "predict", "infer", "inference"}:
        return True
    return any(
        _EVALUATES.search(name.rpartition(".")[2]) and value not in (False, None, 0, "", "false", "False", "0")
        for name, value in given.items()
    )


def form(task: DraftTask) -> str:
    """What makes two tasks the same: programs, given options but places of outputs, and the modes that these choose."""
    parts: list[Any] = []
    for each in task.check.invocations:
        if each.calls:
            parts.append(sorted({(_last_two(call.function), call.given) for call in each.calls}))
        else:
            given = {name: value for name, value in each.configuration.items() if name in each.given}
            modes: dict[str, object] = {name: value for name, value in given.items() if MODES.search(name)}
            if any(not each.options.get(name) and value in each.argv[:1] for name, value in given.items()):
                modes["settings"] = sorted(each.configuration)  # a subcommand has settings of its own
            telling = [name for name in each.given if not ((kind := kind_of(name)) and kind.path == "output")]
            parts.append([each.program, sorted(telling) or list(each.argv), modes])
    return json.dumps(parts, sort_keys=True, default=str)


def _last_two(function: str) -> str:
    """The last two parts of a function's name; a module may be imported by two names."""
    return ".".join(function.split(".")[-2:])


def subcommand(task: DraftTask) -> str:
    """The word that chooses what the program does, if it is the first of its arguments; else empty."""
    last = task.check.invocations[-1] if task.check.invocations else None
    first = last.argv[0] if last and last.argv else ""
    if last is None or last.parser == "absl.flags" or not _SUBCOMMAND.fullmatch(first):
        return ""
    positional = [name for name in last.given if not last.options.get(name)]
    holders = [name for name in positional if _starts_with(last.configuration.get(name), first)]
    return first if not holders or any(MODES.search(name) for name in holders) else ""


def _starts_with(value: Any, word: str) -> bool:
    """Whether a recorded value is this word, or a list that begins with it."""
    first = value[0] if isinstance(value, list) and value else value
    return bool((first.get("value") if isinstance(first, dict) else first) == word)


def varyable(task: DraftTask) -> int:
    """How many of the task's settings could vary."""
    if task.kind == "python":
        return sum(_settings(call) for each in task.check.invocations for call in each.calls)
    last = task.check.invocations[-1]
    return len([name for name in last.given if not IDLE.search(name)]) or len(last.argv) // 2


def by_weight(check: Check) -> list[RepositoryCall]:
    """The calls of a snippet, those with the most settings first; of equals, the last."""
    calls = [call for each in check.invocations for call in each.calls]
    order = sorted(range(len(calls)), key=lambda at: (-_settings(calls[at]), -at))
    return [calls[at] for at in order]


def _settings(call: RepositoryCall) -> int:
    return sum(isinstance(call.arguments.get(name), str | int | float | bool) for name in call.given)


def worth(block: CodeBlock) -> int:
    """How much prose a block has, up to a limit."""
    return min(len(block.prose), _ENOUGH)


def significance(task: DraftTask) -> int:
    """How many of a task's settings users vary: epochs, models, data, sizes; no ports, workers or log folders."""
    if task.kind == "python":
        names = [name for each in task.check.invocations for call in each.calls for name in call.given]
    else:
        names = list(task.check.invocations[-1].given)
    kinds = [kind_of(name) for name in set(names) if not is_never(name) and not IDLE.search(name)]
    return min(sum(kind is not None and kind.rank >= _VARIED for kind in kinds), _ENOUGH_SETTINGS)


def best_first(tasks: Sequence[DraftTask], wanted: Priorities = NO_PRIORITIES) -> list[DraftTask]:
    """The tasks that a person wants, then those with settings that users vary, then those with prose; stable.

    A command in a pipe comes after one that stands alone, and one with placeholders after one without.
    """
    return sorted(tasks, key=lambda task: (wanted_rank(task, wanted), _rank(task)))


def wanted_rank(task: DraftTask, wanted: Priorities) -> int:
    return wanted.rank(_stem(task), task.code)


def _rank(task: DraftTask) -> tuple[bool, bool, bool, int, int]:
    return (
        " | " in task.code,
        task.filled + task.attested > 0,
        varyable(task) < 2,
        -significance(task),
        -worth(task.block),
    )


def distinct(tasks: Sequence[DraftTask]) -> tuple[list[DraftTask], list[tuple[DraftTask, DraftTask]]]:
    """One task of each form, in order; and each other task with the one that is kept instead.

    A snippet that another one of its page continues is a part of that one. So is a command that a sentence mentions
    beside a fuller one.
    """
    instead: dict[int, DraftTask] = {}
    for task in tasks:
        if task.kind == "python":
            longer = [other for other in tasks if other.block.page == task.block.page and _begins(task, other)]
            if longer:
                instead[id(task)] = max(longer, key=lambda other: len(other.code))
        elif fuller := [other for other in tasks if _is_mention(task, other)]:
            instead[id(task)] = fuller[0]
    kept: dict[str, DraftTask] = {}
    for task in sorted(best_first([task for task in tasks if id(task) not in instead]), key=_is_bare):  # stable
        first = kept.setdefault(form(task), task)
        if first is not task:
            instead[id(task)] = first
    return [task for task in tasks if id(task) not in instead], [
        (task, instead[id(task)]) for task in tasks if id(task) in instead
    ]


def _is_bare(task: DraftTask) -> bool:
    """Whether a command gives nothing by itself: `bash run.sh` beside the command that it holds."""
    return task.kind == "shell" and len(argv_of(task.code)) < 2


def _begins(task: DraftTask, other: DraftTask) -> bool:
    return other.kind == "python" and len(task.code) < len(other.code) and task.code in other.code


def _is_mention(task: DraftTask, other: DraftTask) -> bool:
    """Whether a sentence mentions a command, `tool pack`, of which its section shows one with more settings."""
    block, own = task.block, task.check.invocations[-1]
    section = (block.page, block.headings) == (other.block.page, other.block.headings)
    if other.kind != "shell" or not section or f"`{task.code.strip()}`" not in block.prose:
        return False
    same = task.program == other.program and subcommand(task) == subcommand(other)
    return same and {*own.given} < {*other.check.invocations[-1].given}


def diverse(tasks: Sequence[DraftTask], most: int, wanted: Priorities = NO_PRIORITIES) -> list[DraftTask]:
    """At most `most` tasks: what is wanted, then the first of each program, their second ones, and so on.

    Args:
        tasks: tasks of different forms.
        most: the number of tasks.
        wanted: what a person wants first.
    """
    ranks: dict[str, int] = defaultdict(int)
    order: list[tuple[int, bool, int, int, DraftTask]] = []
    for at, task in enumerate(best_first(tasks, wanted)):
        order.append((wanted_rank(task, wanted), varyable(task) < 2, ranks[task.program], at, task))
        ranks[task.program] += 1
    order.sort(key=lambda one: one[:4])
    chosen = {id(task) for *_, task in order[:most]}
    return [task for task in tasks if id(task) in chosen]


def named(tasks: Sequence[DraftTask]) -> list[DraftTask]:
    """The tasks with unique names, made from the program and, if needed, the heading."""
    taken: set[str] = set()
    found = []
    for task in tasks:
        found.append(replace(task, name=_free(task, taken)))
        taken.add(found[-1].name)
    return found


def _free(task: DraftTask, taken: set[str]) -> str:
    first = task.name or _stem(task)
    more = [word for heading in reversed(task.block.headings) for word in _words(heading)]
    names = [first, *(f"{first}-{word}" for word in more if word not in first.split("-"))]
    free = next((name for name in names if name not in taken), "")
    return free or next(name for at in range(2, 10_000) if (name := f"{first}-{at}") not in taken)


def _stem(task: DraftTask) -> str:
    if task.kind == "python":
        calls = by_weight(task.check)
        last = calls[0].function.split(".") if calls else ["snippet"]
        names = last[-2:] if last[-1].startswith("_") or len(last[-1]) < 5 else last[-1:]
        return _slug("-".join(_parted(name.strip("_")) for name in names)) or "snippet"
    script = started(words_of(task.code.rpartition("\n")[2]))
    path = PurePosixPath(script.name if script and script.name.endswith(".sh") else task.program or "program")
    stem = path.stem
    if stem.lower() in _GENERIC and len(path.parts) > 1:
        stem = f"{path.parts[-2]}-{stem}" if not stem.startswith("__") else path.parts[-2]
    return _slug(_parted(stem)) or "program"


def _parted(name: str) -> str:
    """`CamelCase` as `Camel-Case`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])", "-", name)


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:48].strip("-")


def _words(heading: str) -> list[str]:
    return [word for word in _slug(heading).split("-") if word not in _DULL_WORDS and not word.isdigit()]
