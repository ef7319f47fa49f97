"""Step 2: from pieces of code to tasks that the repository accepts."""
