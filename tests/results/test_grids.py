"""`mlbench results`: the same figures in every form, beside the papers', and safe whatever a log says."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from mlbench.records import PYTHON_TYPE, SHELL_TYPE, Policy
from mlbench.results.aggregate import result_records
from mlbench.results.format import percent
from mlbench.results.grid_records import Grid, GridCell
from mlbench.results.grid_table import show_grids
from mlbench.results.grids import grids
from mlbench.results.markdown_tables import as_markdown
from mlbench.results.models import RunRecord
from mlbench.results.published.csv_tables import csv_tables
from mlbench.results.published.published_records import published_records
from mlbench.results.published.published_sheets import published_markdown, show_published
from mlbench.results.report import render_report
from mlbench.results.result_files import as_csv, as_json
from mlbench.results.result_records import (
    Estimator,
    GroupKind,
    Metric,
    ResultRecord,
    ResultSource,
)
from mlbench.results.usage import Usage
from tests.results.log_factory import HOSTILE, mixed, rows, run

EVIL = "=HYPERLINK(\"http://192.0.2.1\")|<img src=x onerror=alert(1)>`a`\n*b*/'c'"


def printed(found: list[Grid], width: int = 80) -> str:
    console = Console(width=width, file=StringIO(), record=True)
    show_grids(found, console)
    return console.export_text()


def of(*runs: RunRecord, policy: Policy = Policy.STRICT) -> list[ResultRecord]:
    return [record for each in runs for record in result_records(each, policy)]


def cells(found: list[Grid]) -> list[GridCell]:
    return [cell for grid in found for row in grid.rows for cell in row.cells if cell]


def test_models_stand_by_setting_with_scripts_and_code() -> None:
    made, other = mixed(), replace(mixed(), setting="code", location="b.eval")
    (grid,) = grids(of(made, other), (), GroupKind.ALL)
    assert [row.name for row in grid.rows] == ["provider/model"]
    assert grid.columns == tuple(f"{s} Pass@{k}" for s in ("oracle", "code") for k in (1, 2, 3))
    first = grid.rows[0].cells[0]
    assert first is not None
    assert first.figures() == "50.0 (33.3 | 100.0)"  # rows 1 and 3 pass at the first attempt; row 3 is code
    assert first.context().endswith("n=4")


def test_a_second_run_of_a_model_in_one_setting_has_its_own_line() -> None:
    (grid,) = grids(of(mixed(), replace(mixed(), location="b.eval")), (), GroupKind.ALL)
    assert [row.name for row in grid.rows] == ["provider/model", "provider/model (2)"]


@pytest.mark.parametrize("estimator", list(Estimator)[:2])
def test_the_estimator_can_be_chosen(estimator: Estimator) -> None:
    (grid,) = grids(of(mixed()), (), GroupKind.ALL, estimator)
    assert {record.estimator for cell in cells([grid]) for record in cell.records if record} == {estimator}


def test_repositories_stand_with_pass_at_k_and_hit_precision() -> None:
    rates, hits = grids(of(mixed()), (), GroupKind.REPOSITORY)
    assert [row.name for row in rates.rows] == ["lichen", "mirage", "all"]
    assert rates.columns == ("provider/model oracle Pass@3",)
    assert [row.cells[0].figures() for row in rates.rows if row.cells[0]] == ["100.0", "100.0", "100.0"]
    assert hits.columns == ("provider/model oracle per parameter", "provider/model oracle per answer")
    assert [row.cells[0].figures() for row in hits.rows if row.cells[0]] == ["50.0", "50.0", "50.0"]


def test_agents_stand_apart_with_success_and_dollars() -> None:
    agent = run(rows(["1", "0", "1", "x"]), each=1, agent="codeact", usage=Usage(400, 40, 3.0))
    models, agents = grids(of(mixed(), agent), published_records(), GroupKind.ALL)
    assert "Human" in [row.name for row in models.rows]
    own, *published = agents.rows
    assert [cell.figures() for cell in own.cells if cell] == ["66.7", "2/3", "$1.50"]
    assert (own.published, {row.published for row in published}) == (False, {True})
    assert published[0].name == "AutoGen · gpt-4-1106-preview"


def test_published_figures_stand_after_ours_and_are_never_sorted_among_them() -> None:
    weak = run(rows(["0"] * 4), each=1)
    (grid,) = grids(of(weak), published_records(), GroupKind.ALL)
    assert [row.published for row in grid.rows] == [False] + [True] * (len(grid.rows) - 1)
    assert all(cell.context().startswith("n=") for row in grid.rows[1:] for cell in row.cells if cell)
    shown = " ".join(printed([grid]).split())
    for number, doubt in enumerate(grid.doubts(), start=1):
        assert f"[{number}] {doubt}." in shown


def test_no_published_line_hides_another() -> None:
    """The first version has a model in two splits, which once took one line: 35.61 was lost behind 35.27."""
    settings = {"oracle", "readme", "retrieval", "code"}
    ours = [replace(each, setting=setting) for setting in settings for each in of(mixed())]
    by_all, by_repository = (grids(ours, published_records(), by) for by in (GroupKind.ALL, GroupKind.REPOSITORY))
    shown = {id(record) for cell in cells([*by_all, *by_repository]) for record in cell.records if record}
    agents = {Metric.SUCCESS, Metric.SOLVED, Metric.DOLLARS_PER_SOLVED}
    left_out = [
        each
        for each in published_records()
        if id(each) not in shown and each.metric not in agents and each.setting in settings
    ]
    assert left_out == []


def test_the_repositories_of_another_suite_do_not_stand_in_one_table_with_the_papers() -> None:
    found = grids(of(mixed()), published_records(), GroupKind.REPOSITORY)
    assert [grid.title.endswith("published") for grid in found] == [False, True, False, True]
    same = [replace(record, group="bert" if record.group == "lichen" else record.group) for record in of(mixed())]
    rates = grids(same, published_records(), GroupKind.REPOSITORY)[0]
    (bert,) = (row for row in rates.rows if row.name == "bert")
    assert "42.86" in [cell.figures() for cell in bert.cells if cell]


def test_terminal_json_csv_markdown_and_the_report_agree() -> None:
    """One run, five views: each shows the same pass@1, pass@3 and Parameter Hit Precision."""
    made = mixed()
    records = of(made)
    found = json.loads(as_json(records, [made], ()))["results"]
    table = list(csv.DictReader(StringIO(as_csv(records))))
    by_all, by_repository = (
        grids(records, (), GroupKind.ALL, Estimator.UNBIASED),
        grids(records, (), GroupKind.REPOSITORY),
    )
    terminal = printed([*by_all, *by_repository], width=200)
    markdown = as_markdown([*by_all, *by_repository])
    page = re.sub(r"<[^>]+>", " ", render_report([made]))
    for key in (
        {"metric": "pass@k", "k": 1, "estimator": "unbiased", "group": "all"},
        {"metric": "pass@k", "k": 3, "estimator": "unbiased", "group": "all"},
        {"metric": "pass@k", "k": 1, "estimator": "unbiased", "group": SHELL_TYPE},
        {"metric": "pass@k", "k": 1, "estimator": "unbiased", "group": PYTHON_TYPE},
        {"metric": "php-parameter", "group": "all"},
    ):
        (record,) = (each for each in found if all(each[name] == value for name, value in key.items()))
        (line,) = (each for each in table if all(each[name] == str(value) for name, value in key.items()))
        assert float(line["value"]) == record["value"]
        for view in (terminal, markdown, page):
            assert re.search(rf"(?<![\d.]){re.escape(percent(record['value']))}(?![\d.])", view), (key, view)


def test_every_cell_of_every_published_table_is_rendered() -> None:
    """Each row of each file stands in the terminal, cell after cell, and in Markdown; and no number is broken."""
    console = Console(width=80, file=StringIO(), record=True)
    show_published(console)
    terminal = console.export_text()
    assert max(map(len, terminal.splitlines())) <= 80
    tokens = terminal.split()
    markdown = published_markdown().replace("\\", "")
    for table in csv_tables().values():
        for row in table.rows:
            assert f"| {' | '.join(row)} |" in markdown
            for cell in row:
                for word in cell.split():
                    assert word in tokens or "://" in word, (table.name, row, word)  # an address may be too long


def test_every_published_rate_is_rendered_as_it_is_printed() -> None:
    wide = printed(grids((), published_records(), GroupKind.ALL), width=80)
    for name, columns in (("001_t03_llm_bench", ("all", "scripts", "code")), ("003_t3_pass_at_k", ("pass_rate",))):
        for line in csv_tables()[name].lines():
            for value in filter(None, (line[column] for column in columns)):
                assert re.search(rf"(?<![\d.]){re.escape(value)}(?![\d.])", wide), value
    wide = printed(grids((), published_records(), GroupKind.REPOSITORY), width=80)
    for name in ("001_t36_per_repository", "003_t7_per_repository", "003_t8_ml_agent"):
        for line in csv_tables()[name].lines():
            assert re.search(rf"(?<![\d.]){re.escape(line['pass_rate'])}(?![\d.])", wide), line


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_number_is_broken_at_any_width(width: int) -> None:
    found = grids(of(mixed()), published_records(), GroupKind.ALL)
    text = printed(found, width)
    assert max(map(len, text.splitlines())) <= width
    for cell in cells(found):
        assert cell.figures() in text
        assert cell.context() in text


@pytest.mark.parametrize("name", [EVIL, HOSTILE, "-1+1", "@cmd", "org/model:latest"])
def test_a_model_s_name_is_safe_in_every_form(name: str) -> None:
    made = replace(mixed(), model=name)
    records = of(made)
    found = grids(records, (), GroupKind.ALL)
    assert "\x1b" not in printed(found)
    lines = as_csv(records).splitlines()
    assert len(lines) == len(records) + 1
    assert all(line[2][0] not in "=+-@" for line in csv.reader(lines[1:]))
    assert json.loads(as_json(records, [made], ()))["results"][0]["model"] == name
    markdown = as_markdown(found, [made])
    table = [line for line in markdown.splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table}) == 1  # a pipe in a name opens no column
    assert not re.search(r"(?<!\\)<", markdown.split("```")[0])
    assert markdown.count("```") == 2


def test_published_records_are_marked_in_json() -> None:
    found = json.loads(as_json([*of(mixed()), *published_records()], (), ()))["results"]
    published = [each for each in found if each["source"] == ResultSource.PUBLISHED]
    assert len(published) == len(published_records())
    assert {"n", "doubt", "log"} <= published[0].keys()
