"""Package index for sandboxes without a network: it is reached through a Unix socket and keeps all files on disk.

What enters: HTTP requests of pip and uv from sandboxes, and the indexes that this machine's pip is configured for.
What leaves: project pages and checked files, or a one-line refusal. `process_server.failure` reports our own faults.
"""
