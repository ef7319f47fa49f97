"""A cluster of Ray judges answers: the verdicts come into this machine's cache, and the run finds them there.

In: answers, and the address of a cluster. Out: stored verdicts. The log is made afterwards, as always.
Needs the extra `ray`.
"""
