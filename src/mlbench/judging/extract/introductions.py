"""What the prose around a block says of it: wrong, a correction, output, a step."""

from __future__ import annotations

import re
from enum import Enum


class Stance(Enum):
    """How the prose introduces a block."""

    NONE = ""
    WRONG = "introduced as wrong"
    CORRECTION = "a correction"
    ALTERNATIVE = "introduced as another way"
    OUTPUT = "introduced as what is printed"
    LOOK = "introduced as a look at something"
    STEP = "a step"


_MARKUP = re.compile(r"[*_#>|`~\"“”]+|<[^<>]{0,80}>|\[x\]")
_THING = r"(?:command|call|line|version|attempt|code|script|answer|way|snippet|one|example|usage|approach|form)"
_IT = (
    r"(?:this|that|it|these|which|one|what|how|the (?:following|above|below|first|previous|last)"
    r"|running (?:this|it|the \w+)"
    rf"|(?:the|a|an|my|your|such a)(?: \w+){{0,2}} {_THING})(?: (?:below|above|here|{_THING}))?"
)
_BAD = (
    r"(?:wrong|incorrect|invalid|mistaken|erroneous|broken|outdated|deprecated|obsolete|bad|a mistake"
    r"|not (?:right|correct|valid|ok|okay|recommended|supported|allowed|what))"
)
_FAILS = (
    r"(?:fails?|failed|crash(?:es|ed)?|raises?|throws?|never works?|no longer works?"
    r"|(?:(?:does|do|did|will|would|can|could) not|can't|won't|(?:does|do|did|would"
    r"|could)n't) (?:\w+ )?(?:work|run))"
)
_OPENS = r"^\W*(?:(?:please|you|we|but|and|also|note|here is|so|an?|the|my|common|example of|somebody|this is)\W+)*"
_SAYS_WRONG = re.compile(
    # of the block: "this does not work", "the command below is invalid"
    rf"(?:^|\b(?:but|and|because|since|as|that|suggested|although|though) ){_IT}(?: \w+){{0,3}}?"
    rf" (?:(?:is|was|are|were|be|looks|seems|isn't|wasn't)(?: \w+){{0,2}}? {_BAD}|(?:will "
    rf"|would )?{_FAILS}(?! (?:gracefully|without)))\b"
    # by its name: "a wrong way", "common mistake"
    rf"|{_OPENS}{_BAD}(?:\W+(?:\w+ )?{_THING}\b|\W*$|:)|{_OPENS}(?:mistakes?|pitfalls?|anti-?patterns?)\b"
    # as an order: "do not run", "never use this", "avoid the following"
    r"|^\W*(?:(?:please|you|we|but|and|so|also|note|i would|better)\W+)*(?:(?:do not|don't|dont|never"
    r"|should not|shouldn't"
    r"|must not|mustn't|cannot|can't|can not) (?:\w+ )?(?:use|run|do|type|call|execute|write|try|start"
    r"|copy|enter|issue)"
    r"|avoid|refrain from)(?: (?:using|running|typing|doing))?(?: (?:this|that|it|these|the"
    r"|something like|like|as)\b.*)?$"
    r"|\b(?:instead of|rather than|and not|but not|is(?: \w+)? not|not)(?: (?:this|that|it"
    r"|the following|running|using|typing"
    r"|writing|doing|to do|to run|to use|like this|something like|e\.g\.?)){0,3}$|^before$|^\W*(?:❌|✗|✘|🚫|⛔)",
    re.I,
)
_POSITIVE = re.compile(
    r"\b(?:use|run|try|execute|type|do|call|enter|issue|should be|correct(?:ed)?|right|fix(?:ed)?|works?"
    r"|here is|this:?)\b",
    re.I,
)
_CONDITION = re.compile(
    r"\b(?:if|unless|without|when|whenever|until|otherwise|in case)\b|\bon (?:windows|older|some)\b", re.I
)
_CORRECTION = re.compile(
    r"^\W*(?:correction|corrected|actually|wait|sorry|oops|apologies|my mistake|scratch that"
    r"|on second thought|hold on|better"
    r"|fixed|revised|updated?|improved|✅|instead\b|(?:the )?(?:right|correct)(?: way| one)?\W*$"
    r"|let me (?:fix|correct|redo|revise|rewrite|try again)|edit\b|putting (?:it|this|everything)"
    r"|all together|altogether|in full)"
    r"|\b(?:corrected|revised|fixed|updated|improved|right|correct|final|complete|full|whole|entire)\W+"
    r"(?:(?:python|bash|shell|working|combined)\W+)?(?:answer|command|version|code|script|solution|way"
    r"|one|program|line|snippet|call)\b"
    r"|\b(?:adapted|adjusted|modified|in (?:your|this|our) case|(?:with|for|to use) your|your (?:values"
    r"|settings|case))\b"
    r"|\b(?:it|this|that|which|command|line) should(?: have been| be)\b|\ball together\b|\bfinal answer\b"
    r"|\b(?:use|run|try|do)\b.{0,40}\binstead\W*$|^\W*answer\W*$|\bthe answer is\W*$",
    re.I,
)
_ALTERNATIVE = re.compile(
    r"^\W*(?:or\b|alternative(?:ly)?|optional(?:ly)?|option\b|another\b|variant|method \d|approach \d"
    r"|equivalent|the same\b"
    r"|same\b|likewise|similarly|with )"
    r"|\balternative|\bequivalent|\banother (?:way|option)|\boptional\b|\bfrom (?:within )?(?:python"
    r"|the shell|the command line)\b"
    r"|\bprogrammatical|\bas a one-liner|\byou (?:can|could|may|might) also\b|\bcould also\b|\bif (?:you"
    r"|this|it|that|the|your)\b"
    r"|\bin case\b|\bshould you\b|\bfor (?:multi|several|windows|macos|other|example|reference|comparison"
    r"|debugging|instance)"
    r"|\bon (?:windows|macos|linux|colab|(?:a |the )?(?:cpu|gpu|cluster)|slurm)\b"
    r"|\b(?:readme|documentation|docs|manual|paper)\b.{0,40}\b(?:shows?|gives?|says|has|examples?)\b"
    r"|^\W*by default\b"
    r"|\bdefault (?:command|call|usage|settings|values)\b|^\W*(?:the )?original\b"
    r"|\b(?:old(?:er)?|previous|earlier) (?:versions?|releases?|commands?|syntax)\b"
    r"|\bto (?:try|test|use) (?:other|another|different)|\bother (?:values|datasets?|settings)\b|\bprefer\b"
    r"|\b(?:the )?(?:in|as|using) python(?: code)?\W*$|\bcorresponds to\b",
    re.I,
)
_OUTPUT = re.compile(
    r"^\W*(?:(?:the|an?|this|its|their|expected|sample|example|typical|possible|console|terminal)\W+){0,3}"
    r"(?:output|results?|log|stdout|traceback|error(?: message)?)\b(?!.*\b(?:run|use|command)\b)"
    r"|\b(?:you|one) (?:should|will|would|may|might|'ll|can)?\s*(?:then |now |also )?(?:see|get|observe)\b"
    r"|\b(?:it|this|that|which|command|program|script)\b[^.]{0,40}\b(?:prints?|outputs?|returns?|gives"
    r"|produces?|shows?|displays?"
    r"|looks? like)\b",
    re.I,
)
_LOOK = re.compile(
    r"\b(?:to|can|could|may)(?: then| also| now)? (?:see|check|view|list|monitor|visuali[sz]e|inspect"
    r"|verify|confirm|explore|look"
    r"|plot|examine)\b|\bfor (?:more |all |further )*(?:options|details|help|information|arguments)\b"
    r"|\busage\b|\bsyntax\b"
    r"|\byou (?:can|may|could|might)(?: then| also| now| later)? (?:evaluate|test|resume|load|reuse"
    r"|predict|generate|export)\b"
    r"|\bgeneral form\b|\btemplate\b|\bin general\b|\boptionally\b",
    re.I,
)
_STEP = re.compile(
    r"\b(?:step|first|second|third|fourth|then|next|now|after(?:wards)?|finally|once|lastly|cell"
    r"|followed by|before)\b"
    r"|^\W*\d+[.)]",
    re.I,
)
_SUBJECT = r"(?:this|that|it|which|the (?:above|first|previous|last)(?: \w+)?)"
_RETRACTION = re.compile(
    rf"^\W*(?:(?:wait|no|oops|hmm|actually|sorry|but|however|though"
    rf"|ah)\b\W*){{0,3}}(?:{_SUBJECT}\b(?: \w+){{0,3}}? )?"
    rf"(?:(?:is|was|would be|will be|looks|seems)\b[^.:;\n]{{0,40}}?\b(?:wrong|incorrect|not (?:right"
    rf"|correct|valid)|not what|a mistake"
    rf"|mistaken|invalid|outdated|deprecated)|(?:does not|doesn't|do not|will not|won't|would not|wouldn't"
    rf"|did not|didn't)"
    rf" (?:work|run)|would fail|will fail|fails)\b",
    re.I,
)
_BACK = re.compile(r"[^:]$|^\W*(?:hmm\W+)?that\b", re.I)
_REGRETS = re.compile(r"^\W*(?:wait|oops|scratch that|hold on|no,|my mistake|that was wrong)", re.I)


