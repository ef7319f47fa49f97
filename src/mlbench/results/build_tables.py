"""Tables of a suite's build in the terminal: what each step kept, and what the check says of the references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol

from rich.console import Console

from mlbench.results.format import NONE, count, percent, printable
from mlbench.results.rich_tables import plain_table


class DecidedShare(Protocol):
    """A decision of the suite builder: kept or not, and why."""

    @property
    def kept(self) -> bool: ...
    @property
    def reason(self) -> str: ...


def show_steps(decisions: Mapping[str, Sequence[DecidedShare]], console: Console) -> None:
    """Print what each step of the suite builder kept and set aside, and why."""
    table = plain_table()
    table.add_column("step")
    for column in ("looked at", "kept"):
        table.add_column(column, justify="right")
    table.add_column("set aside")
    for step, found in decisions.items():
        reasons = Counter(each.reason for each in found if not each.kept)
        frequent = ", ".join(f"{printable(reason)} {count(n)}" for reason, n in reasons.most_common(6))
        more = f", {len(reasons) - 6} other reasons" if len(reasons) > 6 else ""
        table.add_row(step, count(len(found)), count(sum(each.kept for each in found)), frequent + more)
    console.print(table)


def show_references(by_repository: Mapping[str, Mapping[str, int]], console: Console) -> None:
    """Print what the interface check says about a suite's references, one row per repository."""
    table = plain_table()
    table.add_column("repository")
    for column in ("rows", "accepted", "undecided", "unbound"):
        table.add_column(column, justify="right")
    table.add_column("else")
    total: Counter[str] = Counter()
    for name, counts in [*by_repository.items(), ("all", total)]:
        known = {"rows", "passed", "undecided", "unbound"}
        others = [f"{printable(reason)} {count(n)}" for reason, n in sorted(counts.items()) if reason not in known]
        table.add_row(
            printable(name),
            count(counts["rows"]),
            percent(counts["passed"] / counts["rows"]) if counts["rows"] else NONE,
            *(count(counts.get(key, 0)) for key in ("undecided", "unbound")),
            ", ".join(others),
        )
        if name != "all":
            total.update(counts)
    console.print(table)
