"""One suite under review: what to show, and what each decision does. Independent of HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mlbench.records import RunError, UsageError
from mlbench.suite_builder.review import checking, editing
from mlbench.suite_builder.review.findings import concerning, decisions, row_findings
from mlbench.suite_builder.review.recipe_store import ConflictError, RecipeStore, ReviewDecision, What
from mlbench.suite_builder.review.rows import Chosen, chosen_rows, rows_of
from mlbench.suite_builder.review.view_models import EntryView, Overview, RecipeView, SegmentView, body_of, state_of
from mlbench.suites.recipes import Recipe, RecipeError, Words, read_segment, segment_hash
from mlbench.suites.suite import full_name, load_suite


@dataclass(frozen=True)
class _Read:
    """A recipe file as last read."""

    text: str
    version: str
    recipe: Recipe | None
    fault: str


class ReviewService:
    """One suite under review; not thread-safe.

    Raises:
        UsageError: the folder holds no suite, or one without recipes.
    """

    def __init__(self, folder: Path) -> None:
        self._suite = load_suite(full_name(str(folder)))
        self._store = RecipeStore(self._suite.root)
        self._reads: dict[tuple[str, str], _Read] = {}
        self._folders: dict[str, Path | str] = {}
        self._findings, self._decisions = row_findings(folder), decisions(folder)
        self._note = ""
        if not self._keys():
            raise UsageError(f"{folder}: no recipes/*/*.yaml: there is nothing to review")
        try:
            self._chosen = chosen_rows(self._suite, self._findings)
        except (UsageError, RunError) as error:
            self._chosen, self._note = {}, f"There are no rows yet, examples stand for them: {error}"

    @property
    def decided(self) -> list[ReviewDecision]:
        """The decisions that were not undone, in order."""
        return list(self._store.decisions)

    def overview(self) -> Overview:
        """The list of tasks."""
        entries = tuple(self._entry(repository, task) for repository, task in self._keys())
        return Overview(self._suite.name, entries, self._note, len(self._store.decisions))

    def view(self, repository: str, task: str) -> RecipeView:
        """Everything about one task.

        Raises:
            UsageError: there is no such task.
        """
        self._store.file(repository, task)
        read = self._read(repository, task)
        remarks = concerning(self._decisions, repository, task)
        if read.recipe is None:
            return RecipeView(
                repository, task, "broken", "", read.version, read.text, read.fault, remarks=tuple(remarks)
            )
        recipe = read.recipe
        rows = rows_of(recipe, self._rows(repository, task), self._findings, editing.reasons(read.text))
        folder = self._folder(repository)
        faults = [folder] if isinstance(folder, str) else checking.faults(recipe, folder)
        return RecipeView(
            repository=repository,
            task=task,
            state=state_of(recipe),
            why=recipe.rejected,
            version=read.version,
            text=read.text,
            body=body_of(recipe, self._segment(recipe), tuple(rows)),
            faults=tuple(faults),
            remarks=tuple(remarks),
        )

    def accept(self, repository: str, task: str, version: str) -> None:
        """Accept a task, also a rejected one.

        Args:
            repository: the task's repository.
            task: its name.
            version: the version of the file that was shown.

        Raises:
            RecipeError: it is malformed, or the way it is written needs an edit by hand.
            ConflictError: the file changed since it was shown.
        """
        text = self._text(repository, task, version)
        self._write(repository, task, version, editing.accepted(text), "accepted")

    def reject(self, repository: str, task: str, version: str, why: str) -> None:
        """Reject a task: its recipe is kept and makes no rows.

        The first arguments, and errors, are those of `accept`.

        Args:
            why: the reason.

        Raises:
            UsageError: there is no reason.
        """
        if not why.strip():
            raise UsageError("a rejection needs a reason")
        text = self._text(repository, task, version)
        self._write(repository, task, version, editing.rejected(text, why), "rejected", why)

    def reject_row(self, repository: str, task: str, version: str, row: Mapping[str, Words], why: str) -> None:
        """Reject a row: its combination is excluded.

        The first arguments, and errors, are those of `accept`.

        Args:
            row: its wanted values.
            why: the reason; may be empty.

        Raises:
            UsageError: the task has no such row, the row is rejected already, or it is the last one.
        """
        recipe, text = self._recipe(repository, task), self._text(repository, task, version)
        if set(row) != set(recipe.said) or any(words not in recipe.said[name] for name, words in row.items()):
            raise UsageError("the task has no such combination of values")
        if dict(row) in recipe.exclude:
            raise UsageError("the row is rejected already")
        edited = editing.with_exclusion(text, row, why)
        if next(checking.parsed(repository, task, edited).combinations(), None) is None:
            raise UsageError("this is the last row of the task; reject the task")
        self._write(repository, task, version, edited, "row rejected", why)

    def accept_row(self, repository: str, task: str, version: str, row: Mapping[str, Words]) -> None:
        """Undo the rejection of a row; arguments and errors are those of `reject_row`."""
        recipe, text = self._recipe(repository, task), self._text(repository, task, version)
        if dict(row) not in recipe.exclude:
            raise UsageError("the row is not rejected; it is accepted with its task")
        edited = editing.without_exclusion(text, recipe.exclude.index(dict(row)))
        self._write(repository, task, version, edited, "row taken back")

    def edit(self, repository: str, task: str, version: str, text: str) -> list[str]:
        """Replace a recipe's text if it is sound and its program accepts it.

        Args:
            text: the new text; the other arguments are those of `accept`.

        Returns:
            The faults, one line each; if there are none the text was stored.

        Raises:
            ConflictError: the file changed since it was shown.
            RunError: the program cannot be asked on this machine.
        """
        read = self._read(repository, task)
        text = editing.with_line_ends_of(self._text(repository, task, version), text)
        try:
            recipe = checking.parsed(repository, task, text)
        except RecipeError as error:
            return [str(error)]
        folder = self._folder(repository)
        if isinstance(folder, str):
            return [folder]
        wrong = checking.faults(recipe, folder)
        if not wrong and checking.judged_anew(recipe, read.recipe):
            wrong = checking.refusals(self._suite, recipe)
        if not wrong and text != read.text:
            self._write(repository, task, version, text, "edited")
        return wrong

    def undo(self) -> ReviewDecision:
        """Undo the last decision.

        Raises:
            UsageError: there is no decision.
            ConflictError: the file changed since.
        """
        return self._store.undo()

    def _keys(self) -> list[tuple[str, str]]:
        return [(each.name, task) for each in self._suite.repositories for task in self._store.tasks(each.name)]

    def _rows(self, repository: str, task: str) -> list[Chosen]:
        return self._chosen.get((repository, task), [])

    def _entry(self, repository: str, task: str) -> EntryView:
        recipe = self._read(repository, task).recipe
        if recipe is None:
            return EntryView(repository, task, "broken", "", 0, 0)
        failing = sum(
            not all(remark.kept for remark in self._findings.get(each.sample.id, ()))
            for each in self._rows(repository, task)
        )
        excluded = sum(len(rule) == len(recipe.arguments) for rule in recipe.exclude)
        return EntryView(repository, task, state_of(recipe), recipe.type, failing, excluded)

    def _read(self, repository: str, task: str) -> _Read:
        """The recipe as the file is now; each version is parsed once."""
        try:
            stored = self._store.read(repository, task)
        except RecipeError as error:
            return _Read("", "", None, str(error))
        known = self._reads.get((repository, task))
        if known is None or known.version != stored.version:
            recipe, fault = None, ""
            try:
                recipe = checking.parsed(repository, task, stored.text)
            except RecipeError as error:
                fault = str(error)
            known = self._reads[repository, task] = _Read(stored.text, stored.version, recipe, fault)
        return known

    def _recipe(self, repository: str, task: str) -> Recipe:
        read = self._read(repository, task)
        if read.recipe is None:
            raise RecipeError(read.fault)
        return read.recipe

    def _text(self, repository: str, task: str, version: str) -> str:
        """The text, if it is still the version that was shown."""
        stored = self._store.read(repository, task)
        if stored.version != version:
            raise ConflictError(f"{task}.yaml was changed on disk since it was shown; nothing was stored")
        return stored.text

    def _write(self, repository: str, task: str, version: str, text: str, what: What, why: str = "") -> None:
        checking.parsed(repository, task, text)  # raises if the text cannot be loaded
        self._store.write(repository, task, version, text, what, why)

    def _folder(self, repository: str) -> Path | str:
        """The repository's folder, or why there is none."""
        if repository not in self._folders:
            try:
                folder = self._suite.folder(repository)
                self._folders[repository] = folder if folder.is_dir() else f"repository {repository}: no {folder}"
            except (UsageError, RunError) as error:
                return str(error)  # it may be fetched in the meantime
        return self._folders[repository]

    def _segment(self, recipe: Recipe) -> SegmentView:
        folder, (first, last) = self._folder(recipe.repository), recipe.documentation.lines
        file = recipe.documentation.file
        if isinstance(folder, str):
            return SegmentView(file, first, last, "", folder)
        texts: list[str] = []
        changed = False
        try:
            for span in recipe.segment:
                text = read_segment(folder, span)
                changed |= segment_hash(text) != span.sha256
                head = f"{span.file}, lines {span.lines[0]}-{span.lines[1]}\n\n" if len(recipe.segment) > 1 else ""
                texts.append(f"{head}{text}")
        except RecipeError as error:
            return SegmentView(file, first, last, "", str(error))
        fault = "these lines no longer match their hash" if changed else ""
        return SegmentView(file, first, last, "\n".join(texts), fault)
