"""The ways to say an argument; a sentence takes the one that fits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mlbench.suite_builder.arguments.argument_kinds import acronyms, table
from mlbench.suite_builder.arguments.argument_names import quoted
from mlbench.suite_builder.instructions.grammar import Wording, article, grammar
from mlbench.suite_builder.types import DraftArgument

_NUMBER = re.compile(r"[-+]?(?:\d[\d_,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_FILE = re.compile(r"(?:^|[\w)])\.[A-Za-z][A-Za-z0-9]{0,5}$")
_CLAUSE = re.compile(r"(?:with|without|in|on|by|from|using|not|at|for|as|only|through|under|\w+ing)\b", re.I)
_PLACES = {
    "finetune": "checkpoint to start from",
    "resume": "checkpoint to resume from",
    "resume_from": "checkpoint to resume from",
    "load": "checkpoint to load",
    "save": "save path",
    "pretrained": "pretrained checkpoint",
}
"""What an option with the name of an action is given, if its value is a path."""
_PAIRS = re.compile(r"with [A-Z][\w.]+ set to ")  # keys of a configuration
_TRUTH = frozenset({"true", "false", "yes", "no", "on", "off"})
_TEXT = re.compile(r"\b(?:prompt|text|caption|query|question|sentence|instruction|description|lyrics)s?\b")
_SYMBOL = re.compile(
    r"[a-z]{1,2}\d?|alpha|beta|gamma|delta|epsilon|eta|theta|lambda|mu|sigma|tau|rho|psi|phi|omega|kappa|zeta"
)
_NO_NOUN = re.compile(
    r"(?:from|to|into|in|on|at|as|by|for|of|with|without|and|or|if|when|until|not?|is|are|do|use|using|only)\b", re.I
)
"""How names begin that are none in prose: `from_lang`, `use_ema`."""
_PLACE = re.compile(r"\b(?:folder|file|path|root)$")
_PLURAL = re.compile(r"[^su]s$")


@dataclass(frozen=True)
class Phrase:
    """An argument in words; each form holds `{{ name }}` once.

    Attributes:
        prep: after a verb: `for {{ epochs }} epochs`.
        noun: after `with` or `use`: `a learning rate of {{ rate }}`.
        sentence: on its own.
        label: in a list.
        last: at the end of a sentence, after a comma: `without mixed precision`.
    """

    name: str
    prep: tuple[str, ...]
    noun: tuple[str, ...]
    sentence: tuple[str, ...]
    label: tuple[str, ...]
    last: tuple[str, ...]


def phrases(arguments: Sequence[DraftArgument]) -> list[Phrase]:
    """The phrases of a task's arguments, in order; all have different names.

    Raises:
        ValueError: two would have the same name.
    """
    called = [_called(argument) for argument in arguments]
    found = [
        _as_spelled(argument) if called.count(said) > 1 and " of " not in said else said
        for argument, said in zip(arguments, called, strict=True)
    ]
    by_name = [said for argument, said in zip(arguments, found, strict=True) if kind_of(argument, said) not in _UNNAMED]
    if twice := sorted({said for said in by_name if by_name.count(said) > 1}):
        raise ValueError(f"two settings would be called {twice[0]!r}")
    return [_phrase(argument, said) for argument, said in zip(arguments, found, strict=True)]


def _as_spelled(argument: DraftArgument) -> str:
    """The name as the program spells it, quoted; of a subcommand's or function's own key, its last part."""
    said = quoted(argument.option or argument.place.rpartition(".")[2])
    return f"{said} of {argument.owner}" if argument.owner else said


_FILE = re.compile(r"[^/]\.[A-Za-z]\w{0,6}$")
_UNNAMED = ("clause", "phrase")


def _called(argument: DraftArgument) -> str:
    """The argument's name in plain words, lower-case but for names and acronyms."""
    if argument.said == '"argv"':
        return "arguments"  # what absl leaves of a command line
    if argument.said.startswith('"'):
        said = _PLACES.get(argument.said.strip('"').lower().replace("-", "_"), "")
        if said and all(len(words) == 1 and "/" in words[0] for words in argument.values.values()):
            return said  # `checkpoints/a.pth for the "finetune" setting`
        return f"{argument.said} of {argument.owner}" if argument.owner else argument.said
    text = re.sub(r"[^\w '/+-]", " ", argument.said or "").replace("_", " ")
    if all(len(each) == 1 for each in argument.values.values()):
        text = re.sub(r"\bfiles$", "file", text)  # `a.wav as the files`
    if all(len(each) == 1 and _FILE.search(each[0]) for each in argument.values.values()):
        text = re.sub(r"\b(?:folder|directory)$", "file", text)  # `--pretrained_dir net.npz`
    words = " ".join(acronyms().get(word, word) for word in text.split())
    words = re.sub(r"^(?:the |an? )+|(?: of| the| to| in| for)+$", "", words)
    if re.search(r"[A-Za-z]", words) and words.isascii():
        if _is_one_of_several(argument, words) and f"{words.split()[-1]}s" in table().heads:
            words = f"{words}s"  # `the configuration files a.yml and b.yml`
        if _NO_NOUN.match(words) or _is_one_of_several(argument, words):
            return _as_spelled(argument)  # `the to language`, `the configuration file a.yml b.yml`
        if _is_plural_of_one(argument, words) or (argument.owner and re.search(r"(?<!^number) of ", words)):
            return _as_spelled(argument)  # `the datasets Reddit`, `the path of the tokenizer of load`
        return f"{words} of {argument.owner}" if argument.owner else words
    name = re.sub(r"^(?:the|an?) ", "", in_prose(argument.name))
    return name if re.search(r"[A-Za-z]", name) else f"argument {name}"


