"""Says what a task is for, from its prose, its heading, or its program's name.

All sources are the repository's text: only a few plain words are taken, or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass, replace

from mlbench.suite_builder.instructions.grammar import grammar, verb_of
from mlbench.suite_builder.instructions.purpose_conflicts import (
    PREPOSITION,
    conflicts,
    contradicts,
    free_of,
    general,
    values_of,
)
from mlbench.suite_builder.lexicon import unknown
from mlbench.suite_builder.mining.task_selection import only_evaluates
from mlbench.suite_builder.types import DraftTask, RecipeDraft

_SENTENCE = re.compile(r"(?<=[.!?:])\s+|\n\s*\n|\n[-*]\s")
_TO_DO = re.compile(
    r"(?:\b(?<!ed )(?:to|you can|you may|we can|let us|let's) +|^\W*(?:(?:then|now|next|first|also|finally) )?)"
    r"([A-Za-z-]{3,})\b(?![./_]\w)",
    re.I,
)
_END = re.compile(
    r"[,;:()\[\]<>\"“”`*|?!]|\.(?:\s|$)|\s(?:by|using|via|through|run|please|simply|just|use|execute|then|as follows|"
    r"first|like|where|which|that|if|when|you|we|is|are|can|see|yourself|according|because|so|while|make sure|after|"
    r"before|or|alternatively|as|since|due|given|instead|conditioned|based|(?:with|in|on) the (?:following|command)|"
    r"with default|on (?:a|one|two|four|multiple|your)|in (?:a few|just|only)|starting)\b",
    re.I,
)
_STRANGE = re.compile(
    r"\b(?:this|these|those|it|them|following|above|below|here|commands?|scripts?|code|line|run|their|its|they|such|same|"
    r"also|etc|section|step|https?|should|must|will|how|what|files?|examples?|options?|arguments?|folder|directory|"
    r"repo|repository|experiments?|debugging|quickly|not|be|do|does|seem|has|have|had|us)\b|[{}%#=\\$/~_]|--",
    re.I,
)
_TOLD = re.compile(r"[^,;:.()]{0,60}?\b(?:is|are|was|were|can|will|has|have)\b")
_COUNT = re.compile(r"(?<![\w-])\d+(?:[.,]\d+)?(?![\w-])")
_YOURS, _OURS = re.compile(r"\byour\b", re.I), re.compile(r"\bour\b", re.I)
_TRAILING = re.compile(
    r"(?:\s+(?:a|an|the|on|in|at|to|for|of|with|from|and|or|by|into|as|my|easily|directly|quickly|locally|"
    r"one|some|again))+$",
    re.I,
)
_NUMBERING = re.compile(r"^[\W\d_]*(?:[IVX]+\.\s|step\s+\d+\W*|stage\s+\d+\W+)?[\W\d_]*(?=[A-Za-z])", re.I)
_PLAIN = re.compile(r"[\w .,:+'()&-]+")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_MODEL = re.compile(r"(?:er|or|model|net|network|gan|bert)s?$", re.I)
_PROCESS = re.compile(
    r"(?:[a-z]{3}(?:tion|sion|ment)|(?:train|tun|cluster|learn|track|caption|match|dub|pos|forecast)ing)$", re.I
)
_ADVERB = re.compile(r"(?:\w{3,}ly|faster|better|more|again|well|only|later|here|there|up|out|off|down)\b", re.I)
_STARTERS = frozenset(["python", "python3", "torchrun", "accelerate", "deepspeed", "bash", "sh", "srun", "mpirun"])
_NAMED_WITH = re.compile(r" with (?=[^a-z ]).*$")
_LONGEST, _LONGEST_HEADING = 10, 7


@dataclass(frozen=True)
class Purpose:
    """What a task does: `train` and `a model on ImageNet`.

    Attributes:
        section: a heading that tells where the task is documented.
        group: the group of the meant verb, if that is another verb: `run` and `the distributed training`.
    """

    verb: str
    rest: str
    section: str = ""
    group: str = ""

    @property
    def do(self) -> str:
        return f"{self.verb} {self.rest}".strip()

    @property
    def doing(self) -> str:
        def gerund(found: re.Match[str]) -> str:
            verb = grammar().verbs.get(found[2])
            return f"{found[1]} {verb.gerund}" if verb else found[0]

        rest = re.sub(r"^(and|or) (\S+)", gerund, self.rest)
        return f"{grammar().verbs[self.verb].gerund} {rest}".strip()


def purpose(draft: RecipeDraft, project: str = "") -> Purpose:
    """What a draft's task is for; never empty, and without any argument's value.

    Args:
        draft: the task with its arguments.
        project: the repository's name.
    """
    found = _purpose(draft, project)
    if _evaluates(draft.task) and grammar().verbs[found.verb].group == "train":
        return Purpose("evaluate", "the model", found.section)  # `main_finetune.py --eval`
    return found


def _evaluates(task: DraftTask) -> bool:
    return any(
        only_evaluates({name: each.configuration.get(name) for name in each.given}) for each in task.check.invocations
    )


def _purpose(draft: RecipeDraft, project: str) -> Purpose:
    task, taken = draft.task, values_of(draft)
    section = _section(task, taken)
    program = _verb_of_program(task)
    group = grammar().verbs[program].group if program else ""
    if _only_builds(task) and (built := _of_calls(draft)):
        return replace(built, section=section)  # the prose is about other code
    for found, allowed in (
        *((each, "any") for each in _of_prose(task)),
        *((each, group) for each in _of_heading(task)),
        *((each, "any") for each in _of_docstring(draft.about)),
    ):
        rest = free_of(found.rest, taken)
        meant = found.group or grammar().verbs[found.verb].group
        if meant == "any" and group not in ("", "train", "test"):
            continue  # `export.py` under `Reproduce` does not reproduce anything
        if contradicts(f"{found.verb} {rest}", draft):
            continue
        if rest is not None and (not group or meant in (group, allowed)):
            meant_object = grammar().verbs[found.verb].meant
            return Purpose(found.verb, general(rest, meant_object, draft) or meant_object, section)
    if program:
        return replace(_of_program(task, program, _subject(task, taken)), section=section)
    if task.kind == "python" and (of_calls := _of_calls(draft)):
        return replace(of_calls, section=section)
    if name := program_name(task):
        return Purpose("run", name, section)
    of_project = f" of {project}" if project else ""
    example = f'the example "{section}"' if section else "the example"
    return Purpose("run", f"{example}{of_project}", section)


def program_name(task: DraftTask) -> str:
    """The command that starts a task's program, as its code names it: `whisperx`, `linear_probe.py`; may be empty."""
    file = task.program.rpartition("/")[2]
    if task.kind == "python" or not file:
        return ""
    if re.search(rf"(?:^|[\s/]){re.escape(file)}(?=\s|$)", task.code):
        return file
    module = re.search(r"\s-m\s+([\w.]+)", task.code)
    if module and (f"{module[1].replace('.', '/')}.py" in task.program or file == "__main__.py"):
        return module[1]
    words = [word for word in task.code.split() if "=" not in word]
    return words[0] if words and re.fullmatch(r"[\w-]+", words[0]) and words[0] not in _STARTERS else ""


