"""Drivers: each file starts one external agent inside the sandbox.

A driver can import only that agent's packages. In: the task as text on standard input; the working folder is the
repository. Out: exit code 0 and a last line `ended: REASON` if the agent ended by itself. Every other exit counts as
a crash.
"""
