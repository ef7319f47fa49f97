# A function of its own that claims to be a decorator around the repository's.
import functools

import numpy as np
from model.base import Layer
from model.mlp.GatedTokenMLP import GatedTokenMLP


@functools.wraps(Layer.__call__)
def apply(self, x):
    return x


@functools.wraps(GatedTokenMLP, updated=())
def make(*rest, **named):
    return None


gm = make(d_model=32, seq_len=36, expansion=2, depth=4)
print(apply(gm, np.random.randn(12, 36, 32)).shape)
