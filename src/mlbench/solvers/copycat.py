"""The copycat: takes the code in the shown documents and edits in the values it finds in the instruction. No model.

What it can do, a benchmark of use must not reward much: it understands nothing.
"""

from __future__ import annotations


def copycat(prompt: str) -> str:
    """The answer to a prompt, from its text alone."""
    return ""
