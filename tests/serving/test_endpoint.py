"""A model behind a real HTTP endpoint, healthy and failing: nothing is lost, nothing is blamed on the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from inspect_ai.log import EvalLog, EvalSample, list_eval_logs, read_eval_log

from mlbench.suites.selection import select
from mlbench.suites.suite import load_suite
from tests.serving.command import Done, Place
from tests.serving.server import OUTPUT_TOKENS, Endpoint, Fault, input_tokens, nobody, serial_of, serving

MODEL = ("--model", "openai/gpt-4o-mini")
ROWS = [row.id for row in select(load_suite("pocket"), "quarter", limit=8)]
ROW_OPTIONS = ("--split", "quarter", "--limit", str(len(ROWS)))
PASSING = (Fault.RATE_LIMIT, Fault.ERROR, Fault.CUT, Fault.MALFORMED, Fault.EMPTY, Fault.HUGE, Fault.HUGE_CODE)
SICK = dict(zip(PASSING, ROWS, strict=False))
"""Which row meets which fault."""

WRONG = ROWS[-1]
REFUSED = {Fault.RATE_LIMIT, Fault.ERROR, Fault.CUT, Fault.MALFORMED}
"""Faults that leave no answer: the request must be made again."""


@dataclass(frozen=True)
class Run:
    done: Done
    endpoint: Endpoint
    log: EvalLog
    place: Place

    def sample(self, row: int, epoch: int = 1) -> EvalSample:
        return next(s for s in self.log.samples or [] if (s.id, s.epoch) == (str(row), epoch))


def newest(place: Place) -> EvalLog:
    return read_eval_log(list_eval_logs(str(place.logs))[0])


def scores(sample: EvalSample) -> dict[str, float]:
    assert sample.scores is not None, sample.error
    value = sample.scores["judge"].value
    assert isinstance(value, dict)
    return value  # type: ignore[return-value]


def reason(sample: EvalSample) -> str:
    assert sample.scores is not None, sample.error
    return sample.scores["judge"].explanation or ""


@pytest.fixture(scope="module", params=[(), ("-M", "streaming=true")], ids=["at-once", "streamed"])
def sick(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Eight rows, each asked twice; seven of them meet a fault at the first request."""
    place = Place(tmp_path_factory.mktemp("sick"))
    endpoint = Endpoint(faults={row: [fault] for fault, row in SICK.items()}, wrong=[WRONG])
    with serving(endpoint) as url:
        done = place.run("pocket", *MODEL, "--base-url", url, *ROW_OPTIONS, "-k", "2", *request.param)
    assert all(asked.stream == bool(request.param) for asked in endpoint.asked)
    return Run(done, endpoint, newest(place), place)


def test_faults_that_pass_leave_nothing_unscored(sick: Run) -> None:
    assert (sick.done.code, sick.done.stderr) == (0, "")
    assert f"{2 * len(ROWS)}/{2 * len(ROWS)} scored" in sick.done.stdout
    assert Counter(sample.id for sample in sick.log.samples or []) == {str(row): 2 for row in ROWS}
    assert all(sample.error is None for sample in sick.log.samples or [])


def test_a_request_that_got_no_answer_is_made_again_and_no_other(sick: Run) -> None:
    turns = {row: len(asked) for row, asked in sick.endpoint.by_row().items()}
    assert turns == {row: 3 if any(SICK.get(fault) == row for fault in REFUSED) else 2 for row in ROWS}


def test_each_epoch_is_judged_by_a_reply_of_its_own(sick: Run) -> None:
    answers = [s for s in sick.log.samples or [] if s.output.completion]
    serials = [serial_of(sample.output.completion) for sample in answers]
    assert len(serials) == len(set(serials)) == 2 * len(ROWS) - 1  # but for the empty one
    by_serial = {asked.serial: asked.row for asked in sick.endpoint.answered}
    assert all(str(by_serial[serial]) == sample.id for serial, sample in zip(serials, answers, strict=True))


def test_retry_after_is_honoured(sick: Run) -> None:
    asked = sick.endpoint.by_row()[SICK[Fault.RATE_LIMIT]]
    refused = next(a for a in asked if a.fault is Fault.RATE_LIMIT)
    again = max(a.seconds for a in asked)
    assert again - refused.seconds >= 0.99


