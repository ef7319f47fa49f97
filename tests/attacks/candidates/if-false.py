# The right calls in a branch that is never taken.
import numpy as np
from model.mlp.GatedTokenMLP import GatedTokenMLP

if False:
    x = np.random.randn(12, 36, 32)
    gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)
    print(gm(x).shape)
