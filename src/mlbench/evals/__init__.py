"""Inspect tasks. Each file here only assembles."""
