"""Joins the pieces of Python that a section has for one example.

An instruction names an example by its section. So the example is all that belongs together there: a piece, and every
later piece of the section that uses what an earlier one makes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from mlbench.suite_builder.mining.needed_code import done_with, without_last_comments
from mlbench.suite_builder.mining.snippets import has_gap, imports_of, names_of, waits, whole
from mlbench.suite_builder.types import CodeBlock


def examples(found: Sequence[CodeBlock]) -> list[tuple[CodeBlock, tuple[CodeBlock, ...]]]:
    """The blocks of all pages in order; those of one example are one, beside the pieces that it has.

    Args:
        found: the blocks in the order of each page.
    """
    joined: list[tuple[CodeBlock, tuple[CodeBlock, ...]]] = []
    for _, page in groupby(found, key=lambda block: block.page):
        above: list[CodeBlock] = []
        for _, section in groupby(page, key=lambda block: block.headings):
            chains = [(_joined(pieces, cut), pieces) for pieces, cut in _pieces(section, above)]
            codes = [each.code for each, _ in chains if each.language == "python"]
            joined += [(_told_apart(each, codes), pieces) for each, pieces in chains]
    return joined


def _told_apart(example: CodeBlock, codes: Sequence[str]) -> CodeBlock:
    """An example of Python with the others of its section."""
    if example.language != "python" or len(codes) < 2:
        return example
    at = codes.index(example.code)
    return replace(example, beside=(*codes[:at], *codes[at + 1 :]))


def _pieces(section: Iterable[CodeBlock], above: list[CodeBlock]) -> Iterator[tuple[tuple[CodeBlock, ...], str]]:
    """The blocks of a section, with the Python of one example together at the place of its first block.

    Beside each stands the first code that does something new with what the example makes, but lacks something.

    Args:
        section: the blocks of the section.
        above: the page's Python above it; gets that of the section.
    """
    chains: list[list[CodeBlock]] = []
    cuts: list[str] = []
    for block in section:
        at = None
        if block.language == "python":
            lacking = names_of(block.code).lacking
            at = next((at for at in reversed(range(len(chains))) if lacking & _made(chains[at])), None)
            if at is not None and not _is_complete(block, above):
                made, own = _made(chains[at]), "\n".join(each.code for each in chains[at])
                if done_with(block.code, made) - done_with(own, made):
                    cuts[at] = cuts[at] or block.code
                at = None
            above.append(block)
        if at is None:
            chains.append([block])
            cuts.append("")
        else:
            chains[at].append(block)
    yield from zip(map(tuple, chains), cuts, strict=True)


def _is_complete(block: CodeBlock, above: Sequence[CodeBlock]) -> bool:
    """Whether a piece can be run behind those above it."""
    return not (waits(block.code) or has_gap(block.code) or whole(block, above).lacking)


def _made(chain: Sequence[CodeBlock]) -> set[str]:
    """The names that some Python binds, without those of its imports."""
    codes = [block.code for block in chain if block.language == "python"]
    return {name for code in codes for name in names_of(code).bound} - imports_of(codes).keys()


def _joined(pieces: tuple[CodeBlock, ...], cut: str) -> CodeBlock:
    first, last = pieces[0], pieces[-1]
    if first is last:
        return replace(first, cut=cut) if cut else first
    return replace(
        first,
        cut=cut,
        lines=(first.lines[0], last.lines[1]),
        segment=(min(each.segment[0] for each in pieces), max(each.segment[1] for each in pieces)),
        prose="\n".join(dict.fromkeys(each.prose for each in pieces if each.prose)),
        code="\n\n".join(without_last_comments(each.code) for each in pieces),  # those are printed output
    )
