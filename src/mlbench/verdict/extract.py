"""From a reply to the candidate: the code that the reply leaves, whatever stands around it.

In this order: fenced blocks; indented blocks; a reply that is code as a whole; lines that are commands; inline code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from markdown_it import MarkdownIt

from mlbench.types import Candidate, Kind
from mlbench.verdict.languages import language_of

_LABELS: dict[str, Kind] = {
    **dict.fromkeys(("bash", "sh", "shell", "zsh", "console", "shell-session", "shellsession", "terminal"), "shell"),
    **dict.fromkeys(("python", "py", "python3", "py3", "ipython", "pycon"), "python"),
}
_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_PROMPT = re.compile(r"^\s*(?:\(\w+\)\s*)?[$%]\s+")
_SETUP = re.compile(
    r"^(?:!|%|sudo\s+)?(?:pip3?|python3? -m pip|uv pip|conda|mamba|apt(?:-get)?|git clone|wget|curl|mkdir|cd|source)\b"
)
_COMMAND = re.compile(
    r"^(?:python3?|bash|sh|torchrun|accelerate|deepspeed|cd|export|source|conda run|\./\S+|[A-Za-z_]\w*=\S*\s+\S+)\b"
)
_MARKDOWN = MarkdownIt("commonmark")


@dataclass(frozen=True)
class _Block:
    code: str
    label: str


def extract(reply: str) -> Candidate:
    """The candidate in a model's reply; its code is empty where there is none."""
    text = _THINKING.sub("", reply).replace("\r\n", "\n").replace("\r", "\n")
    fenced, indented, inline = _blocks(text)
    if fenced:
        return _from_blocks(fenced, "fence")
    whole = text.strip()
    if whole and _is_code(whole):
        return _candidate(whole, None, "whole reply")
    if indented:
        return _from_blocks(indented, "indented block")
    lines = _command_lines(text)
    if lines:
        return _candidate(lines, "shell", "command lines")
    spans = [span for span in inline if " " in span.strip() and _is_code(span)]
    if len(spans) == 1:
        return _candidate(spans[0].strip(), None, "inline code")
    return Candidate("", None, "none", "the reply holds no code")


def _blocks(text: str) -> tuple[list[_Block], list[_Block], list[str]]:
    fenced, indented, inline = [], [], []
    for token in _MARKDOWN.parse(text):
        if token.type == "fence" and token.content.strip():
            fenced.append(_Block(token.content, (token.info.split() or [""])[0].strip("{}.").lower()))
        elif token.type == "code_block":
            indented.append(_Block(token.content, ""))
        elif token.type == "inline":
            inline += [child.content for child in token.children or () if child.type == "code_inline"]
    return fenced, indented, inline


def _from_blocks(blocks: list[_Block], source: str) -> Candidate:
    """Steps of one language are one answer, in order; with two languages the last one counts."""
    known = [block for block in blocks if block.label in _LABELS or not block.label] or blocks
    parts: list[tuple[Kind | None, str]] = []
    for block in known:
        code = _without_prompts(block.code)
        label = _LABELS.get(block.label)
        parts.append((language_of(code, label).kind or label, code))
    kinds = {kind for kind, _ in parts}
    if len(kinds) > 1:
        parts = [part for part in parts if not _only_sets_up(part[1])] or parts
        last = parts[-1][0]
        parts = [part for part in parts if part[0] == last]
    if len(parts) > 1:
        source = f"{len(parts)} of {len(blocks)} {source}s"
    code = "\n".join(code.strip("\n") for _, code in parts)
    return _candidate(code, parts[0][0], source)


def _candidate(code: str, label: Kind | None, source: str) -> Candidate:
    language = language_of(code, label)
    return Candidate(code, language.kind, source, language.fault)


def _without_prompts(code: str) -> str:
    """A session's `$ command` lines without the prompts and without what the commands printed."""
    lines = code.splitlines()
    if not lines or not any(_PROMPT.match(line) for line in lines):
        return code
    kept, goes_on = [], False
    for line in lines:
        if _PROMPT.match(line) or goes_on:
            kept.append(line if goes_on else _PROMPT.sub("", line))
            goes_on = line.rstrip().endswith("\\")
    return "\n".join(kept) + "\n"


def _only_sets_up(code: str) -> bool:
    lines = [line.strip() for line in code.splitlines()]
    return all(not line or line.startswith("#") or _SETUP.match(line) for line in lines)


def _is_code(text: str) -> bool:
    """Code without a fence: valid Python that does something, or shell whose every command looks like one."""
    language = language_of(text)
    if language.kind == "python":
        return True
    if language.kind is None or _reads_as_prose(text):
        return False
    first = text.lstrip().split("\n", 1)[0]
    return bool(_COMMAND.match(first)) or bool(re.search(r"(?:^|\s)(?:-{1,2}[A-Za-z]|\S+/\S|\S+\.(?:py|sh)\b)", first))


def _reads_as_prose(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return any(re.match(r"^[A-Z][a-z']+,? [a-z]", line) or line.rstrip().endswith((".", ":")) for line in lines)


def _command_lines(text: str) -> str:
    """The first run of lines that are commands, with their continuation lines."""
    kept: list[str] = []
    goes_on = False
    for line in text.splitlines():
        bare = _PROMPT.sub("", line).strip()
        if goes_on or (_COMMAND.match(bare) and not bare.endswith((".", ":"))):
            kept.append(bare)
            goes_on = bare.endswith("\\")
        elif kept and bare:
            break
    return "\n".join(kept)
