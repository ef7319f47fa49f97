"""What starts a foreign agent inside the sandbox: each file runs there by itself, with that agent's packages only.

The task's words come on standard input, the working folder is the repository. A driver ends with code 0 when the
agent has ended by itself, for whatever reason, and prints that reason on a last line, `ended: REASON`; any other end
is a crash.
"""
