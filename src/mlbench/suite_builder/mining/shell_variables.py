"""Variables of a page's shell blocks: a command gets the values that it reads, wherever the page sets them."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from mlbench.shell import assignments
from mlbench.shell.languages import parse_shell, shell_fault_of
from mlbench.suite_builder.mining.placeholders import filled
from mlbench.suite_builder.types import CodeBlock

ASSIGNING = ("variable_assignment", "variable_assignments", "declaration_command")
_READ = re.compile(r"\$\{?([A-Za-z_]\w*)\}?")
_PIECE = re.compile(
    r"""'[^']*'|"(?P<double>(?:[^"\\]|\\.)*)"|\\.|\$(?P<name>[A-Za-z_]\w*)|\$\{(?P<braced>[A-Za-z_]\w*)\}""", re.S
)
"""What ends the text of a command: quoted text, an escaped character, a variable."""
_CASED = re.compile(r"\$\{(\w+)(,,|\^\^)\}")  # `${model,,}`
_PROSE = re.compile(r"[a-z]+(?: [a-z]+){2,}", re.I)
"""A value that says what belongs there: `path to where you want the datasets saved`."""
_PLAIN = re.compile(r"[\w./:,=@%+ -]*")
"""Text that means the same in a variable, between double quotes and as words of a command."""


@dataclass
class ShellVariables:
    """What earlier text has set.

    Attributes:
        texts: by name, the whole assignment.
        values: by name, the value, if it is plain text.
    """

    texts: dict[str, str] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)

    def assign(self, text: str) -> None:
        """Take over an assignment. A value that reads earlier variables is expanded at once, as in the shell."""
        try:
            words = shlex.split(text)
        except ValueError:
            words = []
        found = [match for word in words if (match := assignments.WORD.fullmatch(word))]
        for name in [match[1] for match in found] or assignments.IN_TEXT.findall(text):
            self.texts[name] = text
        for name, value in (match.groups() for match in found):
            value = _CASED.sub(self._cased, value.replace("\\\n", " "))
            value = _READ.sub(lambda match: self.values.get(match[1], match[0]), value)
            if _PROSE.fullmatch(value):
                self.values[name] = f"./{name.lower()}"
            elif _PLAIN.fullmatch(value):
                self.values[name] = value
            else:
                self.values.pop(name, None)

    def _cased(self, match: re.Match[str]) -> str:
        value = self.values.get(match[1])
        return match[0] if value is None else value.lower() if match[2] == ",," else value.upper()

    def inlined(self, command: str) -> str:
        """A command with plain values in place of the variables."""
        # not by the parsed command: the parser ends `$DIR/$CONFIG.py` at the second variable
        return _PIECE.sub(self._inlined, command)

    def _inlined(self, match: re.Match[str]) -> str:
        if match["double"]:
            return f'"{_PIECE.sub(self._inlined, match["double"])}"'
        return self.values.get(match["name"] or match["braced"] or "", match[0])

    def needed(self, command: str) -> list[str]:
        """The assignments that a command reads, directly or through others, in order."""
        wanted: set[str] = set()
        todo = _READ.findall(command)
        while todo:
            name = todo.pop()
            if name in self.texts and name not in wanted:
                wanted.add(name)
                todo += _READ.findall(self.texts[name])
        return list(dict.fromkeys(line for name, line in self.texts.items() if name in wanted))

    def over(self, other: ShellVariables) -> ShellVariables:
        """These variables, and those of another text that are not set here."""
        values = {name: value for name, value in other.values.items() if name not in self.texts}
        return ShellVariables({**other.texts, **self.texts}, {**values, **self.values})


def page_variables(found: Sequence[CodeBlock]) -> list[ShellVariables]:
    """For each block, what the other shell blocks of its page set: the nearest above, else the nearest below."""
    own = [_statements(block) for block in found]
    result = [ShellVariables() for _ in found]
    above: dict[str, ShellVariables] = defaultdict(ShellVariables)
    below: dict[str, ShellVariables] = defaultdict(ShellVariables)
    for at, block in enumerate(found):
        result[at] = ShellVariables().over(above[block.page])
        for text in own[at]:
            above[block.page].assign(text)
    for at in reversed(range(len(found))):
        page = found[at].page
        result[at] = result[at].over(below[page])
        alone = ShellVariables()
        for text in own[at]:
            alone.assign(text)
        below[page] = alone.over(below[page])
    return result


def _statements(block: CodeBlock) -> list[str]:
    """The assignments at the top level of a shell block, in order."""
    if block.language != "shell" or "=" not in block.code:
        return []
    code = filled(block.code).code
    if shell_fault_of(code):
        return []
    nodes = parse_shell(code).root_node.named_children
    return [(node.text or b"").decode(errors="replace").rstrip() for node in nodes if node.type in ASSIGNING]
