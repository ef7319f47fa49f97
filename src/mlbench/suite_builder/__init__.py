"""Builds a suite from any repository, checks suites, and serves the page for reviewing them.

Enters: a repository, and optionally a model that proposes tasks, values and wordings.
Leaves: a suite's folder: `suite.yaml`, recipes, and each step's decisions with their reasons.
"""
