"""Everything in a task that could vary: its code's values, and options it leaves out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from mlbench.judging.call_sites import ENVIRONMENT, CallSite
from mlbench.judging.values import MatchStrength, carries
from mlbench.records import OptionSchema
from mlbench.repositories.documents import readable_text
from mlbench.sandbox.jail import HOME
from mlbench.suite_builder.arguments.argument_kinds import (
    NEVER,
    SELDOM,
    Kind,
    is_doing,
    is_never,
    is_seldom,
    kind_of,
    said_of,
    table,
    words_of,
)
from mlbench.suite_builder.arguments.argument_names import ANY_NAME
from mlbench.suite_builder.arguments.argument_sources import ArgumentSource, sensible, without_dependants
from mlbench.suite_builder.arguments.candidate_values import Wish
from mlbench.suite_builder.arguments.destinations import proven
from mlbench.suite_builder.arguments.number_values import is_numeric, number_of
from mlbench.suite_builder.arguments.option_reads import is_read, is_shown
from mlbench.suite_builder.arguments.signatures import is_known, owner_of, parameters
from mlbench.suite_builder.arguments.usages import Passed, is_loose, settings_of
from mlbench.suite_builder.arguments.value_relations import (
    is_repeated,
)
from mlbench.suite_builder.arguments.value_spans import Slot, call_end, python_slots, shell_slots
from mlbench.suite_builder.arguments.variant_checks import Trials
from mlbench.suite_builder.lexicon import unknown
from mlbench.suite_builder.mining.commands import last_command, script_words, started
from mlbench.suite_builder.mining.commands import words_of as words_of_command
from mlbench.suite_builder.mining.task_selection import MODES, subcommand
from mlbench.suite_builder.types import DraftTask
from mlbench.suites.recipes import BELOW_HOME, Words

_FOLDER = re.compile(r"\b(?:path|dir|directory|folder|root|location)\b", re.I)
_CONFIG, _CONFIG_RANK = re.compile(r"\w\.(?:ya?ml|json|toml|cfg|ini)$", re.I), 73


_NAMED = re.compile(r"(?:^|\.)[A-Za-z][\w-]*$")
_ALL_WORDS = re.compile(r"\$[@*]|\$\{[@*]")
_YAML = re.compile(r"\w\.(?:ya?ml|toml|cfg|ini)$", re.I)  # JSON may be data
_FILE_WORDS = re.compile(r"\b(?:config|configs|configuration|cfg|conf|opt|hyp|params?|files?|path|name|ya?ml|json)\b")
_LEVEL = re.compile(r"[A-Za-z]?\d")
_CONFIGURES = re.compile(r"\b(?:config|configuration|cfg|conf|opt|hyp|params?)\b")


async def sources_of(
    task: DraftTask, trials: Trials, repository: Path, *, left_out: bool = False
) -> list[ArgumentSource]:
    """The code's values that could vary, by rank, also those of rank `NEVER`.

    Args:
        task: the task.
        trials: checks of its variants.
        repository: its checkout.
        left_out: also what the code leaves out, with rank `NEVER`.
    """
    is_script = task.kind == "shell" and script_words(task.code) is not None
    forwards = is_script and _forwards(task, repository)
    find = _shell_sources(task, trials, forwards) if task.kind == "shell" else _python_sources(task, trials, repository)
    found = await find
    own = sensible(found, task, trials)
    if left_out and (forwards or not is_script):  # what another script starts cannot be given more
        others = [each for each in without_dependants(found) if not each.spans]
        if trials.invocation is not None and trials.invocation.parser == "argparse":  # else nothing could show it
            others = [each for each in others if is_shown(repository, each.wish.option.place, each.wish.options)]
        own += [replace(each, rank=NEVER) for each in sorted(others, key=lambda each: -each.rank)]
    # a script may branch by what its program never reads
    if trials.invocation is not None and trials.invocation.parser == "argparse" and not is_script:
        read = [each for each in own if is_read(repository, task.program, each.wish.option.place)]
        if read:  # else nothing can be told by names
            own = [each if each in read else replace(each, rank=NEVER, idle=True) for each in own]
    return own


def _rank(name: str, kind: Kind | None, option: OptionSchema, *, own: bool, switch: bool, truth: bool = False) -> int:
    """How likely people vary this; zero for never."""
    if is_never(name) or (kind and kind.path == "output"):
        return NEVER  # with another place of an output nothing else is asked
    if is_seldom(name):
        return SELDOM if own else NEVER
    is_bool = switch or isinstance(option.default, bool) or option.type == "bool" or truth
    if is_bool and is_doing(name) and not (kind and kind.switch):
        return NEVER  # `with upload dataset` is no English
    if kind is not None:
        return kind.rank
    kinds = table().otherwise
    if option.choices:
        return kinds["choices"]
    if is_bool:
        return kinds["switch"]
    if option.type in ("int", "integer") or isinstance(option.default, int):
        return kinds["integer"]
    if option.type == "float" or isinstance(option.default, float):
        return kinds["number"]
    return kinds["name"] if own else NEVER


def _forwards(task: DraftTask, repository: Path) -> bool:
    """Whether the script that a command starts hands all further words on: `python train.py --lr 0.1 "$@"`."""
    found = started(words_of_command(last_command(task.code)))
    return found is not None and _ALL_WORDS.search(readable_text(repository / task.path / found.name)) is not None


async def _shell_sources(task: DraftTask, trials: Trials, forwards: bool) -> list[ArgumentSource]:
    invocation = trials.invocation
    if invocation is None:
        return []
    position = max((at for at, act in enumerate(trials.base) if act.name == invocation.program), default=0)
    act = trials.base[position] if trials.base else None
    if act is None:
        return []
    schema = {each.place: each for each in invocation.schema}
    found: list[ArgumentSource] = []
    seen: set[str] = set()
    slots = shell_slots(task.code, invocation)
    spellings = {each: place for place, options in act.options.items() for each in options}
    settings = settings_of(invocation.argv, spellings)
    for slot in slots:
        place = slot.place
        if place not in act.values:
            is_script = script_words(task.code) is not None  # it may hand its words on behind options
            known = {} if is_script else act.options
            carrying = _carrying(slot, act.values, act.given, known)
            if is_script and not carrying and any(each in " ".join(invocation.argv) for each in slot.words):
                slot = replace(slot, variable=True)  # the script makes others of it: `$1/train.txt`
                carrying = _carrying(slot, act.values, act.given, known)
            where = await proven(task, trials, slot, [(position, name) for name in carrying])
            if where is None:
                continue
            place = where[1]
        if place in seen:
            continue
        seen.add(place)
        option = schema.get(place) or OptionSchema(place, default=None)
        is_hidden = place.startswith(ENVIRONMENT)
        in_list = bool(slot.name) and slot.place.endswith((f":{slot.name}", f".{slot.name}"))
        is_named = is_hidden or in_list or not (slot.variable or kind_of(place))
        name = slot.name.lstrip("-") if slot.name and is_named else place
        kind = _kind(name, option, slot.words)
        options = tuple(act.options.get(place, ())) or ((slot.option,) if slot.option else ())
        wish = Wish(name, kind, slot.words, option, options, slot.switch, settings=settings, spellings=spellings)
        wish = replace(wish, page=task.block.page if _is_launched(task) else "")
        truth = [word.lower() for word in slot.words] in (["true"], ["false"])
        rank = _rank(name, kind, option, own=True, switch=slot.switch, truth=truth)
        if is_never(place) or is_never(slot.name.lstrip("-")):
            rank = NEVER
        if not (options or slot.variable or _NAMED.search(place)):
            rank = NEVER  # a positional without a name of its own
        if not options and MODES.search(place) and slot.words == (subcommand(task),):
            rank = NEVER  # an instruction names the subcommand with the program
        if not slot.switch and is_repeated(slot.words, _others(slot, slots)):
            rank = NEVER  # another value follows this one
        if kind and kind.path and not slot.switch and all(number_of(word) is not None for word in slot.words):
            rank = NEVER  # the number of a camera
        found.append(ArgumentSource(wish, rank, (position, place), (slot.span,), slot.variable))
    for place, option in schema.items():  # what the code leaves out: a switch that is off has idle settings
        options = tuple(act.options.get(place, ()))
        if place in seen or not options or place not in act.values or option.nargs in ("*", "+"):
            continue
        if place in act.given and not forwards:
            continue
        if option.switch or place in act.given:  # of two options of one place the first says the default; a script's
            option = replace(option, default=act.values[place])
        kind = _kind(place, option) or _kind(options[-1].lstrip("-"), option)
        rank = _rank(place, kind, option, own=False, switch=option.switch)
        found.append(
            ArgumentSource(
                Wish(place, kind, (), option, options, _is_switch(invocation.parser, option)),
                rank,
                (position, place),
            )
        )
    return found


def _is_launched(task: DraftTask) -> bool:
    """Whether more than Python stands before the program: a launcher or variables."""
    words = task.code.replace("\\\n", " ").split()
    found = started(tuple(words))
    begin = words.index(found.name) if found and found.name in words else len(words)
    return not {"python", "python3", "-m"}.issuperset(words[:begin])


def _kind(name: str, option: OptionSchema, words: Words = ()) -> Kind | None:
    """The table's entry; a number is never a path, and a dataset with a slash is a folder."""
    kind = kind_of(name)
    if option.switch and not words and kind and not kind.switch:
        return None  # `--auto-find-batch-size` is no batch size
    if kind and kind.kind == "optimizer" and any(_LEVEL.fullmatch(word) for word in words):
        return None  # `--opt O1` is a level of optimization
    is_data = kind is not None and kind.path == "input" and not _CONFIGURES.search(words_of(name))
    if kind and kind.path in ("", "input") and any((_YAML if is_data else _CONFIG).search(word) for word in words):
        rest = " ".join(_FILE_WORDS.sub(" ", words_of(name)).split())  # `--model-config` beside `--train-config`
        of = f"{rest} " if rest and not unknown(rest) else ""
        return Kind(name=ANY_NAME, kind="config", rank=_CONFIG_RANK, said=f"{of}configuration file")
    is_folder = _FOLDER.search(option.help) or any("/" in word for word in words)
    if kind and kind.kind == "dataset" and is_folder and not option.choices:
        return kind_of("data path")
    return None if kind and kind.path and (is_numeric(option) or option.type.startswith("bool")) else kind


