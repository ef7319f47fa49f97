"""Recipes: one task of a repository as YAML; docs/reference/recipes.md lists the fields."""

from __future__ import annotations

import ast
import hashlib
import itertools
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import jinja2
import yaml
from jinja2.sandbox import ImmutableSandboxedEnvironment
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from mlbench.judging.outcome_spec import OutcomeSpec
from mlbench.records import PYTHON_TYPE, SHELL_TYPE, Kind, UsageError
from mlbench.repositories.documents import lines_of, text_of
from mlbench.repositories.oracle_spans import Oracle, OracleSpan
from mlbench.suites.safe_names import Inside
from mlbench.suites.wording.forms import RecipeWording

Words = tuple[str, ...]
"""A wanted value as words of a command line: usually one, several for nargs, none for an absent switch."""


class RecipeError(UsageError):
    """A recipe is malformed or no longer matches its repository."""


def _words(value: Any) -> Words:
    if isinstance(value, list | tuple):
        return tuple(str(word) for word in value)
    return (str(value),) if str(value) else ()


def _listed(value: Any) -> Any:
    """A single span as a list of one."""
    return value if isinstance(value, list | tuple) else [value]


def _values(value: Any) -> Any:
    """Values by the way they are said; a list's values are said as they are written."""
    if isinstance(value, list):
        return {" ".join(_words(item)): _words(item) for item in value}
    if isinstance(value, dict):
        return {said: _words(wanted) for said, wanted in value.items()}
    raise ValueError("is neither a list of values nor a mapping of wordings to values")


