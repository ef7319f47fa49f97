"""Match the calls of a candidate with the reference's calls, value by value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

from mlbench.judging.bind import ArgumentBinding, value_at
from mlbench.judging.call_sites import PROGRAM, CallSite
from mlbench.judging.comparison import TEXT, Match, MatchState
from mlbench.judging.inputs import same_value
from mlbench.judging.unasked import is_there
from mlbench.judging.values import counted_from_other_end, is_path, same, shown


def in_order_of(reference: Sequence[CallSite], call: CallSite, sets: frozenset[str]) -> CallSite:
    """Reorder a call's set-valued lists as in the reference, if they hold the same elements.

    Args:
        reference: the reference's calls.
        call: the candidate's call.
        sets: destinations whose values have no order.
    """
    ours = [each for each in reference if each.name == call.name]
    values = dict(call.values)
    for name, value in call.values.items():
        if isinstance(value, list) and name in sets:
            for expected in (each.values.get(name) for each in ours):
                if isinstance(expected, list) and _same_set(expected, value):
                    values[name] = expected
    return replace(call, values=values)


def with_indices_of(reference: Sequence[CallSite], call: CallSite) -> CallSite:
    """Rewrite a call's indices to count from the same end as the reference."""
    values = dict(call.values)
    for ours in reference:
        if ours.name == call.name:
            for name in ours.values.keys() & values.keys():
                if counted_from_other_end(ours.values[name], values[name]):
                    values[name] = ours.values[name]
    return replace(call, values=values)


def _same_set(one: list[Any], other: list[Any]) -> bool:
    left = list(other)
    for each in one:
        match = next((theirs for theirs in left if same(each, theirs)), None)
        if match is None:
            return False
        left.remove(match)
    return not left


def _hits(binding: ArgumentBinding, position: int, reference: Sequence[CallSite], call: CallSite) -> bool:
    ours = reference[position]
    destinations = [name for where, name in binding.destinations if where == position]
    return all(
        (name == PROGRAM or name in call.values) and same_value(ours, call, value_at(ours, name), value_at(call, name))
        for name in destinations
    )


def fits(call: CallSite, position: int, bindings: Sequence[ArgumentBinding], reference: Sequence[CallSite]) -> bool:
    """Whether a call has the reference's value for every required argument at a position.

    Args:
        call: the candidate's call.
        position: of the reference's call.
        bindings: the required arguments.
        reference: the reference's calls.
    """
    return all(_hits(binding, position, reference, call) for binding in bindings)


def repeats(call: CallSite, ours: CallSite) -> bool:
    """Whether a call repeats one of the reference's calls that carries no required value."""
    if ours.name != call.name or bool(ours.given) != bool(call.given):
        return False
    return all(
        name in call.values and same_value(ours, call, ours.values[name], call.values[name]) for name in ours.given
    )


def closest(
    position: int,
    bindings: Sequence[ArgumentBinding],
    reference: Sequence[CallSite],
    candidate: Sequence[CallSite],
) -> CallSite | None:
    """The candidate's call of the same program with most required arguments right.

    Of equally good calls the last one counts.

    Args:
        position: of the reference's call.
        bindings: the required arguments.
        reference: the reference's calls.
        candidate: the candidate's calls.
    """
    like = [call for call in candidate if call.name == reference[position].name]
    if not like:
        return None
    return max(reversed(like), key=lambda call: sum(_hits(each, position, reference, call) for each in bindings))


def match_of(
    binding: ArgumentBinding,
    reference: Sequence[CallSite],
    partner: Mapping[int, CallSite | None],
    written: Mapping[str, bool],
) -> Match:
    """Compare one required argument with the reference.

    Args:
        binding: where the argument belongs.
        reference: the reference's calls.
        partner: by position, the candidate's call that stands for the reference's; None if there is none.
        written: for arguments that are bound to the text alone, whether the candidate's text holds the value.
    """
    if binding.written:
        if written.get(binding.argument):
            return Match(binding.argument, MatchState.HIT, TEXT, binding.wanted, binding.wanted)
        return Match(binding.argument, MatchState.ABSENT, TEXT, binding.wanted)
    if not binding.destinations:
        return Match(binding.argument, MatchState.UNBOUND, expected=binding.wanted)
    destinations = ", ".join(dict.fromkeys(name for _, name in binding.destinations))
    position, name = binding.destinations[0]
    expected = shown(value_at(reference[position], name))
    for position, name in binding.destinations:
        ours, call = reference[position], partner[position]
        if call is None:
            return Match(binding.argument, MatchState.ABSENT, name, shown(value_at(ours, name)))
        if name != PROGRAM and name not in call.values:
            return Match(binding.argument, MatchState.ABSENT, name, shown(value_at(ours, name)))
        if not same_value(ours, call, value_at(ours, name), value_at(call, name)):
            return Match(
                binding.argument, MatchState.WRONG, name, shown(value_at(ours, name)), shown(value_at(call, name))
            )
        found = shown(value_at(call, name))
    return Match(binding.argument, MatchState.HIT, destinations, expected, found)


def harmful_settings(ours: CallSite, call: CallSite, harmful: Set[str]) -> list[str]:
    """Harmful settings that differ from the reference's, given or left out.

    Args:
        ours, call: the reference's call and the candidate's.
        harmful: destinations that turn the task into another one.
    """
    return [
        f"{name} = {shown(call.values[name])}, not {shown(ours.values[name])}"
        for name in sorted(harmful & call.values.keys() & ours.values.keys())
        if not same_value(ours, call, ours.values[name], call.values[name])
    ]


def missing_paths(ours: CallSite, call: CallSite, exists: Callable[[str], bool] | None) -> list[str]:
    """Paths that exist for the reference but not for the candidate.

    The candidate starts in another folder, or spells them differently.

    Args:
        ours, call: the reference's call and the candidate's.
        exists: whether a path relative to the repository's root exists; None if that is unknown.
    """
    lines: list[str] = []
    if exists is None:
        return lines
    for name, value in call.values.items():
        expected = ours.values.get(name)
        if not (isinstance(value, str) and isinstance(expected, str) and is_path(expected)):
            continue
        there = is_there(call.cwd, value, exists) or (value in call.inputs and same_value(ours, call, expected, value))
        if is_there(ours.cwd, expected, exists) and not there:
            lines.append(f"{name} = {value!r} from {call.cwd}")
    return lines


def extra_settings(ours: CallSite, call: CallSite) -> list[str]:
    """Explicit settings that the reference does not give, or gives differently."""
    return [
        f"{name} = {shown(call.values[name])}"
        for name in sorted(call.given)
        if name not in ours.given or not same_value(ours, call, ours.values.get(name), call.values[name])
    ]


def described(call: CallSite, bindings: Sequence[ArgumentBinding], reference: Sequence[CallSite]) -> str:
    """One line of evidence on a call: its name and its required values.

    Args:
        call: the candidate's call.
        bindings: the required arguments.
        reference: the reference's calls.
    """
    names = dict.fromkeys(
        n for binding in bindings for p, n in binding.destinations if reference[p].name == call.name and n != PROGRAM
    )
    return f"{call.name} with {', '.join(f'{name} = {shown(call.values.get(name))}' for name in names)}"
