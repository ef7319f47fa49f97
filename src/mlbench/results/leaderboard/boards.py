"""Group submissions into boards: the entries of one suite version, split and policy, which can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from mlbench.records import Policy, UsageError
from mlbench.results.group_records import PUBLISHED_KS
from mlbench.results.leaderboard.check_record import CheckOutcome, CheckRecord
from mlbench.results.leaderboard.claims import claimed_figures
from mlbench.results.leaderboard.figures import JudgedFigures, records
from mlbench.results.leaderboard.metadata import SubmissionMetadata
from mlbench.results.leaderboard.submission import BoardSubmission, ClaimedResults
from mlbench.results.result_records import Estimator, GroupKind, Metric, ResultRecord


@dataclass(frozen=True)
class BoardEntry:
    """One submission under one policy.

    Attributes:
        name: the folder's name.
        figures: re-judged if the policy was judged again, else what the claimed verdicts give.
        outcome: whether these figures are re-judged.
        page: address of the page with every attempt; empty if there is none.
    """

    name: str
    metadata: SubmissionMetadata
    policy: Policy
    figures: JudgedFigures
    claimed: ClaimedResults | None
    outcome: CheckOutcome
    page: str

    @cached_property
    def records(self) -> list[ResultRecord]:
        """The entry's figures as records."""
        return records(self.figures.figures, self.metadata)

    def pass_at(self, k: int, kind: GroupKind = GroupKind.ALL, group: str = "all") -> ResultRecord | None:
        """Return the unbiased pass@k of a group, or None."""
        return next(
            (
                record
                for record in self.records
                if record.metric is Metric.PASS_AT_K
                and (record.policy, record.k, record.estimator) == (self.policy, k, Estimator.UNBIASED)
                and (record.group_kind, record.group) == (kind, group)
            ),
            None,
        )

    def repository(self, name: str) -> ResultRecord | None:
        """Return pass@1 of a repository's rows."""
        return self.pass_at(1, GroupKind.REPOSITORY, name)

    @property
    def rank(self) -> int:
        """0 if re-judged, 1 if claimed, 2 if for a part of the split; the order on the board."""
        if self.metadata.rows is not None:
            return 2
        return int(self.outcome is CheckOutcome.NOT_JUDGED)

    @property
    def claim(self) -> float | None:
        """The claimed pass@1 of all rows, under this policy."""
        if self.claimed is None:
            return None
        own = BoardEntry(self.name, self.metadata, self.policy, self.claimed.judged, None, self.outcome, "")
        record = own.pass_at(1)
        return record.value if record else None

    @property
    def errors(self) -> dict[str, int]:
        """Failed attempts by error class."""
        return self.figures.errors.get(self.policy, {})

    @property
    def failed(self) -> int:
        """Failed attempts."""
        return self.figures.failed.get(self.policy, 0)

    @property
    def tokens(self) -> int | None:
        """Tokens of the whole run, as claimed; None if unknown."""
        claimed = self.claimed
        if claimed is None or claimed.tokens_in is None or claimed.tokens_out is None:
            return None
        return claimed.tokens_in + claimed.tokens_out

    @property
    def dollars(self) -> float | None:
        """Dollars of the whole run, as claimed; None if unknown."""
        return self.claimed.dollars if self.claimed else None


@dataclass(frozen=True)
class Board:
    """Entries that can be compared, the best first; claims follow, and entries for a part of the split come last."""

    suite: str
    suite_version: str
    split: str
    policy: Policy
    entries: tuple[BoardEntry, ...]

    @property
    def title(self) -> str:
        return f"{self.suite} version {self.suite_version}, split {self.split}, policy {self.policy.value}"

    @property
    def key(self) -> tuple[str, str, str, Policy]:
        """What all entries have in common."""
        return self.suite, self.suite_version, self.split, self.policy

    @property
    def rejudged(self) -> int:
        """How many entries were judged again."""
        return sum(entry.outcome is not CheckOutcome.NOT_JUDGED for entry in self.entries)

    @property
    def ks(self) -> list[int]:
        """The k of the paper that any entry has; an entry's own k adds no column."""
        return [k for k in PUBLISHED_KS if any(entry.pass_at(k) for entry in self.entries)]

    @property
    def repositories(self) -> list[str]:
        """The repositories of any entry."""
        found = {
            record.group
            for entry in self.entries
            for record in entry.records
            if record.group_kind is GroupKind.REPOSITORY
        }
        return sorted(found, key=str.lower)

    @property
    def error_classes(self) -> list[str]:
        """The error classes of any entry."""
        return sorted({name for entry in self.entries for name in entry.errors})


def boards(found: Iterable[tuple[BoardSubmission, CheckRecord | None, str]]) -> list[Board]:
    """Group submissions into boards, the one with the most re-judged entries first.

    Args:
        found: each submission, its check record if it is valid, and the address of its page.
    """
    groups: dict[tuple[str, str, str, Policy], list[BoardEntry]] = {}
    for submission, check, page in found:
        for entry in entries_of(submission, check, page):
            groups.setdefault((*submission.metadata.board, entry.policy), []).append(entry)
    made = [Board(*key, tuple(_ordered(entries))) for key, entries in groups.items()]
    order = list(Policy)
    return sorted(made, key=lambda b: (-b.rejudged, -len(b.entries), *b.key[:3], order.index(b.policy)))


def entries_of(submission: BoardSubmission, check: CheckRecord | None, page: str = "") -> list[BoardEntry]:
    """Return the entry of a submission under each policy that judged it, here or as it claims.

    Claims that cannot be held against a suite here are left out.
    """
    judged = check.judged if check else None
    try:
        claims = claimed_figures(submission)
    except UsageError:
        claims = None
    made = []
    for policy in Policy:
        if check and judged and policy in check.policies:
            figures, outcome = judged, check.outcome
        elif claims and policy in claims.passed:
            figures, outcome = claims, CheckOutcome.NOT_JUDGED
        else:
            continue
        made.append(
            BoardEntry(submission.name, submission.metadata, policy, figures, submission.claimed, outcome, page)
        )
    return made


def _ordered(entries: Sequence[BoardEntry]) -> list[BoardEntry]:
    def key(entry: BoardEntry) -> tuple[int, float, str]:
        record = entry.pass_at(1)
        value = record.value if record and record.value is not None else -1.0
        return entry.rank, -value, entry.name

    return sorted(entries, key=key)
