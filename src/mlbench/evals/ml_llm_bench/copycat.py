"""The copycat baseline: copy shown code and edit in values of the instruction.

It asks no model and understands nothing, so a benchmark must not reward it. Its rules, in this order:

1. Take the code block or command that shares most words with the instruction.
2. Give each number to the flag or keyword whose name or description has words near that number.
3. Replace a value by a word of the instruction that the documents list beside this value.
4. Replace a name with an underscore, or a file name, by a similar one of the instruction, and a quoted text by a
   quoted text. Add a switch if the instruction has its words; remove it if "without" precedes them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from markdown_it import MarkdownIt

from mlbench.records import Kind
from mlbench.shell.languages import language_of

_DOCUMENT = re.compile(r"<document path=\"[^\n]*\">\n(.*?)\n</document>", re.DOTALL)
_INSTRUCTION = re.compile(r"<instruction>\n(.*?)\n</instruction>", re.DOTALL)
_INSTALLS = re.compile(r"\s*(?:\$ )?(?:#|(?:sudo |!)?(?:pip3?|conda|apt(?:-get)?|git clone|python3? -m pip)\b|$)")
_SETS_UP = re.compile(r"\s*(?:cd|export|source|mkdir|set)\b[^&;]*$|\s*\w+=\S*\s*$")
_USAGE = re.compile(r"\s\[?[A-Z]{3,}\b.*\s\[?[A-Z]{3,}\b|<\w+>")  # a usage line such as `bash train.sh DATASET SIZE`
_NUMBER = r"(?<!\w)-?\d+(?:\.\d+)?(?:e-?\d+)?"
_WORD = re.compile(rf"{_NUMBER}(?!\w)|[A-Za-z]\w*|[,;:.()?]")
_VALUE = r"(\"[^\"\n]*\"|'[^'\n]*'|(?!-[A-Za-z])[^\s,()\[\]{}\"'\\$`]+)"
_SLOT = re.compile(rf"(?:(?<!\S)(--?[A-Za-z][\w-]*)[ =]|(?<![\w-])([A-Za-z_][\w.]*)=){_VALUE}")
_SWITCH = re.compile(r"\s+(?:\\\n\s*)?(--[a-z][\w-]*)(?=\s*$|\s+\\?\s*-)", re.M)
_BARE = {"shell": re.compile(r"(?<=\S )([A-Za-z][\w-]*)(?=\s|$)"), "python": re.compile(r"(\"[\w-]+\"|'[\w-]+')")}
_LISTED = re.compile(r"`([A-Za-z][\w-]*)`|(?<=, )([a-z]\w*)(?=[,.])")
_NUMERALS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_REFUSALS = {"no", "not", "without"}
_NEAR = 4
_PAUSE = 3


@dataclass(frozen=True)
class _Slot:
    """A place for a value.

    Attributes:
        name: of the flag or keyword; empty for a bare word.
        value: the present value.
        start: the index of the value in the code; -1 if the flag is to be added.
    """

    name: str
    value: str
    start: int


@dataclass(frozen=True)
class _Word:
    """A word of the instruction; its position counts the words before it and punctuation."""

    text: str
    position: int


def copycat(prompt: str) -> str:
    """Return the answer to a prompt as one fenced block; empty if the documents have no code."""
    documents = "\n\n".join(_DOCUMENT.findall(prompt))
    instruction = "".join(_INSTRUCTION.findall(prompt)[-1:])
    kind: Kind = "python" if prompt.rstrip().endswith("Write the Python code that does this.") else "shell"
    code = _chosen(documents, instruction, kind)
    return f"```{'python' if kind == 'python' else 'bash'}\n{_edited(code, documents, instruction, kind)}\n```\n"


def _chosen(documents: str, instruction: str, kind: Kind) -> str:
    """Return the block with most words of the instruction; of a script, one command."""
    blocks = [t.content for t in MarkdownIt("commonmark").parse(documents) if t.type in ("fence", "code_block")]
    blocks = [b for b in blocks if not all(_INSTALLS.match(line) for line in b.split("\n"))]
    blocks = [b for b in blocks if language_of(b).kind == kind]
    block = max(blocks, key=lambda block: _shared(block, instruction), default="").strip("\n")
    if kind == "python":
        return block
    lines = re.sub(r"^\$ ", "", block, flags=re.M).replace("\\\n", "\\\0").split("\n")
    lines = [line.replace("\0", "\n") for line in lines if not _INSTALLS.match(line)]
    commands = [line for line in lines if not _SETS_UP.match(line)]
    commands = [line for line in commands if not _USAGE.search(line)] or commands
    best = max(commands, key=lambda line: (_shared(line, instruction), len(line)), default="")
    return "\n".join(line for line in lines if line == best or _SETS_UP.match(line))


def _edited(code: str, documents: str, instruction: str, kind: Kind) -> str:
    words = _words(instruction)
    named = [_Slot(m[1] or m[2], m[3], m.start(3)) for m in _SLOT.finditer(code)]
    taken = {slot.start for slot in named}
    bare = [_Slot("", m[1], m.start(1)) for m in _BARE[kind].finditer(code) if m.start(1) not in taken]
    known = {slot.name for slot in named}
    flags = dict.fromkeys(re.findall(r"(?<![\w-])--[a-z][\w-]*", documents)) if kind == "shell" else {}
    switches = set(_SWITCH.findall(documents))
    added = [_Slot(flag, "", -1) for flag in flags if flag not in known]
    values = _numbers(named + added, words, documents)
    texts = [slot for slot in named + bare + added if slot not in values and not re.match(_NUMBER, slot.value)]
    values |= _names(texts, words, documents, code)
    for slot in sorted((slot for slot in values if slot.start >= 0), key=lambda slot: -slot.start):
        quote = slot.value[0] if slot.value[:1] in ("'", '"') else ""
        code = f"{code[: slot.start]}{quote}{values[slot]}{quote}{code[slot.start + len(slot.value) :]}"
    code = _renamed(code, instruction)
    quoted = re.findall(r"\"([^\"]+ [^\"]+)\"", instruction)
    if quoted and kind == "python":
        code = re.sub(r"([\"'])[^\"'\n{}%]+ [^\"'\n{}%]+\1", lambda m: f'"{quoted.pop(0)}"' if quoted else m[0], code)
    if kind == "shell":
        code = _SWITCH.sub(lambda m: "" if _is_wanted(m[1], words) is False else m[0], code)
        code += "".join(f" {slot.name} {value}" for slot, value in values.items() if slot.start < 0)
        present = known | {slot.name for slot in values} | set(_SWITCH.findall(code))
        code += "".join(f" {flag}" for flag in flags if flag in switches - present and _is_wanted(flag, words))
    return code


def _words(text: str) -> list[_Word]:
    words, position = [], 0
    for token in _WORD.findall(text):
        if re.match(r"[\w-]", token):
            numeral = token.lower() in _NUMERALS
            words.append(_Word(str(_NUMERALS.index(token.lower()) + 1) if numeral else token, position))
        position += 1 if re.match(r"[\w-]", token) else _PAUSE
    return words


def _shared(code: str, instruction: str) -> int:
    return len({part[:5] for part in _parts(code)} & {word.text.lower()[:5] for word in _words(instruction)})


def _parts(name: str) -> list[str]:
    """Split a name into lower-case words: `--num_trainEpochs` is num, train, epochs."""
    return [part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+", name)]


def _numbers(slots: list[_Slot], words: list[_Word], documents: str) -> dict[_Slot, str]:
    """Assign each number to the slot with the nearest words, best pairs first."""
    slots = [slot for slot in slots if not slot.value or re.fullmatch(_NUMBER, slot.value.strip("\"'"))]
    descriptions = {slot: _description(slot.name, documents) for slot in slots}
    pairs = []
    for number in (word for word in words if re.fullmatch(_NUMBER, word.text)):
        for slot in slots:
            score = _nearness(_parts(slot.name), words, number) + 0.4 * _nearness(descriptions[slot], words, number)
            if score > (0.2 if slot.value else 0.6):
                pairs.append((score if slot.value else score / 2, number, slot))
    chosen: dict[_Slot, str] = {}
    used: set[_Word] = set()
    for _, number, slot in sorted(pairs, key=lambda pair: (-pair[0], pair[1].position)):
        if number not in used and slot not in chosen:
            chosen[slot] = number.text
            used.add(number)
    return chosen


def _nearness(parts: list[str], words: list[_Word], number: _Word) -> float:
    score = 0.0
    for part in set(parts):
        away = [abs(word.position - number.position) for n, word in enumerate(words) if _alike(part, words, n)]
        score += 1 / min(away) if away and 0 < min(away) <= _NEAR else 0
    return score


def _alike(part: str, words: list[_Word], n: int) -> bool:
    """Whether a part of a name matches the words at a position: `lr` and learning rate."""
    word = words[n].text.lower()
    if len(part) > 2 and len(word) > 2:
        return part[:5] == word[:5] or part == word.rstrip("s")
    return part == word or (len(part) == 2 and part == "".join(other.text[0].lower() for other in words[n : n + 2]))


def _description(name: str, documents: str) -> list[str]:
    """Return the words after a flag's first mention, up to the end of the sentence or line."""
    mention = re.search(rf"`{re.escape(name)}`\s*:?([^.;`\n]*)", documents) if name else None
    return [part for part in _parts(mention[1]) if len(part) > 3] if mention else []


