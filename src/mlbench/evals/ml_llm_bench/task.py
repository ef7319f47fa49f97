"""ML-LLM-Bench: one answer, in one go, from the documents that a setting shows (ML-Bench, section 3)."""

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
from mlbench.prompts.context import Context, Sentences, Variant
from mlbench.records import UsageError
from mlbench.sandbox.limits import bounds
from mlbench.scoring.runtime import machine
from mlbench.suites.selection import SelectionAttempt, select

VERSION = "4"
ANSWERING = {"ml_agent": "given", "ml_agent-chooses": "choose"}
"""The agents that answer, and whether the row's repository is given to them."""


def _answering(agent: str, suite: str, run: str | None) -> Solver:
    """The agent of this name as a solver.

    Raises:
        UsageError: there is no such agent.
    """
    from mlbench.agents.ml_agent import ml_agent  # it takes a third of a second to import

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
    sentences: Sentences = Context.sentences,
    agent: str | None = None,
    reply_tokens: int | None = Context.reply,
) -> Task:
    """Ask for every row of a split `k` times and judge every answer.

    Args:
        setting: what the model is shown: `oracle`, `readme`, `retrieval` or `code`.
        repo: only this repository's rows.
        limit: only so many rows, spread over the split.
        sandbox: where candidates run: `bubblewrap`, `docker` or `local`.
        paper_timeout: the published rule's time-out, in seconds.
        limits: bounds of one candidate, by name: seconds, memory, written, output (bytes), processes, open_files.
        workers: candidates judged in parallel; None for the number of CPUs.
        run: replies are kept in Inspect's cache under this name, so that a resumed run pays for none twice.
        judged: False leaves judging out (to measure what it costs).
        cache: whether the verdict cache is used.
        agent: who answers in place of one call of the model: `ml_agent`, which reads the row's repository, or
            `ml_agent-chooses`, which has to find it among the suite's.
        context_tokens, retrieval, tokenizer, sentences: how much is shown, and found in which way: see `Context`.
        reply_tokens: how long a reply may get: what `--max-tokens` says. The documents get what it leaves.
    """
    context = Context(context_tokens, tokenizer, retrieval, sentences, reply=reply_tokens)
    place = machine(sandbox, suite, bounds(limits), workers)
    rows = select(place.suite, split, repo=repo, limit=limit)
    solver = answer(cache=CachePolicy(expiry=None, scopes={"run": run}) if run else False)
    if agent is not None:
        solver = _answering(agent, suite, run)
    return Task(
        dataset=MemoryDataset(
            inspect_samples(suite, [SelectionAttempt(row) for row in rows], setting, place, context),
            name=f"{suite}-{split}",
        ),
        solver=solver,
        scorer=judge(suite, sandbox, paper_timeout, limits, workers, cache) if judged else None,
        epochs=Epochs(k, "mean"),
        version=VERSION,
        metadata={
            "suite": place.suite.name,
            "suite_version": place.suite.version,
            "split": split,
            "setting": agent or setting,
            "context": asdict(context),
            "repository": repo,
            "run": run,
        },
    )
