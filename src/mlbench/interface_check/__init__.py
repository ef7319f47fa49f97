"""The interface check: what a repository's own programs accept, and with which configuration.

In: a candidate (shell text or Python code) and a checkout of the repository.
Out: a `Check` with its status, its invocations and their configurations. `runtime/` holds the part inside the jail.
"""
