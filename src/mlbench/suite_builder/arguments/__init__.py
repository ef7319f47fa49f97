"""Steps 3 and 6: what people vary of a task, with values that its program takes, and the template of its reference."""
