"""From recipes and repositories to a suite's rows."""
