"""One row of a suite, its recipe and its prompt, as text or JSON (the paper's tables 18 to 35)."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from rich.cells import cell_len

from mlbench.records import Completeness, Setting, UsageError
from mlbench.suites.suite import SPLITS, Suite

_INDENT = 2
_NAMES = 14
"""Width of the column of names."""


@dataclass(frozen=True)
class RecipeOfRow:
    """The recipe that a row was made from.

    Attributes:
        file: its path in the suite's folder.
        arguments: the wanted value of each argument; empty if a switch must be absent.
    """

    file: str
    arguments: dict[str, str]


@dataclass(frozen=True)
class ShownPrompt:
    """What a model is shown for a row; `documents` are their paths."""

    setting: Setting
    documents: tuple[str, ...]
    system: str
    user: str


@dataclass(frozen=True)
class RowView:
    """A row with everything that it is made of.

    Attributes:
        columns: the 11 published columns, in their order.
        undocumented: words of the reference that neither oracle nor instruction shows.
        recipe: None if the suite's rows come from a file.
    """

    suite: str
    version: int
    repository: str
    splits: tuple[str, ...]
    columns: dict[str, int | str]
    completeness: Completeness
    undocumented: tuple[str, ...]
    recipe: RecipeOfRow | None
    prompt: ShownPrompt


def row_view(suite: Suite, id: int, setting: str) -> RowView:
    """Return the view of a row.

    Args:
        suite: the suite.
        id: the row's `id`.
        setting: what the prompt shows.

    Raises:
        UsageError: there is no such row or setting; names the nearest.
    """
    from mlbench.prompts.settings import SETTINGS, render

    known = next((name for name in SETTINGS if name == setting), None)
    if known is None:
        raise UsageError(f"no setting {setting!r}{_nearest(setting, list(SETTINGS))}; there are: {', '.join(SETTINGS)}")
    row = suite.row(id)
    sample = row.sample
    repository = suite.repository_of(row.github_id)
    prompt = render(sample, suite.folder(repository.name), repository.name, known, known=row.oracle)
    origin = row.origin
    recipe = (
        RecipeOfRow(f"recipes/{origin.recipe.repository}/{origin.recipe.task}.yaml", origin.required())
        if origin
        else None
    )
    return RowView(
        suite=suite.name,
        version=suite.version,
        repository=repository.name,
        splits=tuple(split for split in SPLITS if any(each.id == id for each in suite.splits[split])),
        columns=asdict(sample),
        completeness=row.completeness,
        undocumented=row.undocumented,
        recipe=recipe,
        prompt=ShownPrompt(known, tuple(each.path for each in prompt.shown.documents), prompt.system, prompt.user),
    )


def _nearest(name: str, names: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, names, n=1, cutoff=0)
    return f"; the nearest is {near[0]}" if near else ""


def lines_of(view: RowView, width: int) -> Iterator[str]:
    """Yield the lines of a view.

    Args:
        view: the view.
        width: columns of the terminal; longer lines continue on the next, further indented.
    """
    yield f"{view.suite}, version {view.version}: row {view.columns['id']} of {view.repository}"
    yield f"in the splits {', '.join(view.splits)}" if len(view.splits) > 1 else f"in the split {view.splits[0]}"
    yield from ("", "Row")
    for name, value in view.columns.items():
        yield from _field(name, str(value), width)
    yield from _field("completeness", view.completeness.value, width)
    if view.undocumented:
        yield from _field("undocumented", ", ".join(view.undocumented), width)
    if view.recipe:
        yield from ("", "Recipe")
        yield from _field("file", view.recipe.file, width)
        for name, value in view.recipe.arguments.items():
            yield from _field(name, value or "(absent)", width)
    prompt = view.prompt
    yield from ("", f"Prompt, setting {prompt.setting}")
    yield from _field("documents", ", ".join(prompt.documents) or "none", width)
    for role, text in (("system", prompt.system), ("user", prompt.user)):
        yield from ("", " " * _INDENT + role)
        yield from _block(text, width, 2 * _INDENT)


def _field(name: str, value: str, width: int) -> Iterator[str]:
    """A short value beside its name; a text of several lines below it."""
    label = f"{' ' * _INDENT}{_safe(name):<{_NAMES}}"
    if "\n" in value.rstrip("\n"):
        yield label.rstrip()
        yield from _block(value.rstrip("\n"), width, 2 * _INDENT)
    elif not value:
        yield f"{label}(empty)"
    elif len(label) > _INDENT + _NAMES:
        yield label.rstrip()
        yield from _block(value.rstrip("\n"), width, _INDENT + _NAMES)
    else:
        first, *rest = _block(value.rstrip("\n"), width, _INDENT + _NAMES)
        yield label + first.lstrip()
        yield from rest


def _block(text: str, width: int, indent: int) -> Iterator[str]:
    for line in text.split("\n"):
        clean = _safe(line)
        own = len(clean) - len(clean.lstrip())
        double = cell_len(clean) - len(clean)  # signs that take two columns
        wrapped = textwrap.wrap(
            clean.strip(),
            max(width - double, indent + min(own, 20) + 20),
            initial_indent=" " * (indent + min(own, 20)),
            subsequent_indent=" " * (indent + min(own, 20) + _INDENT),
            drop_whitespace=True,
            break_on_hyphens=False,
        )
        yield from wrapped or [""]


def _safe(line: str) -> str:
    """The line without characters that a terminal obeys."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in line.expandtabs(4))
