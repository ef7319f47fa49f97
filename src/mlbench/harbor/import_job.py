"""Turn the trials of a Harbor job into one log, as `mlbench agent` writes it.

The verdicts are those of the judge's own logs; agent, model, tokens, dollars and time are Harbor's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalError,
    EvalLog,
    EvalResults,
    EvalSample,
    EvalSpec,
    EvalStats,
    read_eval_log,
    write_eval_log,
)
from inspect_ai.model import ModelOutput, ModelUsage

from mlbench.evals.ml_agent_bench.task import VERSION
from mlbench.evals.ml_llm_bench.dataset import row_metadata
from mlbench.harbor.job_folder import HarborTrial, trials_of
from mlbench.prompts.agent_prompt import agent_task
from mlbench.records import Policy, RunError, UsageError
from mlbench.suites.suite import Suite

_JUDGE = "judge"
_NO_MODEL = "mlbench/nothing"


def import_job(folder: Path, suite: Suite, log_dir: Path) -> Path:
    """Write the trials of a job as one log and return its path.

    A trial without a verdict becomes an attempt that is not scored, with Harbor's reason.

    Args:
        folder: the job's folder.
        suite: the suite that its tasks were made from.
        log_dir: folder of the log.

    Raises:
        UsageError: the folder holds no trials of this suite, or of several agents or models.
        RunError: the log cannot be written.
    """
    trials = trials_of(folder)
    agent, model = _who(folder, trials)
    numbers: Counter[int] = Counter()
    samples = []
    for trial in trials:
        numbers[trial.row] += 1
        samples.append(_sample(trial, suite, numbers[trial.row], model))
    now = datetime.now(UTC)
    target = log_dir / f"{now:%Y-%m-%dT%H-%M-%S}_harbor_{uuid4().hex[:12]}.eval"
    log = EvalLog(
        status="success",
        eval=EvalSpec(
            run_id=uuid4().hex,
            task_id=uuid4().hex,
            created=now.isoformat(),
            task="mlbench/harbor",
            task_version=VERSION,
            dataset=EvalDataset(name=f"{suite.name}-harbor", samples=len(samples), sample_ids=[s.id for s in samples]),
            model=model,
            config=EvalConfig(epochs=1),
            metadata={
                **suite.log_metadata,
                "split": "harbor",
                "setting": f"agent {agent}",
                "agent": agent,
                "sandbox": "harbor",
                "budget": {},
            },
        ),
        results=EvalResults(total_samples=len(samples), completed_samples=len(samples)),
        stats=EvalStats(started_at=now.isoformat(), completed_at=now.isoformat()),
        samples=samples,
    )
    try:
        log_dir.mkdir(parents=True, exist_ok=True)
        write_eval_log(log, str(target))
    except OSError as error:
        raise RunError(f"cannot write {target}: {error.strerror}") from error
    return target


def _who(folder: Path, trials: Sequence[HarborTrial]) -> tuple[str, str]:
    """The agent and the model of a job, in the words of a log.

    Raises:
        UsageError: there are several.
    """
    pairs = set()
    for trial in trials:
        info = trial.result.agent_info
        about = info.model_info
        model = _NO_MODEL if about is None else f"{about.provider}/{about.name}" if about.provider else about.name
        pairs.add((info.name, model))
    if len(pairs) > 1:
        raise UsageError(f"{folder}: {len(pairs)} agents or models in one job; run one job for each")
    return pairs.pop()


def _sample(trial: HarborTrial, suite: Suite, number: int, model: str) -> EvalSample:
    """One trial as a sample of a log.

    Raises:
        UsageError: the suite has no such row.
    """
    listed = suite.row(trial.row)
    repository = suite.repository_of(listed.github_id)
    seconds, used = trial.result.agent_execution.seconds, trial.result.agent_result
    judged, fault = _judged(trial, suite)
    metadata = row_metadata(listed.sample, repository, listed, number)
    sample = EvalSample(
        id=f"{trial.row}#{number}",
        epoch=1,
        input=agent_task(listed.sample, repository.name, "open", 120.0),
        target=listed.sample.output,
        metadata=metadata,
        output=ModelOutput(model=model),
        scores=judged.scores if judged else None,
        working_time=seconds,
        total_time=seconds,
        error=EvalError(message=fault, traceback="", traceback_ansi="") if fault else None,
    )
    if used and (used.n_input_tokens or used.n_output_tokens or used.cost_usd):
        tokens_in, tokens_out = used.n_input_tokens or 0, used.n_output_tokens or 0
        sample.model_usage[model] = ModelUsage(
            input_tokens=tokens_in,
            output_tokens=tokens_out,
            total_tokens=tokens_in + tokens_out,
            total_cost=used.cost_usd,
        )
    about = ((sample.scores or {})[_JUDGE].metadata or {}).get("agent") if judged else None
    if about:
        failed = trial.result.exception_info
        about.update(
            name=trial.result.agent_info.name,
            outcome=trial.outcome.value,
            detail=f"{failed.exception_type}: {failed.exception_message}"[:2000] if failed else "",
            steps=trial.steps,
            seconds=round(seconds, 3),
        )
    return sample


def _judged(trial: HarborTrial, suite: Suite) -> tuple[EvalSample | None, str]:
    """The judge's sample of a trial, or the reason why its verdict cannot be used."""
    if trial.log is None or trial.result.reward is None:
        failed = trial.result.exception_info
        return None, f"{failed.exception_type}: {failed.exception_message}"[:500] if failed else "it was not judged"
    try:
        log = read_eval_log(str(trial.log))
    except Exception as error:  # a broken archive shows itself in many ways
        return None, f"{trial.log}: cannot be read ({type(error).__name__})"
    about = log.eval.metadata or {}
    if (about.get("suite"), about.get("suite_version")) != (suite.name, suite.log_metadata["suite_version"]):
        return None, f"judged with {about.get('suite')} {about.get('suite_version')}, not with the suite that is here"
    (sample,) = log.samples if log.samples and len(log.samples) == 1 else (None,)
    score = (sample.scores or {}).get(_JUDGE) if sample else None
    if sample is None or score is None or (sample.metadata or {}).get("row") != trial.row:
        return None, f"{trial.log}: no verdict on row {trial.row}"
    verdicts = (score.metadata or {}).get("verdicts") or [{}]
    if bool(verdicts[0].get("passed")) != (trial.result.reward == 1.0) or verdicts[0].get("policy") not in set(Policy):
        return None, f"the reward {trial.result.reward:g} is not the verdict of the judge's log"
    return sample, ""
