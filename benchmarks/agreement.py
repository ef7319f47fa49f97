"""The interface verdict against the executed truth: references, copycat, and systematic mutations of references.

The truth of a candidate owes nothing to the check: it is executed, and is right where it ends with exit 0 and either
nothing of the task was changed (a harmless mutation), or it does what the reference does: the same output, but for
times and addresses. Must hold: agreement >= 98 %, false accepts <= 1 %, undecided <= 3 %, every reference right.

    python benchmarks/agreement.py [--mutants 2500] [--show]
"""

from __future__ import annotations

import argparse
import hashlib
import random
import re
import sys
import time
from collections import Counter
from dataclasses import dataclass

import anyio
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from mutations import Mutant, mutants
from record import Figure, record

from mlbench.samples.suites import load_split
from mlbench.sandbox.bubblewrap import BubblewrapConfig, BubblewrapSandbox
from mlbench.sandbox.candidates import execute
from mlbench.sandbox.limits import Limits
from mlbench.sandbox.machines import Machine, machine
from mlbench.scorers.judge import Court, read
from mlbench.types import Ending, Execution, Sample, Status
from mlbench.verdict.policy import Interface

SUITE = "pocket"
_VARIES = re.compile(r"0x[0-9a-f]+|\d+(?:\.\d+)?\s*(?:s|ms|sec|seconds)\b|\d\d:\d\d(?::\d\d)?")


@dataclass(frozen=True)
class Case:
    sample: Sample
    mutant: Mutant
    reply: str


@dataclass(frozen=True)
class Outcome:
    """What the check says (None: undecided), what the execution says, and why."""

    case: Case
    says: bool | None
    truth: bool
    reason: str
    evidence: str
    how_it_ended: str


def cases(place: Machine, count: int) -> list[Case]:
    """Every reference, every copycat reply, and `count` mutants, drawn so that every kind has its share."""
    from mlbench.prompts.settings import messages
    from mlbench.solvers.copycat import answer

    rows = load_split(SUITE, "full")
    found = [Case(row, Mutant("reference", row.output, True), _fenced(row, row.output)) for row in rows]
    by_kind: dict[str, list[Case]] = {}
    for row in rows:
        folder = place.checkouts[place.suite.repository_of(row.github_id).name]
        programs = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*.py"))
        for mutant in mutants(row, programs):
            by_kind.setdefault(mutant.kind, []).append(Case(row, mutant, _fenced(row, mutant.code)))
    rng = random.Random(0)
    decks = [rng.sample(deck, len(deck)) for _, deck in sorted(by_kind.items())]
    chosen: list[Case] = []
    while len(chosen) < count and any(decks):
        chosen += [deck.pop() for deck in decks if deck]
    return found + chosen[:count]
