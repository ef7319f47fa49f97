"""What of a task's settings may vary in sense: a setting beside the rest of the code, and beside the others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mlbench.suite_builder.arguments.argument_kinds import NEVER, kind_of, table
from mlbench.suite_builder.arguments.candidate_values import Wish
from mlbench.suite_builder.arguments.help_text import is_conditional
from mlbench.suite_builder.arguments.value_relations import (
    gives_weights,
    is_of_training,
    is_parallel,
    is_shape,
    resumes,
)
from mlbench.suite_builder.arguments.variant_checks import Place, Trials
from mlbench.suite_builder.lexicon import pieces
from mlbench.suite_builder.mining.commands import LAUNCHER
from mlbench.suite_builder.mining.task_selection import only_evaluates, subcommand
from mlbench.suite_builder.types import DraftTask

_TRAINS = re.compile(r"(?:^|[\W_])(?:pre)?train|fine-?tun|distill", re.I)
_APPLYING = re.compile(
    r"eval|validat|verif|bench|(?:^|[\W_])test|infer|predict|detect|generat|demo|export|convert|sampl|transcri|visuali",
    re.I,
)
_LEARNS = re.compile(r"(?<!pre)train|fine_?tune|\bfit\b|\.backward\(|optim|\blearn\b", re.I)
_PROCESSES = re.compile(rf"{LAUNCHER}(\S+)")
_LOADS = re.compile(r"pretrained(?!\s*=\s*False)|load_state_dict|checkpoint|weights\s*=|\.load\(")
"""Python that loads weights: what must fit them stays."""


@dataclass(frozen=True)
class ArgumentSource:
    """Something that could vary: a value in the code, or an option that the code leaves out.

    Attributes:
        place: the destination of its value; for a value in the code, it is proven.
        target: the Python name that the call's result is assigned to.
        idle: whether the program never reads it.
    """

    wish: Wish
    rank: int
    place: Place
    spans: tuple[tuple[int, int], ...] = ()
    variable: bool = False
    target: str = ""
    idle: bool = False


def sensible(found: Sequence[ArgumentSource], task: DraftTask, trials: Trials) -> list[ArgumentSource]:
    """The code's own values by rank, those that stay fixed with rank `NEVER`.

    What the code leaves out is never added: of such tasks readers called a third good, of the others two thirds.

    Args:
        found: everything that could vary, and what the code leaves out.
        task: the task.
        trials: checks of its variants.
    """
    own = [each for each in without_dependants(found) if each.spans]
    applies = _only_applies(task, trials)
    idle = [each for each in own if applies and is_of_training(each.wish.name, each.wish.kind)]
    idle += [each for each in own if not _may_batch(each, task, trials, applies) or _is_in_heading(each, task)]
    own = [replace(each, rank=NEVER) if each in idle else each for each in own]
    own = _fitting(own, trials, loads=task.kind == "python" and _LOADS.search(task.code) is not None)
    return sorted(own, key=lambda each: -each.rank)


def _is_kind(source: ArgumentSource, kind: str) -> bool:
    return source.wish.kind is not None and source.wish.kind.kind == kind


def _may_batch(source: ArgumentSource, task: DraftTask, trials: Trials, applies: bool) -> bool:
    """Whether a size of a batch may vary: in trainings on one device.

    Elsewhere it has to divide the samples or fit a compiled model, and several GPUs share it.
    """
    if not _is_kind(source, "batch-size") or not trials.base:
        return True
    if task.kind == "python":
        function = trials.base[source.place[0]].name.rpartition(".")[2]
        return _APPLYING.search(function) is None and _LEARNS.search(task.code) is not None
    act = trials.base[source.place[0]]
    processes = _PROCESSES.search(task.code)
    return not (applies or is_parallel(act.values, act.given) or (processes and processes[1] != "1"))


def _is_in_heading(source: ArgumentSource, task: DraftTask) -> bool:
    """Whether the nearest heading says the value that the command gives: *300-epoch training of ViT-Base*."""
    wish, heading = source.wish, pieces(" ".join(task.block.headings[-1:]))
    if wish.switch:
        meant = wish.kind.switch[0].removeprefix("with ") if wish.kind and wish.kind.switch else ""
        return bool(source.spans and pieces(f"{wish.name} {meant}") & heading)
    value = pieces(" ".join(wish.original))
    return bool(source.spans and value) and value <= heading


def _fitting(found: Sequence[ArgumentSource], trials: Trials, *, loads: bool) -> list[ArgumentSource]:
    """The sources without shapes that the code leaves out; what must fit its weights or has no effect stays fixed."""
    given = {name: act.values.get(name) for act in trials.base for name in act.given}
    weights, evaluates = loads or gives_weights(given, frozenset(given)), only_evaluates(given)
    idle = {"seed", "dataset", "pretrained"} if evaluates else set()
    idle |= {"model"} if weights else set()
    idle |= table().restored if resumes(given) else set()
    kinds = {kind.kind for name in given if (kind := kind_of(name))}
    idle |= {"optimizer"} if kinds & {"learning-rate", "weight-decay"} else set()  # its rates belong to it
    idle |= {"epochs"} if "steps" in kinds else set()  # a number of steps ends the training
    kept = []
    for each in found:
        bound = is_shape(each.wish.kind) and (weights or not each.spans)
        stays = evaluates and is_of_training(each.wish.name, each.wish.kind)
        if bound or stays or (each.wish.kind and each.wish.kind.kind in idle):
            each = replace(each, rank=NEVER)
        kept += [each] if each.spans or each.rank else []
    return kept


def _only_applies(task: DraftTask, trials: Trials) -> bool:
    """Whether a model is only evaluated or used: by the program's name, the mode it is given, or the heading."""
    given = {name: act.values.get(name) for act in trials.base for name in act.given}
    if only_evaluates(given):
        return True
    program = f"{task.program.rpartition('/')[2]} {subcommand(task)}"
    if _APPLYING.search(program) and not _TRAINS.search(program):
        return True  # whatever a setting or the heading says: `test.py --phase train`
    if any(_TRAINS.search(f"{name} {value}") for name, value in given.items() if not isinstance(value, bool)):
        return False
    text = program + " " + (task.block.headings[-1] if task.block.headings else "")
    return _APPLYING.search(text) is not None and _TRAINS.search(text) is None


def without_dependants(found: Sequence[ArgumentSource]) -> list[ArgumentSource]:
    """The sources without settings of a switch that is off, and without switches on whose settings the code depends.

    `alpha_matting_erode_size` counts only beside `alpha_matting`.
    """
    own = {each.wish.option.place for each in found if each.spans}

    def rules(each: ArgumentSource, other: ArgumentSource) -> bool:
        name = each.wish.option.place
        is_bool = each.wish.switch or isinstance(each.wish.option.default, bool)
        return is_bool and bool(name) and other.wish.option.place.startswith((f"{name}_", f"{name}-"))

    kept = []
    for each in found:
        off = any(rules(other, each) and not other.spans and not other.wish.option.default for other in found)
        needed = any(rules(each, other) and other.wish.option.place in own for other in found)
        if not each.spans and (off or needed or is_conditional(each.wish.option.help)):
            continue
        kept.append(replace(each, rank=NEVER) if needed else each)
    return kept
