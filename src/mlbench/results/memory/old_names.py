"""Whether an answer to a twin uses an old name although the text that it was shown has only the new one."""

from __future__ import annotations

from dataclasses import dataclass

from mlbench.judging.used_names import used_names
from mlbench.records import Kind, Policy
from mlbench.results.models import AttemptRecord
from mlbench.results.statistics import Rate, share
from mlbench.suites.twin_file import names_in

NO_DOCUMENTS = ("closed", "agent ", "ml_agent")
"""How the settings begin whose prompts show no document: `closed`, and agents, which read the repository themselves."""


@dataclass(frozen=True)
class MemoryRate:
    """How many answers to twins use an old name.

    Attributes:
        answers: scored answers whose row has a changed name that is shown only in its new form.
        wrong: how many of them fail.
        recalled, recalled_wrong: how many use an old name, of all and of the wrong ones.
        undecided: scored answers of rows without such a name.
    """

    answers: int
    wrong: int
    recalled: int
    recalled_wrong: int
    undecided: int

    @property
    def of_wrong(self) -> Rate:
        """Share of the wrong answers."""
        return share(self.recalled_wrong, self.wrong)

    @property
    def of_all(self) -> Rate:
        """Share of all answers."""
        return share(self.recalled, self.answers)


def hidden_names(attempt: AttemptRecord, setting: str) -> frozenset[str]:
    """The old names that only memory can give: the shown text has the new name and not the old one.

    If the prompt shows no document, an old name counts if the prompt does not have it: nothing was shown (`closed`), or
    an agent read the repository's copy, which has the new names.
    """
    shown = f"{attempt.system}\n{attempt.prompt}"
    stale = names_in(shown, attempt.renamed)
    new = {name: name for name in attempt.renamed.values()}
    fresh = new if setting.startswith(NO_DOCUMENTS) else names_in(shown, new)
    return frozenset(old for old, name in attempt.renamed.items() if old not in stale and name in fresh)


def recalled_names(attempt: AttemptRecord, setting: str) -> frozenset[str]:
    """The old names in the answer's code that only memory can have given."""
    hidden = hidden_names(attempt, setting)
    kind: Kind = "python" if attempt.kind == "python" else "shell"
    return hidden & used_names(attempt.candidate, kind) if hidden else hidden


def memory_rate(attempts: list[AttemptRecord], setting: str, policy: Policy) -> MemoryRate:
    """Count the scored answers to twins that use an old name.

    Args:
        attempts: answers to twins.
        setting: the setting of their prompts.
        policy: decides which answers are wrong.
    """
    scored = [(attempt, verdict.passed) for attempt in attempts if (verdict := attempt.verdict(policy)) is not None]
    decided = [(attempt, passed) for attempt, passed in scored if hidden_names(attempt, setting)]
    recalled = [passed for attempt, passed in decided if recalled_names(attempt, setting)]
    return MemoryRate(
        answers=len(decided),
        wrong=sum(not passed for _, passed in decided),
        recalled=len(recalled),
        recalled_wrong=sum(not passed for passed in recalled),
        undecided=len(scored) - len(decided),
    )
