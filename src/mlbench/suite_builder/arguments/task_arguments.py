"""Step 3: chooses the arguments of a task and their values.

First come values that the code gives, then options of the parser or parameters of the signature, by the ranks of
`varied.yaml`. Every value was checked in the reference: the program accepts it, it arrives at its destination, and no
other given value changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from mlbench.interface_check.checker import Checker
from mlbench.judging.call_sites import ENVIRONMENT
from mlbench.judging.values import MatchStrength, carries
from mlbench.suite_builder.arguments.argument_candidates import ArgumentSource, is_documented, sources_of
from mlbench.suite_builder.arguments.argument_kinds import SELDOM, words_of
from mlbench.suite_builder.arguments.candidate_values import MOST, Wish, described, meaning, number_of, proposals
from mlbench.suite_builder.arguments.exclusions import exclusions
from mlbench.suite_builder.arguments.llm_arguments import wished
from mlbench.suite_builder.arguments.references import rendered, template
from mlbench.suite_builder.arguments.repo_enums import Vocabulary
from mlbench.suite_builder.arguments.variant_checks import Place, Trials
from mlbench.suite_builder.llm import Asker
from mlbench.suite_builder.priorities import NO_PRIORITIES, Priorities
from mlbench.suite_builder.types import BuildDecision, DraftArgument, DraftTask, RecipeDraft
from mlbench.suites.recipes import Words

WANTED, UNDOCUMENTED, FEWEST = 5, 3, 1
"""Arguments of a task: as many as this; as many where the documentation does not name the others; at least."""
FEWEST_VALUES = 2
GUESSED = 60
"""The lowest rank of an argument that nobody reads of, and that can only be guessed: `--batch-size`, `--seed`."""

_RESERVED = frozenset(
    ["and", "or", "not", "in", "is", "if", "else", "elif", "true", "false", "none", "loop", "range", "dict", "self"]
)
_PLAIN_TYPES = frozenset(["int", "integer", "float", "str", "string", "text", "choice", "path", "Path"])


async def draft(
    task: DraftTask, checker: Checker, *, asker: Asker | None = None, first: Priorities = NO_PRIORITIES
) -> tuple[RecipeDraft | None, list[BuildDecision]]:
    """The task with its arguments, its exclusions, and the template of its reference.

    Args:
        task: the task.
        checker: of its repository.
        asker: a model that says what people vary; without one the table of kinds decides.
        first: options that a person wants first.

    Raises:
        SandboxUnavailableError: the machine failed.
    """
    trials = Trials(task, checker)
    arguments, decisions = await _found(task, trials, checker, asker, first)
    if len(arguments) < FEWEST:
        why = f"{len(arguments)} arguments can vary, at least {FEWEST} are wanted"
        return None, [*decisions, _decision(task.name, "too-few-arguments", why)]
    exclude, more = await exclusions(task, arguments, trials)
    decisions += more
    return RecipeDraft(task, tuple(arguments), template(task, arguments) + "\n", exclude), decisions


async def of(
    task: DraftTask, checker: Checker, *, asker: Asker | None = None
) -> tuple[list[DraftArgument], list[BuildDecision]]:
    """The arguments of a task with their values, and all decisions.

    Args:
        task: the task.
        checker: of its repository.
        asker: a model that says what people vary; None for the table of kinds alone.

    Raises:
        SandboxUnavailableError: the machine failed.
    """
    return await _found(task, Trials(task, checker), checker, asker)


async def _found(
    task: DraftTask, trials: Trials, checker: Checker, asker: Asker | None, first: Priorities = NO_PRIORITIES
) -> tuple[list[DraftArgument], list[BuildDecision]]:
    begun = await trials.begin()
    if begun.fault:
        return [], [_decision(task.name, begun.fault, f"its own code is not accepted: {begun.why}"[:300])]
    repository = checker.subject.place.repository
    sources = sources_of(task, trials, repository)
    finder = _ArgumentFinder(task, trials, _vocabulary(repository))
    if asker is not None:
        sources = await _preferred(task, sources, asker, finder.decisions)
    sources.sort(key=lambda source: first.rank(source.wish.name, *source.wish.options))  # stable
    for source in sources:
        if len(finder.arguments) >= WANTED:
            break
        if source.spans and source.rank <= SELDOM and len(finder.arguments) >= UNDOCUMENTED:
            continue
        known = bool(source.spans) or is_documented(task, source, repository)
        if not known and (len(finder.arguments) >= UNDOCUMENTED or source.rank < GUESSED):
            continue
        await finder.add(source, sources)
    return finder.arguments, finder.decisions


async def _preferred(
    task: DraftTask, sources: list[ArgumentSource], asker: Asker, decisions: list[BuildDecision]
) -> list[ArgumentSource]:
    """The sources that a model would vary, with its values, before all others."""
    shown = {
        each.wish.name: " ".join([*each.wish.original, "|", str(each.wish.option.default), each.wish.option.help[:200]])
        for each in sources
    }
    values, refused = await wished(task, shown, asker)
    decisions += refused
    ranks = {name: rank for rank, name in enumerate(values)}
    ordered = sorted(sources, key=lambda each: ranks.get(each.wish.name, len(ranks)))  # stable
    return [
        replace(each, wish=replace(each.wish, suggested=values[each.wish.name])) if each.wish.name in values else each
        for each in ordered
    ]


@lru_cache(maxsize=4)
def _vocabulary(repository: Path) -> Vocabulary:
    return Vocabulary(repository)


class _ArgumentFinder:
    """The arguments found so far; no two share a value."""

    def __init__(self, task: DraftTask, trials: Trials, vocabulary: Vocabulary) -> None:
        self.task, self.trials, self.vocabulary = task, trials, vocabulary
        self.arguments: list[DraftArgument] = []
        self.decisions: list[BuildDecision] = []
        self.taken: set[object] = set()
        self.places: set[Place] = set()
        self.spans: list[tuple[int, int]] = []

    async def add(self, source: ArgumentSource, sources: Sequence[ArgumentSource]) -> None:
        """Make an argument of a source, if enough of its values are accepted."""
        place = await self._place(source)
        if (
            place is None
            or place in self.places
            or any(_overlap(one, two) for one in source.spans for two in self.spans)
        ):
            return
        name = _plain_name(source.wish.name)
        about = f"{self.task.name}.{name}"
        if any(argument.name == name for argument in self.arguments):
            self.decisions.append(_decision(about, "name-taken", "another argument has this name"))
            return
        act = self.trials.base[place[0]]
        argument = DraftArgument(
            name=name,
            place=place[1] if self.task.kind == "shell" else f"{act.name}.{place[1]}",
            said=described(source.wish.option, source.wish.kind, source.wish.name),
            option=self._option(source),
            values={},
            choices=source.wish.option.choices,
            default=source.wish.option.default,
            help=source.wish.option.help,
            spans=source.spans or (),
        )
        later = {meaning(other.wish.original) for other in sources if other.spans and other is not source} - {()}
        proposed = {
            said: words
            for said, words in proposals(source.wish, self.vocabulary, self.task.program, self.task.path).items()
            if _is_switching(source.wish, words)
            or words == source.wish.original
            or (meaning(words) not in later | self.taken and not _is_default(source, words))
        }
        if self._is_named_after(source.wish.original):
            proposed = {said: words for said, words in proposed.items() if words != source.wish.original}
        kept: dict[str, Words] = {}
        for said, words, why in await self._tried(argument, source, place, proposed):
            if why:
                self.decisions.append(_decision(about, "value-refused", f"{said}: {why}"))
            elif not _is_switching(source.wish, words) and meaning(words) in self.taken:
                self.decisions.append(_decision(about, "value-shared", f"{said}: another argument has this value"))
            elif len(kept) < MOST:
                kept[said] = words
        if len(kept) < FEWEST_VALUES:
            self.decisions.append(_decision(about, "too-few-values", f"{len(kept)} of its values can be taken"))
            return
        self.arguments.append(replace(argument, values=kept))
        self.places.add(place)
        self.spans += source.spans
        self.taken |= {meaning(words) for words in kept.values()}
        where = "stands in the code" if source.spans else "is added to the code"
        self.decisions.append(BuildDecision("arguments", about, True, "", f"it {where}; {len(kept)} values"))

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

    async def _place(self, source: ArgumentSource) -> Place | None:
        """The destination of the value; the check is asked if the value alone does not tell."""
        if source.sure and len(source.places) == 1:
            return source.places[0]
        probe = DraftArgument("probe", "", "", "", {"probe": _other(source.wish.original)}, spans=source.spans[:1])
        code = rendered(self.task, [probe], {"probe": probe.values["probe"]})
        trial = await self.trials.of(code)
        moved = [place for place in source.places if place in trial.changed]
        beside = [place for place in moved if not place[1].startswith(ENVIRONMENT)] or moved
        if trial.fault and len(source.places) == 1:
            return source.places[0]  # proposals do not fit: each value is checked alone
        if trial.fault or not beside:
            return None
        return beside[0]

    def _option(self, source: ArgumentSource) -> str:
        if self.task.kind == "python":
            return ""
        options = source.wish.options
        return next((each for each in options if each.startswith("--")), options[0] if options else "")


def _plain_name(name: str) -> str:
    """A name of letters that templates accept."""
    plain = "_".join(words_of(name).split()) or "value"
    return f"the_{plain}" if plain in _RESERVED or plain[0].isdigit() else plain


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _decision(subject: str, reason: str, why: str) -> BuildDecision:
    return BuildDecision("arguments", subject, False, reason, why)


def _is_switching(wish: Wish, words: Words) -> bool:
    return wish.switch or (len(words) == 1 and words[0].lower() in ("true", "false", "yes", "no"))


def _is_default(source: ArgumentSource, words: Words) -> bool:
    """Whether an added value is the program's default."""
    default = source.wish.option.default
    return (
        not source.spans
        and default is not None
        and bool(words)
        and carries(" ".join(words), default) is MatchStrength.EXACTLY
    )


def _other(words: Words) -> Words:
    """Another value of the same form."""
    if len(words) == 1 and (number := number_of(words[0])) is not None:
        return (
            str(int(number) * 2 + 1)
            if "." not in words[0] and "e" not in words[0].lower()
            else f"{number / 2 + 0.1:g}",
        )
    if len(words) == 1 and words[0] in ("True", "False"):
        return ("False" if words[0] == "True" else "True",)
    return (*words[:-1], f"{words[-1]}_2" if words else "other")
