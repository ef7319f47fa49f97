"""Runs and logs made by hand, so that every figure can be worked out on paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalSample,
    EvalSpec,
    EvalStats,
    EvalStatus,
    write_eval_log,
)
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, ModelOutput, ModelUsage
from inspect_ai.scorer import Score

from mlbench.reasons import ItemKind, Reason
from mlbench.records import PYTHON_TYPE, SHELL_TYPE, ExitKind, Policy, Stage, Verdict
from mlbench.results.load_log import AttemptRecord, RunRecord, Usage
from mlbench.score_records import ScoredArgument, ScoredError, ScoredExecution, ScoredItem, ScoredOutcome

HOSTILE = (
    "</script><img src=x onerror=\"document.title='pwned'\"><script>document.title='pwned'</script>"
    "<svg onload=\"document.title='pwned'\"><!-- <script> \x1b[31mred\x1b[0m \x00 \u202eevil \ud800 "
    "<link rel=stylesheet href=http://192.0.2.1/x.css>"
)


def verdict(passed: bool, policy: Policy = Policy.STRICT, evidence: str = "") -> Verdict:
    if passed:
        return Verdict(policy, True, Stage.EXECUTION, Reason.EXIT_0, evidence or "exit 0, 0.50 s, 10 MiB", 0.5)
    return Verdict(policy, False, Stage.ARGUMENTS, Reason.MISSING_ARGUMENT, evidence or "not in the answer: lr = 0.1")


def attempt(
    row: int,
    number: int,
    passed: bool | None,
    *,
    repository: str = "lichen",
    type: str = SHELL_TYPE,
    paper: bool | None = None,
    answer: str = "```bash\npython train.py\n```",
    candidate: str = "python train.py",
    evidence: str = "",
    php: float = 0.5,
    outcome: ScoredOutcome | None = None,
) -> AttemptRecord:
    """An attempt that passed, failed, or (None) was not scored. Two arguments are required."""
    verdicts = {}
    if passed is not None:
        by_paper = passed if paper is None else paper
        verdicts = {
            Policy.STRICT: verdict(passed, evidence=evidence),
            Policy.PAPER: verdict(by_paper, Policy.PAPER, evidence),
        }
    return AttemptRecord(
        row=row,
        github_id=1,
        repository=repository,
        domain="graphs",
        type=type,
        number=number,
        required={"lr": "0.1", "dataset": "karate"},
        system="You are an expert.",
        prompt=f"<document>\nREADME\n</document>\n<instruction>\nTrain row {row}.\n</instruction>",
        reference="python train.py --lr 0.1 --dataset karate",
        answer=answer,
        candidate=candidate,
        kind="shell",
        source="fence",
        verdicts=verdicts,
        matches=matches(lr=("wrong", "0.15"), dataset=("hit", "'karate'")) if verdicts else {},
        faults=(fault("E3", Reason.WRONG_VALUE, "lr is 0.15, expected 0.1"),) if passed is False else (),
        php=php if verdicts else None,
        semantic=php if verdicts else None,
        process=ended(ExitKind.EXITED, 0) if passed else None,
        usage=Usage(100, 10, 0.01),
        seconds=0.6,
        error="" if verdicts else "RuntimeError: the sandbox went away",
        outcome=outcome,
    )


def matches(**found: tuple[str, str]) -> dict[str, ScoredArgument]:
    """Required arguments: the state of each, and the value at the place of the same name."""
    return {
        name: ScoredArgument(argument=name, state=state, destination=name, found=value)
        for name, (state, value) in found.items()
    }


def fault(kind: str, reason: Reason, evidence: str) -> ScoredError:
    return ScoredError(error_class=kind, reason=reason, evidence=evidence)


def ended(ending: ExitKind, exit_code: int) -> ScoredExecution:
    return ScoredExecution(ending=ending, exit_code=exit_code, seconds=0.5, peak_memory=10 * 2**20)


def left_behind(*items: ScoredItem, why_not: str = "", proof: str | None = None) -> ScoredOutcome:
    return ScoredOutcome(fault=why_not, items=items, proof=proof)


def item(kind: ItemKind, what: str, expected: str, found: str, difference: str = "") -> ScoredItem:
    return ScoredItem(kind=kind, what=what, expected=expected, found=found, difference=difference)


def file(what: str, expected: str, found: str, difference: str = "") -> ScoredItem:
    return item(ItemKind.FILE, what, expected, found, difference)


def figure(value: str, printed: bool) -> ScoredItem:
    said = ("printed", "") if printed else ("", f"{value} is never printed")
    return item(ItemKind.FIGURE, value, value, *said)


def run(attempts: Sequence[AttemptRecord], *, each: int, expected: int | None = None, **changes: Any) -> RunRecord:
    fields: dict[str, Any] = {
        "location": "made.eval",
        "task_id": "made",
        "model": "provider/model",
        "suite": "pocket",
        "split": "quarter",
        "setting": "oracle",
        "version": "1",
        "started": "2026-01-02T03:04:05+00:00",
        "status": "success",
        "expected": len(attempts) if expected is None else expected,
        "each": each,
        "attempts": tuple(attempts),
        "usage": Usage(100 * len(attempts), 10 * len(attempts), 0.01 * len(attempts)),
        "seconds": 65.0,
    }
    return RunRecord(**{**fields, **changes})


def rows(passes: Sequence[str], **about: Any) -> list[AttemptRecord]:
    """Attempts from signs, a text a row: `1` passed, `0` failed, `x` not scored."""
    signs = {"1": True, "0": False, "x": None}
    return [
        attempt(row, number, signs[sign], **about)
        for row, text in enumerate(passes)
        for number, sign in enumerate(text, start=1)
    ]


def mixed() -> RunRecord:
    """Four rows, three attempts each: two repositories, two types, one attempt not scored, policies that disagree."""
    return run(
        [
            attempt(1, 1, True),
            attempt(1, 2, False, paper=True),
            attempt(1, 3, False),
            attempt(2, 1, False, answer=HOSTILE, candidate=HOSTILE, evidence=HOSTILE),
            attempt(2, 2, False),
            attempt(2, 3, None),
            attempt(3, 1, True, repository="mirage", type=PYTHON_TYPE),
            attempt(3, 2, True, repository="mirage", type=PYTHON_TYPE),
            attempt(3, 3, True, repository="mirage", type=PYTHON_TYPE),
            attempt(4, 1, False, repository="mirage"),
            attempt(4, 2, True, repository="mirage"),
            attempt(4, 3, False, repository="mirage"),
        ],
        each=3,
    )


def sample(
    row: int,
    epoch: int = 1,
    passed: bool | None = True,
    *,
    number: int | None = None,
    answer: str = "```bash\npython train.py\n```",
    outcome: dict[str, Any] | None = None,
    changes: dict[str, Any] | None = None,
) -> EvalSample:
    """A sample as the task and its scorer leave it in a log; `passed=None` is a machine's failure."""
    output = ModelOutput.from_content("provider/model", answer)
    score = Score(
        value={"strict": float(bool(passed)), "paper": float(bool(passed)), "php": 0.5, "semantic_php": 0.25},
        answer="python train.py",
        metadata={
            "verdicts": [asdict(verdict(bool(passed), policy)) for policy in (Policy.STRICT, Policy.PAPER)],
            "candidate": {"kind": "shell", "source": "fence", "fault": ""},
            "matches": [
                {"argument": "lr", "state": "wrong", "place": "lr", "expected": "0.1", "found": "0.15"},
                {
                    "argument": "dataset",
                    "state": "hit",
                    "place": "dataset",
                    "expected": "'karate'",
                    "found": "'karate'",
                },
            ],
            "errors": [] if passed else [{"class": "E3", "reason": "wrong-value", "evidence": "lr is 0.15"}],
            "execution": {
                "ending": "exited",
                "exit_code": 0,
                "seconds": 0.5,
                "peak_memory": 1024,
                "dropped_bytes": 0,
            },
            "outcome": outcome,
        },
    )
    fields: dict[str, Any] = {
        "id": str(row) if number is None else f"{row}#{number}",
        "epoch": epoch,
        "input": [ChatMessageSystem(content="system"), ChatMessageUser(content=f"prompt {row}")],
        "target": "python train.py --lr 0.1",
        "output": output,
        "scores": None if passed is None else {"judge": score},
        "error": None
        if passed is not None
        else {"message": "RuntimeError: went away", "traceback": "", "traceback_ansi": ""},
        "metadata": {
            "row": row,
            "github_id": 1,
            "repository": "lichen",
            "domain": "graphs",
            "type": SHELL_TYPE,
            "path": ".",
            "arguments": {"lr": "0.1", "dataset": "karate"},
            "attempt": number,
        },
        "model_usage": {
            "provider/model": ModelUsage(input_tokens=90, input_tokens_cache_read=10, output_tokens=10, total_cost=0.5)
        },
        "working_time": 0.25,
        "total_time": 0.5,
    }
    return EvalSample(**{**fields, **(changes or {})})


