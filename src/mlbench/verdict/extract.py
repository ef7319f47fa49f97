"""From a reply to the candidate: the code that the reply leaves, whatever stands around it.

In this order: fenced blocks; a reply that is code as a whole; indented blocks; lines that are commands, then lines
that are Python; inline code.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

from markdown_it import MarkdownIt

from mlbench.types import Candidate, Kind
from mlbench.verdict.languages import LONGEST, language_of, looks_like_shell, parse_python, shell_fault_of
from mlbench.verdict.reasons import NO_ANSWER

_LABELS: dict[str, Kind] = {
    **dict.fromkeys(("bash", "sh", "shell", "zsh", "console", "shell-session", "shellsession", "terminal"), "shell"),
    **dict.fromkeys(("python", "py", "python3", "py3", "ipython", "pycon"), "python"),
}
NESTED = 2
"""So deep may answers stand in Markdown in Markdown; a reply of nothing but fences must not cost more than others."""
_WRAPPERS = ("", "markdown", "md")
_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_THOUGHT = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL)  # the chat template has written the opening tag
_FENCE = r"(?:`{3}|~{3})"
_FENCE_LINE = re.compile(rf"^[ \t]*{_FENCE}[`~]*[ \t]*[\w+-]*[ \t]*$", re.M)
_MARKER = re.compile(rf"^([ \t]*)(?:[-*+]|\d{{1,9}}[.)])(?=[ \t]+{_FENCE})", re.M)
_QUOTED = re.compile(rf"^ {{0,3}}> ?[ \t]*{_FENCE}", re.M)
_GLUED = re.compile(r"^([^`\n]*[^`\s])(`{3,})[ \t]*$", re.M)
_PROMPT = re.compile(r"^\s*(?:(?:\([\w.-]+\)\s*)?(?:[\w.-]+@[\w.-]+\S*)?[$%] +|>>> ?)")
_GOES_ON = re.compile(r"^\s*(?:>|\.\.\.)(?: |$)")
_SETUP = re.compile(
    r"^(?:\w+=\S*\s+)*(?:(?:!|%|sudo\s+)?"
    r"(?:pip3?|python3? -m pip|uv pip|conda|mamba|apt(?:-get)?|git clone|wget|curl|mkdir|cd|source)\b"
    r"|python3?\s+[\w.-]+\.py(?:\s+--\w+)?$)"  # as in: save the program above, then run it
)
# Only fences, at any depth of indentation: what the lists around them hold together, replies often do not
_FENCES = MarkdownIt("zero").enable("fence").disable("inline")
_OTHERS = MarkdownIt("zero").enable(["code", "list", "blockquote", "backticks", "escape"])


@dataclass(frozen=True)
class _Block:
    code: str
    label: str


def extract(reply: str) -> Candidate:
    """The candidate in a model's reply; its code is empty where there is none."""
    text = reply.encode("utf-8", errors="replace").decode().replace("\r\n", "\n").replace("\r", "\n")
    text = _THOUGHT.sub("", _THINKING.sub("", text)).replace("\ufeff", "")
    if _says_nothing(text):
        return Candidate("", None, NO_ANSWER, "the reply is empty, or nothing but thoughts and marks of blocks")
    fenced = _fenced(text)
    if fenced:
        return _from_blocks(fenced, "fence")
    whole = text.strip()
    if whole and _is_code(_without_prompts(whole)):
        return _candidate(_without_prompts(whole), None, "whole reply")
    if len(whole) > LONGEST:
        return Candidate("", None, "none", f"the reply holds no fence and is longer than {LONGEST} characters")
    indented, inline = _unfenced(text)
    if indented:
        return _from_blocks(indented, "indented block")
    if lines := _command_lines(text):
        return _candidate(lines, "shell", "command lines")
    if lines := _python_lines(text):
        return _candidate(lines, "python", "Python lines")
    spans = [span for span in inline if " " in span.strip() and _is_code(span)]
    if len(spans) == 1:
        return _candidate(spans[0].strip(), None, "inline code")
    return Candidate("", None, "none", "the reply holds no code")


def _says_nothing(text: str) -> bool:
    """Whether a reply, its thoughts left out, has neither a word nor code: only blanks, marks of blocks, labels."""
    rest = _FENCE_LINE.sub("", text)
    return not any(sign.isprintable() and not sign.isspace() for sign in rest)


def candidate_of(code: str, kind: Kind, source: str) -> Candidate:
    """A file as the candidate; what it is meant to be is known, so only its syntax is looked at."""
    text = code.encode("utf-8", errors="replace").decode().replace("\r\n", "\n")
    if len(text) > LONGEST:
        return Candidate(text[:LONGEST], None, source, f"longer than {LONGEST} characters")
    fault = shell_fault_of(text) if kind == "shell" else parse_python(text)[0]
    return Candidate(text, None if fault else kind, source, fault)


