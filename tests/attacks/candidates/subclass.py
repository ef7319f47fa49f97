# A subclass that overrides everything that the repository's class does.
import numpy as np
from model.mlp.GatedTokenMLP import GatedTokenMLP as Real


class GatedTokenMLP(Real):
    def __init__(self, d_model, seq_len, expansion, depth):
        pass

    def __call__(self, x):
        return x


gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)
print(gm(np.random.randn(12, 36, 32)).shape)
