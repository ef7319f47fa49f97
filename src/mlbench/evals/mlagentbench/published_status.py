"""State of each problem as published: where its data come from, what it needs, and whether it runs here."""

from __future__ import annotations

from dataclasses import dataclass

from mlbench.evals.mlagentbench.problem import problems, published_problem


@dataclass(frozen=True)
class PublishedStatus:
    """A row of the table of problems as published.

    Attributes:
        metric: its name, with an arrow to where it is better.
        packages: the lock of its environment.
        login: the site that wants an account; a dash if none does.
        differs: what differs from the published problem; empty if nothing does.
        why_not: why it is not offered; empty if it is.
    """

    name: str
    source: str
    metric: str
    split: str
    packages: str
    login: str
    differs: str
    why_not: str

    @property
    def runs(self) -> bool:
        return not self.why_not


def published_status() -> list[PublishedStatus]:
    """Return the state of each bundled problem as published, by name."""
    found = []
    for problem in map(published_problem, problems()):
        full = problem.full
        assert full is not None, "a published problem names its source"
        logins = {file.login for file in full.files.values() if file.login}
        found.append(
            PublishedStatus(
                name=problem.name,
                source=full.source,
                metric=f"{problem.metric.name} {'↑' if problem.metric.better == 'higher' else '↓'}",
                split=full.note,
                packages="-" if full.unavailable else problem.environment or "scikit-learn",
                login=", ".join(sorted(logins)) or "-",
                differs=problem.deviations,
                why_not=full.unavailable,
            )
        )
    return found
