"""The names under which Inspect knows our tasks: `mlbench/llm_bench`, however the package was installed."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, distribution


def task_name(name: str) -> str:
    """What to register a task as, so that its full name is `mlbench/NAME`.

    Inspect adds an installed package's name itself, but it does not see an editable install whose distribution
    (`mlbench-harness`) is not called like its package: there we add it.
    """
    try:
        text = distribution("mlbench-harness").read_text("direct_url.json")
    except PackageNotFoundError:
        return f"mlbench/{name}"
    editable = text is not None and json.loads(text).get("dir_info", {}).get("editable", False)
    return f"mlbench/{name}" if editable else name
