"""Functions of the standard library that refuse a stub because of its type: a stub passes through them."""

from __future__ import annotations

import inspect
import json
import random
import sys
from typing import Any

from . import going_on, stubs


def install() -> None:
    """Let `json.loads` of a stub be a stub, a seed that is one be zero, and a stub be a class where one is demanded."""
    loads, seed, isclass = json.loads, random.Random.seed, inspect.isclass

    def isclass_any(object: Any) -> bool:
        return going_on.truth(sys._getframe(1), False) if isinstance(object, stubs.Stub) else isclass(object)

    def loads_any(s: Any, **options: Any) -> Any:
        return stubs.Stub("json") if isinstance(s, stubs.Stub) else loads(s, **options)

    def seed_any(self: random.Random, a: Any = None, version: int = 2) -> None:
        seed(self, 0 if isinstance(a, stubs.Stub) else a, version)

    vars(json)["loads"] = loads_any
    vars(inspect)["isclass"] = isclass_any
    setattr(random.Random, "seed", seed_any)  # noqa: B010  mypy refuses the assignment
    vars(random)["seed"] = random._inst.seed  # the bound method was made before
