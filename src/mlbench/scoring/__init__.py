"""Scorers: thin wrappers that run a candidate in the sample's sandbox and hand what happened to the policies."""
