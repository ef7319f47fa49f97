"""What attempts cost, also where a killed process had paid for some of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalSample
from inspect_ai.model import CachePolicy, GenerateConfig, ModelOutput, ModelUsage, get_model_info

from mlbench import eval_models
from mlbench.records import UsageError
from mlbench.results.load_log import read_run
from mlbench.results.usage import Usage, paid, usage_of
from tests.results.experiments_at_work import PRICED, UNPRICED, Way, experiment_log
from tests.results.log_factory import sample

CALL = ModelUsage(input_tokens=90, output_tokens=10, total_tokens=100, total_cost=0.1)


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CachePolicy:
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "kept"))
    return CachePolicy(expiry="520W", scopes={"run": "run"})


def test_a_resumed_attempt_costs_what_all_of_it_cost(tmp_path: Path, kept: CachePolicy) -> None:
    """After kill -9 and --resume only the new replies were counted: two of 100 tokens kept, one new, 100 in all."""
    ways = {"cifar10": [Way(0.7), Way(0.6)]}
    first = read_run(experiment_log(tmp_path / "killed", ways, calls=2, kept=kept))
    resumed = read_run(experiment_log(tmp_path / "resumed", ways, calls=3, kept=kept))
    alone = read_run(experiment_log(tmp_path / "alone", ways, calls=3))
    assert [each.usage.tokens_in for each in first.experiments] == [180, 180]
    for before, after in zip(resumed.experiments, alone.experiments, strict=True):
        assert (before.usage.tokens_in, before.usage.tokens_out) == (270, 30)
        assert before.usage.cost == pytest.approx(0.3) == after.usage.cost
    assert (resumed.usage.tokens_in, resumed.usage.tokens_out) == (alone.usage.tokens_in, alone.usage.tokens_out)
    assert resumed.usage.cost == pytest.approx(0.6) == alone.usage.cost


def test_an_attempt_whose_every_reply_was_kept(tmp_path: Path, kept: CachePolicy) -> None:
    """Nothing was counted then, and of several replies the last alone was taken."""
    experiment_log(tmp_path / "killed", {"cifar10": [Way(0.7)]}, calls=3, kept=kept)
    run = read_run(experiment_log(tmp_path / "resumed", {"cifar10": [Way(0.7)]}, calls=3, kept=kept))
    assert (run.usage.tokens_in, run.usage.tokens_out) == (270, 30)


def call(output: ModelOutput, cache: str | None, model: str = PRICED, usage: ModelUsage | None = CALL) -> ModelEvent:
    """A call of a model that gave `output`."""
    return ModelEvent(
        model=model,
        input=[],
        tools=[],
        tool_choice="auto",
        config=GenerateConfig(),
        output=output.model_copy(update={"usage": usage}),
        cache=cache,  # type: ignore[arg-type]
    )


def reply(time: float = 1.0) -> ModelOutput:
    return ModelOutput.from_content("scripted", "I think.").model_copy(update={"time": time})


def attempt(*events: ModelEvent, counted: int) -> EvalSample:
    """One for which Inspect counted so many calls."""
    usage = {PRICED: CALL}
    for _ in range(counted - 1):
        usage[PRICED] += CALL
    changes = {"model_usage": usage if counted else {}, "events": list(events)}
    return sample(7, changes=changes)


def test_each_reply_is_counted_once() -> None:
    """The same question, asked twice, gets the kept reply: it was paid for once, now or before the kill."""
    now, before, helper = reply(), reply(), reply()
    found = attempt(
        call(before, "read"),
        call(before, "read"),
        call(helper, "read", UNPRICED),
        call(now, "write"),
        call(now, "read"),
        call(reply(), "read", usage=None),
        counted=1,
    )
    assert usage_of(paid(found)) == Usage(270, 30, pytest.approx(0.3))
    assert usage_of(paid(attempt(call(now, "write"), call(now, "read"), counted=1))) == Usage(90, 10, 0.1)


def test_failed_calls_are_not_paid() -> None:
    failed = call(reply(), "read").model_copy(update={"error": "refused"})
    assert usage_of(paid(attempt(failed, call(reply(), "write"), counted=1))).tokens == 100


def test_without_events_the_last_reply_has_to_do() -> None:
    bare = attempt(counted=0)
    bare.output.usage = CALL
    assert usage_of(paid(bare)) == Usage(90, 10, 0.1)


def test_a_part_of_the_price_is_none() -> None:
    """The prices of a file are not those of the resumed process: the kept part alone would look cheap."""
    unpriced = CALL.model_copy(update={"total_cost": None})
    assert usage_of([CALL, unpriced]) == Usage(180, 20, None)
    assert usage_of([CALL, ModelUsage()]) == Usage(90, 10, 0.1)
    assert usage_of([]) == Usage()


def test_what_a_model_costs_can_be_told_also_of_one_that_nobody_knows(tmp_path: Path) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text("made/up: {input: 1000000, output: 0, input_cache_write: 0, input_cache_read: 0}\n")
    eval_models.set_prices(file)
    known = get_model_info("made/up")
    assert known and known.cost and known.cost.input == 1_000_000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("made/up: {input: much}", "made/up.input"),
        ("- 1", "prices"),
        ("a: [", "cannot be read as prices"),
        (None, "No such file"),
    ],
)
def test_prices_that_are_none_are_named(tmp_path: Path, text: str | None, said: str) -> None:
    file = tmp_path / "prices.yaml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(UsageError, match=rf"prices\.yaml: .*{said}"):
        eval_models.set_prices(file)
