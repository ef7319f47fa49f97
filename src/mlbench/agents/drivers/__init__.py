"""Drivers: each file starts one external agent inside the sandbox.

A driver can import only that agent's packages. In: the task as text on standard input; the working folder is the
repository. Out: exit code 0 if the agent ended by itself, with a last line `ended: REASON`, or `gave up: REASON` if it
did not call its task done. Every other exit counts as a crash.
"""
