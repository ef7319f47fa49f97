"""`mlbench suites stats` and `mlbench analyse`: over a suite of a few rows and over logs of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from typer.testing import CliRunner

from mlbench.cli import app
from mlbench.prompts.tokens import counter
from mlbench.records import PYTHON_TYPE, SHELL_TYPE, Sample, UsageError
from mlbench.results.analyses.overview import overview
from mlbench.suites.rows_io import write_rows
from mlbench.suites.suite import load_suite
from tests.results.log_factory import sample as logged
from tests.results.log_factory import write_log

FIRST, LAST = "Run python first.py --lr 0.1 for training.", "Run python last.py --beta 7 for testing."
FILLER = "".join(f"Sentence number {n} says nothing that anybody would want to know.\n\n" for n in range(1500))


def row(number: int, oracle: str, type: str = SHELL_TYPE) -> Sample:
    instruction = f"Please do number {number} for me" + " and do it well" * (number % 3)
    return Sample(
        7, "toys/toy", number, number, "./", "{'lr': '0.1'}", instruction, oracle, type, "python first.py", ""
    )


def write_suite(folder: Path, name: str = "toys") -> str:
    """Rows in all splits; the README has the first segment at its beginning and the last behind 100 KB."""
    (folder / "repositories" / "toy").mkdir(parents=True)
    (folder / "repositories" / "toy" / "README.md").write_text(f"# Toy\n\n{FIRST}\n\n{FILLER}\n\n{LAST}\n")
    full = [row(1, FIRST), row(2, LAST), row(3, FIRST, PYTHON_TYPE), row(4, FIRST)]
    splits = {"full": full, "quarter": full[:1], "id_train": [row(5, LAST)], "ood_train": []}
    write_rows(splits, folder / "rows.jsonl")
    about = {
        "name": name,
        "version": 3,
        "seed": 1,
        "sizes": {split: len(rows) for split, rows in splits.items()},
        "code_share": 0.25,
        "rows": "rows.jsonl",
        "repositories": [{"name": "toy", "github_id": 7, "domain": "toys", "role": "id"}],
    }
    (folder / "suite.yaml").write_text(yaml.safe_dump(about))
    return str(folder)


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_suite(tmp_path_factory.mktemp("suites") / "toys")


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments), catch_exceptions=True)


def sheets(tmp_path: Path, *arguments: str) -> list[dict[str, Any]]:
    file = tmp_path / "out.json"
    done = run(*arguments, "--json", str(file))
    assert done.exit_code == 0, done.exception
    found: list[dict[str, Any]] = json.loads(file.read_text())["sheets"]
    assert all(sheet["title"] in done.stdout for sheet in found)
    return found


def test_statistics(suite: str, tmp_path: Path) -> None:
    scripts, code, domains, instructions, hard = sheets(tmp_path, "suites", "stats", suite)
    assert scripts["rows"] == [{"repository": name, "train": 1, "test": 3, "quarter": 1} for name in ("toy", "total")]
    assert code["rows"][1] == {"repository": "total", "train": 0, "test": 1, "quarter": 0}
    assert domains["rows"] == [{"domain": "toys", "rows": 5}]  # the quarter's row counts once
    assert [line["repository"] for line in hard["rows"]] == ["toy"]
    figures = {line["instructions"]: line["here"] for line in instructions["rows"]}
    assert (figures["rows"], figures["tasks"]) == (5, 3)
    assert figures["tokens, most"] == max(counter("estimate").count(row(n, "").instruction) for n in range(1, 6))


def test_the_published_figures_stand_beside_their_own_suite_alone(suite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = overview(load_suite(suite), counter("estimate"))
    assert not any("paper" in column for sheet in ours for column in sheet.columns)
    monkeypatch.setattr("mlbench.results.analyses.overview.SUITES", ("toys",))
    scripts, code, areas, instructions, _ = overview(load_suite(suite), counter("estimate"))
    assert scripts.columns == (
        "repository", "train", "train paper", "test", "test paper", "quarter", "quarter paper",
    )  # fmt: skip
    assert scripts.rows == (("toy", 1, None, 3, None, 1, None), ("total", 1, 8577, 3, 214, 1, 55))
    assert code.rows[-1] == ("total", 0, 736, 1, 46, 0, 13)
    assert areas.rows[0] == ("GNN", 0, 608) and areas.rows[-1] == ("toys", 5, None)
    assert instructions.rows[1] == ("tasks", 3, 169, None)
    assert instructions.rows[5][0].startswith("edit distance within") and instructions.rows[5][2:] == (258.7, 238.4)


def test_a_segment_behind_the_cut_is_lost(suite: str, tmp_path: Path) -> None:
    found = sheets(tmp_path, "analyse", "truncation", suite, "--context", "8192", "--context", "64000")
    readme, retrieval, code = found
    for sheet in (readme, code):
        assert sheet["rows"] == [{"repository": n, "rows": 5, "8,192": 40.0, "64,000": 0.0} for n in ("toy", "all")]
    assert "retrieval, paper" in retrieval["title"]
    assert retrieval["rows"][0]["8,192"] == retrieval["rows"][0]["64,000"]


def test_only_the_splits_and_settings_that_were_asked_for(suite: str, tmp_path: Path) -> None:
    asked = ("--split", "id_train", "--setting", "code", "--context", "8192")
    (only,) = sheets(tmp_path, "analyse", "truncation", suite, *asked)
    assert only["rows"][0] == {"repository": "toy", "rows": 1, "8,192": 100.0}
    (oracle,) = sheets(tmp_path, "analyse", "truncation", suite, "--setting", "oracle", "--limit", "1")
    assert oracle["rows"][-1]["rows"] == 2 and oracle["rows"][-1]["8,192"] == 0.0


def test_tokens_of_rows(suite: str, tmp_path: Path) -> None:
    oracle, _, readme, retrieval, code, closed, references = sheets(tmp_path, "analyse", "tokens", suite)
    count = counter("estimate").count
    train, test = oracle["rows"]
    assert (train["part"], train["rows"], test["part"], test["rows"]) == ("train", 1, "test", 4)
    assert train["instruction"] == count(row(5, "").instruction) and train["documents"] == count(LAST)
    assert test["documents"] == pytest.approx((3 * count(FIRST) + count(LAST)) / 4)
    assert train["instruction"] + train["documents"] < train["prompt"] < 1000
    assert "uncut" not in readme["rows"][0] and code["rows"][0]["uncut"] > 15_000
    assert readme["rows"][0]["documents"] == code["rows"][0]["documents"] > 50 * retrieval["rows"][0]["documents"]
    assert closed["rows"][0]["documents"] == 0
    assert [(line["part"], line["kind"], line["rows"]) for line in references["rows"]] == [
        ("train", "scripts", 1), ("test", "scripts", 3), ("test", "code", 1),
    ]  # fmt: skip
    assert references["rows"][0]["tokens"] == count("python first.py")


def test_bleu_of_rows(suite: str, tmp_path: Path) -> None:
    by_split, by_repository = sheets(tmp_path, "analyse", "bleu", suite)
    assert [line["split"] for line in by_split["rows"]] == ["full", "id_train", "all"]
    figures = by_split["rows"][-1]
    assert figures["rows"] == 5 and 0.0 < figures["mean"] <= 1.0 and 0.0 < figures["pooled"] <= 1.0
    assert {line["repository"] for line in by_repository["rows"]} == {"toy"}


def test_other_ways_to_retrieve_and_to_count(suite: str, tmp_path: Path) -> None:
    asked = ("--split", "full", "--retrieval", "documents", "--setting", "retrieval", "--context", "9000")
    found, _ = sheets(tmp_path, "analyse", "tokens", suite, *asked)
    assert "retrieval, documents" in found["title"] and "a context of 9,000" in found["note"]


def log_of(file: Path, version: int = 3, **changes: Any) -> Path:
    samples = []
    for number, shown in ((1, f"before {FIRST} behind"), (2, "no segment here")):
        about = {
            "input": [ChatMessageSystem(content="system"), ChatMessageUser(content=shown)],
            "target": "python first.py",
            "metadata": {
                "row": number, "github_id": 7, "repository": "toy", "domain": "toys", "type": SHELL_TYPE, "path": ".",
                "arguments": {"lr": "0.1"}, "attempt": None,
            },
        }  # fmt: skip
        samples += [logged(number, epoch, True, answer="``` python first.py ```", changes=about) for epoch in (1, 2)]
    samples.append(logged(4, 1, None, changes={"metadata": {**samples[0].metadata, "row": 4}}))
    about = {"suite": "toys", "suite_version": version, "split": "full", "setting": "readme", **changes}
    return write_log(file, samples, epochs=2, metadata=about)


def test_tokens_of_logs(suite: str, tmp_path: Path) -> None:
    log = log_of(tmp_path / "run.eval")
    (found,) = sheets(tmp_path, "analyse", "tokens", suite, "--logs", str(log))
    count = counter("estimate").count
    first, whole = found["rows"]
    assert (first["repository"], first["kind"], first["attempts"]) == ("toy", "scripts", 4)  # not what failed
    prompts = [count(f"before {FIRST} behind"), count("no segment here")]
    assert first["prompt"] == pytest.approx(sum(prompts) / 2 + count("system"))
    assert first["reply"] == count("``` python first.py ```") and first["code"] == count("python train.py")
    assert whole["reference"] == count("python first.py") and "setting readme" in found["title"]


def test_lost_segments_of_logs(suite: str, tmp_path: Path) -> None:
    logs = [log_of(tmp_path / "one.eval")]
    (found,) = sheets(tmp_path, "analyse", "truncation", suite, "--logs", str(logs[0]))
    (name,) = set(found["rows"][0]) - {"repository"}
    assert name == "provider/model, readme"
    assert found["rows"][0][name] == pytest.approx(200 / 3)  # rows 2 and 4, each once


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nosuch", "SUITE"), "no such command 'nosuch'"),
        (("tokens", "nosuch"), "no suite 'nosuch'"),
        (("tokens", "SUITE", "--limit", "0"), "--limit 0: at least 1"),
        (("tokens", "SUITE", "--split", "nosuch"), "no split 'nosuch'"),
        (("tokens", "SUITE", "--split", "ood_train"), "suite toys has no rows in ood_train"),
        (("tokens", "SUITE", "--setting", "nosuch"), "no setting 'nosuch'"),
        (("tokens", "SUITE", "--context", "10"), "a context of 10 tokens"),
        (("truncation", "SUITE", "--context", "-1"), "a context of -1 tokens"),
        (("bleu", "SUITE", "--setting", "code"), "no such option: --setting"),
        (("bleu", "SUITE", "--retrieval", "nosuch"), "no retrieval 'nosuch'"),
        (("bleu", "SUITE", "--tokenizer", "nosuch"), "no tokenizer 'nosuch'"),
        (("bleu", "SUITE", "--logs", "LOG"), "no such option: --logs"),
        (
            ("tokens", "SUITE", "--logs", "LOG", "--split", "full"),
            "with --logs, rows, setting and context",
        ),
        (("tokens", "SUITE", "--logs", "nosuch.eval"), "nosuch.eval: no such log or folder"),
        (
            ("tokens", "pocket", "--logs", "LOG"),
            "a log of toys, task version 1, suite version 3; this analysis needs logs of pocket",
        ),
    ],
)
def test_wrong_use_is_said(suite: str, tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    log = log_of(tmp_path / "run.eval")
    error = run("analyse", *({"SUITE": suite, "LOG": str(log)}.get(a, a) for a in arguments)).exception
    assert isinstance(error, UsageError) and said in str(error), error


def test_logs_of_another_version_are_of_other_rows(suite: str, tmp_path: Path) -> None:
    error = run("analyse", "truncation", suite, "--logs", str(log_of(tmp_path / "run.eval", version=2))).exception
    assert isinstance(error, UsageError) and "this analysis needs logs of toys, suite version 3" in str(error)


def test_a_suite_without_rows(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "empty", "empty")
    file = tmp_path / "empty" / "suite.yaml"
    about = yaml.safe_load(file.read_text())
    file.write_text(yaml.safe_dump({**about, "sizes": dict.fromkeys(about["sizes"], 0)}))
    (tmp_path / "empty" / "rows.jsonl").write_text("")
    error = run("suites", "stats", suite).exception
    assert isinstance(error, UsageError) and "suite empty has no rows" in str(error)
