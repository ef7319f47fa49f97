"""Compare what an answer left behind with what the reference left.

Pure: outcomes in, differences out.
"""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from mlbench.judging.figures import PrintedFigures, digits_of, figures, without
from mlbench.judging.file_differences import differences
from mlbench.judging.file_formats import Unreadable, read
from mlbench.judging.outcome_spec import FileSpec, OutcomeSpec
from mlbench.reasons import ItemKind
from mlbench.records import Execution, Invocation, LeftBehind, OutputFile

_ROOT = "/workspace"
_MOST_COMPARED = 200
_MOST_TEXT = 1 << 20
_MOST_SHOWN = 120  # bytes of a file in its description
_TELLING = 12  # digits or letters
_FEWEST_TYPED = 6  # digits or letters


class Lack(StrEnum):
    """How an outcome differs."""

    FILE = "missing-file"
    CONTENT = "wrong-file"
    FIGURE = "missing-figure"
    REMOVED = "repository-file-removed"
    ALTERED = "repository-file-changed"


@dataclass(frozen=True)
class Difference:
    """One difference: its subject, the reference's side, the answer's side."""

    lack: Lack
    what: str
    expected: str = ""
    found: str = ""

    def __str__(self) -> str:
        match self.lack:
            case Lack.FILE:
                return f"{self.what} is not there"
            case Lack.CONTENT:
                return f"{self.what}: {self.found}"
            case Lack.FIGURE:
                return f"{self.expected} is never printed"
        return f"{self.what} {'is gone' if self.lack is Lack.REMOVED else 'has been changed'}"


