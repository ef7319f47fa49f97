"""Sandboxes: bubblewrap jails and Docker containers, their limits, and traces of what ran in them.

What enters: a checkout, a Python environment, a command, limits. What leaves: an execution (how it ended,
output, files, trace), or `SandboxUnavailableError` if the sandbox failed and not the command.
"""
