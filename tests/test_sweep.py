"""`mlbench sweep`: what it plans, what it costs, and that the same command makes only what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.eval_runs import headers
from mlbench.records import UsageError
from mlbench.sweep.cost import cost_of
from mlbench.sweep.plan import SweepPlan, read_plan
from tests.command_line import mlbench

SWEEP = """
suites: pocket
models: [mlbench/gold, mlbench/nothing]
settings: [oracle, closed]
split: quarter
limit: 2
"""


def written(folder: Path, text: str) -> Path:
    (folder / "sweep.yaml").write_text(text)
    return folder / "sweep.yaml"


def plan(**fields: object) -> SweepPlan:
    return SweepPlan.model_validate({"suites": "pocket", "models": "openai/gpt-4o", "split": "quarter", **fields})


def test_a_sweep_is_every_combination_once() -> None:
    found = plan(models=["a/b", "c/d", "a/b"], settings=["oracle", "closed"], k=[1, 5]).runs()
    assert len(found) == len({run.label for run in found}) == 2 * 2 * 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("models: [a/b]", "suites: field required"),
        ("suites: pocket", "models: field required"),
        ("- pocket", "a sweep has at least `suites` and `models`"),
        ("suites: [", "cannot be read"),
        (f"{SWEEP}k: 0", "k.0: input should be greater than or equal to 1"),
        (f"{SWEEP}colour: red", "colour: extra inputs are not permitted"),
        (SWEEP.replace("closed", "open"), "no setting 'open'"),
        (SWEEP.replace("pocket", "pouch"), "pouch"),
        (SWEEP.replace("quarter", "half"), "half"),
    ],
)
def test_a_bad_file_is_refused_in_one_line(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        read_plan(written(tmp_path, text)).runs()
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_the_key_of_a_run_is_its_configuration() -> None:
    """An endpoint may move, and the keys of providers change; another sampling is another run."""
    model = {"model": "openai-api/local/tiny", "base_url": "http://a/v1", "args": {"api_key": "1", "top": 2}}
    moved = {**model, "base_url": "http://b/v1", "args": {"api_key": "2", "top": 2}}
    first, same = plan(models=model), plan(models=moved, workers=3)
    assert first.key(first.runs()[0], None) == same.key(same.runs()[0], None)
    others = [
        plan(models=model, generation={"temperature": 0.7}),
        plan(models={**model, "args": {"top": 3}}),
        plan(models=model, limit=2),
        plan(models=model, k=2),
    ]
    keys = {each.key(each.runs()[0], None) for each in [first, *others]} | {first.key(first.runs()[0], "1/2")}
    assert len(keys) == 6


def test_the_cost_is_tokens_times_prices(tmp_path: Path) -> None:
    from mlbench.eval_runs import set_prices

    (tmp_path / "prices.yaml").write_text(
        "test/priced: {input: 2, output: 10, input_cache_write: 0, input_cache_read: 0}"
    )
    set_prices(tmp_path / "prices.yaml")
    priced = plan(models=["test/priced", "test/unpriced", "mlbench/gold"], limit=2, k=3, generation={"max_tokens": 100})
    cost, unpriced, free = (cost_of(priced, run) for run in priced.runs())
    assert (cost.calls, cost.tokens_out) == (6, 600)
    assert cost.tokens_in > 6 * 50
    assert cost.dollars == pytest.approx((2 * cost.tokens_in + 10 * 600) / 1e6)
    assert (unpriced.tokens_in, unpriced.dollars) == (cost.tokens_in, None)
    assert (free.tokens_in, free.dollars) == (0, 0.0)
    of_one_row = cost_of(priced, priced.runs()[0], "1/2")
    assert of_one_row.calls == 3


def test_the_same_command_makes_only_what_is_missing(tmp_path: Path) -> None:
    written(tmp_path, SWEEP)
    words = ("sweep", "sweep.yaml", "--display", "none")
    dry = mlbench(*words, "--dry-run", cwd=tmp_path)
    assert (dry.returncode, states(dry.stdout), (tmp_path / "logs").exists()) == (0, ["new"] * 4, False)
    assert mlbench(*words, cwd=tmp_path).returncode == 0
    first = sorted((tmp_path / "logs").iterdir())
    assert len(first) == 4
    _undo(first[1])
    dry = mlbench(*words, "--dry-run", cwd=tmp_path)
    assert sorted(states(dry.stdout)) == ["finished"] * 3 + ["unfinished"]
    written(tmp_path, SWEEP.replace("mlbench/gold", "mlbench/gold, openai-api/nowhere/x"))
    done = mlbench(*words, cwd=tmp_path)
    assert done.stderr.count("finished before, nothing to run") == 3
    assert done.stderr.count("mlbench: continues") == 1
    assert done.returncode == 1
    assert done.stderr.endswith("mlbench: 2 of 6 runs are not finished; the same command continues them\n")
    finished = [log for _, log in headers(tmp_path / "logs") if log.status == "success"]
    assert len({log.eval.task_id for log in finished}) == 4


def states(table: str) -> list[str]:
    """The state of each run in the table of `--dry-run`."""
    return [line.split()[-1] for line in table.splitlines() if line.strip().startswith("pocket")]


def _undo(file: Path) -> None:
    """Leave the log of a run that was stopped before its last sample."""
    from inspect_ai.log import read_eval_log, write_eval_log

    log = read_eval_log(str(file))
    assert log.samples
    log.samples, log.status, log.results = log.samples[:-1], "cancelled", None
    write_eval_log(log, str(file))
