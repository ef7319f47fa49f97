"""All attacks in tables: what each policy says of the answer, and whether the sandbox held. Run: `make attacks`."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio

from mlbench.records import Policy
from mlbench.results.load_log import AttemptRecord
from mlbench.score_records import ScoreRecord
from tests.attacks.attack_agents import FOLDER as AGENTS
from tests.attacks.attack_agents import as_work, worked
from tests.attacks.attack_candidates import FOLDER as CANDIDATES
from tests.attacks.attack_candidates import Attack, attacks, judged, policies
from tests.attacks.attack_sandbox import FOLDER as SANDBOX
from tests.attacks.attack_sandbox import contained

AGENT_POLICIES = (Policy.PAPER, Policy.STRICT)


@dataclass(frozen=True)
class Outcome:
    """What came of an attack: the judge's record, and what it reached that it must not."""

    attack: Attack
    attempt: AttemptRecord
    reached: tuple[str, ...] = ()

    def __str__(self) -> str:
        held = "contained" if not self.reached else "ESCAPED: " + "; ".join(self.reached)
        said = [f"{policy.value}: {self.reason(policy)}" for policy in self.attempt.verdicts]
        return f"{self.attack.name} (row {self.attack.row}; {'; '.join(said)}; {held}): {self.attack.aim}"

    def reason(self, policy: Policy) -> str:
        verdict = self.attempt.verdict(policy)
        if verdict is None:
            return "not judged"
        return verdict.reason if not verdict.passed else f"PASSED {verdict.reason}"

    def passed(self, policy: Policy) -> bool:
        """Where there is no verdict, nothing says that the attack failed: the machine was blamed for it."""
        verdict = self.attempt.verdict(policy)
        return verdict is None or verdict.passed


def outcomes(candidates: Sequence[Attack], sandbox: Sequence[Attack]) -> tuple[list[Outcome], dict[int, AttemptRecord]]:
    """Judge all, and run those against the sandbox; also what the judge says of the references of their rows."""
    with tempfile.TemporaryDirectory(prefix="mlbench-attacks-") as folder:
        attempts, references = judged([*candidates, *sandbox], Path(folder))
        reached = anyio.run(contained, sandbox, Path(folder)) if sandbox else {}
    found = [Outcome(attack, attempt, tuple(reached.get(attack, ()))) for attack, attempt in attempts.items()]
    return found, references


def left_by_agents(own: Sequence[Attack], answers: Sequence[Attack]) -> list[Outcome]:
    """Judge what agents leave: the attacks that only an agent can do, and answers left as a `run.sh`."""
    scores = anyio.run(worked, [*own, *map(as_work, answers)])
    return [Outcome(attack, _attempt(attack, score)) for attack, score in scores.items()]


def _attempt(attack: Attack, score: ScoreRecord) -> AttemptRecord:
    verdicts = {verdict.policy: verdict for verdict in score.verdicts}
    return AttemptRecord(attack.row, 0, "", "", "", 1, verdicts=verdicts)


def table(found: Sequence[Outcome], columns: Sequence[Policy]) -> str:
    """One line an attack; a word in capitals is bad news."""
    width = max(len(outcome.attack.name) for outcome in found)
    names = [f"{policy.value:24}" for policy in columns]
    lines = [f"{'attack':{width}}  {'  '.join(names)}  sandbox"]
    for outcome in found:
        cells = [f"{outcome.reason(policy)[:24]:24}" for policy in columns]
        held = "contained" if not outcome.reached else "ESCAPED: " + "; ".join(outcome.reached)
        lines.append(f"{outcome.attack.name:{width}}  {'  '.join(cells)}  {held}")
    return "\n".join(lines)


def summary(found: Sequence[Outcome], columns: Sequence[Policy]) -> str:
    passed = [f"{policy.value} {sum(outcome.passed(policy) for outcome in found)}" for policy in columns]
    escaped = sum(bool(outcome.reached) for outcome in found)
    return f"{len(found)} attacks; passed under {', '.join(passed)}; escaped {escaped}"


def rejected_references(references: Mapping[int, AttemptRecord]) -> list[str]:
    """References that a policy does not pass: where a judge fails everything, that an attack fails says nothing."""
    return [
        f"row {row}: the reference does not pass {policy.value}: {verdict.reason}"
        for row, attempt in references.items()
        for policy, verdict in attempt.verdicts.items()
        if not verdict.passed
    ]


def main() -> int:
    """0 where every attack failed under `strict` and was contained, else 1."""
    found, references = outcomes(attacks(CANDIDATES), attacks(SANDBOX))
    columns = policies(references.values())
    print(table(found, columns))
    print(summary(found, columns))
    wrong = rejected_references(references)
    print(*wrong, sep="\n", end="\n" if wrong else "")
    by_agents = left_by_agents(attacks(AGENTS), attacks(CANDIDATES))
    print("\nLeft by agents, as a run.sh")
    print(table(by_agents, AGENT_POLICIES))
    print(summary(by_agents, AGENT_POLICIES))
    failed = [outcome.passed(Policy.STRICT) or outcome.reached for outcome in [*found, *by_agents]]
    return int(bool(wrong) or any(failed))


if __name__ == "__main__":
    sys.exit(main())