def _sentences(text: str) -> list[str]:
    text = re.sub(r"\b(that|it|this|here|what)['’]s\b", r"\1 is", text, flags=re.I).replace("’", "'")
    parts = re.split(r"(?<=[.!?])\s+|\n", text)
    return [
        part for part in (" ".join(_MARKUP.sub(" ", part).split()) for part in parts) if re.search(r"\w|❌|✗|✅", part)
    ]


def stance_of(before: str, is_first: bool) -> Stance:
    """The stance of the prose before a block.

    The last sentence counts, then the heading above it.
    """
    sentences = _sentences(before[-1500:])
    if not sentences:
        return Stance.NONE
    last = sentences[-1]
    stance = _of_sentence(last, is_first)
    regret = next((True for each in sentences[:-1] if _REGRETS.match(each)), False)
    if regret and stance in (Stance.NONE, Stance.STEP):
        return Stance.CORRECTION
    if stance is Stance.NONE or (stance is Stance.STEP and len(sentences) > 1):
        headings = [
            line for line in before[-1500:].split("\n") if re.match(r"\s*(?:#{1,6} |\*\*[^*]+\*\*:?\s*$)", line)
        ]
        if (
            headings
            and (
                of_heading := _of_sentence(
                    _sentences(headings[-1])[-1:][0] if _sentences(headings[-1]) else "", is_first
                )
            )
            is not Stance.NONE
        ):
            return of_heading if stance is Stance.NONE else stance
    return stance