class OracleSegment(BaseModel):
    """Consecutive lines of a file that a person needs for the task.

    Attributes:
        lines: first and last line, from 1.
        sha256: hash of the text, as `mlbench suites lock` writes it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    file: Inside
    lines: tuple[int, int]
    sha256: str = ""


class Recipe(BaseModel):
    """One task: its documentation, the arguments that vary, and how the reference is written."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    repository: str
    task: str
    type: str
    path: Inside
    segment: Annotated[tuple[OracleSegment, ...], BeforeValidator(_listed), Field(min_length=1)]
    """The oracle: spans of documents, then of source code where the documents are silent."""
    published: OracleSegment | None = None
    """The one section that the paper's oracle would be; None if it is the first span of `segment`."""
    undocumented: tuple[str, ...] = ()
    """Words of the references that no span shows; a row whose reference has one is undocumented."""
    program: Inside
    arguments: dict[str, Annotated[dict[str, Words], BeforeValidator(_values)]] = Field(min_length=1)
    exclude: tuple[dict[str, Annotated[Words, BeforeValidator(_words)]], ...] = ()
    together: tuple[dict[str, Annotated[Words, BeforeValidator(_words)]], ...] = ()
    """Values that belong together; names that are no arguments follow the arguments, and need not be said."""
    instructions: tuple[str, ...] = Field(min_length=5)
    wording: RecipeWording | None = None
    """What the instructions of training rows are composed from; without it they are made from `instructions`."""
    reference: str
    prefix_code: str = ""
    harmful: tuple[str, ...] = ()
    equivalent: tuple[Inside, ...] = ()
    artefacts: tuple[Inside, ...] = ()
    free: tuple[str, ...] = ()
    """Destinations that an answer may set to any value, in addition to those that never matter (such as verbosity)."""
    sets: tuple[str, ...] = ()
    """Destinations whose values are sets: the program ignores their order."""
    outcome: OutcomeSpec | None = None
    runs: Literal["", "cpu"] = ""
    """`cpu` if the reference runs without a GPU in the repository's environment, with the data of `make_data.py`."""
    heavy: tuple[dict[str, Annotated[Words, BeforeValidator(_words)]], ...] = ()
    """Combinations, as in `exclude`, whose reference does not end in time without a GPU."""
    note: str = ""
    reviewed: Literal["", "accepted"] = ""
    rejected: str = ""
    """A reviewer's reason for rejecting the recipe. A rejected recipe is kept and makes no rows."""

    @model_validator(mode="after")
    def _consistent(self) -> Recipe:
        if self.type not in (SHELL_TYPE, PYTHON_TYPE):
            raise ValueError(f"type: {self.type!r} is neither {SHELL_TYPE!r} nor {PYTHON_TYPE!r}")
        if not self.path.startswith("./") and self.path != ".":
            raise ValueError(f"path: {self.path!r} does not start with ./")
        if self.reviewed and self.rejected:
            raise ValueError("reviewed and rejected: it cannot be both")
        for field, rules in (("exclude", self.exclude), ("heavy", self.heavy)):
            for name in set().union(*rules, ()):
                if name not in self.arguments:
                    raise ValueError(f"{field}: no argument is called {name!r}")
        if apart := self._untogether():
            raise ValueError(f"together: {apart}")
        if self.runs and self.outcome is None:
            raise ValueError("runs: a recipe whose reference runs needs an outcome")
        if self.wording and (wrong := next(self.wording.faults(self.arguments), None)):
            raise ValueError(f"wording: {wrong}")
        return self

    def _untogether(self) -> str:
        """What is wrong with `together`; empty if nothing is."""
        names = {frozenset(row) for row in self.together}
        if len(names) > 1:
            return "its lines do not have the same names"
        chosen = [self._chosen(row) for row in self.together]
        if any(not each for each in chosen):
            return "a line has no argument"
        if len({frozenset(each.items()) for each in chosen}) < len(chosen):
            return "two lines have the same arguments"
        for each in chosen:
            for name, words in each.items():
                if words not in self.arguments[name].values():
                    return f"{' '.join(words) or 'nothing'} is no value of {name}"
        return ""

    def _chosen(self, row: Mapping[str, Words]) -> dict[str, Words]:
        """The arguments of a line of `together`."""
        return {name: words for name, words in row.items() if name in self.arguments}

    @property
    def documentation(self) -> OracleSegment:
        """The section of the documentation about the task: the published kind of oracle."""
        return self.published or self.segment[0]

    @property
    def kind(self) -> Kind:
        """The language of the answers: `shell` or `python`."""
        return "shell" if self.type == SHELL_TYPE else "python"

    @cached_property
    def said(self) -> dict[str, dict[Words, list[str]]]:
        """By argument and wanted value, the ways in which an instruction says it."""
        table: dict[str, dict[Words, list[str]]] = {}
        for name, values in self.arguments.items():
            table[name] = {}
            for said, wanted in values.items():
                table[name].setdefault(wanted, []).append(said)
        return table

    def combinations(self) -> Iterator[dict[str, Words]]:
        """Every combination of wanted values that `exclude` and `together` allow, in the recipe's order."""
        names = list(self.said)
        for values in itertools.product(*(self.said[name] for name in names)):
            combination = dict(zip(names, values, strict=True))
            if not self.excludes(combination):
                yield combination

    def excludes(self, combination: Mapping[str, Words]) -> bool:
        """Whether a rule forbids this combination."""
        return _matches_any(self.exclude, combination) or self._line(combination) is None

    @property
    def followers(self) -> dict[str, list[Words]]:
        """By name, the values of what is in `together` and no argument."""
        names = [name for name in next(iter(self.together), {}) if name not in self.arguments]
        return {name: [*dict.fromkeys(row[name] for row in self.together)] for name in names}

    def always_says(self, follower: str) -> bool:
        """Whether each instruction says what follows the arguments."""
        return all(f"{{{{ {follower} }}}}" in text for text in self.instructions)

    @cached_property
    def rules(self) -> tuple[Mapping[str, Words], ...]:
        """What excludes a combination: `exclude`, and the values that `together` does not set side by side."""
        names = [name for name in self.arguments if self.together and name in self.together[0]]
        apart = itertools.product(*(self.said[name] for name in names)) if names else ()
        rows = [dict(zip(names, values, strict=True)) for values in apart]
        return (*self.exclude, *(row for row in rows if self._line(row) is None))

    def _line(self, combination: Mapping[str, Words]) -> Mapping[str, Words] | None:
        """The line of `together` for a combination; None if there is none."""
        if not self.together:
            return {}
        return next((row for row in self.together if _matches_any([self._chosen(row)], combination)), None)

    def runs_on_cpu(self, combination: Mapping[str, Words]) -> bool:
        """Whether the reference with these values ends in time without a GPU."""
        return self.runs == "cpu" and not _matches_any(self.heavy, combination)

    def render_reference(self, combination: Mapping[str, Words]) -> str:
        """The reference answer for these wanted values, quoted for its language."""
        quote = _shell_words if self.kind == "shell" else _python_literal
        # values of none of the lines (marks) are shown with what follows the first one
        values = {**(self._line(combination) or next(iter(self.together), {})), **combination}
        text = _template(self.reference).render({name: quote(words) for name, words in values.items()})
        return re.sub(r"[ \t]+$", "", text, flags=re.M).strip("\n")

    def render_instruction(self, template: str, said: Mapping[str, str]) -> str:
        """An instruction in a user's words; gaps that empty values leave are closed.

        Args:
            template: one of the recipe's `instructions`.
            said: by argument, how its value is said. What follows them may be said as well.
        """
        values = {name: way or "\0" for name, way in said.items()}
        if any(f"{{{{ {name} }}}}" in template for name in self.followers):
            line = self._line({name: self.arguments[name][way] for name, way in said.items()})
            values = {**{name: " ".join(words) or "\0" for name, words in (line or {}).items()}, **values}
        text = _template(template).render(values)
        return " ".join(re.sub(r"\s*\0(?=\s*[,.;:!?)])|\0", "", text).split())

    def column(self, combination: Mapping[str, Words]) -> dict[str, str]:
        """The content of the column `arguments`: the wanted values as they appear in the reference."""
        return {name: " ".join(words) for name, words in combination.items() if words}