def _fenced(text: str, depth: int = 0) -> list[_Block]:
    """The fenced blocks that hold anything; those inside a block of Markdown in its place, `NESTED` deep at most."""
    if _QUOTED.search(text):
        text = re.sub(r"^ {0,3}> ?", "", text, flags=re.M)
    text = _GLUED.sub(r"\1\n\2", _MARKER.sub(r"\1 ", text))
    blocks: list[_Block] = []
    if not re.search(_FENCE, text):
        return blocks
    for token in _FENCES.parse(text):
        if token.type == "fence" and token.content.strip():
            label = _label(token.info)
            wraps = depth < NESTED and label in _WRAPPERS and re.search(_FENCE, token.content)
            inner = _fenced(token.content, depth + 1) if wraps else []
            blocks += inner or [_Block(token.content, label)]
    return blocks


def _label(info: str) -> str:
    """`bash`, from `bash`, `{.bash}`, `Bash title="run.sh"`, `language-bash` or `bash:run.sh`."""
    found = re.search(r"[a-z][\w+-]*", info.lower())
    return found[0].removeprefix("language-").removeprefix("lang-") if found else ""


def _unfenced(text: str) -> tuple[list[_Block], list[str]]:
    indented, inline = [], []
    for token in _OTHERS.parse(text):
        if token.type == "code_block":
            indented.append(_Block(token.content, ""))
        elif token.type == "inline":
            inline += [child.content for child in token.children or () if child.type == "code_inline"]
    return indented, inline


def _from_blocks(blocks: list[_Block], source: str) -> Candidate:
    """Steps of one language are one answer, in order; with two languages the last one counts."""
    if sum(len(block.code) for block in blocks) > LONGEST:
        return _candidate("\n".join(block.code for block in blocks), None, source)
    labelled = any(block.label in _LABELS for block in blocks)
    known = [block for block in blocks if block.label in _LABELS or not block.label] or blocks
    parts: dict[str, Kind | None] = {}  # the code of each once: some replies repeat their answer at the end
    for block in known:
        code = _without_prompts(textwrap.dedent(block.code)).strip("\n")
        label = _LABELS.get(block.label)
        if label or not labelled or _is_code(code):  # what a program prints often stands in a block without a label
            parts[code] = language_of(code, label).kind or label
    if any(parts.values()):
        parts = {code: kind for code, kind in parts.items() if kind}
    if len(set(parts.values())) > 1:
        parts = {code: kind for code, kind in parts.items() if not _only_sets_up(code)} or parts
        last = list(parts.values())[-1]
        parts = {code: kind for code, kind in parts.items() if kind == last}
    if len(blocks) > 1:
        source = f"{len(parts)} of {len(blocks)} {source}s"
    return _candidate("\n".join(parts), next(iter(parts.values())), source)


def _candidate(code: str, label: Kind | None, source: str) -> Candidate:
    language = language_of(code, label)
    return Candidate(code, language.kind, source, language.fault)


def _without_prompts(code: str) -> str:
    """A session (`$ command`, `>>> statement`) without the prompts and without what the commands printed."""
    lines = code.split("\n")
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    if not _PROMPT.match(first):
        return code
    kept, goes_on, last_kept = [], False, False
    for line in lines:
        if goes_on:
            kept.append(_GOES_ON.sub("", line))
        elif _PROMPT.match(line):
            kept.append(_PROMPT.sub("", line))
        elif last_kept and _GOES_ON.match(line):
            kept.append(_GOES_ON.sub("", line, count=1))
        else:
            last_kept = False
            continue
        last_kept = True
        goes_on = line.rstrip().endswith("\\")
    return "\n".join(kept)


def _only_sets_up(code: str) -> bool:
    lines = [line.strip() for line in code.split("\n")]
    return all(not line or line.startswith("#") or _SETUP.match(line) for line in lines)


def _is_code(text: str) -> bool:
    """Code without a fence: valid Python that does something, or shell whose first line looks like a command."""
    language = language_of(text)
    if language.kind == "python":
        return True
    if language.kind is None or _reads_as_prose(text):
        return False
    first = text.lstrip().split("\n", 1)[0]
    return looks_like_shell(text) or bool(
        re.search(r"(?:^|\s)(?:-{1,2}[A-Za-z]|[\w.-]+/\S|[\w.-]+\.(?:py|sh)\b)", first)
    )


def _reads_as_prose(text: str) -> bool:
    lines = [line.rstrip() for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")]
    return any(re.match(r"^[A-Z][a-z']*,? [a-z]", line) or line.endswith((".", ":")) for line in lines)


def _command_lines(text: str) -> str:
    """The first run of lines that are commands, with their continuation lines."""
    kept: list[str] = []
    goes_on = False
    for line in text.split("\n"):
        bare = _PROMPT.sub("", line).strip()
        if goes_on or (looks_like_shell(bare) and not bare.endswith((".", ":"))):
            kept.append(bare)
            goes_on = bare.endswith("\\")
        elif kept and bare and not bare.startswith("#"):
            break
    return "\n".join(kept)


def _python_lines(text: str) -> str:
    """From the first line that imports something, so many paragraphs as are valid Python together."""
    begin = re.search(r"^(?:import \w|from [\w.]+ import )", text, re.M)
    if begin is None:
        return ""
    paragraphs = text[begin.start() :].split("\n\n")[:40]
    for count in range(len(paragraphs), 0, -1):
        code = "\n\n".join(paragraphs[:count])
        if parse_python(code)[1] is not None:
            return code
    return ""
