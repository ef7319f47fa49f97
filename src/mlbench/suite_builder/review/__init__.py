"""A local page for reviewing a suite's tasks and rows (docs/how-to/review-a-suite.md).

Enters: a suite's folder, and the findings of its build.
Leaves: recipes that a person accepted, edited or rejected.
"""

from mlbench.suite_builder.review.server import serve

__all__ = ["serve"]