def _others(slot: Slot, slots: Sequence[Slot]) -> list[str]:
    """The other names and paths of the code."""
    words = [word for other in slots if other is not slot and not other.switch for word in other.words]
    return [word for word in words if number_of(word) is None]


def _is_switch(parser: str, option: OptionSchema) -> bool:
    return option.switch and parser != "absl.flags"


def _carrying(
    slot: Slot, values: Mapping[str, object], given: frozenset[str], options: Mapping[str, tuple[str, ...]]
) -> list[str]:
    """Possible destinations of the words: an override, a variable's, a positional."""
    if slot.option.endswith("=") and slot.name in values:
        return [slot.name]
    whole = " ".join(f"{HOME}{word[1:]}" if BELOW_HOME.fullmatch(word) else word for word in slot.words)
    if slot.variable:
        found = [name for name in sorted(given) if carries(whole, values.get(name)) is not MatchStrength.NO]
        return sorted(found, key=lambda name: (name.startswith(ENVIRONMENT), name))
    return [
        name
        for name in sorted(given)
        if not options.get(name) and carries(whole, values.get(name)) is MatchStrength.EXACTLY
    ]


async def _python_sources(task: DraftTask, trials: Trials, repository: Path) -> list[ArgumentSource]:
    slots = python_slots(task.code)
    found: list[ArgumentSource] = []
    own = {act.name for act in trials.base if is_known(repository, act.name)}
    signatures = {name: parameters(repository, name) for name in own}
    holders = Counter(name for act in trials.base if act.name in own for name in {*signatures[act.name], *act.given})
    for slot in slots:
        whole = " ".join(slot.words)
        places = [
            (position, name)
            for position, act in enumerate(trials.base)
            if act.name in own
            for name in sorted(act.given)
            if carries(whole, act.values.get(name)) is MatchStrength.EXACTLY
        ]
        places = [place for place in places if not (place[1].isdigit() or place[1] in ("args", "kwargs"))]  # unknown
        named = [place for place in places if place[1] == slot.name and not slot.variable]
        where = named[0] if len(named) == 1 else await proven(task, trials, slot, places)
        if where is None:
            continue
        position, name = where
        option = signatures[trials.base[position].name].get(name) or OptionSchema(name)
        kind = kind_of(name) or (kind_of(slot.name) if slot.name else None)
        if name == "name" and "model" in words_of(trials.base[position].name).split():
            kind = kind_of("model name")
        rank = _rank(name, kind, option, own=True, switch=False)
        if is_repeated(slot.words, _others(slot, slots)):
            rank = NEVER
        passed = _passed(task, trials.base[position], name, tuple(signatures[trials.base[position].name]))
        wish = Wish(name, kind, slot.words, option, (), passed=passed)
        found.append(ArgumentSource(wish, rank, where, (slot.span,), slot.variable, slot.target))
    found = [each for each in _told_apart(found) if each.wish.name == each.target or not _differs(trials, *each.place)]
    for position, act in enumerate(trials.base):
        if act.name not in own or call_end(task.code, act.name) is None:
            continue
        for name, option in signatures[act.name].items():
            if name in act.given or name not in act.values or option.required or option.default is None:
                continue
            if holders[name] > 1:
                continue  # an instruction cannot say which call is meant
            if any(
                other.default is False and name.startswith(f"{switch}_") and act.values.get(switch) is not True
                for switch, other in signatures[act.name].items()
            ):
                continue  # it counts only beside the switch
            kind = kind_of(name)
            if isinstance(option.default, bool) and not (kind and kind.switch):
                continue  # it has no name in prose
            rank = _rank(name, kind, option, own=False, switch=False)
            found.append(ArgumentSource(Wish(name, kind, (), option), rank, (position, name)))
    return found


