"""ML-LLM-Bench: one answer per row, from the shown documents (ML-Bench, section 3).

In: rows of a suite, or answers made elsewhere (`verify_task`). Out: an Inspect task with judged answers.
`baselines` are model providers that call no model, so they take the same path as a model.
"""