def _of_prose(task: DraftTask) -> Iterator[Purpose]:
    """From the sentences before the code, the nearest first: `To fine-tune BERT on GLUE, run:`."""
    sentences = [each for each in _SENTENCE.split(task.block.prose[-2000:]) if each.strip()]
    for at, sentence in enumerate(reversed(sentences)):
        for found in _TO_DO.finditer(sentence):
            verb = verb_of(found[1])
            if verb in grammar().plain and (at > 0 or sentence[: found.start()].strip(" *_#>-")):
                continue  # of a verb that is common elsewhere too, only what the last sentence begins with
            if (
                not verb or verb == "use" or (found.start() > 0 and found[1].lower() != verb)
            ):  # "for training", "and evaluation"
                continue
            if found[1].lower() != verb and _TOLD.match(sentence, found.end()):
                continue  # "Training results are saved to ..."
            rest = _rest(verb, sentence[found.end() :])
            at_start = not sentence[: found.start()].strip(" *_#>-")
            if rest is not None and (at_start or rest != grammar().verbs[verb].meant):  # `the data we want to process`
                yield Purpose(verb, rest)


def _of_docstring(about: str) -> Iterator[Purpose]:
    """From a docstring's first sentence: `Removes the background`, `Evaluate a model on ImageNet.`"""
    first, _, rest = about.strip().partition(" ")
    verb = verb_of(first) or verb_of(first.lower().removesuffix("s"))
    if verb and verb not in ("run", "use") and not first.lower().endswith("ing"):
        found = _rest(verb, rest)
        if found is not None:
            yield Purpose(verb, found)


