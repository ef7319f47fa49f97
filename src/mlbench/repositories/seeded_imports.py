"""Seeds the random generators of a process: part of the environments in which references are compared with answers.

A program that sets no seed then leaves the same outcome each time. It runs in the environments of repositories under
their own Pythons: the standard library only, and nothing of mlbench.
"""

import importlib.util
import random
import sys

_SEED = 0


def _of_numpy(module):  # type: ignore[no-untyped-def]
    module.seed(_SEED)


def _of_torch(module):  # type: ignore[no-untyped-def]
    module.manual_seed(_SEED)


def _of_tensorflow(module):  # type: ignore[no-untyped-def]
    module.random.set_seed(_SEED)


_SEEDERS = {"numpy.random": _of_numpy, "torch": _of_torch, "tensorflow": _of_tensorflow}


class _Seeder:
    """Finder that lets the others find a library and seeds it once it is loaded."""

    def find_spec(self, name, path=None, target=None):  # type: ignore[no-untyped-def]
        seed = _SEEDERS.pop(name, None)
        if seed is None:
            return None
        spec = importlib.util.find_spec(name)
        loader = getattr(spec, "loader", None)
        if loader is None or not hasattr(loader, "exec_module"):
            return spec
        load = loader.exec_module

        def load_and_seed(module):  # type: ignore[no-untyped-def]
            load(module)
            seed(module)  # type: ignore[no-untyped-call]

        loader.exec_module = load_and_seed
        return spec


random.seed(_SEED)
sys.meta_path.insert(0, _Seeder())
