"""Checks variants of a task's code: where each value arrives, and what else changes."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mlbench.interface_check.checker import Checker
from mlbench.judging.call_sites import ENVIRONMENT, CallSite, call_sites
from mlbench.judging.inputs import FILE_SETTING
from mlbench.judging.values import MatchStrength, carries, same
from mlbench.records import Candidate, Check, CheckStatus, Invocation
from mlbench.suite_builder.arguments.references import program_of, rendered
from mlbench.suite_builder.arguments.spanned_command import is_word
from mlbench.suite_builder.arguments.value_spans import lists_of_settings
from mlbench.suite_builder.mining.commands import script_words
from mlbench.suite_builder.parallel import each
from mlbench.suite_builder.types import DraftArgument, DraftTask
from mlbench.suites.recipes import BELOW_HOME, Words

Place = tuple[int, str]
"""The position of a call site, and a destination or parameter in it."""


@dataclass(frozen=True)
class VariantCheck:
    """The check of one variant.

    Attributes:
        fault: a stable reason if it is refused; empty if it is accepted.
        why: the program's own message.
        changed: the destinations whose values differ from those of the task's own code.
    """

    acts: tuple[CallSite, ...] = ()
    fault: str = ""
    why: str = ""
    changed: frozenset[Place] = frozenset()


class Trials:
    """The checks of one task's variants; each text is checked once.

    Attributes:
        invocation: what the task's own code starts, with the schema of its options.
        task: the task; once begun, with the schemas of all its programs.
    """

    def __init__(self, task: DraftTask, checker: Checker) -> None:
        self.task = task
        self._checker = checker
        self._known: dict[str, VariantCheck] = {}
        self.base: tuple[CallSite, ...] = _sites(task.check.invocations)
        self.invocation: Invocation | None = program_of(task)
        self.asked = 0
        self._handed = script_words(task.code) if task.kind == "shell" else None

    async def begin(self) -> VariantCheck:
        """Check the task's own code, and read the options of its programs."""
        if self.task.kind == "shell":
            check = await self._checker.describe(self._candidate(self.task.code), self.task.path)
        else:
            check = await self._checker.check(self._candidate(self.task.code), self.task.path)
        self.asked += 1
        self.task = replace(self.task, check=check)
        self.invocation, self.base = program_of(self.task), _sites(check.invocations)
        return self._trial(check)

    async def of(self, code: str) -> VariantCheck:
        """The check of one variant."""
        if code not in self._known:
            check = await self._checker.check(self._candidate(code), self.task.path)
            self.asked += 1
            self._known[code] = self._trial(check)
        return self._known[code]

    async def all_of(self, codes: Sequence[str]) -> list[VariantCheck]:
        """The checks of several variants, in parallel, in their order."""

        async def ask(code: str) -> None:
            await self.of(code)

        await each(dict.fromkeys(codes), ask, len(os.sched_getaffinity(0)))
        return [self._known[code] for code in codes]

    async def combinations(
        self, arguments: Sequence[DraftArgument], chosen: Sequence[Mapping[str, Words]], template: str = ""
    ) -> list[VariantCheck]:
        return await self.all_of([rendered(self.task, arguments, values, template) for values in chosen])

    def _candidate(self, code: str) -> Candidate:
        return Candidate(code, self.task.kind, "reference")

    def _trial(self, check: Check) -> VariantCheck:
        if check.status is not CheckStatus.ACCEPTED:
            return VariantCheck(fault=check.reason or str(check.status), why=check.message)
        found = _sites(check.invocations)
        if [act.name for act in found] != [act.name for act in self.base]:
            return VariantCheck(found, "another-program", "it starts another program, or makes another call")
        changed = {
            (position, name)
            for position, (ours, theirs) in enumerate(zip(self.base, found, strict=True))
            for name in ours.values.keys() | theirs.values.keys()
            if name not in ours.values
            or name not in theirs.values
            or not same(ours.values[name], theirs.values[name], ours.cwd, theirs.cwd)
        }
        return VariantCheck(found, changed=frozenset(changed))

    def astray(
        self, trial: VariantCheck, place: Place, words: Words, *, variable: bool = False, converted: bool = False
    ) -> str:
        """Why a variant with one new value differs from what is meant; empty if it does not.

        The value must be at its destination. Other destinations may change only if the code does not give them, if
        they are parts of this one, or if they contain a variable. If the program converts the words itself
        (`converted`), any other value there is enough.

        Args:
            trial: the variant's check.
            place: the destination.
            words: the new value.
            variable: whether a variable holds it.
            converted: whether the program has its own function to read the words.
        """
        if trial.fault:
            return trial.why or trial.fault
        position, name = place
        act = trial.acts[position]
        reads_itself = converted and (place in trial.changed or not trial.changed)
        if words and not reads_itself and not _is_there(words, act, name, self._ours(place), variable=variable):
            return f"{' '.join(words)} arrives at {name} as {act.values.get(name)!r}"[:300]
        for other, beside in sorted(trial.changed - {place}):
            if other == position and (beside.startswith(f"{name}.") or beside == name.partition(FILE_SETTING)[2]):
                continue  # a part of it: `trainer=gpu` sets `trainer.accelerator`; or itself, merged: `opts:SOLVER.LR`
            value = trial.acts[other].values.get(beside)
            given = self._is_given((other, beside), trial)
            computed = self.task.kind == "python" and _is_computed(value, words)
            if given and not computed and not beside.startswith(ENVIRONMENT):
                return f"{beside} changes as well, to {value!r}"[:300]
        return ""

    def unnamed(self, trial: VariantCheck, named: Collection[str]) -> str:
        """What changes in a variant although no argument stands for it; empty if nothing does.

        Args:
            trial: the variant's check.
            named: the destinations of the arguments.
        """
        for position, name in sorted(trial.changed):
            act = trial.acts[position]
            whole = name if self.task.kind == "shell" else f"{act.name}.{name}"
            parts = {whole.rpartition(".")[0], *(each for each in named if whole.startswith(f"{each}."))}
            parts |= {each for each in named if each.partition(FILE_SETTING)[2] == whole}
            given = self._is_given((position, name), trial)
            computed = self.task.kind == "python" and _is_computed(act.values.get(name), ())
            if (
                given
                and whole not in named
                and not parts & {*named}
                and not computed
                and not name.startswith(ENVIRONMENT)
            ):
                return f"{name} changes, and no argument stands for it"
        return ""

    def _is_given(self, place: Place, trial: VariantCheck) -> bool:
        """Whether the code gives a destination. What a script gives by itself may follow the words it is handed."""
        position, name = place
        if name not in trial.acts[position].given and name not in self.base[position].given:
            return False
        value = self.base[position].values.get(name)
        return self._handed is None or any(carries(word, value) is not MatchStrength.NO for word in self._handed)

    def _ours(self, place: Place) -> CallSite:
        return self.base[place[0]]


