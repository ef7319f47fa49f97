"""Step 5: how a task is asked for."""
