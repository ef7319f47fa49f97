"""Right, not only accepted: a candidate's check against the check of the reference. Nothing runs here.

The reference says where each required argument belongs (a *tie*, see `bind.py`). The candidate must reach the same
program, or function, with an equal typed value there; every other setting has to be the reference's as well, unless it
is free (`unasked.py`).
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
    """What is right for one sample: the reference's acts, its ties, and what its recipe says of them.

    Attributes:
        fault: why the reference sets no standard (its own check is not accepted); empty where it does.
        harmful: destinations that turn the task into another one.
        equivalent: programs that do the same as the reference's, by the name of the one they stand for.
        files: the repository's files and folders, from its root.
        artefacts: globs of what a run leaves behind; wanted of one that still runs at the time limit.
        free: destinations that an answer may set as it likes.
        sets: destinations whose values have no order.
        shown: the documentation that the model was shown: the values that it gives an option are nobody's invention.
        examples_only: whether only those values of it count that stand in an example of this program or function.
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
        """Whether an invocation is of a program of the reference, or does what the reference's code does."""
        names = {call.name for call in self.call_sites}
        return any(self.equivalent.get(call.name, call.name) in names for call in call_sites([invocation]))

    @property
    def written(self) -> dict[str, str]:
        """The arguments that have a place in the text alone, with their values."""
        return {binding.argument: binding.wanted for binding in self.bindings if binding.written}

    def compare(
        self,
        candidate: Iterable[Invocation],
        written: Mapping[str, bool] = MappingProxyType({}),
        by_outcome: bool = False,
    ) -> Comparison:
        """A candidate's invocations, as checked or as witnessed, against this standard.

        Args:
            written: of the arguments in `self.written`, whether the value stands in the candidate's text.
            by_outcome: what was left behind is compared as well: it decides about paths, whatever they are called.
        """
        done = [replace(call, name=self.equivalent.get(call.name, call.name)) for call in call_sites(candidate)]
        exists = self.files.__contains__ if self.files and not by_outcome else None
        return compare(self, done, exists, written, by_outcome)

    def is_path(self, position: int, name: str, value: Any) -> bool:
        """Whether a destination of one of the reference's acts names a file or folder."""
        if isinstance(value, list):
            return bool(value) and all(self.is_path(position, name, each) for each in value)
        if isinstance(value, dict) and value.get("!") in ("path", "file"):
            return True
        if not isinstance(value, str) or not value:
            return False
        whole = posixpath.normpath(posixpath.join(self.call_sites[position].cwd, value))
        return is_path(value) or whole in self.files or _FILE.search(value) is not None

    def is_free(self, position: int, name: str, call: CallSite) -> bool:
        """Whether an answer may choose what a destination holds."""
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
    """The candidate's acts against the reference's.

    Each act of the reference that carries a required argument, or each where none does, must have its like in the
    candidate; and every act of such a program in the candidate must be one of the reference's: who runs all
    combinations has not chosen the right one. Every setting counts, given or not, but for those that are free.

    Args:
        exists: whether a path, from the repository's root, is there; None where that cannot be told.
        written: of the arguments that are tied to the text alone, whether they stand in the candidate's.
        by_outcome: paths, and indices that are counted from the other end, are left to a comparison of what came of it.
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
    """The candidate's calls of a required program that match none of the reference's calls of it."""
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
    """The places of a required argument that hold no path."""
    return tuple(
        (position, name)
        for position, name in binding.destinations
        if name == PROGRAM or not expectation.is_path(position, name, expectation.call_sites[position].values.get(name))
    )


def _unbound_partners(
    expectation: Expectation, needed: Sequence[int], candidate: Sequence[CallSite], chosen: Set[int]
) -> list[tuple[int, CallSite]]:
    """The acts of the reference that carry no required argument, each with the candidate's like, if it has one."""
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
