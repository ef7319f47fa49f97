"""Relations between settings that a program does not check: a warm-up fits its epochs, a checkpoint its shapes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence

from mlbench.shell.shell_static import words as shell_words
from mlbench.suite_builder.arguments.argument_kinds import Kind, is_never, kind_of, table, words_of
from mlbench.suite_builder.arguments.number_values import number_of
from mlbench.suite_builder.types import DraftArgument
from mlbench.suites.recipes import Words

_WEIGHTS = re.compile(r"\.(?:pth?|ckpt|bin|safetensors|onnx|h5|pkl|npz|model|msgpack)(?:\.tar)?$", re.I)
_GPUS = re.compile(r"(?:n |num |number of |n_)?(?:gpus?|devices|gpu ids)(?: num)?|world size|nproc(?: per node)?")
_RESUMES = re.compile(r"\b(?:resume|continue|restart)\b")

_ANY_BATCH = shell_words(
    "batch size batchsize bs b n num per device gpu mini minibatch total eval evaluation test val valid validation"
    " infer inference predict"
)
"""Words of a batch size that an evaluation reads."""
NO_PROSE = re.compile(r"[{}\[\]()|*]")
"""Characters of values that only a template's placeholder can hold: JSON, lists, patterns."""


def gives_weights(values: Mapping[str, object], given: frozenset[str]) -> bool:
    """Whether a command names trained weights: its shapes belong to them."""
    for name in given:
        value, kind = values.get(name), kind_of(name)
        words = [value] if isinstance(value, str) else value if isinstance(value, list | tuple) else []
        texts = [word for word in words if isinstance(word, str) and word]
        if any(_WEIGHTS.search(text) or (kind and kind.path == "checkpoint") for text in texts):
            return True
    return False


def resumes(values: Mapping[str, object]) -> bool:
    """Whether a command goes on with an earlier training, whose checkpoint holds the optimizer's state."""
    return any(_RESUMES.search(words_of(name)) and value not in (None, "", False) for name, value in values.items())


def is_parallel(values: Mapping[str, object], given: frozenset[str]) -> bool:
    """Whether a command has several GPUs, which share its batches."""
    for name in given:
        value = values.get(name)
        if _GPUS.fullmatch(words_of(name)) and (
            (isinstance(value, list | tuple) and len(value) > 1)
            or (isinstance(value, str) and "," in value)
            or (isinstance(value, int) and not isinstance(value, bool) and value > 1)
        ):
            return True
    return False


def is_shape(kind: Kind | None) -> bool:
    """Whether a setting must fit the model: the size of an image, the number of layers."""
    return kind is not None and kind.kind in table().shapes


def is_of_training(name: str, kind: Kind | None) -> bool:
    """Whether a setting counts only while a model is trained: a learning rate, `inner_batch`, `train_batch_size`."""
    if kind is None or kind.kind != "batch-size":
        return kind is not None and kind.kind in table().training
    return not _ANY_BATCH.issuperset(words_of(name).split())


def contradiction(name: str, words: Words, values: Mapping[str, object]) -> str:
    """Why a value cannot stand beside the other settings; empty if it can.

    Args:
        name: the setting.
        words: its value.
        values: the other settings.
    """
    number = number_of(words[0]) if len(words) == 1 else None
    if number is None:
        return ""
    for other, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or other == name:
            continue
        if _is_below(name, other) and number >= value > 0:
            return f"{words[0]} is not below {other}, which is {value}"
        if _is_below(other, name) and value >= number:
            return f"{words[0]} is not above {other}, which is {value}"
    return ""


def undocumented_pairs(arguments: Sequence[DraftArgument]) -> Iterator[dict[str, Words]]:
    """The pairs of other values of two bound arguments: pages show each beside the example's rest, not both."""
    for one, other in itertools.combinations([each for each in arguments if each.bound], 2):
        for words, others in itertools.product(list(one.values.values())[1:], list(other.values.values())[1:]):
            yield {one.name: words, other.name: others}


def contradicting_pairs(arguments: Sequence[DraftArgument]) -> Iterator[dict[str, Words]]:
    """The pairs of values of two arguments that contradict each other."""
    for one, other in itertools.combinations(arguments, 2):
        for words, others in itertools.product(one.values.values(), other.values.values()):
            value = number_of(others[0]) if len(others) == 1 else None
            if value is not None and contradiction(one.place, words, {other.place: value}):
                yield {one.name: words, other.name: others}


def _is_below(name: str, other: str) -> bool:
    one, two = words_of(name).split(), words_of(other).split()
    if (one[:1] == ["min"] and one[1:] == two) or (two[:1] == ["max"] and two[1:] == one):
        return True  # `min_lr` and `lr`
    kind, limit = kind_of(name), kind_of(other)
    return kind is not None and limit is not None and not is_never(other) and table().below.get(kind.kind) == limit.kind


def is_repeated(words: Sequence[str], others: Sequence[str]) -> bool:
    """Whether another value has this value, or a part of it with a digit: `b1` of `net-b1` in `b1.onnx`.

    Of a number, its digits count: 2 in `outx2`.
    """
    for word in words:
        if number_of(word) is not None:
            if any(re.search(rf"(?<![\d.]){re.escape(word)}(?![\d.]*\d)", other) for other in others):
                return True
            continue
        parts = [part for part in re.split(r"[\W_]+", word) if len(part) > 1 and re.search(r"\d", part)]
        telling = [re.escape(part) for part in (*parts, *([word] if len(word) > 2 else []))]
        if any(re.search(rf"(?<![^\W_]){part}(?![^\W_])", other) for part in telling for other in others):
            return True
    return False
