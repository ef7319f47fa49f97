"""Detect shell text that runs downloaded code: `curl ... | sh`, `bash <(wget ...)`, `python -c "$(curl ...)"`.

Nothing runs here. A download alone (`pip install`, `git clone`, `wget -O FILE`) is not a fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from posixpath import basename, normpath

import tree_sitter

from mlbench.reasons import Reason
from mlbench.shell.languages import parse_shell
from mlbench.shell.launchers import LaunchTarget, target
from mlbench.shell.shell_static import ShellFault, walk, words

DOWNLOADERS = words("curl wget aria2c axel lwp-download http https")
_SHELLS = words("sh bash dash zsh ksh fish")
_INTERPRETERS = _SHELLS | words("perl ruby node php lua julia Rscript")
_CODE = ("-c", "-e", "-E", "-r")
_SUBSTITUTIONS = ("command_substitution", "process_substitution")
_DOWNLOADED = "\0downloaded"
_WITH_FILE = re.compile(r"-[A-Za-z]*[oO]|--output(?:-document)?|-d|--dir|--out")
_DEEPEST = 4


def remote_code(code: str, depth: int = 0) -> ShellFault | None:
    """Return the fault `remote-code` if any part of the text runs downloaded code; else None."""
    if depth > _DEEPEST or not any(name in code for name in DOWNLOADERS):
        return None
    found = next(_DownloadReader(code).found(depth), None)
    return ShellFault(Reason.REMOTE_CODE, f"it downloads and runs foreign code: {found[:80]}") if found else None


class _DownloadReader:
    def __init__(self, code: str) -> None:
        self._root = parse_shell(code).root_node
        self._variables: set[str] = set()  # variables with downloaded content
        self._files: set[str] = set()
        for node in walk(self._root):
            if node.type == "variable_assignment":
                name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
                if name is not None and value is not None and self._downloads(value):
                    self._variables.add(_text(name))
            elif node.type == "command" and self._is_download(node):
                self._files |= set(_files(node))

    def found(self, depth: int) -> Iterator[str]:
        """Yield the parts of the text that run downloaded code."""
        for node in walk(self._root):
            if node.type == "pipeline":
                stages = [child for child in node.named_children if child.type != "comment"]
                for at, stage in enumerate(stages):
                    if self._downloads(stage) and any(self._reads_code(later) for later in stages[at + 1 :]):
                        yield _text(node)
            elif node.type == "redirected_statement" and self._reads_code(node):
                inputs = [each for each in node.children if each.type in ("herestring_redirect", "heredoc_redirect")]
                inputs += [each for each in node.children if each.type == "file_redirect" and "<" in _text(each)]
                if any(self._downloads(each) for each in inputs):
                    yield _text(node)
            elif node.type == "command":
                if self._runs(node):
                    yield _text(node)
                for text in _inner_texts(node):
                    if fault := remote_code(text, depth + 1):
                        yield fault.message

    def _runs(self, command: tree_sitter.Node) -> bool:
        """Whether a command's arguments give it downloaded code."""
        given = self._words(command)
        if not given:
            return False
        if given[0] == _DOWNLOADED or given[0] in ("eval", "source", "."):
            return _DOWNLOADED in given or (given[0] != "eval" and self._is_file(given[1:2]))
        if any(child.type == "herestring_redirect" and self._downloads(child) for child in command.children):
            return self._reads_code(command)
        meant = target(tuple(given))
        if not isinstance(meant, LaunchTarget):
            return False
        if meant.run != "program":
            return _DOWNLOADED in meant.name or (meant.run == "file" and self._is_file([meant.name]))
        if basename(meant.name) not in _INTERPRETERS:
            return "/" in meant.name and self._is_file([meant.name])
        for at, word in enumerate(meant.argv):
            if not word.startswith("-"):
                return word == _DOWNLOADED or self._is_file([word])
            if word in _CODE or (basename(meant.name) in _SHELLS and re.fullmatch(r"-\w*c", word)):
                return _DOWNLOADED in meant.argv[at + 1 : at + 2]
        return False

    def _reads_code(self, node: tree_sitter.Node) -> bool:
        """Whether a command inside reads code from its standard input."""
        return any(each.type == "command" and _is_fed(self._words(each)) for each in walk(node))

    def _downloads(self, node: tree_sitter.Node) -> bool:
        """Whether the value of a part of the text contains the output of a download."""
        for each in walk(node):
            if each.type == "command" and self._is_download(each):
                return True
            if each.type == "variable_name" and _text(each) in self._variables:
                return True
        return False

    def _is_download(self, command: tree_sitter.Node) -> bool:
        meant = target(tuple(map(_plain, _parts(command))))
        return isinstance(meant, LaunchTarget) and meant.run == "program" and basename(meant.name) in DOWNLOADERS

    def _is_file(self, names: list[str]) -> bool:
        return any(normpath(name) in self._files for name in names if name)

    def _words(self, command: tree_sitter.Node) -> list[str]:
        return [_DOWNLOADED if self._holds_download(part) else _plain(part) for part in _parts(command)]

    def _holds_download(self, part: tree_sitter.Node) -> bool:
        kinds = {each.type for each in walk(part)}
        substitutes = not kinds.isdisjoint((*_SUBSTITUTIONS, "simple_expansion", "expansion"))
        return substitutes and self._downloads(part)


def _is_fed(given: list[str]) -> bool:
    meant = target(tuple(given)) if given else None
    if not isinstance(meant, LaunchTarget):
        return False
    if meant.run != "program":
        return (meant.run == "code" and not meant.name) or meant.name == "/dev/stdin"
    if basename(meant.name) not in _INTERPRETERS:
        return given[0] in ("source", ".") and given[1:2] == ["/dev/stdin"]
    for word in meant.argv:
        if word in ("-", "/dev/stdin") or word == "--" or re.fullmatch(r"-\w*s\w*", word):
            return True
        if not word.startswith("-") or word in _CODE or re.fullmatch(r"-\w*c", word):
            return False
    return True


def _files(download: tree_sitter.Node) -> Iterator[str]:
    """Yield the files that a download writes."""
    given = list(map(_plain, _parts(download)))
    for at, word in enumerate(given):
        if _WITH_FILE.fullmatch(word) and at + 1 < len(given):
            yield normpath(given[at + 1])
        elif match := re.match(r"(?:-[A-Za-z]*O|--output(?:-document)?=)(.+)", word):
            yield normpath(match[1])
        elif "/" in word and not word.startswith("-"):
            yield basename(word.partition("?")[0])
    above = download.parent
    for child in above.children if above is not None and above.type == "redirected_statement" else ():
        if child.type == "file_redirect" and ">" in _text(child):
            yield normpath(_plain(child.children[-1]))


def _inner_texts(command: tree_sitter.Node) -> Iterator[str]:
    """Yield the texts that a command hands to a shell: `bash -c TEXT`, `eval TEXT`."""
    parts = list(_parts(command))
    given = list(map(_plain, parts))
    if given and given[0] == "eval":
        yield " ".join(given[1:])
    for before, word in pairwise(given):
        if re.fullmatch(r"-\w*c", before) and any(basename(name) in _SHELLS for name in given):
            yield word


def _parts(command: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield the words of a command, its name first, without assignments and redirections."""
    for child in command.children:
        if child.is_named and child.type not in ("variable_assignment", "file_redirect", "herestring_redirect"):
            yield child


def _plain(part: tree_sitter.Node) -> str:
    """A word without its quotes."""
    text = _text(part)
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode(errors="replace")
