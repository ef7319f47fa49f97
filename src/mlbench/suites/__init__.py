"""Suites, recipes and rows: from what a repository documents to the published 11 columns."""
