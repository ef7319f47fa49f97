"""Instructions that are worded anew for every row, and the check that reads their values back."""
