"""What a program says of its options: argparse, click and absl by `--help`, a shell script by its text."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HELP_LINE = re.compile(r"^ {1,4}(-{1,2}\S.*?|\{[^}]*\}|[a-z]\w*)(?: {2,}(\S.*))?$")
_ABSL_LINE = re.compile(r"^ {1,3}(?:-\w,)?--(\[no\])?(\w+): ?(.*)$")
_FLAG = re.compile(r"(?<!\S)(--?[A-Za-z][\w-]*)")
_CHOICES = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class Knob:
    """An option, a positional argument, or (with `variable`) an environment variable of a program.

    Attributes:
        flags: its names with their dashes; none for a positional.
        place: of a positional, from 0.
        words: what the program says of it.
        default: as the program's own help shows it; empty where it does not.
    """

    name: str
    flags: tuple[str, ...] = ()
    words: str = ""
    choices: tuple[str, ...] = ()
    switch: bool = False
    required: bool = False
    many: bool = False
    place: int = -1
    variable: bool = False
    default: str = ""

    @property
    def flag(self) -> str:
        """The longest name: the one that says most."""
        return max(self.flags, key=len, default="")


def knobs_of_help(text: str) -> list[Knob]:
    """The options in a `--help`; none where it is none."""
    return _absl(text) if re.search(_ABSL_LINE.pattern, text, re.M) else _argparse(text)


def _argparse(text: str) -> list[Knob]:
    usage = re.search(r"usage:(.*?)(?:\n\s*\n|\Z)", text, re.DOTALL | re.I)
    if not usage:
        return []
    bare = _without_brackets(" ".join(usage[1].split()))
    entries: list[list[str]] = []
    for line in text[usage.end() :].split("\n"):
        if found := _HELP_LINE.match(line):
            entries.append([found[1], found[2] or ""])
        elif entries and re.match(r" {6,}\S", line):
            entries[-1][1] += " " + line.strip()
        elif entries and not line.strip():
            entries.append(["", ""])
    knobs: list[Knob] = []
    for head, words in entries:
        if not head or "--help" in head or head == "-h":
            continue
        choices = _CHOICES.search(head) or _CHOICES.match(words)
        flags = tuple(_FLAG.findall(_CHOICES.sub("", head).replace(",", " ")))
        rest = _FLAG.sub("", _CHOICES.sub("X", head)).replace(",", " ").split()
        default = re.search(r"[(\[]default:? ([^)\]]*)[)\]]", words)
        knobs.append(
            Knob(
                name=max(flags, key=len).lstrip("-") if flags else _positional_name(head, words),
                flags=flags,
                words=words,
                choices=tuple(c.strip() for c in choices[1].split(",") if c.strip()) if choices else (),
                switch=bool(flags) and not rest,
                required=not flags or any(re.search(rf"(?<!\S){re.escape(flag)}(?!\S)", bare) for flag in flags),
                many="..." in head or bool(re.search(r"\S+,\S+$", head) and not choices and len(flags) == 1),
                place=-1 if flags else sum(1 for knob in knobs if not knob.flags),
                default=default[1] if default else "",
            )
        )
    return knobs


def _positional_name(head: str, words: str) -> str:
    return head if not head.startswith("{") else (words.split() or ["which"])[0]


def _without_brackets(text: str) -> str:
    before = ""
    while before != text:
        before, text = text, re.sub(r"\[[^\[\]]*\]", " ", text)
    return text


def _absl(text: str) -> list[Knob]:
    knobs, entries = [], list[list[str]]()
    for line in text.split("\n"):
        if found := _ABSL_LINE.match(line):
            entries.append([found[2], found[3], found[1] or ""])
        elif entries and re.match(r" {4,}\S", line):
            entries[-1][1] += " " + line.strip()
    for name, words, switch in entries:
        choices = re.match(r"<([^>]*\|[^>]*)>:?", words)
        default = re.search(r"\(default: '?([^')]*)'?\)", words)
        knobs.append(
            Knob(
                name=name,
                flags=(f"--{name}",),
                words=re.sub(r"\(default:.*|^<[^>]*>:?", "", words),
                choices=tuple(choices[1].split("|")) if choices else (),
                switch=bool(switch),
                default=default[1] if default else "",
            )
        )
    return [knob for knob in knobs if knob.name not in ("help", "helpfull", "helpshort", "helpxml")]


def knobs_of_script(text: str) -> list[Knob]:
    """The words and variables that a shell script takes, from its usage line and its `case`s."""
    usage = re.search(r"(?:bash|\$0)\s+\S*\.sh((?: +\[?[A-Z][A-Z_]*\]?)+)", text) or re.search(
        r"\$0((?: +\[?[A-Z][A-Z_]*\]?)+)|^#((?: +\[?[A-Z][A-Z_]*\]?)+)\s*$", text, re.M
    )
    names = (usage[1] or usage[2]).split() if usage else []
    knobs = []
    for place, name in enumerate(names):
        bare = name.strip("[]")
        case = re.search(rf"case \"?\$\{{?(?:{place + 1}|{bare})\}}?\"? in(.*?)esac", text, re.DOTALL)
        arms = re.findall(r"^\s*\(?([\w|.-]+)\)", case[1], re.M) if case else []
        choices = tuple(value for arm in arms for value in arm.split("|"))
        knobs.append(Knob(bare, choices=choices, required=bare == name, place=place, words=bare))
    for found in re.finditer(r"(?:--([\w-]+) )?\"?\$\{([A-Z][A-Z0-9_]*):[-=]([^}]*)\}\"?(?:\s*#([^\n]*))?", text):
        words = f"{found[1] or ''} {found[4] or ''}"
        if found[2] not in [knob.name for knob in knobs]:
            knobs.append(Knob(found[2], words=words, variable=True, default=found[3]))
    if '"$@"' in text or "$@" in text:
        knobs.append(Knob("further options", flags=("--*",)))
    return knobs
