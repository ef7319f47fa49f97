"""The names under which Inspect finds the tasks, such as `mlbench/llm_bench`."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, distribution


def task_name(name: str) -> str:
    """Return the name to register a task under, so that its full name is `mlbench/NAME`.

    Inspect adds the name of an installed package. It does not recognise an editable install whose distribution
    (`mlbench-harness`) has another name than its package, so the prefix is added here in that case.
    """
    try:
        text = distribution("mlbench-harness").read_text("direct_url.json")
    except PackageNotFoundError:
        return f"mlbench/{name}"
    editable = text is not None and json.loads(text).get("dir_info", {}).get("editable", False)
    return f"mlbench/{name}" if editable else name
