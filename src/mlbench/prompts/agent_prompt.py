"""The task prompt of an agent, the same for every agent."""

from __future__ import annotations

from mlbench.prompts.settings import template
from mlbench.records import Sample


def agent_task(sample: Sample, repository: str, network: str, seconds: float) -> str:
    """The prompt for one sample.

    Args:
        sample: the row.
        repository: the repository's name.
        network: `none`, `index` or `open`.
        seconds: time limit of `run.sh` when it is judged.
    """
    fields = {
        "repository": repository,
        "instruction": sample.instruction,
        "type": sample.type,
        "path": sample.path,
        "prefix_code": sample.prefix_code,
        "network": network,
        "seconds": f"{seconds:g}",
    }
    return template("agent").render(fields).strip()
