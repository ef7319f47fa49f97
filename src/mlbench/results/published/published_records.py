"""The published rates as records, each with its n and its doubt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from mlbench.records import PYTHON_TYPE, SHELL_TYPE, Policy
from mlbench.results.published import doubts
from mlbench.results.published.csv_tables import CATALOGUE, SUITES, lines_of, number, sizes
from mlbench.results.result_records import Estimator, GroupKind, Metric, ResultRecord, ResultSource
from mlbench.suites.answered_by import TunedRepositories, tuned_label

SUITE = SUITES[0]
PAPERS = {"001": "ML-Bench", "003": "ML-Bench v1"}
_OF_AGENTS = (Metric.SUCCESS, Metric.SOLVED, Metric.DOLLARS_PER_SOLVED)
TUNED = {"ood": TunedRepositories.OTHER, "id": TunedRepositories.SAME}
"""Groups of table 3 whose models are tuned, and on which repositories."""

_BLANK = ResultRecord(
    source=ResultSource.PUBLISHED,
    log="",
    model="",
    agent="",
    suite=SUITE,
    suite_version="",
    task_version="",
    split="",
    setting="",
    policy=Policy.PAPER,
    metric=Metric.PASS_AT_K,
    k=1,
    estimator=Estimator.FIRST_K,
    group_kind=GroupKind.ALL,
    group="all",
    n=None,
    total=None,
    value=None,
)


@cache
def published_records() -> tuple[ResultRecord, ...]:
    """Return all published rates of ML-Bench and of its first version; cells that are not printed are left out."""
    return (*_table_3(), *_table_4(), *_table_36(), *_v1_table_3(), *_v1_table_4(), *_v1_tables_7_and_8())


@dataclass(frozen=True)
class PublishedAgent:
    """A line of table 4: success in per cent, solved instances of n rows, dollars per solved instance."""

    agent: str
    model: str
    success: float
    solved: int
    n: int
    cost: float | None
    doubt: str


@cache
def published_agents() -> tuple[PublishedAgent, ...]:
    """Return the published results of agents, one line for each agent and model."""
    by_metric = {(r.agent, r.model, r.metric): r for r in published_records() if r.metric in _OF_AGENTS}
    return tuple(
        PublishedAgent(
            agent,
            model,
            success=round(100 * (record.value or 0), 2),
            solved=int(by_metric[agent, model, Metric.SOLVED].value or 0),
            n=record.n or 0,
            cost=price.value if (price := by_metric.get((agent, model, Metric.DOLLARS_PER_SOLVED))) else None,
            doubt=record.doubt,
        )
        for (agent, model, metric), record in by_metric.items()
        if metric is Metric.SUCCESS
    )


def _source(line: Mapping[str, str]) -> str:
    paper, table = line["source"].split()
    return f"{PAPERS[paper]} table {table.removeprefix('t')}"


def _made(blank: ResultRecord, per_cent: float, n: int | None, doubt: str) -> ResultRecord:
    return replace(blank, value=per_cent / 100, n=n, total=n, doubt=doubt)


def _table_3() -> Iterator[ResultRecord]:
    splits = {68: "quarter", 73: "quarter", 260: "full"}
    for line in lines_of("001_t03_llm_bench"):
        value = number(line["all"])
        if value is None:
            continue
        n, doubt = doubts.of_table_3(f"{line['model']} {line['group']}", line["setting"], line["pass_at"], value)
        blank = replace(
            _BLANK,
            log=_source(line),
            model=tuned_label(line["model"], TUNED.get(line["group"])),
            setting=line["setting"],
            k=int(line["pass_at"]),
            split=splits.get(n or 0, ""),
        )
        yield _made(blank, value, n, doubt)
        for kind, group in (("scripts", SHELL_TYPE), ("code", PYTHON_TYPE)):
            if (part := number(line[kind])) is not None:
                yield _made(replace(blank, group_kind=GroupKind.TYPE, group=group), part, *doubts.of_part(part, kind))


def _table_4() -> Iterator[ResultRecord]:
    n = sizes()["total", "quarter", "all"]
    for line in lines_of("001_t04_agent_bench"):
        success, solved, dollars = float(line["success_rate"]), int(line["solved"]), line["avg_cost_usd_per_solved"]
        blank = replace(
            _BLANK,
            log=_source(line),
            agent=line["agent"],
            model=line["model"],
            split="quarter",
            setting="agent",
            estimator=Estimator.SUM,
            doubt=doubts.of_solved(success, solved, n),
            n=n,
            total=n,
        )
        yield replace(blank, metric=Metric.SUCCESS, estimator=Estimator.MEAN, value=success / 100)
        yield replace(blank, metric=Metric.SOLVED, value=solved)
        if dollars:
            yield replace(blank, metric=Metric.DOLLARS_PER_SOLVED, value=float(dollars), n=solved, total=n)


def _table_36() -> Iterator[ResultRecord]:
    for line in lines_of("001_t36_per_repository"):
        value, of = float(line["pass_rate"]), line["repository"]
        n, doubt = doubts.of_table_36(of, line["model"], line["split"], line["setting"], value)
        yield _made(_per_repository(line), value, n, doubt)


def _per_repository(line: Mapping[str, str]) -> ResultRecord:
    of = line["repository"]
    total = of == "Total"
    return replace(
        _BLANK,
        log=_source(line),
        model=line["model"],
        split=line["split"],
        setting=line["setting"],
        k=int(line["pass_at"]),
        group_kind=GroupKind.ALL if total else GroupKind.REPOSITORY,
        group="all" if total else CATALOGUE[of],
    )


def _v1_table_3() -> Iterator[ResultRecord]:
    for line in lines_of("003_t3_pass_at_k"):
        if (value := number(line["pass_rate"])) is not None:
            yield _made(_of_v1(line, int(line["pass_at"])), value, *doubts.of_first_version(line, value))


def _of_v1(line: Mapping[str, str], k: int) -> ResultRecord:
    return replace(_BLANK, log=_source(line), model=line["model"], split=line["split"], setting=line["setting"], k=k)


def _v1_table_4() -> Iterator[ResultRecord]:
    metrics = {"php_parameter": Metric.PHP_PARAMETER, "php_generation": Metric.PHP_ANSWER}
    for line in lines_of("003_t4_parameter_hit_precision"):
        for column, metric in metrics.items():
            if (value := number(line[column])) is not None:
                blank = replace(_of_v1(line, 1), policy=None, metric=metric, estimator=Estimator.MEAN)
                yield _made(blank, value, None, "")


def _v1_tables_7_and_8() -> Iterator[ResultRecord]:
    for name in ("003_t7_per_repository", "003_t8_ml_agent"):
        for line in lines_of(name):
            value = float(line["pass_rate"])
            total = line["repository"] == "Total"
            n, doubt = doubts.of_first_version(line, value) if total else (None, "")
            yield _made(_per_repository(line), value, n, doubt)