def test_right_answers_pass_and_wrong_ones_do_not(sick: Run) -> None:
    strict = {(int(s.id), s.epoch): scores(s)["strict"] for s in sick.log.samples or []}
    failed = {row for (row, _), value in strict.items() if not value}
    assert failed == {WRONG, SICK[Fault.EMPTY], SICK[Fault.HUGE_CODE]}
    assert strict[WRONG, 1] == strict[WRONG, 2] == 0


def test_an_empty_answer_is_the_models_own(sick: Run) -> None:
    """The endpoint worked and the model said nothing: a score, not an error, and only for that attempt."""
    samples = [sick.sample(SICK[Fault.EMPTY], epoch) for epoch in (1, 2)]
    assert sorted(scores(sample)["strict"] for sample in samples) == [0, 1]
    empty = next(sample for sample in samples if not sample.output.completion)
    assert "no-answer" in reason(empty)


def test_an_answer_of_a_megabyte_is_judged_within_bounds(sick: Run) -> None:
    prose, code = (
        next(s for s in sick.log.samples or [] if s.id == str(SICK[fault]) and len(s.output.completion) > 900_000)
        for fault in (Fault.HUGE, Fault.HUGE_CODE)
    )
    assert scores(prose)["strict"] == 1  # the code is found behind a megabyte of prose
    assert scores(code)["strict"] == 0  # no answer is that long; a reason, not a parser that never ends
    assert "strict: kind" in reason(code)
    assert max(sample.working_time or 0 for sample in (prose, code)) < 20


def test_usage_arrives_in_the_log(sick: Run) -> None:
    for sample in sick.log.samples or []:
        (usage,) = sample.model_usage.values()
        assert (usage.input_tokens, usage.output_tokens) == (input_tokens(int(sample.id)), OUTPUT_TOKENS)
    (total,) = sick.log.stats.model_usage.values()
    assert total.input_tokens == 2 * sum(map(input_tokens, ROWS))
    assert f"{total.input_tokens:,}" in sick.done.stdout


def test_the_key_is_sent_and_is_not_in_the_log(sick: Run) -> None:
    assert {asked.key for asked in sick.endpoint.asked} == {"a key"}
    assert "a key" not in sick.log.model_dump_json()


