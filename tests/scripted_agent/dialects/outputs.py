"""Outputs of commands without what agents put around them."""

from __future__ import annotations

import json
import re

_WRAPPED = re.compile(r"<output>\n?(.*?)\n?</output>", re.DOTALL)
_TRAILERS = re.compile(
    r"\n?\[(?:The command completed with exit code|Current working directory|Python interpreter|Command finished)[^\n]*"
)


def bare(text: str) -> str:
    """The output itself: out of a JSON object, out of tags, without remarks at its end."""
    stripped = text.strip()
    if stripped.startswith("{") and '"returncode"' in stripped:
        try:
            found = json.loads(stripped)
            return str(found.get("output") or found.get("output_head", "") + found.get("output_tail", ""))
        except ValueError:
            return text
    if found := _WRAPPED.search(text):
        return found[1]
    return _TRAILERS.sub("", text)
