"""Judging: pure functions from a reply and what happened when it ran, to a verdict with its evidence."""
