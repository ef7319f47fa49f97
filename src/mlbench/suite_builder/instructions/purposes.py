"""Says what a task does, from proven facts only: which program is started for what, or which example is followed.

The sentence directly above a command says best what it is for, then the heading. Without them, a verb such as *train*
is used only if the program's own name says it and the nearest heading does not say otherwise.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass

from mlbench.suite_builder.arguments.argument_kinds import chooses_work
from mlbench.suite_builder.instructions.grammar import grammar, joined, verb_of
from mlbench.suite_builder.instructions.stated_purpose import fits, gerund_of, stated
from mlbench.suite_builder.instructions.task_descriptions import (
    command_words,
    entry_name,
    headings_of,
    names_called,
    section_of,
    started_name,
)
from mlbench.suite_builder.lexicon import unknown
from mlbench.suite_builder.mining.commands import started
from mlbench.suite_builder.mining.task_selection import only_evaluates, subcommand
from mlbench.suite_builder.types import DraftArgument, DraftTask, RecipeDraft

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_PROGRAM = re.compile(r"[\w./-]+\.(?:py|sh)\b|(?<=-m )[\w.]+")
_EVALUATES = re.compile(r"--?(?:\w+[_-])?(?:eval|evaluate|test|predict|inference)(?:[_-]only)?\b")
_PREPOSITION = re.compile(r"(?:on|in|with|for|from|at|of|to|into|over|by|without|and|or)$", re.I)
_SURE = ("train", "test")
"""Groups of verbs whose object need not be said: a model is trained or evaluated."""

_INFERENCE = ("infer", "run inference")
_FORMATS = {
    "onnx": "ONNX",
    "tensorrt": "TensorRT",
    "trt": "TensorRT",
    "torchscript": "TorchScript",
    "coreml": "Core ML",
    "openvino": "OpenVINO",
    "tflite": "TensorFlow Lite",
    "ncnn": "ncnn",
}
"""How the formats that a program's name has are written: `export_onnx.py` exports the model to ONNX."""


@dataclass(frozen=True)
class Purpose:
    """What a task does: `train` and `the model with tools/train.py`.

    Attributes:
        section: a heading that tells where the task is documented.
    """

    verb: str
    rest: str
    section: str = ""

    @property
    def do(self) -> str:
        return f"{self.verb} {self.rest}".strip()

    @property
    def doing(self) -> str:
        return f"{gerund_of(self.verb)} {self.rest}".strip()


def purpose(draft: RecipeDraft) -> Purpose:
    """What a draft's task does."""
    task, section = draft.task, section_of(draft.task)
    if task.kind == "python":
        names = names_called(task)
        example = f"the example with {joined(names)}" if names else "the example"
        return Purpose("reproduce", example, section)
    program = _said_entry(task)
    verb, what = stated_purpose(draft)
    of = f" {what}" if what and not verb and not _repeats(what, program) else ""  # for English single-speaker TTS
    if not verb:
        verb, what = _headed_purpose(draft)
    has_mode = any(map(_is_mode, (*draft.arguments, *draft.fixed)))
    if not verb and not has_mode:
        verb, what = _described_purpose(draft)
    if verb:
        name = started_name(task)
        is_named = re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w/-]|\.\w)", what) is not None
        return Purpose(verb, f"{what}{of}" if is_named else f"{what} {_with(what)} {program}{of}", section)
    verb, what = ("", "") if has_mode else _named_purpose(draft)
    if verb and grammar().verbs[verb].group == "train" and only_evaluates(_given(task)):
        verb, what = "evaluate", "the model"  # `main_finetune.py --eval`
    elif verb and _is_denied(task, verb):
        verb = ""
    if verb:
        return Purpose(verb, f"{what} with {program}{of}".strip(), section)
    return Purpose("run", f"{program}{of}", section)


def stated_purpose(draft: RecipeDraft) -> tuple[str, str]:
    """The verb and objects that the documentation states right above the command; empty if they do not fit all rows."""
    verb, what = stated(draft.task.block.lead) if draft.task.kind == "shell" else ("", "")
    return (verb, what) if what and fits(what, draft.arguments) and _agrees(verb, draft.task) else ("", "")


def _agrees(verb: str, task: DraftTask) -> bool:
    """Whether the program's own name says nothing of another kind: not *train* of `prepare_data.py`."""
    if verb not in grammar().verbs:
        return True
    group = grammar().verbs[verb].group
    stem = re.sub(r"\.(?:py|sh)$", "", posixpath.basename(started_name(task)))
    own = {grammar().verbs[each].group for part in _WORDS.findall(stem) if (each := verb_of(part.lower()))} - {"any"}
    return not own or group in own | {"any"} or (group == "test" and only_evaluates(_given(task)))


def _headed_purpose(draft: RecipeDraft) -> tuple[str, str]:
    """What the nearest heading says, if the section is about this one program and its name says nothing else.

    *Download the images with img2dataset* has an object; *Evaluation* and *Training* mean the model.
    """
    task = draft.task
    heading = next(iter(headings_of(task)), "")
    words = [word for word in _WORDS.findall(heading) if word.lower() not in ("the", "a", "model", "models")]
    verb, what = stated(heading) if len(heading.split()) > 1 else ("", "")
    if not verb and len(words) == 1:
        verb, what = verb_of(words[0]), "the model"
    if not verb or (what == "the model" and verb not in ("train", "evaluate", "test")):
        return "", ""
    evaluates = only_evaluates(_given(task))
    trains = verb in grammar().verbs and grammar().verbs[verb].group == "train"
    if not _agrees(verb, task) or (evaluates and trains) or not fits(what, draft.arguments):
        return "", ""
    name = started_name(task)
    is_about = name in heading.split() or {*_PROGRAM.findall(draft.section)} == {name}
    return (verb, what) if is_about and not _is_mixed(draft, evaluates=evaluates) else ("", "")


