"""Analyse rows and logs, beside the paper's numbers (ML-Bench, tables 2, 8, 9, 10, 16, 17).

Enters: a suite, or logs.
Leaves: sheets of columns and rows, printed as tables or written as JSON.
"""