def _of_sentence(sentence: str, is_first: bool) -> Stance:
    whole = sentence.rstrip(" :.!-–—,(")
    clauses = [
        c.strip() for c in re.split(r"[,;:–—]|\bso\b|\bbut\b|\bthen\b|\bhence\b|\btherefore\b", whole) if c.strip()
    ]
    refers_back = not is_first and (
        _REGRETS.match(sentence) or (_BACK.search(sentence) and _RETRACTION.match(sentence))
    )
    if not refers_back and not _CONDITION.search(whole):
        says_wrong = [_SAYS_WRONG.search(each) is not None for each in clauses]
        behind = clauses[says_wrong.index(True) + 1 :] if any(says_wrong) else []
        if any(says_wrong) and not any(_POSITIVE.search(each) and not _SAYS_WRONG.search(each) for each in behind):
            return Stance.WRONG
    if _ALTERNATIVE.search(whole) and not re.match(r"\W*(?:correction|actually|final)", whole, re.I):
        return Stance.ALTERNATIVE
    if refers_back or _CORRECTION.search(whole):
        return Stance.CORRECTION
    for pattern, stance in ((_LOOK, Stance.LOOK), (_OUTPUT, Stance.OUTPUT), (_STEP, Stance.STEP)):
        if pattern.search(whole):
            return stance
    return Stance.NONE


def is_retracted(after: str) -> bool:
    """Whether the sentence after a block calls it wrong.

    One with a final colon is about the next block.
    """
    sentences = _sentences(after[:400])
    if not sentences:
        return False
    first = sentences[0]
    if not _BACK.search(first) and not _REGRETS.match(first):
        return False
    return _RETRACTION.match(first) is not None and not _CONDITION.search(first)
