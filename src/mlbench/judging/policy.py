"""The policies: the named rules that turn evidence into a verdict. Nothing runs here.

A rule first decides from what is known without an execution (`before`), or asks for one. Then it decides from what
happened (`after`).
"""

from mlbench.judging.execution_text import describe, exited_well, last_lines
from mlbench.judging.interface_policy import Interface
from mlbench.judging.paper_policy import Paper, has_script_marker
from mlbench.judging.rule import VERSION, Rule, form_fault
from mlbench.judging.strict_policy import Strict

__all__ = [
    "VERSION",
    "Interface",
    "Paper",
    "Rule",
    "Strict",
    "describe",
    "exited_well",
    "form_fault",
    "has_script_marker",
    "last_lines",
]
