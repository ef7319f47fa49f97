"""Checks the rows of a file, for `mlbench suites check` of a suite without recipes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from mlbench.records import Sample
from mlbench.shell.languages import language_of
from mlbench.suites.suite import Suite


def row_faults(suite: Suite) -> list[str]:
    """The faults of a suite's rows: a line per repository and fault, with the first row.

    Raises:
        UsageError: the rows cannot be read, or a repository is not fetched yet.
        RunError: a fetched repository differs from the pinned one.
    """
    folders = {repository.github_id: suite.folder(repository.name) for repository in suite.repositories}
    found: dict[tuple[int, str], list[Sample]] = defaultdict(list)
    rows = {row.id: row for split in suite.samples().values() for row in split}
    for row in rows.values():
        for fault in _faults(row, folders.get(row.github_id)):
            found[row.github_id, fault].append(row)
    return [
        f"repository {rows_of[0].github}: {len(rows_of):,} row{'s' * (len(rows_of) > 1)}: {fault}"
        f" (first: id {rows_of[0].id}, path {rows_of[0].path})"
        for (_, fault), rows_of in found.items()
    ]


def _faults(row: Sample, repository: Path | None) -> Iterator[str]:
    if repository is None:
        yield "no repository of the suite has its `github_id`"
        return
    folder = repository / row.path
    if not folder.is_dir() or not folder.resolve().is_relative_to(repository.resolve()):
        yield "no such folder in the repository"
    if language_of(row.output, row.kind).kind != row.kind:
        yield f"`output` does not parse as {row.type}"
