"""Read the words of a shell script, without quotes and comments, with its own variables filled in."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from mlbench.records import Kind
from mlbench.shell.languages import parse_shell
from mlbench.shell.tokenized_text import TokenizedText

_WORDS = {"word", "number", "string", "raw_string", "ansi_c_string", "concatenation", "simple_expansion", "expansion"}
_VARIABLES = {"simple_expansion", "expansion"}
_IDLE = {"echo", "printf", ":", "true", "false"}
_VARIABLE = re.compile(r"\$\{?(\w+)(?:\[[@*]\])?(?::?[-=](.*))?\}?", re.DOTALL)
_PYTHON = re.compile(r"(?:\S*/)?python[\d.]*")
_BASH = re.compile(r"(?:\S*/)?(?:ba|z)?sh")
_BUDGET = 500_000  # characters from all variables together, because `A=$A$A` doubles with every line


def shell_words(code: str) -> TokenizedText:
    """Return the words of every command. Printed text and unread variables do not count."""
    return _ShellReader().read(parse_shell(code).root_node)


class _ShellReader:
    def __init__(self) -> None:
        self.budget = _BUDGET
        self.variables: dict[str, str] = {}
        self.found = TokenizedText()

    def read(self, root: tree_sitter.Node) -> TokenizedText:
        read = _read_variables(root)
        todo = [(root, root)]  # each with its parent, because `node.parent` costs its depth
        while todo:
            node, around = todo.pop()
            inside: list[tree_sitter.Node] = []
            match node.type:
                case "comment" | "test_command":
                    continue
                case "variable_assignment":
                    inside = self._assignment(node, around, read)
                case "command":
                    inside = self._command(node, around)
                case "heredoc_redirect":
                    todo += [(child, around) for child in reversed(node.children)]
                case "heredoc_body":
                    self._heredoc(node, around)
                case kind if kind in _WORDS:
                    self.found.add_command(self._resolved(node))
                    inside = _substitutions(node)
                case _:
                    inside = node.children
            todo += [(child, node) for child in reversed(inside)]
        return self.found

    def _assignment(self, node: tree_sitter.Node, around: tree_sitter.Node, read: set[str]) -> list[tree_sitter.Node]:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or value is None:
            return []
        words = [self._text_of(child) for child in value.children if child.is_named]
        text = " ".join(words) if value.type == "array" else self._text_of(value)
        self.variables[_text(name)] = text
        exported = around.type == "command" or around.children[0].type == "export"
        if exported or _text(name) in read:
            self.found.add_command(words if value.type == "array" else [text])
        return _substitutions(value)

    def _command(self, node: tree_sitter.Node, around: tree_sitter.Node) -> list[tree_sitter.Node]:
        """Take the words of one command; return the nodes left to read: assignments and inner commands."""
        name = node.child_by_field_name("name")
        goes_on = around.type in ("pipeline", "redirected_statement", "command_substitution")
        if name is not None and _text(name) in _IDLE and not goes_on:
            return _substitutions(node)
        words: list[str] = []
        rest: list[tree_sitter.Node] = []
        for child in node.children:
            part = child.children[0] if child.type == "command_name" and child.children else child
            if part.type in _WORDS:
                resolved = self._resolved(part)
                self._nested(words, resolved)
                words += resolved
                rest += _substitutions(part)
            else:
                rest.append(part)
        self.found.add_command(words)
        return rest

    def _nested(self, before: list[str], resolved: list[str]) -> None:
        """Take a word that is a program itself: `python -c '...'`, `bash -c '...'`, `eval '...'`."""
        if before and (before[-1] in ("-c", "-lc") or before[0] == "eval"):
            kind: Kind = "python" if any(_PYTHON.fullmatch(word) for word in before) else "shell"
            self.found.scripts += [(kind, word) for word in resolved if any(sign.isspace() for sign in word)]

    def _heredoc(self, node: tree_sitter.Node, statement: tree_sitter.Node) -> None:
        """Read a here-document: a script for its command, or a configuration with values behind `:` and `=`."""
        text = self._filled(node)
        command = _text(statement).split(maxsplit=1)[0]
        if _PYTHON.fullmatch(command):
            self.found.scripts.append(("python", text))
        elif _BASH.fullmatch(command):
            self.found.scripts.append(("shell", text))
        else:
            for line in text.split("\n"):
                line = re.sub(r"(?:^|\s)#.*", "", line)
                for word in [*re.split(r"[:=]", line)[1:], *re.split(r"[\s:=,\"'()\[\]{}]+", line)]:
                    self.found.add(word.strip(" \t\"'"))

    def _resolved(self, node: tree_sitter.Node) -> list[str]:
        """The words that bash makes of a node. A variable without quotes is split at blanks."""
        text = self._text_of(node)
        return text.split() if node.type in _VARIABLES else [text]

    def _text_of(self, node: tree_sitter.Node) -> str:
        text = _text(node)
        match node.type:
            case "word":
                return re.sub(r"\\(.)", r"\1", text.replace("\\\n", ""), flags=re.DOTALL)
            case "raw_string" | "ansi_c_string":
                return text.lstrip("$")[1:-1]
            case "simple_expansion" | "expansion":
                return self._variable(text)
            case "string":
                inside = self._filled(node).removeprefix('"').removesuffix('"')
                return re.sub(r"\\([\"$`\\])", r"\1", inside.replace("\\\n", ""))
            case "concatenation":
                return "".join(self._text_of(child) for child in node.children)
        return text

    def _variable(self, text: str) -> str:
        """The variable's value, or its default (`${LR:-0.1}`); otherwise the unchanged text."""
        found = _VARIABLE.fullmatch(text)
        if found is None:
            return text
        value = self.variables.get(found[1])
        if value is None and found[2] is not None:
            value = found[2].removesuffix("}")
        if value is None or self.budget < len(value):
            return text
        self.budget -= len(value)
        return value

    def _filled(self, node: tree_sitter.Node) -> str:
        """A text with its variables filled in."""
        source = node.text or b""
        out, position = b"", node.start_byte
        for child in node.children:
            if child.type in _VARIABLES:
                out += source[position - node.start_byte : child.start_byte - node.start_byte]
                out += self._variable(_text(child)).encode()
                position = child.end_byte
        return (out + source[position - node.start_byte :]).decode(errors="replace")


def _read_variables(root: tree_sitter.Node) -> set[str]:
    """The variables that are read: names outside the left side of an assignment."""
    names: set[str] = set()
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type != "variable_assignment":
            names |= {_text(child) for child in node.children if child.type == "variable_name"}
        todo += node.children
    return names


def _descendants(root: tree_sitter.Node, kind: str) -> Iterator[tree_sitter.Node]:
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type == kind:
            yield node
        else:
            todo += reversed(node.children)


def _substitutions(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    """The `$(...)` and `<(...)` inside a word, whose commands run."""
    if b"(" not in (node.text or b"") and b"`" not in (node.text or b""):
        return []
    return [found for kind in ("command_substitution", "process_substitution") for found in _descendants(node, kind)]


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode(errors="replace")
