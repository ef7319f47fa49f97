"""Repositories as candidates see them: pinned checkouts, environments, the cache that holds both."""
