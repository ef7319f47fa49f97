"""Collects the arguments of a task: tries the values of each source, and says how each argument is called."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from mlbench.judging.call_sites import ENVIRONMENT
from mlbench.judging.values import MatchStrength, carries
from mlbench.suite_builder.arguments import documented_together
from mlbench.suite_builder.arguments.argument_kinds import is_never
from mlbench.suite_builder.arguments.argument_names import (
    affirmed,
    described,
    is_plain_word,
    plain_name,
    quoted,
    truth_phrases,
)
from mlbench.suite_builder.arguments.argument_sources import ArgumentSource
from mlbench.suite_builder.arguments.candidate_values import Wish, listed, meaning, own_switch_phrases, proposals
from mlbench.suite_builder.arguments.documented_together import DocumentedTogether
from mlbench.suite_builder.arguments.number_values import MOST
from mlbench.suite_builder.arguments.references import template
from mlbench.suite_builder.arguments.repo_enums import Vocabulary
from mlbench.suite_builder.arguments.signatures import owner_of
from mlbench.suite_builder.arguments.value_relations import contradiction
from mlbench.suite_builder.arguments.value_spans import SCALARS
from mlbench.suite_builder.arguments.variant_checks import Place, Trials
from mlbench.suite_builder.lexicon import unknown
from mlbench.suite_builder.mining.task_selection import MODES
from mlbench.suite_builder.types import BuildDecision, DraftArgument, DraftTask
from mlbench.suites.recipes import Words

FEWEST_VALUES = 2
_LONGEST_SAID = 80
_SETTING = re.compile(r"^(with the \"[^\"]+\" setting) (on|off)$")
_PLAIN_TYPES = frozenset(["int", "integer", "float", "str", "string", "text", "choice", "path", "Path"])


class ArgumentFinder:
    """The arguments found so far; no two share a value.

    Args:
        task: the task.
        trials: checks of its variants.
        vocabulary: what the repository's pages show.
        without: names of arguments, each with the value that a reader refused as it is said, or with an empty text.
    """

    def __init__(
        self, task: DraftTask, trials: Trials, vocabulary: Vocabulary, without: Collection[tuple[str, str]] = ()
    ) -> None:
        self.task, self.trials, self.vocabulary, self.without = task, trials, vocabulary, without
        self.sources: list[ArgumentSource] = []
        self.arguments: list[DraftArgument] = []
        self.decisions: list[BuildDecision] = []
        self.taken: set[object] = set()
        self.places: set[Place] = set()
        self.spans: list[tuple[int, int]] = []
        self.together: DocumentedTogether | None = None
        self.nothing = self.broken = ""  # why nothing can vary; why the code fails whatever its values

    async def add(self, source: ArgumentSource) -> None:
        """Make an argument of a source, if enough of its values are accepted."""
        place = source.place
        if place in self.places or any(_overlap(one, two) for one in source.spans for two in self.spans):
            return
        name = plain_name(source.wish.name)
        subject = f"{self.task.name}.{name}"
        if any(argument.name == name for argument in self.arguments):
            self.decisions.append(decision_of(subject, "name-taken", "another argument has this name"))
            return
        if (name, "") in self.without:
            return
        if part := self._is_part(source):
            self.decisions.append(decision_of(subject, "part-of-a-value", part))
            return
        argument = self._argument(source, {})
        later = {meaning(other.wish.original) for other in self.sources if other.spans and other is not source} - {()}
        proposed = {
            said: words
            for said, words in proposals(source.wish, self.vocabulary, self.task.program, self.task.path).items()
            if _is_switching(source.wish, words)
            or words == source.wish.original
            or (meaning(words) not in later | self.taken and not _is_default(source, words))
        }
        proposed = {said: words for said, words in proposed.items() if (name, said) not in self.without}
        if source.wish.unfit or self._is_named_after(source.wish.original):
            proposed = {said: words for said, words in proposed.items() if words != source.wish.original}
        kept: dict[str, Words] = {}
        for said, words, why in await self._tried(argument, source, place, proposed):
            why = why or (words != source.wish.original and contradiction(place[1], words, self._others(place))) or ""
            if why:
                self.decisions.append(decision_of(subject, "value-refused", f"{said}: {why}"))
            elif not _is_switching(source.wish, words) and meaning(words) in self.taken:
                self.decisions.append(decision_of(subject, "value-shared", f"{said}: another argument has this value"))
            elif len(kept) < MOST:
                kept[said] = words
        if len(kept) < FEWEST_VALUES:
            self.decisions.append(decision_of(subject, "too-few-values", f"{len(kept)} of its values can be taken"))
            return
        self.arguments.append(replace(argument, values=_of_owner(kept, argument.owner)))
        self.places.add(place)
        self.spans += source.spans
        self.taken |= {meaning(words) for words in kept.values()}
        self.decisions.append(BuildDecision("arguments", subject, True, "", f"{len(kept)} values"))

    async def add_family(self) -> None:
        """Make arguments of what tells the commands of the task's section apart, if there are several."""
        found, rows = documented_together.varying(self.task, self.sources)
        if not documented_together.is_plain(found) and documented_together.is_of_interest(found):
            why = "the section has {} commands that set it together with others"
            await self.add_together(found, rows, why, documented_together.telling)

    async def add_together(
        self,
        found: Sequence[ArgumentSource],
        rows: Sequence[Sequence[Words]],
        why: str,
        said: Callable[[Sequence[ArgumentSource], Sequence[str], Sequence[Sequence[Words]]], tuple[int, ...]],
    ) -> None:
        """Make arguments of settings that change together, unless the program refuses all but one line.

        Args:
            found: the settings.
            rows: their words by line, the command's own first.
            why: why they are taken; `{}` stands for the number of lines.
            said: the positions of those that an instruction says, from the settings, their names and the rows.
        """
        if len(rows) < FEWEST_VALUES:
            return
        first = dict(zip([each.place for each in found], rows[0], strict=True))
        drafts = [self._argument(each, {listed(first[each.place]): first[each.place]}) for each in found]
        at = said(found, [each.said for each in drafts], rows)
        names = [each.name for each in drafts]
        if not at or len({*names}) < len(names):
            subject = f"{self.task.name}.{names[0]}"
            self.decisions.append(
                decision_of(subject, "value-refused", "nothing that can be said tells its lines apart")
            )
            return
        if any((name, "") in self.without for name in names):
            return
        lines = [dict(zip(names, row, strict=True)) for row in rows]
        lines = [
            line for line in lines if not any((name, listed(words)) in self.without for name, words in line.items())
        ]
        text = template(self.task, drafts)
        trials = await self.trials.combinations(drafts, lines, text)
        places = {each.place for each in drafts}
        kept = []
        for line, trial in zip(lines, trials, strict=True):
            if fault := (trial.why or trial.fault) if trial.fault else self.trials.unnamed(trial, places):
                shown = " ".join(word for words in line.values() for word in words)
                subject = f"{self.task.name}.{drafts[at[0]].name}"
                self.decisions.append(decision_of(subject, "value-refused", f"{shown}: {fault}"[:300]))
            else:
                kept.append(line)
        if len(kept) < FEWEST_VALUES:
            return  # also if a reader left fewer lines
        told = [drafts[each] for each in at]
        together = documented_together.joined(told, [each for each in drafts if each not in told], kept)
        self.together = together
        self.arguments += together.arguments
        for source in found:
            self.places.add(source.place)
            self.spans += source.spans
        self.taken |= {meaning(words) for line in kept for words in line.values()}
        for each in together.arguments:
            subject = f"{self.task.name}.{each.name}"
            self.decisions.append(BuildDecision("arguments", subject, True, "", why.format(len(kept))))

    def _is_part(self, source: ArgumentSource) -> str:
        """Why a value of several words cannot be said as a whole; empty if it can."""
        value = self.trials.base[source.place[0]].values.get(source.place[1])
        several = source.wish.option.nargs not in ("", "?", "0", "1") and source.spans and not source.variable
        if (
            self.task.kind == "shell"
            and several
            and isinstance(value, list)
            and len(value) != len(source.wish.original)
        ):
            return f"the code gives it {len(value)} words, of which {len(source.wish.original)} are found"
        return ""

    def pin(self, wanted: Callable[[Words], bool], most: int | None = None) -> None:
        """Take settings that the code gives as arguments of one value each.

        Args:
            wanted: says by the words of a setting whether it is taken.
            most: the largest number of arguments; only short values with plain names are taken then.
        """
        found = [each for each in self.sources if each.spans and wanted(each.wish.original) and self._is_pinned(each)]
        if most is not None:
            named = [(each, self._fixed(each).said) for each in found]
            # no documentation shows the name of a positional
            named = [(each, said) for each, said in named if each.wish.options or not unknown(said.replace("_", " "))]
            plain = [each for each, said in named if not (said.startswith('"') and each.wish.options)]
            found = [each for each in plain if _is_short(each.wish.original)]
        for source in found:
            if most is not None and len(self.arguments) >= most:
                break
            if source.place in self.places:
                continue
            whole, *_ = source.spans  # the others are parts of other values, which stay as they are
            name = plain_name(source.wish.name)
            if any(_overlap(whole, span) for span in self.spans) or any(each.name == name for each in self.arguments):
                continue
            fixed = self._fixed(source)
            if not source.wish.switch and not is_switched(fixed):
                fixed = replace(fixed, values={listed(source.wish.original): source.wish.original})
            self.arguments.append(replace(fixed, spans=(whole,)))
            self.places.add(source.place)
            self.spans.append(whole)
            why = "it stands in the code; only its own value is known"
            self.decisions.append(BuildDecision("arguments", f"{self.task.name}.{name}", True, "", why))

    def _is_pinned(self, source: ArgumentSource) -> bool:
        """Whether a setting of the code may become an argument of its one value."""
        if source.place in self.places or source.place[1].startswith(ENVIRONMENT) or self._is_part(source):
            return False
        if self.task.kind == "python" and (is_never(source.wish.name) or not self._is_own_scalar(source)):
            return False
        if source.wish.original == (source.wish.name,):
            return False  # `x for the "x" setting`
        # a subcommand is said with the program
        return self.task.kind != "shell" or bool(source.wish.options) or not MODES.search(source.place[1])

    def _is_own_scalar(self, source: ArgumentSource) -> bool:
        """Whether a value of Python is one number or text, and no other call has a setting of its name."""
        names = [each.wish.name for each in self.sources if each.spans]
        value = self.trials.base[source.place[0]].values.get(source.place[1])
        return names.count(source.wish.name) == 1 and isinstance(value, SCALARS)

    def _others(self, place: Place) -> dict[str, object]:
        """The settings of the same program that no argument changes."""
        varied = {name for position, name in self.places if position == place[0]}
        return {name: value for name, value in self.trials.base[place[0]].values.items() if name not in varied}

    def _argument(self, source: ArgumentSource, values: dict[str, Words]) -> DraftArgument:
        wish, (position, place) = source.wish, source.place
        return DraftArgument(
            name=plain_name(wish.name),
            place=place if self.task.kind == "shell" else f"{self.trials.base[position].name}.{place}",
            said=self._said(source),
            option=self._option(source),
            values=_of_owner(values, self._owner(position)),
            choices=wish.option.choices,
            default=wish.option.default,
            help=wish.option.help,
            spans=source.spans or (),
            owner=self._owner(position),
            bound=not (wish.is_free or wish.suggested),  # a model says that its values go together
        )

    def _owner(self, position: int) -> str:
        """The class, method or function of a call, if the code has calls of several."""
        if self.task.kind == "shell" or len({act.name for act in self.trials.base}) < 2:
            return ""
        return owner_of(self.trials.base[position].name)

    def _said(self, source: ArgumentSource) -> str:
        """Its name; quoted if another setting would have the same name."""
        wish = source.wish
        said = self._words(wish)
        if self.task.kind == "shell" and not wish.options and " " not in said and is_plain_word(wish.original):
            return quoted(_long_name(wish))  # `the demo image` would be an image
        others = (each.wish for each in self.sources if each is not source and each.place[0] == source.place[0])
        return quoted(_long_name(wish)) if any(self._words(each) == said for each in others) else said

    def _words(self, wish: Wish) -> str:
        return described(wish.option, wish.kind, _long_name(wish), self.vocabulary.words)

    def fixed(self) -> tuple[DraftArgument, ...]:
        """The settings that the command gives and that are no argument; see `RecipeDraft.fixed`."""
        if self.task.kind == "python" or not self.trials.base:
            return ()
        own = [each for each in self.sources if each.spans]
        found = [self._fixed(each) for each in own if each.place not in self.places]
        position = own[0].place[0] if own else len(self.trials.base) - 1
        act, known = self.trials.base[position], {each.place[1] for each in own}
        plumbing = {name for name in act.given if name.startswith(ENVIRONMENT) or is_never(name)}  # also a launcher's
        within = {name for name in act.given if any(name.startswith(f"{group}.") for group in known)}
        hidden = sorted(act.given - known - within - plumbing - {"command"})  # `trainer=gpu` sets `trainer.devices`
        said = {word for each in own for word in each.wish.original}  # `--opts KEY VALUE` says its keys
        argv = " ".join(self.trials.invocation.argv) if self.trials.invocation else ""
        hidden = [name for name in hidden if name not in said and name in argv]  # others stand in a configuration
        return (
            *found,
            *(
                DraftArgument(plain_name(name), name, "", "", {_plain_value(act.values.get(name)): ()})
                for name in hidden
            ),
        )

    def _fixed(self, source: ArgumentSource) -> DraftArgument:
        wish = source.wish
        if wish.switch:
            on, _ = own_switch_phrases(wish)
            return replace(self._argument(source, {on: wish.original}), said=on)
        truth = " ".join(wish.original).lower()
        if truth in ("true", "false"):
            on, off = truth_phrases(wish.name, wish.kind)
            return self._argument(source, {on if truth == "true" else off: wish.original})
        value = self.trials.base[source.place[0]].values.get(source.place[1])
        words = wish.original
        if isinstance(value, list | tuple) and len(value) > len(words):  # `--opts KEY VALUE` has one slot
            words = tuple(str(each) for each in value)
        return self._argument(source, {listed(words): words})

    def _is_named_after(self, original: Words) -> bool:
        """Whether a file's name contains another argument's value: `japanese.wav` beside Japanese."""
        words = [word for one in self.arguments for word in next(iter(one.values.values())) if len(word) > 3]
        return len(original) == 1 and "." in original[0] and any(word.lower() in original[0].lower() for word in words)

    async def _tried(
        self, argument: DraftArgument, source: ArgumentSource, place: Place, proposed: Mapping[str, Words]
    ) -> list[tuple[str, Words, str]]:
        """Each proposed value with why it is refused; empty if it is accepted."""
        whole = replace(argument, values=dict(proposed))
        if not proposed:
            return []
        try:
            text = template(self.task, [whole])
        except ValueError as error:
            return [(said, words, str(error)) for said, words in proposed.items()]
        some = dict(list(proposed.items())[: MOST + 3])
        trials = await self.trials.combinations([whole], [{argument.name: words} for words in some.values()], text)
        results = []
        for (said, words), trial in zip(some.items(), trials, strict=True):
            own = bool(source.wish.option.type) and source.wish.option.type not in _PLAIN_TYPES
            why = self.trials.astray(trial, place, words, variable=source.variable, converted=own)
            if not why and source.wish.switch and (words != source.wish.original) and place not in trial.changed:
                why = "it changes nothing"
            results.append((said, words, why))
        return results

    def _option(self, source: ArgumentSource) -> str:
        if self.task.kind == "python":
            return ""
        options = source.wish.options
        return next((each for each in options if each.startswith("--")), options[0] if options else "")


