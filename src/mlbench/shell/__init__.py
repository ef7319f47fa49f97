"""The only reader of shell text.

In: shell text, or the words of one command.
Out: its language and faults, its commands, the programs behind launchers, and its words. It imports only `records`.
"""
