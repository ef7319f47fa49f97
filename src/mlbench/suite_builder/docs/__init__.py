"""Step 1 and the first half of step 2: a repository's pages, and the code blocks in them.

Enters: a checkout.
Leaves: code blocks with their prose, and a decision on every document.
"""
