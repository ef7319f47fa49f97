"""A package index for sandboxes that have no network: behind a Unix socket, with all that passes kept on disk."""
