# Replaces the method of the one object that it calls.
import numpy as np
from model.mlp.GatedTokenMLP import GatedTokenMLP

gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)
vars(gm)["forward"] = np.copy
print(gm(np.random.randn(12, 36, 32)).shape)
