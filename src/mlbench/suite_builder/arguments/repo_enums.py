"""Finds what a repository's pages show: values of options and of parameters.

Files are read and parsed, never run.
"""

from __future__ import annotations

import difflib
import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path

from mlbench.repositories.documents import documents, inner_files, readable_text
from mlbench.suite_builder.arguments.usages import (
    Passed,
    calls,
    instead,
    settings_of,
    shown_commands,
    value_of_call,
    values_given,
)
from mlbench.suite_builder.lexicon import pieces, prose_words
from mlbench.suites.recipes import Words

_TEXT = 2_000_000  # characters read of one file
_ALL = 60_000_000  # of all files together
FEW = 2
_IS_GIVEN = re.compile(r"[-=/.]")
"""An option, a setting or a file; a row of a table has none: `process.py 110M embedding`."""
_SENTENCE = re.compile(r"(?:(?<!\S)[a-z]+[,.]? ){4,}")


class Vocabulary:
    """What one repository's pages show; each question reads only what it needs."""

    def __init__(self, repository: Path) -> None:
        self.repository = repository.resolve()
        self._ends: dict[str, list[str]] = {}
        self._commands: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
        self._read: dict[tuple[str, tuple[str, ...]], dict[str, list[dict[str, object]]]] = {}

    @cached_property
    def files(self) -> list[str]:
        return inner_files(self.repository)

    @cached_property
    def _pages(self) -> dict[str, str]:
        """The texts of all pages and shell scripts."""
        names = [*documents(self.repository), *(name for name in self.files if name.endswith(".sh"))]
        return dict(zip(names, self._texts(names), strict=False))

    @cached_property
    def words(self) -> frozenset[str]:
        """The words that the pages' prose uses several times."""
        return prose_words("\n".join(text for name, text in self._pages.items() if not name.endswith(".sh")))

    def page(self, name: str) -> str:
        """The text of a page; empty if there is none."""
        return self._pages.get(name, "")

    def _texts(self, names: list[str]) -> Iterator[str]:
        left = _ALL
        for name in names:
            if left <= 0:
                return
            text = readable_text(self.repository / name)[:_TEXT]
            left -= len(text)
            yield text

    def given(self, program: str, options: tuple[str, ...]) -> list[str]:
        """Values that commands in pages and scripts give to an option, the most frequent first."""
        settings = [settings_of(words, dict.fromkeys(options, "it")) for _, words in self._shown(program)]
        found = Counter(value for value in values_given(settings, "it") if value)
        return [value for value, _ in found.most_common(20)]

    def instead(
        self, program: str, page: str, place: str, settings: Mapping[str, Words], spellings: Mapping[str, str]
    ) -> list[Words]:
        """The words that other commands have for a setting, if all on which it may depend is the same.

        Of a command with a launcher, they stand in the same page or in a script: another page may start it otherwise.

        Args:
            program: the program's path.
            page: the command's page if it has a launcher; else empty.
            place: the setting's destination.
            settings: the command's words by destination.
            spellings: the destination of each option.
        """
        if place not in settings:
            return []
        shown = [
            settings_of(words, spellings)
            for where, words in self._shown(program)
            if page in ("", where) or where.endswith(".sh")
        ]
        return instead(settings, shown, place)

    def shows_together(self, program: str, page: str, settings: Sequence[tuple[tuple[str, ...], Words]]) -> bool:
        """Whether one command of a page gives all of these settings.

        Args:
            program: the program's path.
            page: the page's path.
            settings: the options of each setting, and its words; a setting without options has to stand there.
        """
        for where, words in self._shown(program):
            given = settings_of(words, {option: options[0] for options, _ in settings for option in options})
            if where == page and all(
                given.get(options[0]) == wanted if options else all(word in words for word in wanted)
                for options, wanted in settings
            ):
                return True
        return False

    def commands(self, program: str, name: str) -> list[str]:
        """The commands of a program in pages and scripts, each once.

        Args:
            program: its path.
            name: what a command calls it, which may be a console script's name.
        """
        shown = [words for _, words in self._shown(program)] if not name.endswith(".sh") else []
        base = posixpath.basename(name)

        def is_own(word: str, first: bool) -> bool:
            return posixpath.basename(word) == base and (first or base.endswith(".sh"))

        if not shown and base:
            shown = [words for text in self._pages.values() if base in text for words in shown_commands(text, is_own)]
        lines = (" ".join(words) for words in shown if len(words) < 2 or _IS_GIVEN.search(" ".join(words)))
        return list(dict.fromkeys(f"{name or program} {line}".strip() for line in lines if not _SENTENCE.search(line)))

    def _shown(self, program: str) -> list[tuple[str, tuple[str, ...]]]:
        """The page, and the words after the program's name, of all commands in pages and scripts, read once."""
        if program not in self._commands:
            name = posixpath.basename(program)
            stem = name.removesuffix(".py").removesuffix("__main__")
            self._commands[program] = [
                (page, words)
                for page, text in self._pages.items()
                if stem in text or not stem
                for words in shown_commands(text, partial(self._is_program, program, page))
            ]
        return self._commands[program]

    def _is_program(self, program: str, page: str, word: str, first: bool) -> bool:
        """Whether a word of a command means the program: by path, module, or package name."""
        name = posixpath.normpath(word.strip("\"'$!"))
        if not name.endswith(".py"):
            parts = program.removesuffix(".py").split("/")
            if first and name in parts[:-1]:
                return True
            if "." not in name:
                return False
            name = f"{name.replace('.', '/')}.py"
        folders = [posixpath.dirname(page), *(str(each) for each in Path(page).parents), ""]
        there = [each for folder in folders if (each := posixpath.normpath(posixpath.join(folder, name))) in self._all]
        return {*there} == {program} if there else self._ending(name) == [program]

    def _ending(self, name: str) -> list[str]:
        """The files whose paths end with this one: after a `cd`, a page may mean any of them."""
        if name not in self._ends:
            self._ends[name] = [file for file in self.files if f"/{file}".endswith(f"/{name}")]
        return self._ends[name]

    @cached_property
    def _all(self) -> frozenset[str]:
        return frozenset(self.files)

    def passed(self, passed: Passed) -> list[str]:
        """The values that pages pass to a parameter, the most frequent first, as the code spells them.

        If the call's own page has another value, other pages are not searched: there it may serve another purpose.
        """
        pages = self._calls(passed.function, passed.order)
        here = [value_of_call(call, passed) for call in pages.get(passed.page, ())]
        if len({repr(each) for each in here} - {"None"}) < FEW:
            here = [value_of_call(call, passed) for found in pages.values() for call in found]
        words = [each if isinstance(each, str) else repr(each) for each in here if each is not None]
        return [value for value, _ in Counter(each for each in words if each).most_common(20)]

    def _calls(self, function: str, order: tuple[str, ...]) -> dict[str, list[dict[str, object]]]:
        """The calls of a function in all pages, read once."""
        if (function, order) not in self._read:
            self._read[function, order] = {
                name: list(calls(text, function, order)) for name, text in self._pages.items() if f"{function}(" in text
            }
        return self._read[function, order]

    def beside(self, path: str, folder: str, program: str) -> list[str]:
        """Return the files of the same kind in a file's folder, the most similar names first; at most three.

        What the file's name and its program's have in common, they have too: `main_train_gan.py` takes `x_gan.json`.

        Args:
            path: the file, from the folder in which the code runs.
            folder: that folder, from the repository's root.
            program: the program's path.
        """
        file = self.repository / folder / path
        names = [
            each.name
            for each in sorted(file.parent.glob(f"*{file.suffix}"))
            if each != file and each.is_file() and not re.search(r"^_|base|default|example|template|test", each.stem)
        ]
        common = pieces(file.stem) & pieces(posixpath.basename(program)) - {"py", "main", "train", "test", "tools"}
        names = [name for name in names if common <= pieces(name)]
        names.sort(key=lambda name: -difflib.SequenceMatcher(None, file.name, name).ratio())  # stable
        return [f"{path.rpartition('/')[0]}/{name}" for name in names[:3]]

    def holds(self, path: str, folder: str) -> bool:
        """Whether a path of the code is a file or folder of the repository."""
        try:
            return (self.repository / folder / path).exists()
        except (OSError, ValueError):  # a text that is too long, or holds a zero byte, is no path
            return False
