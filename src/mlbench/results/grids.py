"""Records as the papers' grids: models by setting (table 3), per repository (tables 36, 7, 8), agents (table 4).

A grid is a view. It picks records and words them; it computes no rate. Published figures stand after ours, in their
papers' order, and are never ranked with ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from mlbench.records import PYTHON_TYPE, SHELL_TYPE
from mlbench.results.format import printable
from mlbench.results.grid_records import Grid, GridCell, GridRow
from mlbench.results.result_records import Estimator, GroupKind, Metric, ResultRecord, ResultSource

SETTINGS = ("oracle", "oracle-published", "readme", "retrieval", "code")
PHP = {Metric.PHP_PARAMETER: "per parameter", Metric.PHP_ANSWER: "per answer"}
AGENTS = {Metric.SUCCESS: "success", Metric.SOLVED: "solved", Metric.DOLLARS_PER_SOLVED: "$ per solved"}


def grids(
    records: Sequence[ResultRecord],
    published: Sequence[ResultRecord],
    by: GroupKind,
    estimator: Estimator = Estimator.FIRST_K,
) -> list[Grid]:
    """Return the grids of some runs: models and agents apart, since they do not stand in one table.

    Args:
        records: of runs that may stand in one grid.
        published: published records to show beside; empty for none.
        by: all rows, or the groups of one kind.
        estimator: of pass@k; the papers' is first-k.
    """
    ours, theirs = _named(records), _named(published)
    found: list[Grid] = []
    for agents in (False, True):
        own = [each for each in ours if bool(each.record.agent) is agents]
        beside = [each for each in theirs if bool(each.record.agent) is agents]
        if not own and records:
            continue
        if by is not GroupKind.ALL:
            found += _by_group(own, [] if agents else beside, by, estimator)
        elif agents:
            found += _agents([*own, *beside])
        else:
            found += _models([*own, *beside], estimator, {each.record.setting for each in own})
    return [grid for grid in found if grid.rows]


@dataclass(frozen=True)
class _Named:
    """A record with the name of its line: the agent and the model, and a number if two runs share all else."""

    name: str
    below: str
    record: ResultRecord


def _named(records: Iterable[ResultRecord]) -> list[_Named]:
    logs: dict[tuple[str, str], dict[str, int]] = {}
    found = []
    for record in records:
        name = printable(" · ".join(filter(None, (record.agent, record.model))))
        published = record.source is ResultSource.PUBLISHED
        known = logs.setdefault((name, record.setting), {})
        number = 1 if published else known.setdefault(record.log, len(known) + 1)
        named = f"{name} ({number})" if number > 1 else name
        found.append(_Named(named, _published_in(record) if published else "", record))
    return found


def _published_in(record: ResultRecord) -> str:
    """The paper's table, and its split; table 3 has one line for rows of several splits."""
    return record.log if record.log == "ML-Bench table 3" else f"{record.log}, {record.split}"


def _setting_order(setting: str) -> tuple[int, str]:
    return (SETTINGS.index(setting) if setting in SETTINGS else len(SETTINGS), setting)


def _models(named: Sequence[_Named], estimator: Estimator, settings: set[str]) -> list[Grid]:
    """Table 3: one line per model, one column per setting and k; the published lines with one of our settings."""
    parts = {(GroupKind.ALL, "all"): 0, (GroupKind.TYPE, SHELL_TYPE): 1, (GroupKind.TYPE, PYTHON_TYPE): 2}
    cells: dict[tuple[str, str], dict[tuple[str, int], list[ResultRecord | None]]] = {}
    for each in named:
        record = each.record
        part = parts.get((record.group_kind, record.group))
        unlike = record.metric is not Metric.PASS_AT_K or record.estimator is not _own(record, estimator)
        in_table_3 = record.source is ResultSource.MEASURED or record.log.endswith("table 3")
        if part is None or unlike or not in_table_3 or (settings and record.setting not in settings):
            continue
        line = cells.setdefault((each.name, each.below), {})
        line.setdefault((record.setting, record.k), [None, None, None])[part] = record
    columns = sorted({key for line in cells.values() for key in line}, key=lambda key: (_setting_order(key[0]), key[1]))
    rows = tuple(
        GridRow(name, below, tuple(_cell(line.get(column)) for column in columns))
        for (name, below), line in cells.items()
    )
    titles = tuple(f"{printable(setting)} Pass@{k}" for setting, k in columns)
    return [Grid(f"Models by setting: all (scripts | code), {estimator.value}", "model", titles, rows)]


