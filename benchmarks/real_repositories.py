"""The interface check on the eighteen real repositories of ML-Bench, at their pins, without their dependencies.

    python -m benchmarks.real_repositories --mirror DIR [--only NAME] [--truth PYTHON] [--keep]

`DIR` holds clones, bare or not, as OWNER+NAME/repo, OWNER/NAME or NAME. Every program that parses a command line is
asked for: no words, the required ones, an unknown option, a bad int, a bad choice, a good value; everything twice, by
two servers at a time. With `--truth`, an interpreter that has the dependencies of the repositories in `TRUTHS` also
runs their programs for real. A whole run without it takes minutes; `--only` restricts it.

Bounds: 99 % of the programs decided, every answer the same twice, no tree changed, no contradiction with the truth.
What was found is kept in `real_programs.json`, and a later run names what has become different.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import itertools
import json
import os
import shutil
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.real_asking import Asking
from benchmarks.real_scan import Program, programs, vectors
from benchmarks.real_truth import TRUTHS, Truth, run_for_real
from benchmarks.record import Figure, record
from mlbench.records import CheckStatus, Invocation
from mlbench.repositories import catalogue
from mlbench.repositories.catalogue import Pinned
from mlbench.repositories.fetch import fetch, state, verified

Vector = tuple[Program, str, tuple[str, ...]]  # what it tries, its words
KEPT = Path(__file__).with_name("real_programs.json")


@dataclass(frozen=True)
class Asked:
    """One vector, and what the check said to it, twice."""

    program: str
    tries: str
    argv: tuple[str, ...]
    answer: Invocation
    again: Invocation

    @property
    def fails_after_parsing(self) -> bool:
        """The parser took the words, and the program itself refused them right after."""
        return self.answer.status is CheckStatus.REJECTED and self.answer.reason == "raised"

    def summary(self, invocation: Invocation | None = None) -> str:
        """Status, reason and a hash of the configuration: no word of the repository."""
        found = invocation or self.answer
        words: list[str] = [found.status, *filter(None, [found.reason])]
        if found.status is CheckStatus.ACCEPTED:
            text = json.dumps([found.configuration, found.given, found.ignored], sort_keys=True)
            words.append(hashlib.sha256(text.encode()).hexdigest()[:12])
        return " ".join(words)


@dataclass
class Survey:
    """What one repository gave."""

    entry: Pinned
    folder: Path
    asked: list[Asked] = field(default_factory=list)
    by_hand: list[str] = field(default_factory=list)
    unchanged: bool = True
    cold: list[float] = field(default_factory=list)  # seconds of the first request for a program
    warm: list[float] = field(default_factory=list)  # of a later one

    def verdicts(self) -> dict[str, CheckStatus]:
        """A program is undecided where one of its vectors is; else accepted where one is; else as they all are."""
        found: dict[str, set[CheckStatus]] = {}
        for each in self.asked:
            found.setdefault(each.program, set()).add(each.answer.status)
        order = (CheckStatus.UNDECIDED, CheckStatus.ACCEPTED, CheckStatus.REJECTED, CheckStatus.BROKEN)
        return {program: next(s for s in order if s in statuses) for program, statuses in found.items()}


async def survey(entry: Pinned, folder: Path, thorough: bool) -> Survey:
    """Ask for every program of one repository, and again in the same order."""
    found = Survey(entry, folder)
    todo: list[Vector] = []
    for program in programs(folder):
        if program.by_hand:
            found.by_hand.append(program.path)
        else:
            todo += [(program, tries, argv) for tries, argv in vectors(program, thorough).items()]
    rounds = [await ask_all(folder, todo, found) for _ in range(2)]
    found.asked = [
        Asked(program.path, tries, argv, answer, again)
        for (program, tries, argv), answer, again in zip(todo, *rounds, strict=True)
    ]
    verified.cache_clear()
    found.unchanged = state(entry).startswith("here")
    return found


async def ask_all(folder: Path, todo: Sequence[Vector], found: Survey) -> list[Invocation]:
    """The answers to all vectors, in their order: two servers, each with whole programs."""
    answers: dict[int, Invocation] = {}
    waiting = itertools.groupby(enumerate(todo), key=lambda each: each[1][0].path)

    async def work() -> None:
        async with Asking(folder) as asking:
            while (group := next(waiting, None)) is not None:
                times = found.cold
                for place, (program, _, argv) in list(group[1]):
                    answers[place] = await asking.ask(program.path, argv)
                    times.append(answers[place].seconds)
                    times = found.warm

    await asyncio.gather(work(), work())
    return [answers[place] for place in range(len(todo))]


def contradictions(asked: Sequence[Asked], truths: Sequence[Truth]) -> tuple[list[str], Counter[str]]:
    """Where the check and the real program say different things, and how often they agree in what."""
    wrong, agreed = [], Counter[str]()
    for each, truth in zip(asked, truths, strict=True):
        said = each.answer
        where = f"{each.program} {' '.join(each.argv)}"
        if truth.status == "none" and truth.ended == "exit 0":
            expected, agrees = "help", said.reason in ("help", "exits-early")
        elif truth.status == "none":
            expected = truth.ended
            agrees = said.status is not CheckStatus.ACCEPTED and (
                not truth.ended.startswith("exit") or "2" in truth.ended
            )
            if "ModuleNotFoundError" in truth.ended and said.reason != "no-such-module":
                agreed["the truth lacks a dependency"] += 1
                continue
        elif each.fails_after_parsing:
            expected, agrees = truth.ended, truth.ended not in ("", "end", "time", "exit 0", "exit None")
        else:
            expected, agrees = truth.status, said.status == truth.status
        if said.status is CheckStatus.UNDECIDED:
            agreed["undecided"] += 1
            continue
        if agrees and truth.status == "rejected":
            agrees = " ".join(truth.message.split()) in " ".join(said.message.split())
            expected = truth.message
        if agrees and truth.status == "accepted":
            different = _differences(truth.configuration, said.configuration)
            agrees, expected = not different, f"{expected}: {different}"
            agreed["configurations equal"] += agrees
        if agrees:
            agreed[f"{said.status} {said.reason}".strip()] += 1
        else:
            wrong.append(f"{where}\n    real: {expected}\n    said: {said.status} {said.reason} {said.message[:200]}")
    return wrong, agreed


def _differences(truth: dict[str, Any], said: dict[str, Any]) -> list[str]:
    plain = {name for name in said if ":" not in name}  # `NAME:a.b` is read from the file that NAME names
    return [
        f"{name}: {truth.get(name, '(none)')!r} is {said.get(name, '(none)')!r}"
        for name in sorted(truth.keys() | plain)
        if not _same(truth.get(name, "(none)"), said.get(name, "(none)"))
    ]


def _same(truth: Any, said: Any) -> bool:
    if isinstance(truth, dict) and "!" in truth:  # an object: neither side says what it holds
        return bool(isinstance(said, dict) and "!" in said)
    if isinstance(truth, dict) and isinstance(said, dict):
        return truth.keys() == said.keys() and all(_same(truth[name], said[name]) for name in truth)
    if isinstance(truth, list) and isinstance(said, list):
        return len(truth) == len(said) and all(map(_same, truth, said))
    if isinstance(said, dict) and said.get("!") == "float":
        return bool(repr(truth) == said["value"])
    return type(truth) is type(said) and bool(truth == said)


def against_truth(found: Survey, python: Path, scratch: Path) -> tuple[list[str], Counter[str]]:
    """Hold what was said against real runs, in a copy that the programs may write to."""
    copy = scratch / "truth" / found.folder.name
    shutil.copytree(found.folder, copy, symlinks=True)
    environment = TRUTHS[found.entry.full_name]
    truths = run_for_real(
        python, copy, environment, [(each.program, each.argv, each.fails_after_parsing) for each in found.asked]
    )
    return contradictions(found.asked, truths)


_NOT_HELD = ("configurations equal", "undecided", "the truth lacks a dependency")
HEAD = (
    "| repository | programs | decided | accepted | rejected | broken | by hand | repaired | vectors "
    "| first | further |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|"
)


def row(found: Survey) -> str:
    """The repository's line of the table in docs/explanation/real-repositories.md; times are medians."""
    counts = Counter(found.verdicts().values())
    repaired = len({each.program for each in found.asked if each.answer.repairs})
    numbers = (
        counts.total(), counts.total() - counts[CheckStatus.UNDECIDED],
        counts[CheckStatus.ACCEPTED], counts[CheckStatus.REJECTED], counts[CheckStatus.BROKEN],
        len(found.by_hand), repaired,
        len(found.asked), *(f"{quantiles(times)[0]:.0f} ms" for times in (found.cold, found.warm)),
    )  # fmt: skip
    return f"| {found.entry.full_name} | " + " | ".join(map(str, numbers)) + " |"


