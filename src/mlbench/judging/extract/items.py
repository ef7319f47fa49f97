"""Read blocks: code without prompts and magics, its language, its role, its introduction."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mlbench.judging.extract.blocks import DATA_LABELS, LABELS, OUTPUT_LABELS, ReplyBlock
from mlbench.judging.extract.calls import shell_of_python_calls
from mlbench.judging.extract.introductions import Stance, is_retracted, stance_of
from mlbench.judging.extract.notebooks import without_magics
from mlbench.judging.extract.roles import BlockRole, binds, needs, role_of
from mlbench.judging.extract.saved import names_of
from mlbench.judging.extract.sessions import without_diff, without_prompts
from mlbench.records import Kind
from mlbench.shell.languages import is_code, language_of, looks_like_shell

_ASIDES = (Stance.ALTERNATIVE, Stance.OUTPUT, Stance.LOOK)
_FIRST_COMMENT = re.compile(r"\A\s*#(?!!)[ \t]*([^\n]{1,200})")


@dataclass(frozen=True)
class ReplyItem:
    """One block, or several Python blocks of which each uses names of the earlier ones.

    Attributes:
        at: position of the first block in the reply.
        kind: the language as parsed; as labelled if it does not parse.
        fault: why it does not parse.
        sure: a label or its look shows that it is code; printed output may parse as well.
        name: the file name that the reply gives it.
    """

    at: int
    blocks: tuple[ReplyBlock, ...]
    code: str
    kind: Kind | None
    fault: str
    role: BlockRole
    stance: Stance
    sure: bool = True
    name: str = ""

    @property
    def is_cut(self) -> bool:
        """Whether the reply ends inside of it."""

        return self.blocks[-1].cut

    @property
    def is_final(self) -> bool:
        """Whether it is in tags that mark the answer."""

        return self.blocks[0].final

    @property
    def is_aside(self) -> bool:
        """Whether the prose introduces it as something else than the answer."""

        return self.stance in _ASIDES

    @property
    def lines(self) -> set[str]:
        return {line.strip() for line in self.code.split("\n") if line.strip()}


def read(blocks: Sequence[ReplyBlock]) -> list[ReplyItem]:
    """Read the blocks of a reply in order.

    Python that continues from block to block becomes one item.
    """
    names = names_of(blocks)
    items: list[ReplyItem] = []
    for at, block in enumerate(blocks):
        item = _read(at, block, names.get(at, ""))
        before = _continued(items, item)
        if before is None:
            items.append(item)
        else:
            code = f"{before.code}\n{item.code}"
            role = role_of(code, "python")
            items[items.index(before)] = replace(before, code=code, role=role, blocks=(*before.blocks, block))
    return items


def _continued(items: Sequence[ReplyItem], item: ReplyItem) -> ReplyItem | None:
    """The Python block before an item that binds names it needs."""
    if item.kind != "python" or item.role is not BlockRole.INCOMPLETE or item.name or item.is_cut:
        return None
    if item.stance in (Stance.WRONG, Stance.ALTERNATIVE):
        return None
    for other in reversed(items):
        is_sound = other.kind == "python" and not other.fault and other.stance is not Stance.WRONG
        if is_sound and needs(item.code) & binds(other.code):
            return other
    return None


def _read(at: int, block: ReplyBlock, name: str) -> ReplyItem:
    label = LABELS.get(block.label)
    code = without_prompts(without_diff(textwrap.dedent(block.code), block.label)).strip("\n")
    if "\n" not in code.strip():
        code = code.strip()
    if call := shell_of_python_calls(code):
        code, label = call, "shell"
    code, label = without_magics(code, label)
    language = language_of(code, label)
    role = role_of(code, language.kind)
    stance = _stance(at, block, code)
    sure = label is not None and stance is not Stance.OUTPUT
    sure = sure or (is_code(code) and (" " in code.strip() or looks_like_shell(code)))
    if block.label in DATA_LABELS or block.label in OUTPUT_LABELS or not sure:
        role = BlockRole.NOTHING
    return ReplyItem(at, (block,), code, language.kind or label, language.fault, role, stance, sure, name)


def _stance(at: int, block: ReplyBlock, code: str) -> Stance:
    if is_retracted(block.after):
        return Stance.WRONG
    stance = stance_of(block.before, at == 0)
    comment = _FIRST_COMMENT.match(code)
    if stance is not Stance.WRONG and comment and stance_of(comment[1], at == 0) is Stance.WRONG:
        return Stance.WRONG
    return Stance.CORRECTION if block.final and stance is not Stance.WRONG else stance
