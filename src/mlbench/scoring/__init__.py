"""Scoring: collect the evidence of one answer and turn it into a score record.

In: a candidate or a submission, and the machine it runs on.
Out: a `ScoreRecord`, which a scorer in `evals/` hands to Inspect.
"""
