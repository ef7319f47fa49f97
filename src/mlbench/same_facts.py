"""Which arguments make two runs the same, and a short key of them."""

from __future__ import annotations

import hashlib
import json

OF_MACHINE = frozenset({"workers", "cache", "steps_dir", "outputs"})
"""Arguments of tasks that do not change what a run measures. A file of answers is known by its content instead."""
OF_ENDPOINT = frozenset({"max_connections", "max_retries"})
"""Fields of `run_config.Generation` that do not change what a run measures."""
SECRETS = frozenset({"api_key"})
"""Arguments of a model's provider that no key and no message holds."""


def facts_key(*facts: object) -> str:
    """Return a short key that is the same for the same facts, as JSON can write them, on any machine."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()[:16]
