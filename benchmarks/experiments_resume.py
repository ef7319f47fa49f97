"""Nothing lost: four experiments, killed with -9 at five random points, resumed each time.

The scripted engineer is the model; its server counts what it is asked. Bounds: no finished sample lost, no kept step
lost or changed, no kept reply asked for again, every attempt scored, the steps of the uninterrupted run (but for the
times that scripts print). A reply on its way at a kill is asked for again: one for each sample under way.

Run: `python -m benchmarks.experiments_resume [--agent NAME]`, for the agents whose replies are kept.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.record import Figure, record
from tests.scripted_agent.server import Engineer
from tests.serving.experiments import MODEL, Blow, Lab, Life, account, live, told

KILLS = 5
SEED = 20260101
PROBLEMS = ("house-price", "spaceship-titanic", "feedback", "vectorization")
AT_ONCE = 2
AGENTS = ("research_agent", "codeact")


def blows() -> list[Blow]:
    """Five random points: so many requests into each process, then up to a second later; the last 12 s after that.

    By then samples are finished, too: being graded takes them some seconds in which nothing is asked.
    """
    rng = random.Random(SEED)
    found = [Blow(rng.randint(4, 8), rng.uniform(0, 1)) for _ in range(KILLS)]
    return [*found[:-1], Blow(found[-1].count, found[-1].delay + 12)]


def run(folder: Path, agent: str, kills: Sequence[Blow]) -> list[Life]:
    """A run, killed and resumed; then to its end."""
    folder.mkdir()
    lives: list[Life] = []
    with Engineer() as engineer:
        arguments: tuple[str, ...] = (*PROBLEMS, "--agent", agent, "--model", MODEL, "--base-url", engineer.url)
        arguments += ("--max-samples", str(AT_ONCE))
        for blow in [*kills, None]:
            life = live(Lab(folder), engineer, ("--resume",) if lives else arguments, blow)
            lives.append(life)
            steps = sum(map(len, life.steps.values()))
            end = f"killed {blow.delay:.1f} s after request {blow.count}" if blow else "to its end"
            said = f"{len(life.asked)} asked, {steps} steps, {len(life.finished)} finished"
            print(f"process {len(lives)}: {end}; {said}", flush=True)
            if (life.done.code == 0) != (blow is None):
                raise SystemExit(f"a process ended by itself: exit code {life.done.code}\n{life.done.stderr}")
        if engineer.faults:
            raise SystemExit(f"the engineer failed: {engineer.faults[0]!r}")
    return lives


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agent", choices=AGENTS, default=AGENTS[0])
    agent = parser.parse_args().agent
    with tempfile.TemporaryDirectory() as scratch:
        (reference,) = run(Path(scratch, "uninterrupted"), agent, [])
        lives = run(Path(scratch, "killed"), agent, blows())
        found = account(Lab(Path(scratch, "killed")), lives)
    last = lives[-1].steps
    unlike = [name for name, steps in reference.steps.items() if told(steps) != told(last.get(name, []))]
    more = sum(len(life.asked) for life in lives) - len(reference.asked)
    print(f"unlike the uninterrupted run: {', '.join(unlike) or 'none'}")
    return record(
        "experiments_resume" if agent == AGENTS[0] else f"experiments_resume_{agent}",
        [
            Figure("kills", len(lives) - 1, KILLS, at_most=False),
            Figure("attempts scored", found.scored, len(PROBLEMS), at_most=False),
            Figure("steps kept at the kills", found.steps, 1, at_most=False),
            Figure("samples finished at the last kill", len(lives[-2].finished), 1, at_most=False),
            Figure("finished samples lost", found.lost, 0),
            Figure("kept steps lost or changed", found.steps_lost, 0),
            Figure("kept replies asked for again", found.asked_again, 0),
            Figure("replies on their way at a kill, asked for again", found.on_their_way, KILLS * AT_ONCE),
            Figure("other requests that the uninterrupted run does not make", more - found.on_their_way, 0),
            Figure("attempts whose steps are unlike the uninterrupted run's", len(unlike), 0),
            Figure("requests of the uninterrupted run", len(reference.asked)),
        ],
    )


if __name__ == "__main__":
    sys.exit(not main())
