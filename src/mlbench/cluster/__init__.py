"""A cluster of Ray judges answers, before or during a run, and builds suites.

In: answers or repositories, and the address of a cluster. Out: verdicts, or the texts of recipes.
Needs the extra `ray`.
"""
