"""Scripts that `mlbench experiment --check` runs in a jail beside a problem. They import nothing of `mlbench`."""
