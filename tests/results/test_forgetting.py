"""`mlbench analyse forgetting`: logs of tasks that are not of mlbench, made by Inspect's own writer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, EvalStats, write_eval_log
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Score
from typer.testing import CliRunner

from mlbench.cli import app
from mlbench.records import UsageError
from mlbench.results.paired_tests import mcnemar, newcombe
from tests.results import log_factory

RAW, TUNED = "hf/raw", "hf/tuned"


def task_log(
    file: Path,
    model: str,
    values: Sequence[Any],
    *,
    version: int = 1,
    task: str = "inspect_evals/boolq",
    scorer: str = "pattern",
    ask: str = "Is {} even?",
    status: Any = "success",
    epochs: int = 1,
    **sampling: Any,
) -> Path:
    """A log with a value for each sample and epoch; None is a sample that failed."""
    samples = [
        EvalSample(
            id=f"s{number // epochs}",
            epoch=number % epochs + 1,
            input=ask.format(number // epochs),
            target="yes",
            scores=None if value is None else {scorer: Score(value=value)},
        )
        for number, value in enumerate(values)
    ]
    spec = EvalSpec(
        created=f"2026-01-01T00:00:{len(list(file.parent.iterdir())):02d}+00:00",
        task=task,
        task_version=version,
        dataset=EvalDataset(name="boolq"),
        model=model,
        model_generate_config=GenerateConfig(**sampling),
        config=EvalConfig(epochs=epochs),
    )
    write_eval_log(EvalLog(eval=spec, status=status, samples=samples, stats=EvalStats()), str(file))
    return file


def analyse(*words: str | Path) -> tuple[list[dict[str, Any]], str, BaseException | None]:
    """Rows of all sheets, standard error, and the exception."""
    file = Path(str(words[0])).parent / "figures.json"
    done = CliRunner().invoke(app, ["analyse", "forgetting", *map(str, words), "--json", str(file)])
    rows = [row for sheet in json.loads(file.read_text())["sheets"] for row in sheet["rows"]] if file.exists() else []
    return rows, done.stderr, done.exception


def refused(*words: str | Path) -> str:
    error = analyse(*words)[2]
    assert isinstance(error, UsageError) and "\n" not in str(error), error
    return str(error)


def test_samples_are_paired_by_id_whatever_their_order(tmp_path: Path) -> None:
    raw = task_log(tmp_path / "a.eval", RAW, ["C"] * 9 + ["I"])
    tuned = task_log(tmp_path / "b.eval", TUNED, ["C", *"IIIIIII", "C", "I"])
    found, said, error = analyse(raw, tuned)
    assert error is None and not said
    (row,) = found
    assert (row["A"], row["B"], row["samples"], row["worse"], row["better"]) == (RAW, TUNED, 10, 7, 0)
    assert (row["A %"], row["B %"], row["points"]) == pytest.approx((90, 20, -70))
    assert (row["low"], row["high"]) == pytest.approx([100 * each for each in newcombe(2, 7, 0, 1)])
    assert row["p"] == f"{mcnemar(7, 0):.3f}"
    assert analyse(tuned, raw)[0][0]["points"] == pytest.approx(70)  # A is the one that is named first


def test_of_a_folder_every_two_logs_of_a_task_are_compared_the_older_first(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    for name, model in (("c", RAW), ("a", "hf/ood"), ("b", TUNED)):
        task_log(folder / f"{name}.eval", model, [1, 0, True])
    task_log(folder / "d.eval", RAW, [1], task="other")
    task_log(folder / "e.eval", RAW, [1], status="started")
    log_factory.write_log(folder / "own.eval", [log_factory.sample(1)], metadata={"suite": "pocket"}, task_id="x")
    found, said, error = analyse(folder)
    assert error is None
    assert [(row["A"], row["B"]) for row in found] == [(RAW, "hf/ood"), (RAW, TUNED), ("hf/ood", TUNED)]
    assert "the only log of other" in said and "e.eval: the run is not finished" in said
    assert "own.eval: a log of mlbench; `mlbench results --paired` compares such logs" in said


def test_parts_of_a_score_and_epochs_are_means(tmp_path: Path) -> None:
    values = [{"strict": one, "loose": 1.0} for one in (True, False, True, True)]
    raw = task_log(tmp_path / "a.eval", RAW, values, epochs=2)
    tuned = task_log(tmp_path / "b.eval", TUNED, [{"strict": 0.0, "loose": 1.0}] * 4, epochs=2)
    assert "the score pattern has parts; choose one with --part: strict, loose" in refused(raw, tuned)
    (row,) = analyse(raw, tuned, "--part", "strict")[0]
    assert (row["samples"], row["A %"], row["points"], row["p"]) == (2, 75.0, -75.0, None)  # a bootstrap has no p
    (same,) = analyse(raw, tuned, "--part", "loose")[0]
    assert (same["points"], same["p"], same["worse"]) == (0, "1.000", 0)


def test_what_may_mislead_is_said(tmp_path: Path) -> None:
    raw = task_log(tmp_path / "a.eval", RAW, ["C", None, "N", float("nan")], temperature=0.0)
    tuned = task_log(tmp_path / "b.eval", TUNED, ["C", "P", "I", "C"], max_tokens=16)
    found, said, error = analyse(raw, tuned)
    assert error is None and found[0]["samples"] == 2
    assert "2 samples are scored only in" in said
    assert "temperature is 0.0 in" in said and "max_tokens is not set in" in said


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"version": 2}, "has version 1 of inspect_evals/boolq"),
        ({"ask": "Is {} odd?"}, "sample s0 is another one in"),
        ({"task": "other"}, "no two logs are of one task"),
        ({"values": [None, None]}, "no sample has a score; `inspect score` adds one"),
        ({"values": [7.5, 1]}, "sample s0 has the score 7.5; only shares from 0 to 1 are compared"),
        ({"values": ["blue", 1]}, "sample s0 has the score 'blue'; only shares"),
        ({"values": [[1, 0], 1]}, "sample s0 has the score [1, 0]; only shares"),
    ],
)
def test_what_cannot_be_compared_is_refused(tmp_path: Path, other: dict[str, Any], said: str) -> None:
    raw = task_log(tmp_path / "a.eval", RAW, ["C", "I"])
    tuned = task_log(tmp_path / "b.eval", TUNED, other.pop("values", ["I", "I"]), **other)
    assert said in refused(raw, tuned)


def test_wrong_files_are_refused(tmp_path: Path) -> None:
    raw = task_log(tmp_path / "a.eval", RAW, ["C", "I"])
    (tmp_path / "half.eval").write_bytes(raw.read_bytes()[:99])
    assert "not an Inspect log, or a half-written one" in refused(raw, tmp_path / "half.eval")
    assert "no such log or folder" in refused(raw, tmp_path / "none.eval")
    assert "no sample has the score f1; there are: pattern" in refused(raw, raw, "--scorer", "f1")
