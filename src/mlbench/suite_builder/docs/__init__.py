"""Step 1 and half of step 2: the pages of a repository, and the pieces of code in them."""
