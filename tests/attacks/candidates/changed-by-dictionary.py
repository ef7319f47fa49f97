# The right call, and a wrong value in its place, put there through the object's dictionary.
import numpy as np
from model.mlp.GatedTokenMLP import GatedTokenMLP

x = np.random.randn(12, 36, 32)
gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)
vars(gm).update(depth=1)
print(gm(x).shape)
