"""Step 2: from code blocks to tasks that the repository accepts.

Enters: the code blocks of all pages, and a checker.
Leaves: tasks with distinct forms and names, and a decision on every piece of code.
"""