def _matches_any(rules: Iterable[Mapping[str, Words]], combination: Mapping[str, Words]) -> bool:
    return any(all(combination[name] == words for name, words in rule.items()) for rule in rules)


_ENVIRONMENT = ImmutableSandboxedEnvironment(  # renders commands and prose, never HTML; recipes may be from strangers
    undefined=jinja2.StrictUndefined, autoescape=False, keep_trailing_newline=True
)


@cache
def _template(text: str) -> jinja2.Template:
    return _ENVIRONMENT.from_string(text)


BELOW_HOME = re.compile(r"~(?:/[\w.+-]+)+/?")
"""A place for which bash puts in the home folder; in quotes it would not."""


def _shell_words(words: Words) -> str:
    return " ".join(word if BELOW_HOME.fullmatch(word) else shlex.quote(word) for word in words)


def _python_literal(words: Words) -> str:
    if not words:
        return ""
    if len(words) > 1:
        return "[" + ", ".join(_python_literal((word,)) for word in words) + "]"
    try:
        ast.literal_eval(words[0])
    except (ValueError, SyntaxError):
        return repr(words[0])
    return words[0]


_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
"""Keeps scalars as text. The C loader reads the same eight times as fast."""


def load_recipe(file: Path) -> Recipe:
    """Read one recipe; its repository and task are the names of its folder and file.

    Scalars keep their spelling (`5e-3` stays `5e-3`).

    Raises:
        RecipeError: the file is not YAML, or a field is wrong; the message names the field.
    """
    where = f"{file.parent.name}/{file.name}"
    try:
        data = yaml.load(file.read_text(encoding="utf-8"), Loader=_LOADER)
        return Recipe.model_validate({"repository": file.parent.name, "task": file.stem, **data})
    except (yaml.YAMLError, TypeError, UnicodeDecodeError) as error:
        fault = " ".join(str(error).replace('in "<unicode string>", ', "in ").split())
        raise RecipeError(f"recipe {where}: not YAML: {fault}") from error
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise RecipeError(f"recipe {where}: {field or 'recipe'}: {first['msg']}") from error


def read_segment(repository: Path, segment: OracleSegment) -> str:
    """The segment's text, read from the repository.

    Raises:
        RecipeError: the file is missing, is outside of the repository, cannot be read, or has fewer lines.
    """
    file = repository / segment.file
    if not file.resolve().is_relative_to(repository.resolve()):
        raise RecipeError(f"{segment.file}: a link that leads out of the repository")
    try:
        lines = lines_of(text_of(file))
    except OSError as error:
        raise RecipeError(f"{segment.file}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise RecipeError(f"{segment.file}: {error}") from error
    first, last = segment.lines
    if not 1 <= first <= last <= len(lines):
        raise RecipeError(f"{segment.file}: has {len(lines)} lines, the segment needs {first} to {last}")
    return "".join(lines[first - 1 : last])


def segment_hash(text: str) -> str:
    """The SHA-256 of a segment's text, as recipes record it."""
    return hashlib.sha256(text.encode()).hexdigest()


def verified_oracle(recipe: Recipe, repository: Path) -> Oracle:
    """The texts of the recipe's spans, after their hashes were checked.

    Raises:
        RecipeError: a file changed since the recipe was written, or cannot be read.
    """
    spans = tuple(_verified(recipe, span, repository) for span in recipe.segment)
    published = _verified(recipe, recipe.published, repository) if recipe.published else spans[0]
    return Oracle(spans, published, recipe.undocumented)


def _verified(recipe: Recipe, span: OracleSegment, repository: Path) -> OracleSpan:
    where = f"recipe {recipe.repository}/{recipe.task}.yaml"
    try:
        text = read_segment(repository, span)
    except RecipeError as error:
        raise RecipeError(f"{where}: segment {error}") from error
    if segment_hash(text) != span.sha256:
        first, last = span.lines
        raise RecipeError(
            f"{where}: {span.file}, lines {first}-{last}, no longer match their hash;"
            " check the lines, then run `mlbench suites lock DIR`"
        )
    return OracleSpan(span.file, span.lines, text)
