"""Agents: the one of the v1 paper, and those of others."""
