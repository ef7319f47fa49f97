"""Chooses the fewest, smallest spans that show what a reference needs: documentation first, then source lines."""

from __future__ import annotations

import itertools
import posixpath
import re
from collections.abc import Collection, Iterable, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from mlbench.records import Check
from mlbench.repositories.documents import format_of, readable_text, text_of
from mlbench.suite_builder.arguments.option_reads import reached_files
from mlbench.suite_builder.oracle.definitions import Definitions
from mlbench.suite_builder.oracle.needs import Need, NeedKind, by_variable, unique
from mlbench.suite_builder.oracle.python_needs import python_needs
from mlbench.suite_builder.oracle.sections import Sections
from mlbench.suite_builder.oracle.shell_needs import shell_needs
from mlbench.suite_builder.oracle.spans import FileSpan, joined, missing, span_of
from mlbench.suites.recipes import Recipe

_OVERHEAD = 6
"""What a further span costs, in lines: the reader has to connect it with the others."""
_DEAREST = 15.0
"""The most lines that a section of the documentation may cost for each need that it shows."""
_STARTED = re.compile(r"\bparse_(?:known_)?args\(|^if __name__ ==", re.M)
_MOST_DEFINITIONS = 12
"""The definitions of one need that are compared."""
_ORDER = [
    NeedKind.NAME,
    NeedKind.VALUE,
    NeedKind.OPTION,
    NeedKind.KEYWORD,
    NeedKind.POSITIONS,
    NeedKind.MODULE,
    NeedKind.PROGRAM,
]
"""The order in which definitions are looked for. Any span of the right file shows a module or a program."""


@dataclass(frozen=True)
class OracleCover:
    """The spans of an oracle segment, and the needed words that none of them shows."""

    spans: tuple[FileSpan, ...]
    undocumented: tuple[str, ...]


def needs_of(recipe: Recipe, check: Check, modules: Set[str]) -> tuple[Need, ...]:
    """What the references of a recipe need.

    Args:
        recipe: the recipe.
        check: the interface check of one of its references, with the programs' options (`Checker.describe`).
        modules: the names of the repository's folders and Python files.
    """
    return unique(shell_needs(recipe, check) if recipe.kind == "shell" else python_needs(recipe, check, modules))