@pytest.mark.xfail(strict=True, reason="Inspect keeps the reply without a choice, so that no later try asks again")
def test_a_reply_without_a_choice_is_asked_for_again(here: Place, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(Endpoint(faults={ROWS[0]: [Fault.NO_CHOICE]})) as url:
        code, _, stderr = in_process(
            here, capsys, "pocket", *MODEL, "--base-url", url, "--split", "quarter", "--limit", "1"
        )
    assert (code, stderr) == (0, "")


def test_a_lasting_fault_costs_only_its_own_samples(here: Place, capsys: pytest.CaptureFixture[str]) -> None:
    """The others are scored; what is missing is said in one line, with the endpoint's own words."""
    faults = (Fault.ERROR, Fault.CUT, Fault.MALFORMED, Fault.HANG)
    always = dict(zip(ROWS, faults, strict=False))
    well = [row for row in ROWS if row not in always]
    sick = Endpoint(always=always)
    quick = ("--max-retries", "0", "-M", "max_retries=0", "-M", "client_timeout=2")
    with serving(sick) as url:
        done = here.run("pocket", *MODEL, "--base-url", url, *ROW_OPTIONS, *quick)
    assert done.code == 1
    assert f"{len(well)} of {len(ROWS)} samples were scored: " in done.said
    assert "RetryError" not in done.said
    assert "Error" in done.said and "`mlbench eval --resume` continues the run" in done.said
    assert f"{len(well)}/{len(ROWS)} scored" in done.stdout
    samples = {int(sample.id): sample for sample in newest(here).samples or []}
    assert {row for row, sample in samples.items() if sample.error} == set(always)
    assert all(scores(samples[row])["strict"] == 1 for row in well)

    # and when the endpoint is well again, only those are asked
    again = Endpoint()
    with serving(again, port=urlsplit(url).port or 0):
        code, stdout, stderr = in_process(here, capsys, "--resume")
    assert (code, stderr) == (0, "")
    assert sorted(asked.row for asked in again.asked) == sorted(always)
    assert sorted(asked.row for asked in sick.answered) == well
    assert f"{len(ROWS)}/{len(ROWS)} scored" in stdout


def test_an_endpoint_that_goes_down_midway(here: Place, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(Endpoint(dies_after=3)) as url:
        code, _, stderr = in_process(
            here, capsys, "pocket", *MODEL, "--base-url", url, "--limit", "5", "--max-connections", "1",
            "--max-retries", "0", "-M", "max_retries=0",
        )  # fmt: skip
    assert (code, len(stderr.strip().splitlines())) == (1, 1), stderr
    assert "3 of 5 samples were scored: openai.APIConnectionError" in stderr
    assert sum(sample.error is None for sample in newest(here).samples or []) == 3


@pytest.mark.parametrize("streaming", ["false", "true"])
def test_the_responses_protocol(streaming: str, here: Place, capsys: pytest.CaptureFixture[str]) -> None:
    """What Inspect speaks to OpenAI's newer models."""
    endpoint = Endpoint()
    with serving(endpoint) as url:
        code, stdout, stderr = in_process(
            here, capsys, "pocket", "--model", "openai/gpt-5-mini", "--base-url", url, "--limit", "1",
            "-M", f"streaming={streaming}",
        )  # fmt: skip
    assert (code, stderr) == (0, "")
    assert [(asked.path, asked.stream) for asked in endpoint.asked] == [("/v1/responses", streaming == "true")]
    (sample,) = newest(here).samples or []
    assert scores(sample)["strict"] == 1
    (usage,) = sample.model_usage.values()
    assert (usage.input_tokens, usage.output_tokens) == (input_tokens(int(sample.id)), OUTPUT_TOKENS)
    assert "1/1 scored" in stdout


@pytest.mark.parametrize("stream", ["false", "true"])
def test_any_compatible_endpoint(stream: str, here: Place, capsys: pytest.CaptureFixture[str]) -> None:
    """vLLM, Ollama and their like: `openai-api/NAME/MODEL`, with NAME_API_KEY."""
    endpoint = Endpoint()
    with serving(endpoint) as url:
        code, _, stderr = in_process(
            here, capsys, "pocket", "--model", "openai-api/local/some-model", "--base-url", url, "--limit", "1",
            "-M", f"stream={stream}",
        )  # fmt: skip
    assert (code, stderr) == (0, "")
    (asked,) = endpoint.asked
    assert (asked.path, asked.stream, asked.key) == ("/v1/chat/completions", stream == "true", "another key")
    assert asked.body["model"] == "some-model"


USAGE = {
    "no key": (MODEL, {"OPENAI_API_KEY": ""}, "no key is set: export OPENAI_API_KEY="),
    "no provider": (("--model", "opnai/gpt-4o-mini"), {}, "no provider 'opnai'; for example openai/gpt-4o-mini"),
    "no slash": (("--model", "gpt-4o"), {}, "write it as PROVIDER/NAME, for example openai/gpt-4o"),
    "no such tokenizer": (("--model", "mlbench/gold", "--tokenizer", "nosuch"), {}, "no tokenizer 'nosuch'"),
    "no name": (("--model", "openai-api/gpt"), {}, "service"),
    "no such baseline": (("--model", "mlbench/golden"), {}, "gold, copycat, memoriser, nothing"),
    "no address": ((*MODEL, "--base-url", "localhost"), {}, "is not a URL"),
    "no pair": ((*MODEL, "-M", "streaming"), {}, "-M streaming: write it as NAME=VALUE"),
    "no value": ((*MODEL, "-M", "a={"), {}, "-M a={"),
    "no such value": ((*MODEL, "-M", "streaming=perhaps"), {}, "streaming"),
    "no attempts": ((*MODEL, "-k", "0"), {}, "-k 0"),
    "nothing to resume": (("--resume",), {}, "nothing to resume"),
}


@pytest.mark.parametrize("what", USAGE)
def test_what_cannot_be_is_said_in_one_line(
    what: str, here: Place, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments, env, words = USAGE[what]
    for name, value in env.items():
        monkeypatch.delenv(name, raising=False)
        if value:
            monkeypatch.setenv(name, value)
    rows = () if "--resume" in arguments else ("pocket", "--limit", "1")
    code, _, stderr = in_process(here, capsys, *rows, *arguments)
    assert (code, len(stderr.strip().splitlines())) == (2, 1), stderr
    assert words in stderr and stderr.startswith("mlbench: ")


def test_a_cost_limit_without_prices_names_our_option(here: Place, capsys: pytest.CaptureFixture[str]) -> None:
    """Inspect's message named an option and a function that `mlbench` does not have."""
    code, _, stderr = in_process(here, capsys, "pocket", "--model", "mlbench/gold", "--limit", "1", "--cost-limit", "1")
    assert code == 1
    assert "--cost-limit needs the prices of mlbench/gold: give them with --model-cost FILE" in stderr


@pytest.mark.parametrize("how", ["--base-url", "OPENAI_BASE_URL"])
def test_an_endpoint_that_is_down_is_said_at_once(
    how: str, here: Place, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with nobody() as url:
        if how == "OPENAI_BASE_URL":
            monkeypatch.setenv(how, url)
        arguments = (how, url) if how == "--base-url" else ()
        code, _, stderr = in_process(here, capsys, "pocket", *MODEL, *arguments, "--limit", "1", "--max-retries", "0")
    assert (code, len(stderr.strip().splitlines())) == (1, 1), stderr
    assert f"nothing answers at {url}" in stderr
    assert not list(here.logs.glob("*.eval"))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """The place of a command that runs in this process."""
    place = Place(tmp_path)
    for name, value in place.env(LOCAL_API_KEY="another key").items():
        monkeypatch.setenv(name, value)
    for name in ("http_proxy", "https_proxy", "all_proxy", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    return place


def in_process(place: Place, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """What the command would do; imports are paid for once."""
    import sys

    from mlbench.cli import main

    before = sys.argv
    sys.argv = ["mlbench", "eval", *arguments, "--log-dir", str(place.logs), "--display", "none"]
    capsys.readouterr()
    try:
        main()
        code = 0
    except SystemExit as leaving:
        code = int(leaving.code or 0)
    finally:
        sys.argv = before
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err + captured.out
    return code, captured.out, captured.err


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Four rows: two prompts are refused as too long, one answer stops at the limit of tokens, one is well."""
    place = Place(tmp_path_factory.mktemp("short"))
    always = dict(zip(ROWS, (Fault.OVERFLOW, Fault.OVERFLOW_CODE, Fault.LENGTH), strict=False))
    endpoint = Endpoint(always=always)
    with serving(endpoint) as url:
        done = place.run("pocket", *MODEL, "--base-url", url, *ROW_OPTIONS, "--max-tokens", "50")
    return Run(done, endpoint, newest(place), place)


def test_a_prompt_that_exceeds_the_context_is_an_outcome_of_its_own(short: Run) -> None:
    assert short.done.code == 0, short.done.stderr
    for row in ROWS[:2]:
        sample = short.sample(row)
        assert reason(sample) == "strict: extraction: context-overflow"
        assert {scores(sample)[policy] for policy in ("strict", "interface", "paper")} == {0}
        about = sample.scores["judge"].metadata or {}  # type: ignore[index]
        assert about["errors"] == [] and "8192 tokens" in about["verdicts"][0]["evidence"]
    assert f"{len(ROWS)}/{len(ROWS)} scored" in short.done.stdout
    assert len(short.endpoint.by_row()[ROWS[0]]) == 1  # asking again would not help


def test_an_answer_that_was_cut_is_said(short: Run) -> None:
    stops = [(short.sample(row).scores["judge"].metadata or {})["stop_reason"] for row in ROWS]  # type: ignore[index]
    assert stops == ["model_length", "model_length", "max_tokens", *["stop"] * (len(ROWS) - 3)]
    assert "cut: scored answers that ended at the token limit" in short.done.stdout
    assert " 1/8 " in short.done.stdout
    assert short.done.stderr.splitlines() == [
        "mlbench: warning: 1 of 8 answers were cut at the token limit (--max-tokens 50): raise --max-tokens",
        "mlbench: warning: 2 of 8 prompts exceeded the model's context: lower --context-tokens or --max-tokens,"
        " or serve the model with a larger context",
    ]
