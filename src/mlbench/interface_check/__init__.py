"""From a candidate to its invocations, and what the repository's own programs say to them."""