def _differs(trials: Trials, position: int, name: str) -> bool:
    """Whether another call of the same function gives a parameter another value, or none."""
    own = trials.base[position]
    others = [each for each in trials.base if each is not own and owner_of(each.name) == owner_of(own.name)]
    return any(name not in each.given or each.values.get(name) != own.values.get(name) for each in others)


def _told_apart(found: Sequence[ArgumentSource]) -> list[ArgumentSource]:
    """Name each call's model after its variable; drop other parameters of two calls."""
    names = Counter(each.wish.name for each in found)
    told = []
    for each in found:
        if names[each.wish.name] > 1:
            others = [other.target for other in found if other.wish.name == each.wish.name]
            is_model = each.wish.kind is not None and each.wish.kind.kind == "model"
            several = all(len(words_of(other).split()) > 1 for other in others)
            clear = is_model and several and len({*others}) == len(others)
            each = _named_after(each) if clear else replace(each, rank=NEVER)
        told.append(each)
    return told


def _named_after(source: ArgumentSource) -> ArgumentSource:
    """Name a model after its variable: the passage encoder in `passage_encoder = Model('base')`."""
    kind = source.wish.kind and source.wish.kind.model_copy(update={"said": said_of(source.target), "name": ANY_NAME})
    return replace(source, wish=replace(source.wish, name=source.target, kind=kind))


def _passed(task: DraftTask, act: CallSite, parameter: str, order: tuple[str, ...]) -> Passed:
    """The call with the plain values that it passes besides; what is loose is ignored."""
    beside = {
        name: value
        for name in sorted(act.given - {parameter})
        if isinstance(value := act.values.get(name), str | int | float | bool)
        and not (is_loose(name) or name.isdigit())
    }
    function = act.name.rpartition(".")[2]
    return Passed(function, parameter, act.values.get(parameter), order, beside, task.block.page)
