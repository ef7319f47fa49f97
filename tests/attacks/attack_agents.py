"""What an agent may leave that must not pass: each file is what it does in its sandbox; judged as any agent's work."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from mlbench.evals.ml_agent_bench.scorer import AgentScorer
from mlbench.sandbox.agent_sandbox import AgentSandboxFactory
from mlbench.sandbox.limits import Limits
from mlbench.sandbox.network import Network
from mlbench.sandbox.submission import left
from mlbench.score_records import ScoreRecord
from mlbench.scoring.runtime import machine
from mlbench.suites.suite import sample_of
from tests.agent_fixtures import at_work
from tests.attacks.attack_candidates import Attack

FOLDER = Path(__file__).parent / "agents"
SECONDS = 6.0
"""Wall time of a `run.sh`."""


def as_work(attack: Attack) -> Attack:
    """An answer of the other bench as an agent would leave it."""
    folder = sample_of("pocket", attack.row).path
    if attack.name.endswith(".sh"):
        script = f"cat > run.sh <<'END_OF_ANSWER'\ncd {folder}\n{attack.code}\nEND_OF_ANSWER\n"
    else:
        script = f"cat > {folder}/solve.py <<'END_OF_ANSWER'\n{attack.code}\nEND_OF_ANSWER\n"
        script += f"cat > run.sh <<'END_OF_ANSWER'\ncd {folder}\npython solve.py\nEND_OF_ANSWER\n"
    return Attack(attack.name, attack.aim, script)


async def worked(attacks: Iterable[Attack]) -> dict[Attack, ScoreRecord]:
    """The score record of each."""
    place = machine("bubblewrap", "pocket", Limits(seconds=SECONDS), None)
    bench = AgentScorer(place)
    workshop = AgentSandboxFactory(place, "bubblewrap", Network.NONE, Limits(seconds=60))
    found = {}
    for attack in attacks:
        sample = sample_of("pocket", attack.row)
        repository = place.suite.repository_of(sample.github_id).name
        async with at_work(workshop, repository) as (box, work):
            await box.run(["bash", "-c", attack.code])
            found[attack] = await bench.judged(sample, repository, box, await left(box, work.since), work, "attacker")
    return found
