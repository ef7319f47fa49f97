"""Step 5: the instruction templates of a task.

Enters: a draft with its arguments, and optionally a model.
Leaves: templates that say every argument once, and why others were refused.
"""
