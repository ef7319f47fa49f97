"""ML-LLM-Bench: one answer per row, from the shown documents (ML-Bench, section 3)."""

from __future__ import annotations

from dataclasses import asdict

from inspect_ai import Epochs, Task, task
from inspect_ai.agent import as_solver
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import CachePolicy
from inspect_ai.solver import Solver

from mlbench.evals.ml_llm_bench.dataset import inspect_samples
from mlbench.evals.ml_llm_bench.scorer import judge
from mlbench.evals.ml_llm_bench.solver import answer
from mlbench.evals.task_names import task_name
from mlbench.prompts.context import Context, Variant
from mlbench.records import Policy, UsageError
from mlbench.sandbox.limits import bounds
from mlbench.scoring.runtime import machine
from mlbench.suites.selection import SelectionAttempt, select
from mlbench.suites.shards import shard_metadata

VERSION = "7"
ANSWERING = {"ml_agent": "given", "ml_agent-chooses": "choose"}
"""The agents that can answer, and whether they get the row's repository or choose one."""


def _agent_solver(agent: str, suite: str, run: str | None) -> Solver:
    """Return an agent as a solver.

    Raises:
        UsageError: no agent that can answer has this name.
    """
    from mlbench.agents.ml_agent import ml_agent  # a slow import: a third of a second

    if agent not in ANSWERING:
        raise UsageError(f"no agent {agent!r} answers here; there are: {', '.join(ANSWERING)}")
    return as_solver(ml_agent(suite, ANSWERING[agent], run=run))


@task(name=task_name("llm_bench"))
def llm_bench(
    suite: str = "pocket",
    split: str = "full",
    setting: str = "oracle",
    repo: str | None = None,
    limit: int | None = None,
    k: int = 1,
    sandbox: str = "bubblewrap",
    paper_timeout: float = 10.0,
    limits: dict[str, float] | None = None,
    workers: int | None = None,
    run: str | None = None,
    judged: bool = True,
    cache: bool = True,
    context_tokens: int = Context.tokens,
    retrieval: Variant = Context.retrieval,
    tokenizer: str = Context.tokenizer,
    agent: str | None = None,
    reply_tokens: int | None = Context.reply,
    policy: Policy | None = None,
    gpus: bool = False,
    shard: str | None = None,
) -> Task:
    """Ask for each row of a split `k` times, and judge every answer.

    Args:
        suite: the name of the suite.
        split: the name of the split.
        setting: what the model is shown: `oracle`, `oracle-published`, `readme`, `retrieval`, `code` or `closed`.
        repo: ask only for the rows of this repository.
        limit: ask only for so many rows, spread over the split.
        k: answers per row.
        sandbox: where answers run: `bubblewrap`, `docker`, `k8s` or `local`.
        paper_timeout: the time limit of the published rule, in seconds.
        limits: limits of one answer's sandbox: seconds, memory, written, output (bytes), processes, open_files.
        workers: answers judged in parallel; None for the number of CPUs.
        run: cache replies under this name, so that a resumed run pays for no reply twice.
        judged: judge the answers; False measures what judging costs.
        cache: use the verdict cache.
        context_tokens: the model's context window.
        retrieval: the variant of the setting `retrieval`; see `Context`.
        tokenizer: counts tokens; see `Context`.
        agent: answers instead of one model call: `ml_agent` reads the row's repository, `ml_agent-chooses` must
            also find it among those of the suite.
        reply_tokens: the most tokens of a reply; the documents get the rest of the context window.
        policy: `strict` runs the answers to those rows of a suite without an environment that can run here.
        gpus: let answers use this machine's NVIDIA GPUs.
        shard: ask only for this part of the rows, such as `3/8`.

    Raises:
        UsageError: an argument is not allowed.
        RunError: the suite's checkouts or environments cannot be made.
    """
    context = Context(context_tokens, tokenizer, retrieval, reply=reply_tokens)
    needed = (repo,) if repo and agent is None else ()
    place = machine(sandbox, suite, bounds(limits), workers, policy, gpus, repositories=needed)
    rows = select(place.suite, split, repo=repo, limit=limit, shard=shard)
    solver = answer(cache=CachePolicy(expiry=None, scopes={"run": run}) if run else False)
    if agent is not None:
        if setting == "closed":
            raise UsageError(f"--setting closed: the agent {agent} reads the repository itself; leave --agent out")
        solver = _agent_solver(agent, suite, run)
    return Task(
        dataset=MemoryDataset(
            inspect_samples(suite, [SelectionAttempt(row) for row in rows], setting, place, context),
            name=f"{suite}-{split}",
        ),
        solver=solver,
        scorer=judge(suite, sandbox, paper_timeout, limits, workers, cache, policy, gpus, repositories=needed)
        if judged
        else None,
        epochs=Epochs(k, "mean"),
        version=VERSION,
        metadata={
            **place.suite.log_metadata,
            "split": split,
            "setting": agent or setting,
            "context": asdict(context),
            "repository": repo,
            "run": run,
            **shard_metadata(shard),
            **({"draft": place.suite.draft} if place.suite.is_draft else {}),
        },
    )
