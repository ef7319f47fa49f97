"""What runs in the grader's jail beside a problem's `grade.py`."""
