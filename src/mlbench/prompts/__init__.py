"""Prompts: what a model or an agent is shown for a row.

Enters: a row, its repository's checkout, a setting (`oracle`, `readme`, `retrieval`, `code`) and a context budget.
Leaves: the rendered prompt, and a record of which documents were shown, cut or left out.
"""