def _is_plural_of_one(argument: DraftArgument, said: str) -> bool:
    """Whether a plural names one value, and is no count: `datasets` for Reddit, not `channels` for 64."""
    one = all(len(words) == 1 and "," not in words[0] for words in argument.values.values())
    kind = kind_of(argument, said)
    if not (one and _PLURAL.search(said)) or " of " in said or kind in (*_UNNAMED, "text", "truth"):
        return False
    if all(_FILE.search(way) for way in argument.values):
        return False  # a file holds several: `ref.txt as the references`
    return _wording(said, kind, one=False)[0] is grammar().kinds[kind]


def _is_one_of_several(argument: DraftArgument, said: str) -> bool:
    """Whether a singular names several values, and is neither a size nor a list of numbers."""
    several = any(len(words) > 1 for words in argument.values.values())
    named = any(_NUMBER.fullmatch(word) is None for words in argument.values.values() for word in words)
    return several and named and not _PLURAL.search(said)


def in_prose(name: str) -> str:
    """An identifier as words: `data_dir` is `data folder`."""
    words = name.rpartition(".")[2].replace("-", "_").strip("_").split("_")
    return " ".join(grammar().spelled.get(word, word) for word in words if word)


def _phrase(argument: DraftArgument, said: str) -> Phrase:
    kind = kind_of(argument, said)
    if kind not in (*_UNNAMED, "text"):
        names = ("owned-setting" if argument.owner else "setting") if said.startswith('"') else ""
        kind = names or ("owned" if argument.owner else kind)
    wording, unit = _wording(said, kind, "1" in argument.values)
    general = grammar().kinds[kind]
    head = re.split(r" (?:of|to|for|in|on|per|between|from|at|with|used) ", said)[0]
    plural = bool(_PLURAL.search(head)) or said.startswith("number of")
    long = len(said.split()) > 3 or " to " in said
    words = {"v": f"{{{{ {argument.name} }}}}", "said": said, "a said": f"{article(said)} {said}", "unit": unit}

    def filled(patterns: Sequence[str]) -> tuple[str, ...]:
        kept = [
            each
            for each in patterns
            if not (plural and ("{a said}" in each or "{said} is " in each))
            and not (plural and kind == "path" and "the {said} {v}" in each)
            and not (long and "the {said} {v}" in each and kind != "text")
        ]
        return tuple(_fill(each, words) for each in kept)

    return Phrase(
        argument.name,
        filled(wording.prep),
        filled(wording.with_ or general.with_),
        filled(wording.sentence or general.sentence),
        filled(wording.label or general.label or grammar().label),
        filled(wording.last),
    )


def _wording(said: str, kind: str, one: bool) -> tuple[Wording, str]:
    """The first wording that fits, and what it counts.

    Args:
        said: the argument's name.
        kind: what its values are.
        one: whether 1 is among the values, because `1 epochs` is wrong English.
    """
    unit = said.removeprefix("number of ").removeprefix("training ").removeprefix("train ")
    counted = unit.split()[-1] in grammar().counted and not unit.startswith(("maximum", "minimum"))
    for each in grammar().arguments:
        fits = counted if each.match == "counted" else re.fullmatch(each.match, said.lower())
        if fits and kind in each.of and not (each.one and one):
            return each, unit
    return grammar().kinds[kind], unit


def kind_of(argument: DraftArgument, said: str) -> str:
    """What its values are: a key of the grammar's `kinds`."""
    ways = list(argument.values)
    wanted = list(argument.values.values())
    if any(not words for words in wanted) or all(words[0].startswith("--") for words in wanted):
        return "clause" if all(_CLAUSE.match(way) for way in ways) else "phrase"
    if all(way.lower() in _TRUTH for way in ways):
        return "truth"
    if any(len(words) > 1 for words in wanted):
        return "clause" if all(_PAIRS.match(way) for way in ways) else "several"
    if any(re.search(r"\s", way) and words == (way,) for way, words in argument.values.items()):
        return "text"
    if all(_NUMBER.fullmatch(way) for way in ways):
        return "symbol" if _SYMBOL.fullmatch(said.lower()) else "number"
    if all(_CLAUSE.match(way) and " " in way for way in ways):
        return "clause"
    if _TEXT.search(said) and any(" " in way for way in ways):
        return "text"
    if any("/" in way or _FILE.search(way) for way in ways) or _PLACE.search(said):
        return "path"
    return "text" if any(len(way.split()) > 3 for way in ways) else "word"


def _fill(pattern: str, words: Mapping[str, str]) -> str:
    return re.sub(r"\{([a-z ]+)\}", lambda found: words[found[1]], pattern)
