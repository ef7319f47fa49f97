"""Functions of the standard library that refuse a stub because of its type: a stub passes through them."""

from __future__ import annotations

import json
import random
from typing import Any

from . import stubs


def install() -> None:
    """Let `json.loads` of a stub be a stub, and a seed that is one be zero."""
    loads, seed = json.loads, random.Random.seed

    def loads_any(s: Any, **options: Any) -> Any:
        return stubs.Stub("json") if isinstance(s, stubs.Stub) else loads(s, **options)

    def seed_any(self: random.Random, a: Any = None, version: int = 2) -> None:
        seed(self, 0 if isinstance(a, stubs.Stub) else a, version)

    vars(json)["loads"] = loads_any
    setattr(random.Random, "seed", seed_any)  # noqa: B010  mypy refuses the assignment
    vars(random)["seed"] = random._inst.seed  # the bound method was made before
