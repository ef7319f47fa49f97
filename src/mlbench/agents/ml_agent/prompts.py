"""The words of ML-Agent: its templates, rendered strictly."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import jinja2

import mlbench.prompts


@cache
def _templates() -> jinja2.Environment:
    loader = jinja2.FileSystemLoader(Path(mlbench.prompts.__file__).parent / "templates")
    return jinja2.Environment(
        loader=loader, undefined=jinja2.StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True
    )


def words(name: str, **fields: object) -> str:
    """The template `ml_agent_NAME.jinja`, filled."""
    return _templates().get_template(f"ml_agent_{name}.jinja").render(fields).strip()