@dataclass(frozen=True)
class Expected:
    """The reference's outcome.

    Attributes:
        spec: what its recipe declares.
        printed: its output.
        outcome: its files.
        folder: the sample's folder, relative to the repository's root; the globs of `spec` start there.
        seconds: wall time of the run.
        running: it was stopped at the time limit.
        fault: why there is nothing to compare with; empty if there is.
        used: files of the repository whose code it ran.
        invocations: the repository's programs that it ran, or its calls into the repository.
    """

    spec: OutcomeSpec
    printed: str = ""
    outcome: LeftBehind = field(default_factory=LeftBehind)
    folder: str = "."
    seconds: float = 0.0
    running: bool = False
    fault: str = ""
    used: tuple[str, ...] = ()
    invocations: tuple[Invocation, ...] = ()

    @property
    def figures(self) -> list[str]:
        """The figures that an answer has to print."""
        return figures(self.spec.prints, self.printed)[0]

    def files(self) -> Iterator[tuple[FileSpec, OutputFile]]:
        """The declared files that the reference left, each with its declaration."""
        for file in self.outcome.files:
            for spec in self.spec.files:
                if _matches(file.path, spec, self.folder):
                    yield spec, file
                    break

    def globs(self) -> list[str]:
        """The declared files as globs of absolute paths."""
        return [posixpath.normpath(posixpath.join(_ROOT, self.folder, spec.path)) for spec in self.spec.files]

    def progress_lacking(self, execution: Execution) -> str:
        """Why a run that was stopped at the limit is behind the reference; empty if it is not."""
        if not self.spec.progress:
            return ""
        ours, theirs = (len(re.findall(self.spec.progress, text, re.M)) for text in (self.printed, execution.stdout))
        return "" if 2 * theirs >= ours else f"it has come to {theirs} of the {ours} steps that the reference comes to"

    def is_matched_by(self, other: Expected) -> bool:
        """Whether another run left each kind of item that this one left."""
        ours, theirs = ({spec.path for spec, _ in each.files()} for each in (self, other))
        patterns = [p for p in self.spec.prints if figures((p,), self.printed)[0]]
        return ours <= theirs and all(figures((p,), other.printed)[0] for p in patterns)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to compare with."""
        return not self.figures and next(self.files(), None) is None


@dataclass(frozen=True)
class ComparedItem:
    """One item that the reference left, beside the answer's item in its place.

    Attributes:
        kind: the kind of item; `REPOSITORY` for a file of the repository that was destroyed.
        what: the file's path, or the figure.
        expected, found: a short description of each; `found` is empty if there is nothing.
        difference: None if the two are the same.
        digits: in how many digits or letters they agree.
    """

    kind: ItemKind
    what: str
    expected: str
    found: str
    difference: Difference | None = None
    digits: int = 0


@dataclass(frozen=True)
class Compared:
    """The comparison of an execution's outcome with the reference's.

    Attributes:
        items: the declared items.
        harm: files of the repository that were removed or changed.
    """

    items: tuple[ComparedItem, ...]
    harm: tuple[Difference, ...] = ()

    @property
    def differences(self) -> list[Difference]:
        """Every difference; empty if the outcomes are the same."""
        return [*(item.difference for item in self.items if item.difference), *self.harm]

    @property
    def by_gravity(self) -> list[ComparedItem]:
        """Destroyed items first, then different ones, then equal ones."""
        how = {Lack.REMOVED: "gone", Lack.ALTERED: "changed"}
        harmed = [ComparedItem(ItemKind.REPOSITORY, each.what, "as it was", how[each.lack], each) for each in self.harm]
        return [*harmed, *sorted(self.items, key=lambda item: item.difference is None)]

    @property
    def telling(self) -> bool:
        """Whether a match by chance is excluded: a file, words, or many equal digits."""
        same = [item for item in self.items if item.difference is None]
        return any(item.kind is ItemKind.FILE for item in same) or sum(item.digits for item in same) >= _TELLING


def compared(expected: Expected, execution: Execution, typed: str = "") -> Compared:
    """Compare an execution's outcome with the expected one.

    Args:
        expected: the reference's outcome.
        execution: the answer's run.
        typed: the answer's own text; a figure that it contains proves no work.
    """
    outcome = execution.outcome or LeftBehind()
    gone = [path for path in outcome.removed if path not in expected.outcome.removed]
    changed = [path for path in outcome.altered if path not in expected.outcome.altered]
    harm = [Difference(Lack.REMOVED, _shown(path)) for path in gone]
    harm += [Difference(Lack.ALTERED, _shown(path)) for path in changed]
    items = (*_files(expected, outcome), *_figures(expected, execution, outcome, PrintedFigures(typed)))
    return Compared(items, tuple(harm))


def _files(expected: Expected, outcome: LeftBehind) -> Iterator[ComparedItem]:
    for spec, file in expected.files():
        ours = _described(file)
        same = next((o for o in _candidates(file, outcome, spec.named) if not _content_differs(spec, file, o)), None)
        if same is not None:
            yield ComparedItem(ItemKind.FILE, _shown(file.path), ours, _shown(same.path) + ": " + _described(same))
            continue
        at = next((other for other in outcome.files if other.path == file.path), None)
        if at is None:
            missing = Difference(Lack.FILE, _shown(file.path), ours)
            yield ComparedItem(ItemKind.FILE, _shown(file.path), ours, "", missing)
        else:
            why = "; ".join(_content_differs(spec, file, at)[:3])
            wrong = Difference(Lack.CONTENT, _shown(file.path), ours, why)
            yield ComparedItem(ItemKind.FILE, _shown(file.path), ours, _described(at), wrong)


def _described(file: OutputFile) -> str:
    """One line on a file: its size and its beginning, or why it could not be read."""
    if file.fault or file.content is None:
        return file.fault or "not read"
    head = file.content[:_MOST_SHOWN].decode("utf-8", errors="replace")
    begins = "" if "\0" in head or "\ufffd" in head else " ".join(head.split())
    return f"{file.size} bytes{': ' if begins else ''}{begins}"


def _candidates(file: OutputFile, outcome: LeftBehind, named: bool) -> list[OutputFile]:
    """The files that may be the wanted one: at its path first, then elsewhere if allowed."""
    here = [other for other in outcome.files if other.path.startswith(f"{_ROOT}/")]
    at = [other for other in here if other.path == file.path]
    if named:
        return at
    name, suffix = posixpath.basename(file.path), posixpath.splitext(file.path)[1]
    rest = [other for other in here if other not in at]
    rest.sort(key=lambda other: (posixpath.basename(other.path) != name, not other.path.endswith(suffix), other.path))
    return [*at, *rest][:_MOST_COMPARED]


def _content_differs(spec: FileSpec, wanted: OutputFile, other: OutputFile) -> list[str]:
    """How a file differs from the wanted one; empty if it does not."""
    if other.fault or other.content is None:
        return [other.fault or "cannot be read"]
    if wanted.content is None or wanted.content == other.content:
        return []
    try:
        ours, theirs = read(wanted.path, wanted.content), read(wanted.path, other.content)
    except Unreadable as error:
        return [str(error)]
    return list(differences(ours, theirs, spec.volatile, spec.rtol, spec.atol))


def _figures(
    expected: Expected, execution: Execution, outcome: LeftBehind, typed: PrintedFigures
) -> Iterator[ComparedItem]:
    """Compare the figures: in the output, or in a text file that the output was redirected to.

    Lines of a log that the reference prints as well prove no figure. Neither does a figure in the answer's own text,
    unless it is a shape, which a relation has to prove.
    """
    wanted, log = figures(expected.spec.prints, expected.printed)
    printed = [PrintedFigures(without(text, log)) for text in (execution.stdout, execution.stderr)]
    declared = [file.path for _, file in expected.files()]
    others = [PrintedFigures(without(text, log)) for text in _other_texts(outcome, declared)]
    for figure, times in Counter(wanted).items():
        digits = digits_of(figure, printed, times) or digits_of(figure, others, times)
        if not expected.spec.weak and typed.says(figure) >= _FEWEST_TYPED:
            digits = 0
        lacks = None if digits else Difference(Lack.FIGURE, "output", figure)
        yield ComparedItem(ItemKind.FIGURE, figure, figure, "" if lacks else "printed", lacks, digits)


def _other_texts(outcome: LeftBehind, declared: Sequence[str]) -> Iterator[str]:
    for file in outcome.files:
        binary = file.content is None or b"\0" in file.content
        if not binary and file.path not in declared and file.size <= _MOST_TEXT:
            assert file.content is not None
            yield file.content.decode("utf-8", errors="replace")


def _matches(path: str, spec: FileSpec, folder: str) -> bool:
    return fnmatch.fnmatchcase(path, posixpath.normpath(posixpath.join(_ROOT, folder, spec.path)))


def _shown(path: str) -> str:
    return path.removeprefix(_ROOT + "/")