def _own(record: ResultRecord, estimator: Estimator) -> Estimator:
    """The estimator of a record's kind: the papers have only one."""
    return Estimator.FIRST_K if record.source is ResultSource.PUBLISHED else estimator


def _cell(records: Sequence[ResultRecord | None] | None) -> GridCell | None:
    return GridCell(tuple(records)) if records and any(records) else None


def _agents(named: Sequence[_Named]) -> list[Grid]:
    """Table 4: success, solved instances, dollars per solved instance."""
    lines: dict[tuple[str, str], dict[Metric, ResultRecord]] = {}
    for each in named:
        if each.record.metric in AGENTS and each.record.group_kind is GroupKind.ALL:
            lines.setdefault((each.name, each.below), {})[each.record.metric] = each.record
    rows = tuple(
        GridRow(name, below, tuple(_cell([line.get(metric)]) for metric in AGENTS))
        for (name, below), line in lines.items()
    )
    return [Grid("Agents: success and dollars", "agent", tuple(AGENTS.values()), rows)]


def _by_group(named: Sequence[_Named], beside: Sequence[_Named], by: GroupKind, estimator: Estimator) -> list[Grid]:
    """Tables 36, 7 and 8: one line per group, one column per run; then Parameter Hit Precision in the same form."""
    own_settings = {each.record.setting for each in named}
    theirs = [each for each in beside if not named or each.record.setting in own_settings]

    def rate(each: _Named) -> str | None:
        record = each.record
        if record.metric is not Metric.PASS_AT_K or record.estimator is not _own(record, estimator):
            return None
        return f"{each.name} {each.below} {record.setting} Pass@{record.k}".replace("  ", " ")

    def hits(each: _Named) -> str | None:
        what = PHP.get(each.record.metric)
        return what and f"{each.name} {each.below} {each.record.setting} {what}".replace("  ", " ")

    largest = _largest_k([*named, *theirs])
    shown = [each for each in named if each.record.k == largest[_run(each)] or each.record.metric in PHP]
    found = []
    for title, column in (
        (f"Pass@k per {by.value}, {estimator.value}", rate),
        (f"Parameter Hit Precision per {by.value}", hits),
    ):
        for published in (False, True):
            source = theirs if published else shown
            found.append(_grouped(title + (", published" if published else ""), source, by, column))
    return _beside(found)


def _run(each: _Named) -> tuple[str, str]:
    return each.name, each.record.setting


def _largest_k(named: Sequence[_Named]) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for each in named:
        found[_run(each)] = max(found[_run(each)], each.record.k)
    return found


def _grouped(title: str, named: Sequence[_Named], by: GroupKind, column: Callable[[_Named], str | None]) -> Grid:
    cells: dict[str, dict[str, ResultRecord]] = {}
    titles: dict[str, None] = {}
    grouped = {column(each) for each in named if each.record.group_kind is by}
    for each in named:
        what = column(each)
        total_alone = each.record.metric in PHP  # the papers print it for all rows only
        if what is None or each.record.group_kind not in (by, GroupKind.ALL) or not (what in grouped or total_alone):
            continue
        titles.setdefault(printable(what))
        cells.setdefault(printable(each.record.group), {})[printable(what)] = each.record
    ordered = sorted(cells, key=lambda group: (group == "all", group.lower()))
    rows = tuple(GridRow(group, "", tuple(_cell([cells[group].get(what)]) for what in titles)) for group in ordered)
    return Grid(title, by.value, tuple(titles), rows)


def _beside(found: Sequence[Grid]) -> list[Grid]:
    """Join each grid with the published one after it if they share a group; else they stay two grids."""
    joined = []
    for ours, theirs in zip(found[::2], found[1::2], strict=True):
        known = {row.name: row.cells for row in theirs.rows}
        shared = [row.name for row in ours.rows if row.name in known and row.name != "all"]
        if not shared:
            joined += [ours, theirs]
            continue
        none = (None,) * len(theirs.columns)
        rows = [replace(row, cells=(*row.cells, *known.get(row.name, none))) for row in ours.rows]
        joined.append(replace(ours, columns=(*ours.columns, *theirs.columns), rows=tuple(rows)))
    return joined
