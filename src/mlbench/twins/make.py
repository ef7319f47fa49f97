"""Makes a suite of twins: plans them, writes the suite, checks every reference, and drops what does not pass."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import anyio
import yaml

from mlbench.atomic_write import new_folder
from mlbench.records import RunError, TwinKind, UsageError
from mlbench.sandbox.limits import Limits
from mlbench.scoring.runtime import machine
from mlbench.suite_builder.oracle.compute import update
from mlbench.suites.rows import SuiteRow
from mlbench.suites.selection import spread
from mlbench.suites.suite import Suite, forget
from mlbench.suites.twin_file import TWINS, DroppedTwin, RenamedRepository, TwinFile, TwinOrigin, TwinRow, write_twins
from mlbench.twins.plan import PlannedTwin, plan
from mlbench.twins.renaming import RepositoryRenaming
from mlbench.twins.verify import Tell, faults

ROUNDS = 4
"""How often repositories are renamed; names that a reference does not pass with are kept in the next round."""
_COPIED = ("recipes", "repositories", "catalogue", "requirements.txt")
"""The parts of a suite that its twins need."""


def make_twins(
    suite: Suite,
    kind: TwinKind,
    seed: int,
    split: str,
    output: Path,
    workers: int | None,
    tell: Tell,
    limit: int | None = None,
) -> TwinFile:
    """Write a suite with a twin of each row of a split; returns what is in its file `twins.json`.

    Args:
        suite: the suite of the originals.
        kind: what the twins change.
        seed: the same seed gives the same twins.
        split: the split of the originals.
        output: the folder of the new suite, which must not exist.
        workers: checks in parallel; None for the number of CPUs.
        tell: reports progress.
        limit: make twins of at most this many rows, spread evenly over the split.

    Raises:
        UsageError: the suite has no recipes or not all repositories, or the folder exists.
        RunError: the folder cannot be written, this machine has no sandbox, or no twin passes.
    """
    refuse(suite, output)
    rows = spread(suite.splits[split], limit)
    planned = plan(kind, rows, list(suite.every_row()), seed)
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        with new_folder(output.resolve()) as folder:
            for name in _COPIED:
                _copy(suite.root / name, folder / name)
            builder = _Suite(
                suite, TwinOrigin(suite=suite.name, version=suite.version, split=split), kind, seed, folder
            )
            failed = builder.settle(planned, workers, tell)
            twins = builder.file(failed)
            if not twins.rows:
                raise RunError(f"no twin passes; the first: {twins.dropped[0].reason if twins.dropped else 'no rows'}")
            builder.write(twins)
            builder.prune(twins)
            if twins.renamed:  # words of the old names may have been shown where the new ones are not
                forget()
                machine.cache_clear()
                update(machine("bubblewrap", str(folder), Limits(), workers), partial(tell, "oracle"))
    except OSError as error:
        raise RunError(f"{output}: the twins cannot be written: {error.strerror}; choose another folder") from error
    forget()
    return twins


def refuse(suite: Suite, output: Path) -> None:
    """Refuse a suite that can have no twins, and a folder that exists.

    Raises:
        UsageError: says which of both.
    """
    if suite.rows is not None:
        raise UsageError(f"suite {suite.name} has rows without recipes, and twins are made from recipes; try ml-bench")
    if suite.twins is not None:
        raise UsageError(f"suite {suite.name} has twins itself; make others from its original")
    if output.exists():
        raise UsageError(f"{output}: exists already; choose a new folder for the twins")
    suite.refuse_absent()


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    elif source.is_file():
        shutil.copyfile(source, target)


class _Suite:
    """The folder of a suite of twins.

    Args:
        suite: the suite of the originals.
        of: what its twins were made from.
        kind: what the twins change.
        seed: of all random choices.
        folder: where it is written.
    """

    def __init__(self, suite: Suite, of: TwinOrigin, kind: TwinKind, seed: int, folder: Path) -> None:
        self._suite, self._of, self._kind, self._seed, self._folder = suite, of, kind, seed, folder
        self._quarter = {row.id for row in suite.splits["quarter"]} if of.split in ("full", "quarter") else set[int]()
        self._planned: dict[int, PlannedTwin] = {}
        self._renamed: dict[str, RenamedRepository] = {}

    def settle(self, planned: Sequence[PlannedTwin], workers: int | None, tell: Tell) -> dict[int, str]:
        """Write the suite and check it; names that do not work are kept in another round.

        Args:
            planned: the twins, before anything is renamed.
            workers: checks in parallel; None for the number of CPUs.
            tell: reports progress.

        Returns:
            Why references are refused at last, by the `id` of the row.
        """
        self._planned = {each.row.id: each for each in planned}
        to_rename = self._renamings([each.row for each in planned])
        unchecked, failed = set(self._planned), dict[int, str]()
        for attempt in range(ROUNDS):
            for at, (name, renaming) in enumerate(to_rename.items()):
                tell("rename", at, len(to_rename))
                self._renamed[name] = renaming.write()
                self._planned |= {each.row.id: renaming.twin(each) for each in planned if each.row.id in renaming.ids}
            twins = self.file({})
            self.write(twins)
            ids = [row.twin_of for row in twins.rows if row.twin_of in unchecked]
            failed |= anyio.run(faults, str(self._folder), ids, workers, tell)
            if attempt == ROUNDS - 1:
                break
            to_rename = {name: each for name, each in to_rename.items() if each.keep(failed.keys() & each.ids)}
            unchecked = {id for each in to_rename.values() for id in each.ids}
            failed = {id: why for id, why in failed.items() if id not in unchecked}
            if not unchecked:
                break
        return failed

    def _renamings(self, rows: Sequence[SuiteRow]) -> dict[str, RepositoryRenaming]:
        if self._kind not in (TwinKind.RENAME, TwinKind.CONTRADICT):
            return {}
        by_name: dict[str, list[SuiteRow]] = defaultdict(list)
        for row in rows:
            by_name[self._suite.repository_of(row.github_id).name].append(row)
        return {
            name: RepositoryRenaming(self._suite, name, of_it, self._kind, self._seed, self._folder)
            for name, of_it in by_name.items()
        }

    def file(self, failed: Mapping[int, str]) -> TwinFile:
        """The content of `twins.json`, without the twins that were not planned or failed."""
        every = self._planned.values()
        reasons = {each.row.id: each.fault or failed.get(each.row.id, "") for each in every}
        return TwinFile(
            kind=self._kind,
            seed=self._seed,
            of=self._of,
            rows=tuple(self._row(each) for each in every if not reasons[each.row.id]),
            renamed=self._renamed,
            dropped=tuple(_dropped(each.row, reasons[each.row.id]) for each in every if reasons[each.row.id]),
        )

    def _row(self, planned: PlannedTwin) -> TwinRow:
        assert planned.row.origin is not None
        recipe = planned.row.origin.recipe
        return TwinRow(
            twin_of=planned.row.id,
            repo_id=planned.row.sample.repo_id,
            quarter=planned.row.id in self._quarter,
            repository=recipe.repository,
            task=recipe.task,
            values=dict(planned.values),
            instruction=planned.instruction,
            names=dict(planned.names),
        )

    def write(self, twins: TwinFile) -> None:
        """Write `twins.json` and `suite.yaml`."""
        write_twins(twins, self._folder / TWINS)
        sizes = {"full": len(twins.rows), "quarter": sum(row.quarter for row in twins.rows)}
        fields = {
            "name": f"{self._suite.name}-{self._kind.value}-{self._seed}",
            "version": self._suite.version,
            "seed": self._seed,
            "sizes": {**sizes, "id_train": 0, "ood_train": 0},
            "code_share": self._suite.code_share,
            "twins": TWINS,
            "repositories": [
                each.model_dump(mode="json", exclude_defaults=True, exclude={"test"})
                for each in self._suite.repositories
                if any(row.repository == each.name for row in twins.rows)
            ],
            **({"draft": self._suite.draft} if self._suite.draft else {}),
        }
        text = yaml.safe_dump(fields, sort_keys=False, allow_unicode=True)
        (self._folder / "suite.yaml").write_text(text, encoding="utf-8")

    def prune(self, twins: TwinFile) -> None:
        """Remove the recipes and repositories that no twin needs."""
        used = {(row.repository, row.task) for row in twins.rows}
        for name in {each.name for each in self._suite.repositories} - {repository for repository, _ in used}:
            for part in ("recipes", "repositories"):
                shutil.rmtree(self._folder / part / name, ignore_errors=True)
        for file in (self._folder / "recipes").glob("*/*.yaml"):
            if (file.parent.name, file.stem) not in used:
                file.unlink()


def _dropped(row: SuiteRow, reason: str) -> DroppedTwin:
    assert row.origin is not None
    recipe = row.origin.recipe
    return DroppedTwin(row=row.id, repository=recipe.repository, task=recipe.task, reason=reason)
