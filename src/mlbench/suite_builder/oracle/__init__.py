"""Oracle segments: the spans of a repository that a person needs to write a recipe's reference.

Enters: a recipe, its repository, the interface check of its reference. Leaves: spans, and what no span shows.
"""
