"""What the sentence above a command says that the command is for: *to evaluate the model on COCO, run:*.

A README tells its commands apart by such sentences. An instruction takes over the verb and its objects, never a number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mlbench.suite_builder.instructions.grammar import gerund, grammar, verb_of
from mlbench.suite_builder.types import DraftArgument

_MOST_WORDS = 12
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-Z(])")
_ASIDE = re.compile(r"\s*\([^()]*\)")
_OPENING = re.compile(
    r"^(?:(?:finally|then|next|now|and|or|also|alternatively|similarly|likewise|so|e\.g\.|for example|for instance)"
    r"(?:\s*[,:]\s*|\s+))+|^(?:\d+[.)]|[-*•]|step \d+\s*[:.]?)\s*",
    re.I,
)
_JUST = r"(?:simply |just |please |you can |you could )?"
_RUN = rf"(?:{_JUST}(?:run|execute|use|try|do|call|type|launch|start)|running|using)"
_IN_ORDER = r"(?:in order |if you (?:want|wish|would like|need) )?"
_THE_COMMAND = r"(?:the|this)(?: following| below)? (?:command|script)"
_PATTERNS = [
    re.compile(pattern, re.I)
    for pattern in (
        rf"{_IN_ORDER}to (?P<do>[^,]+), {_RUN}\b.*",  # to train the model, run …
        rf"{_IN_ORDER}to (?P<do>[^,]+?) (?:{_JUST}(?:run|execute)|running)\b.*",
        rf"{_IN_ORDER}to (?P<do>[^,]+?)",
        rf"{_IN_ORDER}to (?P<do>[^,]+), first\b.*\bthen {_RUN}\b.*",
        # run the following command to train the model
        r"(?:please |simply |just |you can )?(?:run|use|execute|try)\b[^,]*?"
        r"\b(?:commands?|scripts?|code|following|below|it)(?: below| as follows| with)?,? (?:to|for) (?P<do>.+)",
        r"(?:an? |the )?(?:following )?(?:examples?|commands?|scripts?)(?: below)? (?:for|to|of) (?P<do>.+)",
        # you can train the model with this command · train the model by running
        r"(?:(?:you|we|one) can )?(?:also |then |now |simply )?(?P<do>.+?),?"
        rf" (?:by (?:running|using|executing|calling)|as follows|(?:with|using) {_THE_COMMAND}|with|using|via)"
        r"\b.{0,40}",
        r"(?P<do>[^,]+), (?:using|loading|with|and)\b.*",
        r"(?:for )?(?P<do>.+?)",
    )
]
_FOR = re.compile(rf"for (?P<what>[^,]+?)(?:,? {_RUN}\b.{{0,40}})?", re.I)
_DETAILS = re.compile(
    r"\b(?:details?|more|help|list|examples?|instance|arguments?|options?|information|me|now)\b", re.I
)
_ARTICLES = frozenset({"the", "a", "an", "my"})
_REFUSED = re.compile(
    r"\b(?:this|these|those|that|which|such|above|below|following|it|its|they|them|same|here|previous|other|another"
    r"|first|second|then|again|instead|only|either|both|not|we|us|you|i|if|when|where|because|but|while|since|unless"
    r"|before|after|once|as|etc|some|defaults?|settings?|options?|please|can|should|must|will|may|need|command"
    r"|is|are|was|were|has|have|takes?|needs|requires?"
    r"|script|install|download)\b"
    r"|[^\w \-./+'&]|--|(?:^|\s)-|\.{2,}",
    re.I,
)
_COUNTS = re.compile(
    r"\d|multi-|(?:single|multiple|multi|several|one|two|four|eight|gpus?|cpus?|nodes?|machines?|slurm)(?![\w-])", re.I
)
_PREPOSITIONS = frozenset(
    "on with without for using in by at from over across per into within between to under via of and or through".split()  # noqa: SIM905
)
_NO_OBJECT = frozenset({"and", "or", "of", "with", "without", "using", "by", "via"})
_NOUN = re.compile(
    r"details?|data|code|logs?|time|results?|set|loss|speed|tips|arguments?|structure|format|status|scripts?|procedure"
    r"|process|pipeline|cases?|files?",
    re.I,
)
"""What a word such as *test* or *training* may stand before as a part of a noun."""
_FURTHER = frozenset({"get", "perform", "resume", "rank", "continue", "obtain", "search", "collect"})
"""Verbs that say nothing in a heading, but do with an object."""
_SAYS_NOTHING = re.compile(
    r"(?:and |then |now |just |simply |please |you can )*(?:run|use|execute|try|do)\b(?: \S+){0,4}", re.I
)
_OWN = ((r"\byour own\b", "my own"), (r"\byour\b", "my"), (r"\bour\b", "the"))


def stated(lead: str) -> tuple[str, str]:
    """The verb and its objects in the sentence before a command, or no verb and *for* with what it is for.

    Two empty texts if the sentence does not say it plainly.

    >>> stated("2. To evaluate the finetuned BLIP model on COCO, run:")
    ('evaluate', 'the finetuned BLIP model on COCO')
    >>> stated("For English single-speaker TTS, try")
    ('', 'for English single-speaker TTS')

    Args:
        lead: the paragraph that ends directly above the command, without markup.
    """
    sentences = [_plain(each) for each in _SENTENCE.split(" ".join(lead.split()))]
    if len(sentences) > 1 and _SAYS_NOTHING.fullmatch(sentences[-1]):  # "To train, first set x. Then run:"
        sentences[-2:] = [f"{sentences[-2]}, then run" if "first" in sentences[-2] else sentences[-2]]
    plain = sentences[-1]
    for pattern in _PATTERNS:
        found = pattern.fullmatch(plain)
        if found is not None and (told := _verb_phrase(found["do"])):
            return told
    found = _FOR.fullmatch(plain)
    what = " ".join(_without_counts(["for", *found["what"].split()])) if found else ""
    is_plain = not _REFUSED.search(what) and not _DETAILS.search(what) and 1 < len(what.split()) <= _MOST_WORDS
    return ("", what) if is_plain and what.split()[-1].lower() not in _PREPOSITIONS | _ARTICLES else ("", "")


def gerund_of(verb: str) -> str:
    return grammar().verbs[verb].gerund if verb in grammar().verbs else gerund(verb)


def fits(told: str, arguments: Sequence[DraftArgument]) -> bool:
    """Whether the words stay true of every row.

    No value, part of a value or *with* or *without* a setting in them varies, and no switch is left out.

    Args:
        told: the verb's objects.
        arguments: the task's arguments.
    """
    words = _pieces(told)
    for each in arguments:
        if len(each.values) < 2:
            continue
        values = {piece for ways in each.values.values() for word in ways for piece in _pieces(word)}
        if not all(each.values.values()) or words & values:
            return False
        names = "|".join(map(re.escape, re.findall(r"[a-z]{4,}", f"{each.said} {each.place}".lower())))
        if names and re.search(rf"\b(?:with|without|no|using) [^,]*\b(?:{names})", told.lower()):
            return False  # `without truncation` of a row that sets the truncation
    return True


def _plain(sentence: str) -> str:
    """A sentence without asides, list marks, words such as *then* before it, and its last sign."""
    plain = _ASIDE.sub("", sentence).strip()
    while (shorter := _OPENING.sub("", plain)) != plain:
        plain = shorter
    return plain.rstrip(" :.")


def _verb_phrase(text: str) -> tuple[str, str] | None:
    words = text.strip().split()
    if len(words) > 1 and words[0].lower() == "run" and words[1].lower() == "inference":
        words[:2] = ["run inference"]
    verb = _verb(words[0]) if words else ""
    rest = " ".join(_without_counts(words[1:]))
    for pattern, meant in _OWN:
        rest = re.sub(pattern, meant, rest, flags=re.I)
    said = rest.split()
    if said and said[-1].lower() in ("mode", "stage", "phase"):
        return None  # `train mode`
    if not verb or not 1 <= len(said) <= _MOST_WORDS or _REFUSED.search(rest) or not _has_object(said):
        return None
    is_led = said[0].lower() in _ARTICLES | _PREPOSITIONS or re.search(r"[A-Z\d]", said[0][1:])  # `training BERT on …`
    if not is_led and (words[0].lower().endswith("ing") or _NOUN.fullmatch(said[-1])):
        return None  # `training logs`, `test data`
    return None if said[-1].lower() in _PREPOSITIONS | _ARTICLES else (verb, rest)


def _verb(word: str) -> str:
    """The base form of a verb that says what is done; empty for others, and for those that say nothing alone."""
    plain = word.lower()
    if plain in _FURTHER:
        return plain
    verb = verb_of(word)
    if not verb or verb in ("run", "use", "launch"):
        return ""
    return verb if plain in (verb, grammar().verbs[verb].gerund) or plain in ("finetune", "fine-tune") else ""


def _without_counts(words: list[str]) -> list[str]:
    """The words up to the preposition before the first number or kind of machine: these belong to the example."""
    for at, word in enumerate(words):
        if _COUNTS.match(word):
            return words[: max((index for index in range(at) if words[index].lower() in _PREPOSITIONS), default=0)]
    return words


def _has_object(words: list[str]) -> bool:
    """Whether anything but articles and prepositions is said."""
    small = [word.lower() for word in words]
    return small[0] not in _NO_OBJECT and not (_PREPOSITIONS | _ARTICLES | {"own"}).issuperset(small)


def _pieces(text: str) -> set[str]:
    """The names and words of a text in lower case, whole and in parts: `cifar10`, `cifar`, `deit`, `tiny`."""
    found = set()
    for word in text.lower().split():
        found.add(re.sub(r"[^a-z0-9]", "", word))
        found |= {part for part in re.split(r"[^a-z0-9]+", word) if len(part) > 2}
        found |= set(re.findall(r"[a-z]{3,}", word))
    return found - {""}