def _is_mode(argument: DraftArgument) -> bool:
    """Whether a switch of the command may choose other work than the program's usual one: `--benchmark`."""
    words = next(iter(argument.values.values()), ())
    is_switch = bool(argument.option) and words == (argument.option,)
    return is_switch and chooses_work(argument.place)


def _described_purpose(draft: RecipeDraft) -> tuple[str, str]:
    """What the program says of itself in its docstring or its parser's description: *Convert notebooks to MDX.*"""
    verb, what = stated(draft.about)
    is_plain = bool(verb and what) and _agrees(verb, draft.task) and fits(what, draft.arguments)
    evaluates = only_evaluates(_given(draft.task))
    trains = verb in grammar().verbs and grammar().verbs[verb].group == "train"
    return (verb, what) if is_plain and not (evaluates and trains) else ("", "")


def _is_mixed(draft: RecipeDraft, *, evaluates: bool) -> bool:
    """Whether the section also has commands that do the other of training and evaluating."""
    others = [_EVALUATES.search(line) is not None for line in draft.section.splitlines() if _PROGRAM.search(line)]
    return len(set(others)) > 1 or (bool(others) and others[0] is not evaluates)


def _repeats(what: str, program: str) -> bool:
    """Whether words say no more than a program's name: *for actor critic* beside `actor_critic.py`."""
    plain = re.sub(r"[^a-z0-9]", "", what.removeprefix("for ").lower())
    return plain in re.sub(r"[^a-z0-9]", "", program.lower())


def _said_entry(task: DraftTask) -> str:
    """What a command starts, as an instruction says it: `the subcommand run of main.py in examples`."""
    whole, command = entry_name(task), subcommand(task)
    name, _, folder = whole.partition(" in ")
    plain = name.removesuffix(f" {command}")
    if not command or not plain.endswith((".py", ".sh")):
        return whole
    return f"the subcommand {command} of {plain}{f' in {folder}' if folder else ''}"


def _with(what: str) -> str:
    return "using" if " with " in f" {what} " else "with"


def _named_purpose(draft: RecipeDraft) -> tuple[str, str]:
    """The verb and object of the program's file name: `train.py`, `extract_features.py`; else two empty texts.

    What follows the verb is its object only if the documentation says so: *to extract features*. `fast` is none.
    """
    task = draft.task
    words = command_words(task)
    found = started(words)
    stem = posixpath.basename(found.name if found else task.program).rpartition(".")[0]
    parts = [part.lower() for part in _WORDS.findall(stem)]
    plain = [part for part in parts if part not in grammar().housing | grammar().dull]
    verb = verb_of(plain[0]) if plain else ""
    if not verb:
        return "", ""
    told = grammar().verbs[verb]
    rest = [part for part in plain[1:] if part not in ("model", "net", "network", "to")]
    if verb in _INFERENCE and not rest:
        return "run inference", ""
    if told.group == "convert" and len(rest) == 1 and rest[0] in _FORMATS:
        return verb, f"the model to {_FORMATS[rest[0]]}"
    if not rest:
        return (verb, told.meant) if told.group in _SURE else ("", "")
    whole = " ".join(rest)
    is_object = (
        not rest[-1].endswith("ed") and not _PREPOSITION.match(rest[0]) and not any(verb_of(part) for part in rest)
    )
    if told.group in _SURE or plain[0] != verb or not is_object or unknown(whole) or any(len(p) < 3 for p in rest):
        return "", ""  # nothing tells whether `train_tokenizer.py` trains a model
    return (verb, f"the {whole}") if _is_said_of(verb, whole, draft) else ("", "")


def _is_said_of(verb: str, what: str, draft: RecipeDraft) -> bool:
    """Whether the task's section has the verb with this object: a plural, or a noun with its article."""
    text = "\n".join([*draft.task.block.headings[-1:], draft.task.block.prose, draft.section])
    forms = "|".join(map(re.escape, (verb, grammar().verbs[verb].gerund)))
    article = rf"(?:(?:the|an?|all|your|its|their)\s+){'?' if what.endswith('s') else ''}"
    return re.search(rf"\b(?:{forms})\s+{article}{re.escape(what)}\b", text, re.I) is not None


def _is_denied(task: DraftTask, verb: str) -> bool:
    """Whether the nearest heading has verbs of another meaning only: not *Training and evaluation* of `train.py`."""
    group = grammar().verbs[verb].group
    for heading in headings_of(task)[:1]:
        said = {grammar().verbs[each].group for word in _WORDS.findall(heading) if (each := verb_of(word))}
        if said - {"any"} and group not in said:
            return True
    return False


def _given(task: DraftTask) -> dict[str, object]:
    return {name: each.configuration.get(name) for each in task.check.invocations for name in each.given}