def _rest(verb: str, text: str) -> str | None:
    """The object that follows a verb; None if it cannot be used."""
    rest = _END.split(f" {text.strip()} ", maxsplit=1)[0].strip(" .-")
    if count := _COUNT.search(rest):  # it may be a value, or contradict one
        head = rest[: count.start()].split()
        cuts = [at for at, word in enumerate(head) if PREPOSITION.match(word)]
        if not cuts:
            return None
        rest = " ".join(head[: cuts[-1]])
    rest = _TRAILING.sub("", f" {_OURS.sub('the', _YOURS.sub('my', rest))}").strip()
    if _STRANGE.search(rest) or len(rest.split()) > _LONGEST or not rest.isascii() or unknown(rest):
        return None
    if _ADVERB.match(rest):
        return None  # `train faster`
    if re.search(r"(?:^|[ -])(?:pre-?)?\w+ed$", rest) and verb_of(rest.split()[-1].removesuffix("ed")):
        return None  # `models pre-trained` by whom
    rest = _NAMED_WITH.sub("", rest)  # `with Weights&Biases` is a setting
    if rest in ("model", "network", "models", "networks"):
        rest = f"the {rest}"
    if verb == "run inference" and rest and not PREPOSITION.match(rest.split()[0]):
        return f"with {rest.removeprefix('the ')}" if re.search(r"[A-Z]", rest) else None  # `inference StyleGAN2`
    if not rest:
        return None if verb in grammar().objects else grammar().verbs[verb].meant
    if PREPOSITION.match(rest.split()[0]) and verb != "sample":
        return (
            None
            if verb in grammar().objects or rest.startswith("and ")
            else f"{grammar().verbs[verb].meant} {rest}".strip()
        )
    return rest


def _of_heading(task: DraftTask) -> Iterator[Purpose]:
    """From the nearest informative heading: `Training on ImageNet`, `Distributed training`."""
    for whole in _headings(task)[:1]:
        words = whole.split()
        words = words[: 1 + max(at for at, word in enumerate(words) if not _is_dull(word))]
        verb, rest = verb_of(words[0]), " ".join(words[1:])
        if (
            verb
            and words[0].lower() != "sample"
            and not (words[0].lower() in grammar().same_as and rest.startswith("from"))
        ):
            found = _rest(verb, _small(rest, task).removeprefix("of "))
            if found is not None:
                yield Purpose(verb, found)
            continue
        names_it = 1 < len(words) < 5 and verb_of(words[-1]) not in ("", words[-1].lower()) and "and" not in words
        if not verb and names_it and not _STRANGE.search(whole):
            meant = grammar().verbs[verb_of(words[-1])].group
            yield Purpose("run", f"the {_small(' '.join(words), task)}", group=meant)
        elif not verb and not names_it and _is_process(words) and not _STRANGE.search(whole):
            said = _small(" ".join(words), task)
            if not unknown(said) and not _COUNT.search(said):
                yield Purpose("run", said, group="any")


def _is_process(words: list[str]) -> bool:
    """Whether a heading names something that is done: `Linear classification on ImageNet`."""
    at = next((at for at, word in enumerate(words) if at and PREPOSITION.match(word)), len(words))
    return len(words) <= _LONGEST_HEADING + 2 and at < 5 and _PROCESS.search(words[at - 1]) is not None


def _headings(task: DraftTask) -> list[str]:
    """The informative headings, cleaned, the nearest first; without the page's title."""
    headings = task.block.headings[1:] or task.block.headings
    found = []
    for heading in reversed(headings):
        text = _clean(heading)
        if _PLAIN.fullmatch(text) and text.isascii() and any(not _is_dull(word) for word in text.split()):
            found.append(text)
    return found


def _is_dull(word: str) -> bool:
    return word.lower().strip("()") in grammar().dull


def _section(task: DraftTask, taken: Set[str]) -> str:
    for heading in _headings(task):
        if len(heading.split()) <= _LONGEST_HEADING and not conflicts(heading, taken):
            return _placed(heading, task, taken)
    return ""


def _placed(heading: str, task: DraftTask, taken: Set[str]) -> str:
    """A heading of one word with the heading above it: `Train` may occur for each model."""
    above = [_clean(each) for each in task.block.headings]
    at = above.index(heading) if heading in above else 0
    parent = above[at - 1] if at else ""
    usable = bool(_PLAIN.fullmatch(parent)) and parent.isascii() and len(parent.split()) <= _LONGEST_HEADING
    return f"{parent} > {heading}" if " " not in heading and usable and not conflicts(parent, taken) else heading


def _clean(heading: str) -> str:
    return _NUMBERING.sub("", " ".join(heading.split())).strip(" .:-?!")


def _small(text: str, task: DraftTask) -> str:
    """A heading's words as in a sentence: lower case if the prose writes them so."""
    known = set(re.findall(r"\b[a-z-]+\b", task.block.prose)) | grammar().small
    words = [word.lower() if word.istitle() and word.lower() in known else word for word in text.split()]
    if words and words[0].istitle() and not re.search(rf"[a-z,] {re.escape(words[0])}\b", task.block.prose):
        words[0] = words[0].lower()
    return " ".join(words)


