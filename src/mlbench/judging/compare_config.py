"""Compare the configuration of a candidate with the reference's. Nothing runs here.

The candidate must reach the same program or function with an equal typed value for each required argument (`bind.py`).
Every other setting must be the reference's as well, unless it is free (`unasked.py`).
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from mlbench.judging.bind import ArgumentBinding
from mlbench.judging.call_matching import (
    closest,
    described,
    extra_settings,
    fits,
    harmful_settings,
    in_order_of,
    match_of,
    missing_paths,
    repeats,
    with_indices_of,
)
from mlbench.judging.call_sites import ENVIRONMENT, PROGRAM, CallSite, call_sites
from mlbench.judging.comparison import Comparison
from mlbench.judging.documented import examples_of
from mlbench.judging.free_settings import is_free, is_output
from mlbench.judging.inputs import with_files_settings
from mlbench.judging.unasked import is_shown, unasked
from mlbench.judging.values import is_path
from mlbench.records import Invocation

NOWHERE: Mapping[str, bool] = MappingProxyType({})
_FILE = re.compile(r"[\w-]\.[A-Za-z][A-Za-z0-9]{0,5}$")


@dataclass(frozen=True)
class Expectation:
    """What is right for one sample.

    Attributes:
        call_sites: the reference's programs and calls.
        bindings: the required arguments and their destinations.
        fault: why the reference's own check was not accepted; empty if it was.
        harmful: destinations that turn the task into another one.
        equivalent: programs that do the same as the reference's, mapped to the reference's program.
        files: the repository's files and folders, relative to its root.
        artefacts: globs of output files that a run still working at the time limit must have.
        free: destinations that an answer may set freely.
        sets: destinations whose values have no order.
        shown: the documentation in the prompt; an answer may use the option values that it gives.
        examples_only: of `shown`, use only examples of this program or function.
    """

    call_sites: tuple[CallSite, ...]
    bindings: tuple[ArgumentBinding, ...]
    fault: str = ""
    harmful: frozenset[str] = frozenset()
    equivalent: Mapping[str, str] = field(default_factory=dict)
    files: frozenset[str] = frozenset()
    artefacts: tuple[str, ...] = ()
    free: frozenset[str] = frozenset()
    sets: frozenset[str] = frozenset()
    shown: str = ""
    examples_only: bool = False

    def concerns(self, invocation: Invocation) -> bool:
        """Whether an invocation reaches a program or a function of the reference."""
        names = {call.name for call in self.call_sites}
        return any(self.equivalent.get(call.name, call.name) in names for call in call_sites([invocation]))

    @property
    def written(self) -> dict[str, str]:
        """Value by name of the arguments that are bound to the text alone."""
        return {binding.argument: binding.wanted for binding in self.bindings if binding.written}

    def compare(
        self,
        candidate: Iterable[Invocation],
        written: Mapping[str, bool] = MappingProxyType({}),
        by_outcome: bool = False,
    ) -> Comparison:
        """Compare a candidate's invocations with this expectation.

        Args:
            candidate: invocations, checked or witnessed.
            written: for each argument in `self.written`, whether the candidate's text holds the value.
            by_outcome: the outcome is compared as well, so paths may differ.
        """
        done = [replace(call, name=self.equivalent.get(call.name, call.name)) for call in call_sites(candidate)]
        exists = self.files.__contains__ if self.files and not by_outcome else None
        return compare(self, done, exists, written, by_outcome)

    def is_path(self, position: int, name: str, value: Any) -> bool:
        """Whether a destination of the reference's call at `position` names a file or a folder.

        Args:
            position: of the reference's call.
            name: the destination.
            value: its value.
        """
        if isinstance(value, list):
            return bool(value) and all(self.is_path(position, name, each) for each in value)
        if isinstance(value, dict) and value.get("!") in ("path", "file"):
            return True
        if not isinstance(value, str) or not value:
            return False
        whole = posixpath.normpath(posixpath.join(self.call_sites[position].cwd, value))
        return is_path(value) or whole in self.files or _FILE.search(value) is not None

    def is_free(self, position: int, name: str, call: CallSite) -> bool:
        """Whether an answer may choose the value of a destination.

        Args:
            position: of the reference's call.
            name: the destination.
            call: the candidate's call.
        """
        if name in self.free or is_free(name) or name.startswith(ENVIRONMENT):
            return True
        ours = self.call_sites[position]
        if is_output(name) and name not in ours.given:
            return True
        text = examples_of(ours, self.shown, self.files) if self.examples_only else self.shown
        return is_shown(call, name, ours.options.get(name, call.options.get(name, ())), text)


def compare(
    expectation: Expectation,
    candidate: Sequence[CallSite],
    exists: Callable[[str], bool] | None = None,
    written: Mapping[str, bool] = NOWHERE,
    by_outcome: bool = False,
) -> Comparison:
    """Compare the candidate's calls with the reference's.

    Each call of the reference with a required argument must have its like in the candidate; if there is none, each call
    must. Every such call of the candidate must be one of the reference's: an answer that runs every
    combination fails. Every setting counts, explicit or default, unless it is free.

    Args:
        expectation: what is right.
        candidate: the candidate's calls.
        exists: whether a path relative to the repository's root exists; None if that is unknown.
        written: for arguments that are bound to the text alone, whether the candidate's text holds the value.
        by_outcome: leave paths, and indices counted from the other end, to the comparison of outcomes.
    """
    bindings, reference = expectation.bindings, expectation.call_sites
    if by_outcome:
        bindings = tuple(replace(each, destinations=_but_paths(each, expectation), written=False) for each in bindings)
        candidate = [with_indices_of(reference, call) for call in candidate]
    if expectation.sets:
        candidate = [in_order_of(reference, call, expectation.sets) for call in candidate]
    if not by_outcome:
        candidate = [with_files_settings(reference, call) for call in candidate]
    bound = {position for binding in expectation.bindings for position, _ in binding.destinations}
    needed = sorted(bound) or list(range(len(reference)))
    partners = {position: closest(position, bindings, reference, candidate) for position in needed}
    reached = [(position, call) for position, call in partners.items() if call is not None]
    chosen = {id(call) for _, call in reached}
    settings = [*reached, *_unbound_partners(expectation, needed, candidate, chosen)]
    extra = _extra_calls(needed, bindings, reference, candidate)
    known = {call.name for call in reference}
    others = [call.name for call in candidate if call.name not in known and call.is_program]
    made = Counter(call.name for call in candidate if call.name in known)
    return Comparison(
        matches=tuple(match_of(binding, reference, partners, written) for binding in bindings),
        missing=tuple(dict.fromkeys(reference[p].name for p, call in partners.items() if call is None)),
        harmful=tuple(
            line for p, call in settings for line in harmful_settings(reference[p], call, expectation.harmful)
        ),
        missing_paths=tuple(line for p, call in reached for line in missing_paths(reference[p], call, exists)),
        extra_calls=(
            *(described(call, bindings, reference) for call in extra if id(call) not in chosen),
            *dict.fromkeys(others),
        ),
        unasked=tuple(line for p, call in settings for line in unasked(expectation, p, call, by_outcome)),
        extras=tuple(line for p, call in reached for line in extra_settings(reference[p], call)),
        other_route=Counter(call.name for call in reference) != made,
    )


def _extra_calls(
    needed: Sequence[int],
    bindings: Sequence[ArgumentBinding],
    reference: Sequence[CallSite],
    candidate: Sequence[CallSite],
) -> list[CallSite]:
    """The candidate's calls of a required program that match no call of the reference."""
    names = {reference[position].name for position in needed}
    unbound = [ours for position, ours in enumerate(reference) if position not in needed]
    return [
        call
        for call in candidate
        if call.name in names
        and not any(fits(call, p, bindings, reference) for p in needed if reference[p].name == call.name)
        and not any(repeats(call, ours) for ours in unbound)
    ]


def _but_paths(binding: ArgumentBinding, expectation: Expectation) -> tuple[tuple[int, str], ...]:
    """The destinations of a required argument that hold no path."""
    return tuple(
        (position, name)
        for position, name in binding.destinations
        if name == PROGRAM or not expectation.is_path(position, name, expectation.call_sites[position].values.get(name))
    )


def _unbound_partners(
    expectation: Expectation, needed: Sequence[int], candidate: Sequence[CallSite], chosen: Set[int]
) -> list[tuple[int, CallSite]]:
    """The candidate's like for each of the reference's calls without a required argument."""
    found: list[tuple[int, CallSite]] = []
    taken = set(chosen)
    for position, ours in enumerate(expectation.call_sites):
        if position not in needed:
            like = [call for call in candidate if call.name == ours.name and id(call) not in taken]
            if like:
                best = min(like, key=lambda call: len(unasked(expectation, position, call, True)))
                taken.add(id(best))
                found.append((position, best))
    return found
