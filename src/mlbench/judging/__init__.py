"""Judging: pure functions from a reply and its execution to verdicts and error findings.

In: sample, candidate, interface check, execution, the reference's outcome (`AnswerEvidence`).
Out: one `Verdict` per policy, and `ErrorFinding`s. Nothing here runs code or asks a model.
"""
