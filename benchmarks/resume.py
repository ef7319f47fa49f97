"""Nothing lost: `quarter` x 2 against a real endpoint, killed with -9 at five random points, resumed each time.

Bounds: no finished sample lost, no kept reply asked for again, every attempt scored once, the uninterrupted run's
verdicts, table and tokens, nothing left behind. A reply on its way at a kill is asked for again: that is counted,
and cannot be more than the requests under way at the kills.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.record import Figure, record
from tests.serving.command import Place
from tests.serving.kill_resume import Blow, Life, account, live
from tests.serving.server import Endpoint, serving

KILLS = 5
K = 2
SEED = 20260101
CONNECTIONS = 4
PAUSE = 0.4
"""Seconds of one answer, so that answers and judging overlap for most of the run."""


def arguments(url: str) -> tuple[str, ...]:
    model = ("--model", "openai/gpt-4o-mini", "--base-url", url, "--max-connections", str(CONNECTIONS))
    return ("pocket", *model, "--split", "quarter", "-k", str(K))


def blows() -> list[Blow]:
    """Five random points: so many replies into each process, then up to 0.6 s later, in whatever it is doing then."""
    rng = random.Random(SEED)
    return [Blow("answered", rng.randint(4, 20), delay=rng.uniform(0.01, 0.6)) for _ in range(KILLS)]


def run(folder: Path, kills: Sequence[Blow]) -> list[Life]:
    """A run, killed and resumed; then to its end."""
    folder.mkdir()
    lives: list[Life] = []
    with serving(endpoint := Endpoint(pause=PAUSE, wrong=range(0, 260, 3))) as url:
        for blow in [*kills, None]:
            life = live(Place(folder), endpoint, ("--resume",) if lives else arguments(url), blow)
            lives.append(life)
            end = f"killed {blow.delay:.2f} s after reply {blow.count}" if blow else "to its end"
            print(f"process {len(lives)}: {end}; {len(life.asked)} asked, {len(life.finished)} finished", flush=True)
            if (life.done.code == 0) != (blow is None):
                raise SystemExit(f"a process ended by itself: exit code {life.done.code}\n{life.done.stderr}")
    return lives


def main() -> bool:
    with tempfile.TemporaryDirectory() as scratch:
        (reference,) = run(Path(scratch, "uninterrupted"), [])
        lives = run(Path(scratch, "killed"), blows())
        found = account(Place(Path(scratch, "killed")), lives, reference)
    for word in found.left_behind:
        print(f"left behind: {word}")
    attempts = len(reference.finished)
    return record(
        "resume",
        [
            Figure("kills", len(lives) - 1, KILLS, at_most=False),
            Figure("attempts scored", found.samples, attempts, at_most=False),
            Figure("attempts not scored, or more than once", found.missing + found.repeated, 0),
            Figure("finished samples lost", found.lost, 0),
            Figure("kept replies asked for again", found.asked_twice, 0),
            Figure("replies on their way at a kill, asked for again", found.paid_twice, KILLS * CONNECTIONS),
            Figure("verdicts unlike the uninterrupted run's", found.unlike, 0),
            Figure("tables unlike the uninterrupted run's", 1 - found.same_table, 0),
            Figure("token counts unlike the uninterrupted run's", 1 - found.same_tokens, 0),
            Figure("processes and control groups left behind", len(found.left_behind), 0),
            Figure("uninterrupted run", reference.seconds, None, "s"),
            Figure("killed run, all its processes", sum(life.seconds for life in lives), None, "s"),
        ],
    )


if __name__ == "__main__":
    sys.exit(not main())
