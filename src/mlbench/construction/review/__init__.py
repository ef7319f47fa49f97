"""A person's review: a local page on which tasks and rows are accepted, edited or rejected (docs/review.md)."""

from mlbench.construction.review.server import serve

__all__ = ["serve"]
