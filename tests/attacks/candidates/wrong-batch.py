# The wrong batch in the right place; the right one is the seed.
import numpy as np
from model.mlp.GatedTokenMLP import GatedTokenMLP

np.random.seed(12)
x = np.random.randn(1, 36, 32)
gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)
print(gm(x).shape)