def _sites(invocations: Sequence[Invocation]) -> tuple[CallSite, ...]:
    """The call sites; a file that the parser opened counts as its path, and a list of settings as these settings."""
    found = [_apart(each) for each in call_sites(invocations)]
    return tuple(
        replace(each, values={name: _unopened(value) for name, value in each.values.items()}) for each in found
    )


def _apart(act: CallSite) -> CallSite:
    """A call site with the settings of a list, such as `opts:model` of `model=vit lr=0.1`, in place of the list."""
    lists = lists_of_settings(act.values, act.given)
    settings = {name for name in act.values if name.partition(FILE_SETTING)[0] in lists} - {*lists}
    values = {name: value for name, value in act.values.items() if name not in lists}
    return replace(act, values=values, given=(act.given | settings) & values.keys()) if lists else act


def _is_computed(value: Any, words: Words) -> bool:
    """Whether a value is an object that code computes from others, or has one of these words in it."""
    is_object = isinstance(value, dict) and "!" in value
    return is_object or any(carries(word, value) or (isinstance(value, str) and word in value) for word in words)


def _unopened(value: Any) -> Any:
    return value["value"] if isinstance(value, dict) and value.get("!") == "file" and "value" in value else value


def _is_there(words: Words, act: CallSite, name: str, ours: CallSite, *, variable: bool) -> bool:
    """Whether the value is at its destination: whole, or as the part that a variable gives."""
    if name not in act.values:
        return False
    if BELOW_HOME.fullmatch(words[0]) and is_word(words[0], str(act.values[name])):
        return True
    options = (*act.options.get(name, ()), *ours.options.get(name, ()))
    found = carries(" ".join(words), act.values[name], options)
    if found is MatchStrength.EXACTLY:
        return True
    if found is MatchStrength.SWITCH:
        return not (
            name in ours.values
            and name in act.given
            and name not in ours.given
            and same(ours.values[name], act.values[name])
        )
    return variable and found is MatchStrength.INSIDE
