# Two right values in each other's place.
import numpy as np
from model.mlp.GatedTokenMLP import GatedTokenMLP

x = np.random.randn(12, 36, 32)
gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=4, depth=2)
print(gm(x).shape)
