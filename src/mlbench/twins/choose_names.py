"""Chooses which names of a repository get new ones, from the references of its rows."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cached_property

from mlbench.records import TwinKind
from mlbench.suites.recipes import Recipe
from mlbench.suites.rows import SuiteRow
from mlbench.twins.foreign_names import foreign_names
from mlbench.twins.new_names import NewNames, has_meaning
from mlbench.twins.repo_texts import RepoTexts

_OPTION = re.compile(r"(?<![\w-])--([A-Za-z][\w-]{2,})")
_DECLARED = re.compile(r"""["'](--[A-Za-z][\w-]{2,})["']""")
_PROGRAM = re.compile(r"[\w-]+\.(?:py|sh)(?!\w)")
_OVERRIDE = re.compile(r"(?<![\w-])([A-Za-z_][\w.]*)=")
_WORD = re.compile(r"[A-Za-z_][\w-]{2,}")
_TRUE = {"true", "false", "none", "yes", "auto"}


class NameChooser:
    """The names of one repository that its rows' references need.

    Args:
        repo: the repository's texts.
        rows: its rows; each has a recipe.
    """

    def __init__(self, repo: RepoTexts, rows: Sequence[SuiteRow]) -> None:
        self._repo, self._rows = repo, rows
        self._variables: set[str] = set()  # options that the sources declare without dashes
        names_by_row = {row.id: dict.fromkeys(self._of_row(row)) for row in rows}
        all_names = {name for names in names_by_row.values() for name in names}
        python = [row.sample.output for row in rows if row.sample.kind == "python"]
        words = {name for name in all_names if not name.startswith("-") and not _PROGRAM.fullmatch(name)}
        self._foreign = foreign_names(repo, python, words) | {word for word in words if word in repo.path_parts}
        self._foreign |= {word for word in self._neutral if not self._cases(word, word)}
        self.needed = {id: [name for name in names if name not in self._foreign] for id, names in names_by_row.items()}
        """By row, the names that its reference needs and that can be renamed."""

    def chosen(self, kind: TwinKind, kept: Set[str]) -> list[str]:
        """The names to rename.

        Args:
            kind: all that a reference needs and every option of the programs (`rename`), or as few as possible.
            kept: names that must stay.
        """
        needed = [[name for name in names if name not in kept] for names in self.needed.values()]
        if kind is TwinKind.CONTRADICT:
            return _fewest(needed)
        names = dict.fromkeys(name for row in needed for name in row)
        return list(names | dict.fromkeys(name for name in self._program_options() if name not in kept))

    def names(self, chosen: Iterable[str], seed: str) -> dict[str, str]:
        """New name by old name, with the other spellings of each that the repository has.

        Args:
            chosen: the names to rename.
            seed: the same seed gives the same names.
        """
        new, renamed = NewNames(seed, self._repo.words), dict[str, str]()
        kebab = sum("-" in option[2:] for option in self._declared)
        joint = "-" if kebab * 2 > sum("_" in option for option in self._declared) + kebab else "_"
        for name in chosen:
            if name in renamed:
                continue
            if name.startswith("--"):
                new_name = new.like(name[2:], joint)
                renamed |= {} if new_name is None else self._spellings(name[2:], new_name)
            elif _PROGRAM.fullmatch(name):
                stem, dot, suffix = name.rpartition(".")
                new_name = new.like(stem)
                renamed |= {} if new_name is None else {name: f"{new_name}{dot}{suffix}"}
            elif name in self._neutral:
                new_name = new.neutral(name)
                renamed |= {} if new_name is None else self._cases(name, new_name)
            elif (new_name := new.like(name)) is not None:
                renamed[name] = new_name
                spellings = self._spellings(name, new_name) if name in self._variables else {}
                renamed |= {
                    spelling: new_spelling
                    for spelling, new_spelling in spellings.items()
                    if spelling not in self._declared
                }
        return renamed

    def _spellings(self, old: str, new: str) -> dict[str, str]:
        """An option with hyphens or underscores, and its negation, as far as the repository has them."""
        pairs = {(old, new), *((old.replace(a, b), new.replace(a, b)) for a, b in ("_-", "-_"))}
        pairs |= {(f"no{joint}{before}", f"no{joint}{after}") for before, after in pairs for joint in "-_"}
        spellings = {f"--{before}": f"--{after}" for before, after in sorted(pairs)}
        present = self._repo.options - self._declared | {f"--{old}"}
        return {before: after for before, after in spellings.items() if before in present}

    def _cases(self, old: str, new: str) -> dict[str, str]:
        """A name without a meaning as it is written at the beginning of a sentence, or in capitals."""
        values = {word for word, _ in self._value_words(every=True) if word.lower() == old.lower()}
        in_instructions = {way for row in self._rows for way in _ways(row) if way.lower() == old.lower()}
        in_repository = {old.lower(), old.capitalize(), old.upper(), *in_instructions} & self._repo.spellings
        if not values <= self._neutral or (values | in_instructions | in_repository) & (
            self._foreign | self._repo.path_parts
        ):
            return {}  # the instruction would name a value that stays
        return {spelling: _like_case(new, spelling) for spelling in sorted(values | in_instructions | in_repository)}

    def _of_row(self, row: SuiteRow) -> Iterator[str]:
        assert row.origin is not None
        recipe, text = row.origin.recipe, f"{row.sample.prefix_code}\n{row.sample.output}"
        if row.sample.kind == "shell":
            yield from self._options(text)
            yield from (name for name in _PROGRAM.findall(text) if self._is_program(name))
            for dotted in _OVERRIDE.findall(text):
                yield from (part for part in dotted.split(".")[-1:] if part in self._yaml_keys and len(part) > 2)
        else:
            yield from self._of_python(recipe, row.sample.output)
        for words in row.origin.combination.values():
            yield from (word for word in words if word in self._neutral or word in self._values)

    def _options(self, text: str) -> Iterator[str]:
        for name in _OPTION.findall(text):
            positive = re.sub("^no[-_]", "", name)
            variable = name.replace("-", "_")
            if f"--{name}" in self._declared:
                yield f"--{name}"
            elif f"--{positive}" in self._declared:
                yield f"--{positive}"
            elif variable in self._quoted | self._members | self._parameters:
                self._variables.add(variable)
                yield variable

    def _of_python(self, recipe: Recipe, code: str) -> Iterator[str]:
        try:
            tree = ast.parse(code)
        except SyntaxError:
            return
        values = {word for words in recipe.said.values() for value in words for word in value}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in self._repo.path_parts:
                yield from (alias.name for alias in node.names if alias.name in self._repo.definitions)
            elif isinstance(node, ast.Attribute) and node.attr in self._members and len(node.attr) > 1:
                yield node.attr
            elif isinstance(node, ast.keyword) and node.arg in self._parameters and len(node.arg or "") > 1:
                yield node.arg or ""
            elif isinstance(node, ast.Constant) and node.value in self._quoted - values and len(node.value) > 2:
                yield from [node.value] if node.value.isidentifier() else []

    def _program_options(self) -> Iterator[str]:
        programs = {row.origin.recipe.program for row in self._rows if row.origin and row.sample.kind == "shell"}
        for program in sorted(programs):
            yield from _DECLARED.findall(self._repo.texts.get(program, ""))

    def _is_program(self, name: str) -> bool:
        """Whether a repository's file is called so that no other file imports."""
        stem = name.rpartition(".")[0]
        return any(path.rpartition("/")[2] == name for path in self._repo.paths) and stem not in self._imported

    @cached_property
    def _values(self) -> set[str]:
        """Values of arguments with other words of the same meaning, which the programs know by name."""
        return {word for word, _ in self._value_words() if has_meaning(word)}

    @cached_property
    def _neutral(self) -> set[str]:
        """Values that are names without a meaning, which every instruction says by this name."""
        always_said: dict[str, bool] = {}
        for word, ways in self._value_words():
            is_said = all(re.search(rf"(?i)(?<!\w){re.escape(word)}(?!\w)", way) for way in ways)
            always_said[word] = always_said.get(word, True) and is_said
        return {
            word
            for word, is_said in always_said.items()
            if is_said and not has_meaning(word) and not self._repo.is_plain(word)
        }

    def _value_words(self, every: bool = False) -> Iterator[tuple[str, list[str]]]:
        """Words of values with the ways to say them: those that the programs know by name, or all."""
        known_words = self._quoted | self._yaml_keys
        for row in self._rows:
            assert row.origin is not None
            for values in row.origin.recipe.said.values():
                for words, ways in values.items():
                    for word in words:
                        if _WORD.fullmatch(word) and word.lower() not in _TRUE and (every or word in known_words):
                            yield word, ways

    @cached_property
    def _declared(self) -> set[str]:
        return {name for _, text in self._repo.python() for name in _DECLARED.findall(text)}

    @cached_property
    def _quoted(self) -> set[str]:
        return {name for _, text in self._repo.python() for name in re.findall(r"""["']([A-Za-z_][\w-]*)["']""", text)}

    @cached_property
    def _imported(self) -> set[str]:
        pattern = r"(?m)^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+\(?([\w, \t]+)|import[ \t]+([\w., \t]+))"
        lines = [part for _, text in self._repo.python() for match in re.findall(pattern, text) for part in match]
        return {word for line in lines for word in re.findall(r"\w+", line)}

    @cached_property
    def _yaml_keys(self) -> set[str]:
        texts = [text for path, text in self._repo.texts.items() if path.endswith((".yaml", ".yml"))]
        return {name for text in texts for name in re.findall(r"(?m)(?:^|[{,])[ \t-]*([A-Za-z_]\w*)[ \t]*:", text)}

    @cached_property
    def _members(self) -> set[str]:
        """Names that classes of the repository define, or set on their objects."""
        pattern = r"\bself\.(\w+)(?:[ \t]*:[^=\n]+)?[ \t]*=[^=]|(?m:^[ \t]+(\w+)[ \t]*:[ \t]*\w)"
        named = {
            name for _, text in self._repo.python() for match in re.findall(pattern, text) for name in match if name
        }
        return named | self._repo.definitions

    @cached_property
    def _parameters(self) -> set[str]:
        """Names of parameters and fields, roughly: what stands before `=`, `:`, `,` or `)` somewhere in a signature."""
        heads = [
            head
            for _, text in self._repo.python()
            for head in re.findall(r"(?s)\bdef \w+\((.*?)\)[ \t]*(?:->|:)", text)
        ]
        return {name for head in heads for name in re.findall(r"\w+", head)} | self._members


def _like_case(new: str, old: str) -> str:
    return new if old.islower() else new.upper() if old.isupper() else new.capitalize()


def _ways(row: SuiteRow) -> Iterator[str]:
    assert row.origin is not None
    return (way for values in row.origin.recipe.said.values() for ways in values.values() for way in ways)


def _fewest(needed: Sequence[Sequence[str]]) -> list[str]:
    """A small set of names that has one of every row: the name of the most open rows first, options before others."""
    chosen: list[str] = []
    open_ = [set(names) for names in needed if names]
    while open_:
        counts = Counter(name for names in open_ for name in names)
        best = min(counts, key=lambda name: (-counts[name], not name.startswith("--"), name))
        chosen.append(best)
        open_ = [names for names in open_ if best not in names]
    return chosen