def quantiles(seconds: Iterable[float]) -> tuple[float, float]:
    """Median and 95th percentile, in ms."""
    ordered = sorted(seconds) or [0.0]
    return statistics.median(ordered) * 1000, ordered[int(0.95 * (len(ordered) - 1))] * 1000


def kept(surveys: Sequence[Survey]) -> dict[str, Any]:
    """What is kept of the surveys: paths, verdicts, reasons and hashes."""
    return {
        found.entry.full_name: {
            "commit": found.entry.commit,
            "programs": {
                program: {each.tries: each.summary() for each in found.asked if each.program == program}
                for program in found.verdicts()
            },
            "by hand": found.by_hand,
        }
        for found in surveys
    }


def changes(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """What differs from what was kept, in the repositories of this run."""
    lines = []
    for name, found in now.items():
        old = before.get(name, {}).get("programs", {})
        for program in sorted(old.keys() | found["programs"].keys()):
            was, is_ = old.get(program, {}), found["programs"].get(program, {})
            lines += [
                f"{name}/{program}, {tries}: {was.get(tries)} -> {is_.get(tries)}"
                for tries in was.keys() | is_.keys()
                if was.get(tries) != is_.get(tries)
            ]
    return lines


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirror", type=Path, required=True, help="folder of the clones")
    parser.add_argument("--only", action="append", help="a name of the catalogue; may be given several times")
    parser.add_argument("--truth", type=Path, metavar="PYTHON", help="an interpreter that has the dependencies")
    parser.add_argument("--keep", action="store_true", help="write real_programs.json anew")
    options = parser.parse_args()

    surveys: list[Survey] = []
    wrong: list[str] = []
    agreed: Counter[str] = Counter()
    print(HEAD)
    with tempfile.TemporaryDirectory(prefix="mlbench-real-") as folder:
        for name in options.only or catalogue.names():
            entry = catalogue.pinned(name)
            held = options.truth is not None and entry.full_name in TRUTHS
            found = asyncio.run(survey(entry, fetch(entry, options.mirror).folder, thorough=held))
            surveys.append(found)
            print(row(found), flush=True)
            for each in found.asked:
                if each.answer.status is CheckStatus.UNDECIDED:
                    said = each.answer
                    print(f"    {each.program} ({each.tries}): {said.reason} {said.message[:200]!r}")
                if each.summary() != each.summary(each.again):
                    print(f"    {each.program} ({each.tries}): {each.summary()} / {each.summary(each.again)}")
            if held:
                more, good = against_truth(found, options.truth, Path(folder))
                wrong += more
                agreed += good
                print("\n".join(more))
    print(f"against the truth: {dict(agreed)}, {len(wrong)} contradictions")

    now = kept(surveys)
    if KEPT.exists() and not options.keep:
        print("\n".join(changes(json.loads(KEPT.read_text()), now)))
    elif not options.only:
        KEPT.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n")
    return record("real_repositories", figures(surveys, wrong, agreed, options.truth is not None))


def figures(surveys: Sequence[Survey], wrong: Sequence[str], agreed: Counter[str], held: bool) -> list[Figure]:
    """The figures of a whole run, with their bounds."""
    verdicts = Counter(status for found in surveys for status in found.verdicts().values())
    asked = [each for found in surveys for each in found.asked]
    decided = 100 * (1 - verdicts[CheckStatus.UNDECIDED] / max(1, verdicts.total()))
    cold, warm = (quantiles(t for found in surveys for t in getattr(found, stage)) for stage in ("cold", "warm"))
    rows = [
        Figure("programs that parse a command line", verdicts.total()),
        Figure("decided", decided, 99, "%", at_most=False),
        *(Figure(f"programs {status}", verdicts[status]) for status in CheckStatus),
        Figure("programs that read sys.argv by hand", sum(len(found.by_hand) for found in surveys)),
        Figure("argument vectors", len(asked)),
        Figure("answered differently the second time", sum(e.summary() != e.summary(e.again) for e in asked), 0),
        Figure("trees changed", sum(not found.unchanged for found in surveys), 0),
        Figure("first request for a program, median", cold[0], unit="ms"),
        Figure("first request for a program, p95", cold[1], unit="ms"),
        Figure("further request, median", warm[0], unit="ms"),
        Figure("further request, p95", warm[1], unit="ms"),
    ]
    if held:
        rows += [
            Figure(
                "vectors held against real runs",
                agreed.total() + len(wrong) - sum(agreed[key] for key in _NOT_HELD),
            ),
            Figure("contradictions", len(wrong), 0),
        ]
    return rows


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    sys.exit(not main())
