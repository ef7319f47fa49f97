"""Suites: rows with their references, made from recipes or read from a file.

Enters: `suite.yaml`, recipes, the pinned repositories, or published tables of rows.
Leaves: rows by split, as the 11 published columns (`Sample`), each with the recipe that it is made from.
"""
