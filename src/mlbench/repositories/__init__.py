"""Repositories: pinned checkouts, Python environments, and the cache that holds both.

What enters: a URL and a commit, locked requirements. What leaves: a verified folder, a virtual environment.
Everything in the cache can be made again.
"""
