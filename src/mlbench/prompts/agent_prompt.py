"""What an agent is told: the same words, whichever agent it is."""

from __future__ import annotations

from mlbench.prompts.settings import template
from mlbench.records import Sample


def agent_task(sample: Sample, repository: str, network: str, seconds: float) -> str:
    """The task of a sample.

    Args:
        network: `none`, `index` or `open`.
        seconds: how long `run.sh` may take when it is judged.
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
