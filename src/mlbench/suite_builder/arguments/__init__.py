"""Steps 3 and 6: the arguments of a task, their values, and the template of its reference.

Enters: a task that the repository accepts.
Leaves: a draft whose values the interface check accepted one by one, or a reason for having none.
"""