def _long_name(wish: Wish) -> str:
    """An option as the command spells it, or its longest spelling: `--output` of `-o`; else its name."""
    if f"--{wish.name}" in wish.options:
        return wish.name
    if wish.switch:
        return affirmed(wish.token) or wish.name
    own = wish.name if wish.options else wish.name.rpartition(".")[2]  # `fetch.directory`: a subcommand's positional
    return max((each.lstrip("-") for each in wish.options if each.startswith("--")), key=len, default=own)


def _plain_value(value: object) -> str:
    """A value as text; of what JSON cannot say, such as a path, what it holds."""
    return str(value["value"] if isinstance(value, dict) and "!" in value and "value" in value else value)


def is_switched(argument: DraftArgument) -> bool:
    """Whether it is only turned on and off; a task of switches alone is trivial."""
    ways = argument.values.values()
    if len(ways) > 1 and all(words and words[0].startswith("--") for words in ways):
        return True  # `--x` or `--no-x`
    return any(not words for words in ways) or {word.lower() for words in ways for word in words} <= {"true", "false"}


def _of_owner(values: dict[str, Words], owner: str) -> dict[str, Words]:
    """The values of a switch of Python with the class or function that it belongs to, if the code calls several."""
    return {_SETTING.sub(rf"\1 of {owner} \2", way) if owner else way: words for way, words in values.items()}


def _is_short(words: Words) -> bool:
    """Whether a value can be said in a sentence: no list or mapping in the syntax of a program, no long text."""
    text = " ".join(words)
    return len(text) <= _LONGEST_SAID and not re.search(r"[\[{]", text)


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def decision_of(subject: str, reason: str, why: str) -> BuildDecision:
    return BuildDecision("arguments", subject, False, reason, why)


def _is_switching(wish: Wish, words: Words) -> bool:
    return wish.switch or (len(words) == 1 and words[0].lower() in ("true", "false", "yes", "no"))


def _is_default(source: ArgumentSource, words: Words) -> bool:
    """Whether a value of a setting that the code leaves out is the program's default."""
    default = source.wish.option.default
    if source.spans or default is None or not words:
        return False
    return carries(" ".join(words), default) is MatchStrength.EXACTLY
