"""The command line that makes a run again, from the header of its log."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit, urlunsplit

from inspect_ai.log import EvalLog

MIB = 1024 * 1024
_SECRET = re.compile(r"key|token|secret|password|auth|credential", re.IGNORECASE)
_OF_TASK = {
    "split": "--split",
    "setting": "--setting",
    "repo": "--repo",
    "limit": "--limit",
    "k": "-k",
    "agent": "--agent",
    "sandbox": "--sandbox",
    "network": "--network",
    "paper_timeout": "--paper-timeout",
    "policy": "--policy",
    "context_tokens": "--context-tokens",
    "retrieval": "--retrieval",
    "tokenizer": "--tokenizer",
    "workers": "--workers",
    "data": "--data",
    "helper": "--helper",
}
"""Arguments of tasks, and the options that set them."""
_OF_LIMITS = {
    "seconds": ("--run-limit", 1),
    "memory": ("--memory-limit", MIB),
    "written": ("--disk-limit", MIB),
    "processes": ("--process-limit", 1),
    "output": ("--output-limit", MIB),
}
_OF_BUDGET = {"steps": "--step-limit", "tokens": "--token-limit", "cost": "--cost-limit", "seconds": "--time-limit"}
_OF_GENERATION = ("temperature", "max_tokens", "seed", "max_connections", "max_retries")
_VERBS = {"llm_bench": "eval", "agent_bench": "agent", "verify": "verify"}


def command_of(log: EvalLog) -> str:
    """Return the command that starts this run again, quoted for a shell; empty if its task has none.

    Keys and passwords are left out.
    """
    verb = _VERBS.get(log.eval.task.rpartition("/")[2])
    if verb is None:
        return ""
    return shlex.join(["mlbench", verb, *_words(log, verb)])


def made_with(log: EvalLog) -> str:
    """Return the versions that a run was made with: packages and, of a checkout, its commit."""
    packages = [f"{name} {version}" for name, version in sorted(log.eval.packages.items())]
    revision = log.eval.revision
    commit = [f"commit {revision.commit}{' with changes' if revision.dirty else ''}"] if revision else []
    return ", ".join([*packages, *commit])


def _words(log: EvalLog, verb: str) -> Iterator[str]:
    arguments: Mapping[str, object] = log.eval.task_args
    if verb == "verify":
        yield str(arguments.get("outputs", ""))
        yield from ("--suite", str(arguments.get("suite", "")))
    else:
        yield str(arguments.get("suite", ""))
        yield from _of_model(log)
    for name, option in _OF_TASK.items():
        value = arguments.get(name)
        if value not in (None, ""):
            yield from (option, str(value))
    if shard := arguments.get("shard"):
        index, _, of = str(shard).partition("/")
        yield from ("--shards", of, "--shard", index)
    if arguments.get("gpus"):
        yield "--gpus"
    if arguments.get("cache", arguments.get("remember", True)) is False:
        yield "--no-cache"
    limits = _mapping(arguments.get("limits")) | {
        name: value for name, value in _mapping(arguments.get("sandbox_limits")).items() if verb == "agent"
    }
    for name, (option, unit) in _OF_LIMITS.items():
        if (value := limits.get(name)) is not None and (verb != "agent" or name in ("seconds", "memory", "written")):
            yield from (option, f"{float(str(value)) / unit:g}")
    for name, option in _OF_BUDGET.items():
        if (value := _mapping(arguments.get("budget")).get(name)) is not None:
            yield from (option, f"{float(str(value)):g}")


def _of_model(log: EvalLog) -> Iterator[str]:
    yield from ("--model", log.eval.model)
    if log.eval.model_base_url:
        yield from ("--base-url", _without_password(log.eval.model_base_url))
    for name, value in log.eval.model_args.items():
        if not _SECRET.search(name):
            yield from ("-M", f"{name}={value}")
    sampling = log.plan.config.model_dump() | log.eval.model_generate_config.model_dump(exclude_none=True)
    for name in _OF_GENERATION:
        if sampling.get(name) is not None:
            yield from (f"--{name.replace('_', '-')}", str(sampling[name]))
    config = log.eval.config
    for option, limit in (("--token-limit", config.token_limit), ("--cost-limit", getattr(config, "cost_limit", None))):
        if limit is not None:
            yield from (option, str(limit))


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query=""))


def _mapping(value: object) -> dict[str, object]:
    return {str(name): each for name, each in value.items()} if isinstance(value, Mapping) else {}
