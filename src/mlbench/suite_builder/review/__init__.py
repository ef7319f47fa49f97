"""A local page on which a person accepts, edits or rejects tasks and rows (docs/how-to/review-a-suite.md)."""

from mlbench.suite_builder.review.server import serve

__all__ = ["serve"]