def write_log(
    file: Path,
    samples: Sequence[EvalSample],
    *,
    epochs: int = 1,
    ids: Sequence[str] | None = None,
    status: EvalStatus = "success",
    metadata: dict[str, Any] | None = None,
    task_id: str = "task",
    spec: dict[str, Any] | None = None,
) -> Path:
    """Write a log; `spec` replaces fields of its header."""
    known = list(dict.fromkeys(str(sample.id) for sample in samples)) if ids is None else list(ids)
    about = {"suite": "pocket", "split": "quarter", "setting": "oracle"} if metadata is None else metadata
    header: dict[str, Any] = {
        "created": "2026-01-02T03:04:05+00:00",
        "task": "mlbench/llm_bench",
        "task_id": task_id,
        "task_version": "1",
        "dataset": EvalDataset(name="pocket-quarter", samples=len(known), sample_ids=list(known)),
        "model": "provider/model",
        "config": EvalConfig(epochs=epochs),
        "metadata": about,
    }
    log = EvalLog(
        status=status,
        eval=EvalSpec(**{**header, **(spec or {})}),
        stats=EvalStats(
            started_at="2026-01-02T03:04:05+00:00",
            completed_at="2026-01-02T03:05:15+00:00",
            model_usage={
                "provider/model": ModelUsage(input_tokens=900, output_tokens=100, total_tokens=1000, total_cost=5.0)
            },
        ),
        samples=list(samples),
    )
    write_eval_log(log, file)
    return file
