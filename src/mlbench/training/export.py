"""Write training examples for TRL, axolotl, LLaMA-Factory and unsloth, with a datasheet and their configurations."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import mean

import jinja2

from mlbench.atomic_write import new_folder
from mlbench.prompts.context import Context
from mlbench.records import RunError, Setting, UsageError
from mlbench.suites.rows import SuiteRow
from mlbench.suites.rows_io import write_json_lines
from mlbench.suites.selection import spread
from mlbench.suites.suite import Suite, load_suite
from mlbench.training.examples import TrainingExample, fits, training_examples
from mlbench.training.leak_guard import Leak, LeakGuard
from mlbench.training.recipes import RECIPES

TRAINING_SPLITS = ("id_train", "ood_train")
_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class TrainingSet:
    """The examples of a split, and what was left out.

    Attributes:
        leaks: rows that give a test row away; they are left out.
        too_long: ids of rows whose prompt and reference exceed the context.
    """

    suite: Suite
    split: str
    setting: Setting
    context: Context
    examples: tuple[TrainingExample, ...]
    leaks: tuple[Leak, ...]
    too_long: tuple[int, ...]

    @property
    def columns(self) -> dict[str, object]:
        """Where every example is from, for its record."""
        twins = self.suite.twin_file
        of = {"twins_of": twins.of.suite} if twins else {}
        return {"suite": self.suite.name, **of, "split": self.split, "setting": self.setting}


def training_set(
    suite: Suite,
    split: str,
    setting: Setting,
    checkouts: Mapping[str, Path],
    context: Context,
    *,
    limit: int | None = None,
    against: Sequence[Suite] = (),
) -> TrainingSet:
    """The examples of a training split, without leaks and without what is too long.

    Args:
        suite: the suite, or twins of a training split.
        split: `id_train` or `ood_train`; of twins, the split that they were made of.
        setting: which documents the prompts show.
        checkouts: the repositories' folders, by name.
        context: the model's window and token counter.
        limit: use at most this many rows, spread evenly.
        against: further suites whose test rows must not leak, such as twins.

    Raises:
        UsageError: the split is no training split, or has no rows; or twins are of another split.
    """
    if split not in TRAINING_SPLITS:
        raise UsageError(f"split {split} is not for training; use {' or '.join(TRAINING_SPLITS)}")
    rows = spread(_training_rows(suite, split), limit)
    if not rows:
        raise UsageError(
            f"split {split} of {suite.name} has no training rows; `mlbench suites show {suite.name}` has the sizes"
        )
    guard = LeakGuard([row for each in (_tested(suite, against), *against) for row in each.splits["full"]])
    leaks = {row.id: leak for row in rows if (leak := guard.find(row.sample))}
    clean = [row for row in rows if row.id not in leaks]
    made = list(training_examples(suite, clean, setting, checkouts, context))
    kept = tuple(example for example in made if fits(example, context))
    too_long = tuple(example.row for example in made if not fits(example, context))
    return TrainingSet(suite, split, setting, context, kept, tuple(leaks.values()), too_long)


def _training_rows(suite: Suite, split: str) -> Sequence[SuiteRow]:
    if (twins := suite.twin_file) is None:
        return suite.splits[split]
    if twins.of.split != split:
        raise UsageError(
            f"{suite.name}: these are twins of split {twins.of.split}, not of {split};"
            f" `mlbench twins {twins.of.suite} --kind {twins.kind} --split {split}` makes some"
        )
    return suite.splits["full"]


def _tested(suite: Suite, against: Sequence[Suite]) -> Suite:
    """The suite whose test rows must not leak: of twins, the original."""
    if (twins := suite.twin_file) is None:
        return suite
    given = [each for each in against if each.name == twins.of.suite]
    try:
        return given[0] if given else load_suite(twins.of.suite)
    except UsageError as error:
        raise UsageError(
            f"{suite.name}: no suite is called {twins.of.suite}, its original: --against FOLDER"
        ) from error


def write_training_set(made: TrainingSet, folder: Path) -> Path:
    """Write the examples, the datasheet and the configurations into a new folder.

    Args:
        made: the examples.
        folder: it must not exist.

    Raises:
        UsageError: the folder exists, or nothing is left to write.
        RunError: the folder cannot be written.
    """
    if folder.exists():
        raise UsageError(f"{folder}: exists already; name a new folder with -o")
    if not made.examples:
        raise UsageError(
            f"no example is left: {len(made.too_long)} exceed {made.context.tokens} tokens,"
            f" {len(made.leaks)} leak; raise --context-tokens"
        )
    prompts = [made.columns | example.record() for example in made.examples]
    chats = [made.columns | example.chat() for example in made.examples]
    try:
        with new_folder(folder) as building:
            write_json_lines(prompts, building / "prompt_completion.jsonl")
            write_json_lines(chats, building / "chat.jsonl")
            if find_spec("pyarrow"):
                _write_parquet(prompts, building / "prompt_completion.parquet")
            for name, text in _configurations(made).items():
                (building / name).write_text(text, encoding="utf-8")
            (building / "README.md").write_text(datasheet(made), encoding="utf-8")
    except OSError as error:
        raise RunError(f"cannot write {error.filename or folder}: {error.strerror}") from error
    return folder


def datasheet(made: TrainingSet) -> str:
    """What the examples are, how many, how long, from where, and under which licences; in Markdown."""
    by_repository: dict[str, list[TrainingExample]] = defaultdict(list)
    for example in made.examples:
        by_repository[example.repository].append(example)
    lengths = sorted(example.tokens for example in made.examples)
    return _template("datasheet.md").render(
        made=made,
        kinds=Counter(example.kind for example in made.examples),
        repositories=[
            {"name": name, "examples": len(some), "tokens": round(mean(each.tokens for each in some))}
            | {"licence": licence(made.suite, name)}
            for name, some in sorted(by_repository.items())
        ],
        lengths={"mean": round(mean(lengths)), "median": lengths[len(lengths) // 2], "max": lengths[-1]},
        leaks=Counter(leak.kind.value for leak in made.leaks),
        leaking=[leak.row for leak in made.leaks],
    )


def licence(suite: Suite, repository: str) -> str:
    """The licence of a repository; a repository of the suite's own folder has the suite's."""
    if suite.repository(repository).catalogue:
        return suite.pinned(repository).licence
    return "as the suite"


def _configurations(made: TrainingSet) -> dict[str, str]:
    values = {"recipe": RECIPES["default"], "made": made}
    names = ("trl.yaml", "axolotl.yaml", "llama_factory.yaml", "dataset_info.json", "unsloth.py")
    return {name: _template(name).render(values) for name in names}


def _template(name: str) -> jinja2.Template:
    loader = jinja2.FileSystemLoader(_TEMPLATES)
    environment = jinja2.Environment(
        loader=loader, undefined=jinja2.StrictUndefined, autoescape=False, keep_trailing_newline=True, trim_blocks=True
    )
    return environment.get_template(f"{name}.jinja")


def _write_parquet(records: Sequence[Mapping[str, object]], file: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.Table.from_pylist(records), file)