class OracleFinder:
    """Computes the oracle segments of one repository's recipes."""

    def __init__(self, repository: Path) -> None:
        self._repository = repository
        self._sections = Sections(repository)
        self._definitions = Definitions(repository)
        self._programs: dict[str, bool] = {}  # by Python file, whether it is one

    def cover(
        self,
        recipe: Recipe,
        check: Check,
        added: Collection[str] = (),
        beside: Iterable[tuple[str, tuple[int, int]]] = (),
    ) -> OracleCover:
        """The spans that show what a recipe's references need: the published segment, and what it lacks.

        Args:
            recipe: the recipe.
            check: as for `needs_of`.
            added: options and keywords whose definitions are shown in any case: no documented example of the task gives
                them, and the documentation may mean another program's; or an instruction says them in other words.
            beside: further pieces of documentation, each a page and its lines; shown as far as they are needed.

        Raises:
            OSError, ValueError: the published segment cannot be read.
        """
        base = span_of(self._repository, recipe.documentation.file, *recipe.documentation.lines)
        needs = self._needs(recipe, check)
        near = self._definitions.near(_files_of(recipe, check))
        chosen = [base, *(span_of(self._repository, page, *lines) for page, lines in beside)]
        folder = posixpath.dirname(near[0]) if near else ""
        self._document(needs, chosen, folder)
        self._define(needs, chosen, near, recipe.program)
        for need in missing(needs, chosen):
            if need.kind is NeedKind.VALUE and " " not in need.word:
                chosen += self._sections.with_value(need)[:1]
            elif need.kind in (NeedKind.VALUE, NeedKind.OPTION) and need in missing(needs, chosen):
                # from a variable of the page
                chosen += [each for each in self._sections.with_value(need) if each.file == base.file][:1]
        own = [need for need in needs if need.word in added and need.kind in (NeedKind.OPTION, NeedKind.KEYWORD)]
        shown = [span for need in own for span in self._first_definition(need, near, recipe.program)]
        spans = joined(self._repository, [*_needed(needs, chosen), *shown])
        return OracleCover(tuple(spans), tuple(need.word for need in missing(needs, spans)))

    def _first_definition(self, need: Need, near: Sequence[str], program: str) -> list[FileSpan]:
        found = itertools.islice(self._definitions.of(need, near), _MOST_DEFINITIONS)
        return [span for span in found if span.shows(need) and not self._is_of_another(need, span, program)][:1]

    def _is_of_another(self, need: Need, span: FileSpan, program: str) -> bool:
        """Whether an option is that of another program, where it may mean something else."""
        reached = reached_files(self._repository, program)
        if need.kind is not NeedKind.OPTION or not reached or span.file in reached or not span.file.endswith(".py"):
            return False
        if span.file not in self._programs:
            self._programs[span.file] = _STARTED.search(readable_text(self._repository / span.file)) is not None
        return self._programs[span.file]

    def unshown(self, recipe: Recipe, check: Check, spans: Sequence[FileSpan]) -> list[str]:
        """The needed words that some spans do not show.

        Args:
            recipe: the recipe.
            check: as for `needs_of`.
            spans: of an oracle.
        """
        return [need.word for need in missing(self._needs(recipe, check), spans)]

    def _needs(self, recipe: Recipe, check: Check) -> list[Need]:
        page = text_of(self._repository / recipe.documentation.file)
        return [by_variable(need, page) for need in needs_of(recipe, check, self._definitions.modules)]

    def _document(self, needs: Sequence[Need], chosen: list[FileSpan], folder: str) -> None:
        """Add the sections that show the most missing needs a line."""
        alone = not any(self._definitions.is_common(need.word) for need in needs if need.kind is NeedKind.PROGRAM)
        candidates = self._sections.about(needs, folder, alone)
        while left := missing(needs, chosen):
            gains = [(sum(span.shows(need) for need in left), span) for span in candidates]
            costs = [((span.size + _OVERHEAD) / gain, span) for gain, span in gains if gain]
            cost, best = min(costs, key=lambda pair: pair[0], default=(_DEAREST + 1, None))
            if best is None or cost > _DEAREST:
                return
            chosen.append(best)

    def _define(self, needs: Sequence[Need], chosen: list[FileSpan], near: Sequence[str], program: str) -> None:
        """Add the definition of each missing need: the first one found, or a shorter one that shows more."""
        for need in sorted(missing(needs, chosen), key=lambda need: _ORDER.index(need.kind)):
            left = missing(needs, chosen)
            if need not in left:
                continue
            found: list[FileSpan] = []
            files = [span.file for span in chosen[1:] if format_of(span.file) is None]
            for span in self._definitions.of(need, list(dict.fromkeys([*near[:1], *files, *near]))):
                if span.shows(need) and not self._is_of_another(need, span, program):
                    found.append(span)
                    if len(found) == _MOST_DEFINITIONS or span.file != found[0].file:
                        break
            if found:
                home = [span for span in found if span.file == found[0].file]
                chosen.append(
                    max(home, key=lambda span: sum(span.shows(each) for each in left) / (span.size + _OVERHEAD))
                )


def _needed(needs: Sequence[Need], chosen: list[FileSpan]) -> list[FileSpan]:
    """The published segment, and the others but for those that add nothing."""
    kept = list(chosen)
    for span in sorted(chosen[1:], key=lambda span: -span.size):
        others = [each for each in kept if each is not span]
        if len(missing(needs, others)) == len(missing(needs, kept)):
            kept = others
    return kept


def _files_of(recipe: Recipe, check: Check) -> list[str]:
    """The program, and the files that its reference names, such as a configuration."""
    found = [recipe.program, *(each.program for each in check.invocations)]
    for each in check.invocations:
        words = [part for word in each.argv for part in word.split("=")]
        found += [posixpath.normpath(posixpath.join(each.cwd, word)) for word in words if "/" in word or "." in word]
    return found