def _names(slots: list[_Slot], words: list[_Word], documents: str, code: str) -> dict[_Slot, str]:
    """Assign each listed value of the instruction to the slot whose value is listed beside it."""
    listed = {m[1] or m[2] for m in _LISTED.finditer(documents)} | {
        m[3].strip("\"'") for m in _SLOT.finditer(documents)
    }
    known = {re.sub(r"\W|_", "", value).lower(): value for value in sorted(listed)}
    runs = [words[n : n + length] for length in (3, 2, 1) for n in range(len(words))]
    named = dict.fromkeys("".join(word.text for word in run).replace("_", "").lower() for run in runs)
    chosen: dict[_Slot, str] = {}
    for value in (known[key] for key in named if key in known and not re.fullmatch(_NUMBER, key)):
        if any(_holds(slot.name, value) for slot in slots) or _holds(code, value):
            continue
        scores = {slot: _together(value, slot, documents) for slot in slots if slot not in chosen}
        best = max(scores, key=lambda slot: scores[slot], default=None)
        if best is not None and scores[best]:
            chosen[best] = value
    return chosen


def _together(value: str, slot: _Slot, documents: str) -> int:
    """Count the paragraphs and lines with the value and the slot's name or present value."""
    beside = [text for text in (slot.name, slot.value.strip("\"'")) if len(text) > 1 and not re.match(_NUMBER, text)]
    texts = [text for text in documents.split("\n\n") + documents.split("\n") if _holds(text, value)]
    return sum(_holds(text, other) for text in texts for other in beside)


def _holds(text: str, word: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) is not None


def _renamed(code: str, instruction: str) -> str:
    for name in re.findall(r"\w+_\w+|\w+\.[a-z]{2,5}\b", instruction):
        ending = name[name.find(".") :] if "." in name else ""
        others = re.findall(rf"\w+{re.escape(ending)}\b" if ending else r"\w+_\w+", code)
        others = [other for other in others if other not in instruction and (ending or other[:3] == name[:3])]
        if others and name not in code:
            other = max(others, key=lambda other: sum(a == b for a, b in zip(other, name, strict=False)))
            code = re.sub(rf"\b{re.escape(other)}\b", name, code)
    return code


def _is_wanted(switch: str, words: list[_Word]) -> bool | None:
    """Whether the instruction asks for a switch; None if it does not mention it."""
    parts = [part for part in _parts(switch) if len(part) > 2 and part not in ("use", "with")]
    places = [n for n in range(len(words)) for part in parts if _alike(part, words, n)]
    refused = [bool({word.text.lower() for word in words[max(0, n - 3) : n]} & _REFUSALS) for n in places]
    return not all(refused) if places else None
