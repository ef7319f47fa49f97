"""Render ML-Agent's prompt templates; an undefined variable is an error."""

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


def render_prompt(name: str, **fields: object) -> str:
    """Return the template `ml_agent_NAME.jinja` with these fields filled in."""
    return _templates().get_template(f"ml_agent_{name}.jinja").render(fields).strip()
