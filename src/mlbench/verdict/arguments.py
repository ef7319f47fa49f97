"""Do the required argument values stand in an answer? The published rule, and whole tokens."""

from __future__ import annotations

import ast
import io
import posixpath
import re
import tokenize
from collections.abc import Iterator, Mapping, Sequence

import tree_sitter

from mlbench.types import Candidate, Hits
from mlbench.verdict.languages import parse_shell


def published_hits(code: str, required: Mapping[str, str]) -> Hits:
    """The paper's rule: a value hits where it occurs anywhere in the text, in upper or lower case.

    Source: `utils/exec.py` of the published harness. It takes `--lr 0.15` for 0.1, and a comment for code.
    """
    text = code.lower()
    return Hits({name: value.lower() in text for name, value in required.items()})


def token_hits(candidate: Candidate, required: Mapping[str, str]) -> Hits:
    """Whole tokens: 0.1 does not stand in 0.15, comments do not count, 1e-4 equals 0.0001, paths are normalised.

    A shell variable that the answer sets counts as its value. A value of several words (nargs) must stand together.
    """
    words = _shell_words(candidate.code) if candidate.kind == "shell" else _python_words(candidate.code)
    return Hits({name: _stands_in(value, words, candidate.kind) for name, value in required.items()})


def _stands_in(value: str, words: Sequence[str], kind: str | None) -> bool:
    if any(_equal(value, part) for word in words for part in _parts(word)):
        return True
    wanted = _python_words(value) if kind == "python" else value.split()
    if len(wanted) < 2:
        return any(_equal(want, part) for want in wanted for word in words for part in _parts(word))
    return any(
        all(_equal(want, word) for want, word in zip(wanted, words[start:], strict=False))
        for start in range(len(words) - len(wanted) + 1)
    )


def _parts(word: str) -> Iterator[str]:
    """A word, and what stands between its separators: `--lr=0.1`, `batch=16,lr=0.1`, `"python x.py --lr 0.1"`,
    the folders of a path, its file with and without ending (`data/logbook.txt`)."""
    yield word
    for separators in (r"=", r",", r"[=,]", r"\s+", r"[\s=,:;()\[\]'\"]+", r"[\s=,:;()\[\]'\"/]+"):
        parts = re.split(separators, word)
        if len(parts) > 1:
            yield from parts
        yield from (re.sub(r"\.[A-Za-z]\w*$", "", part) for part in parts)


def _equal(wanted: str, found: str) -> bool:
    if wanted == found:
        return True
    try:
        return float(wanted) == float(found)
    except ValueError:
        pass
    return "/" in wanted and posixpath.normpath(wanted) == posixpath.normpath(found)


def _python_words(code: str) -> list[str]:
    """Numbers (with their sign), names, and the contents of strings, in order."""
    words: list[str] = []
    sign = ""
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type == tokenize.NUMBER:
                words.append(sign + token.string)
            elif token.type == tokenize.NAME:
                words.append(token.string)
            elif token.type == tokenize.STRING:
                words.append(_string(token.string))
            elif tokenize.tok_name[token.type] == "FSTRING_MIDDLE":
                words.append(token.string)
            sign = "-" if token.type == tokenize.OP and token.string == "-" else ""
    except (tokenize.TokenError, SyntaxError, ValueError):
        pass  # as far as it can be read; the parser has its own say
    return words


def _string(literal: str) -> str:
    try:
        value = ast.literal_eval(literal)
    except (ValueError, SyntaxError):  # an f-string
        return re.sub(r"^\w*(\"\"\"|'''|\"|')|(\"\"\"|'''|\"|')$", "", literal)
    return value if isinstance(value, str) else str(value)


_WORDS = {"word", "number", "string", "raw_string", "ansi_c_string", "concatenation", "simple_expansion", "expansion"}


def _shell_words(code: str) -> list[str]:
    """Every word of every command, quotes removed and the answer's own variables resolved; comments left out."""
    variables: dict[str, str] = {}
    words: list[str] = []
    todo = [parse_shell(code).root_node]
    while todo:
        node = todo.pop()
        if node.type == "comment":
            continue
        if node.type == "variable_assignment":
            name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            resolved = _resolve(value, variables) if value is not None else ""
            if name is not None:
                variables[_text(name)] = resolved
            words.append(resolved)
        elif node.type == "heredoc_body":
            words += re.split(r"[\s:=,\"']+", _text(node))
        elif node.type in _WORDS:
            words.append(_resolve(node, variables))
        elif node.type == "array":
            todo += reversed(node.children)
        else:
            todo += reversed(node.children)
    return [word for word in words if word]


def _resolve(node: tree_sitter.Node, variables: Mapping[str, str]) -> str:
    match node.type:
        case "word":
            return re.sub(r"\\(.)", r"\1", _text(node), flags=re.DOTALL)
        case "raw_string" | "ansi_c_string":
            return _text(node).lstrip("$")[1:-1]
        case "simple_expansion" | "expansion":
            name = re.match(r"\$\{?(\w+)", _text(node))
            return variables.get(name[1], _text(node)) if name else _text(node)
        case "string":
            return _filled(node, variables, strip='"')
        case "concatenation":
            return "".join(_resolve(child, variables) for child in node.children)
        case "array":
            return " ".join(_resolve(child, variables) for child in node.children if child.is_named)
    return _text(node)


def _filled(node: tree_sitter.Node, variables: Mapping[str, str], strip: str) -> str:
    """A double-quoted string with its variables filled in; what stands between its parts is kept."""
    source = node.text or b""
    out, position = b"", node.start_byte
    for child in node.children:
        if child.type in ("simple_expansion", "expansion"):
            out += source[position - node.start_byte : child.start_byte - node.start_byte]
            out += _resolve(child, variables).encode()
            position = child.end_byte
    out += source[position - node.start_byte :]
    return out.decode(errors="replace").removeprefix(strip).removesuffix(strip)


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode(errors="replace")