def _verb_of_program(task: DraftTask) -> str:
    """The verb in the program's name; empty if there is none."""
    if task.kind == "python":
        return ""
    stem = task.program.rpartition("/")[2].rpartition(".")[0]
    parts = _WORDS.findall(stem)
    verbs = [verb for part in parts if (verb := verb_of(part)) and verb != "run"]
    telling = [verb for verb in verbs if verb not in grammar().plain]
    first = verb_of(parts[0]) if len(parts) > 1 else ""
    return telling[0] if telling else first if first in grammar().plain else ""


def _subject(task: DraftTask, taken: Set[str]) -> str:
    """What the program is about, by its or its folder's name: `DCP` of `train_dcp.py`."""
    *folders, file = task.program.split("/")
    for name in (file.rpartition(".")[0], *reversed(folders)):
        words = [
            w
            for w in _WORDS.findall(name)
            if w.lower() not in grammar().housing | grammar().dull and verb_of(w) in {"", *grammar().plain}
        ]
        text = " ".join(words)
        if len(text) > 1 and not text.isdigit() and not conflicts(text, taken):
            return spelled(text.lower(), task)
    return ""


def spelled(words: str, task: DraftTask) -> str:
    """A name as the page spells it."""
    if not words:
        return words
    page = " ".join((*task.block.headings, task.block.prose))
    pattern = r"[\s_-]?".join(map(re.escape, words.split()))
    found = re.search(rf"(?<![\w/.-]){pattern}(?![\w/-])", page, re.I)
    usable = found is not None and found[0].isascii() and _PLAIN.fullmatch(found[0]) and not found[0].istitle()
    return found[0] if found and usable else words


def _of_program(task: DraftTask, verb: str, subject: str) -> Purpose:
    """By a program's name: `extract_features`, `train_dcp`, `track_generation`, `dcp/train`."""
    meant, group = grammar().verbs[verb].meant, grammar().verbs[verb].group
    words = _WORDS.findall(task.program.rpartition("/")[2].rpartition(".")[0])
    if words and verb_of(words[0]) == verb and verb in grammar().plain:
        object_words = " ".join(words[1:]).lower()
        known = object_words and not unknown(object_words)
        return Purpose(verb, f"the {object_words}") if known else Purpose("run", program_name(task) or meant)
    if not subject:
        return Purpose(verb, meant)
    if len(words) > 1 and verb_of(words[0]) == verb and group not in ("train", "test"):
        name = program_name(task)
        return Purpose("run", name) if unknown(subject) and name else Purpose(verb, f"the {subject}")
    if meant.endswith("the model"):
        model = subject if _MODEL.search(subject) else f"{subject} model"
        return Purpose(verb, f"{meant.removesuffix('the model')}the {model}")
    if len(words) > 1 and verb_of(words[-1]) == verb:
        return Purpose("run", f"the {subject} {words[-1].lower()}{'' if words[-1].lower() != verb else ' example'}")
    return Purpose(verb, f"{meant} {'with' if group in ('apply', 'show') else 'for'} {subject}")


def _of_calls(draft: RecipeDraft) -> Purpose | None:
    """By what a snippet calls: the last method that is a verb, and its class."""
    name = _class_of(draft)
    if _only_builds(draft.task):
        built = [call.function.rpartition(".")[2] for each in draft.task.check.invocations for call in each.calls]
        return Purpose("use", built[-1])
    calls = [call.function.split(".") for each in draft.task.check.invocations for call in each.calls]
    for *owners, function in reversed(calls):
        first, *rest = function.split("_")
        verb = verb_of(first)
        if not verb or verb != first or verb in ("run", "use") or (verb in grammar().plain and not rest):
            continue
        named = f"{'' if rest[-1].endswith('s') else 'the '}{' '.join(rest)}" if rest else ""
        what = named or grammar().verbs[verb].meant
        with_class = bool(name) and (name in owners or not owners)
        return Purpose(verb, f"{what} with {name}" if with_class else what)
    if name and calls and calls[-1][-1].startswith("from_") and name in calls[-1]:
        return Purpose("use", f"{name}.{calls[-1][-1]}")
    owners = [each.place.split(".")[-2] for each in draft.arguments if "." in each.place]
    return Purpose("use", name or owners[0]) if name or owners else None


def _only_builds(task: DraftTask) -> bool:
    """Whether a snippet makes objects and calls none of their methods."""
    calls = [call.function.rpartition(".")[2] for each in task.check.invocations for call in each.calls]
    return task.kind == "python" and bool(calls) and all(name[:1].isupper() for name in calls)


def is_named(found: Purpose) -> bool:
    """Whether a purpose says more than that something is run."""
    return found.verb not in ("run", "launch") or not re.match(r"the (?:\S+ )*example\b", found.rest)


def _class_of(draft: RecipeDraft) -> str:
    """The class that most arguments go to, by its last name; empty if it is a function."""
    names = [part for each in draft.arguments for part in each.place.split(".") if part[:1].isupper()]
    return max(names, key=names.count) if names else ""
