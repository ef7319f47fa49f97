"""Modules that are mounted in the grader's jail beside a problem's `grade.py`."""
