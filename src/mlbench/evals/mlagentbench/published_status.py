"""State of each problem as published: where its data come from, what it needs, and whether it runs here."""

from __future__ import annotations

from dataclasses import dataclass

from mlbench.evals.mlagentbench.problem import problems, published_problem


@dataclass(frozen=True)
class PublishedStatus:
    """A row of the table of problems as published.

    Attributes:
        source: a web page for people.
        metric: its name, with an arrow to where it is better.
        split: what the test part is.
        packages: the lock of its environment.
        login: the site that wants an account, and `by hand` if the user has to put a file there; a dash if neither.
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
        logins = sorted({file.login for file in full.files.values() if file.login})
        by_hand = ["by hand"] if any(not file.url for file in full.files.values()) else []
        found.append(
            PublishedStatus(
                name=problem.name,
                source=full.source,
                metric=f"{problem.metric.name} {'↑' if problem.metric.better == 'higher' else '↓'}",
                split=full.split,
                packages="-" if full.unavailable else problem.environment or "scikit-learn",
                login=", ".join([*logins, *by_hand]) or "-",
                differs=problem.deviations,
                why_not=full.unavailable,
            )
        )
    return found
