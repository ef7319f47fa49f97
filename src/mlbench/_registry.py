"""What Inspect finds through the entry point `inspect_ai`: our task, sandbox and baseline models."""

from __future__ import annotations

from mlbench.sandbox.bubblewrap import BubblewrapSandbox

__all__ = ["BubblewrapSandbox"]
