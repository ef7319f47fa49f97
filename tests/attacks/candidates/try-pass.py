# The right call fails, as its input does not fit; the failure is passed over.
import numpy as np
from model.mlp.GatedTokenMLP import GatedTokenMLP

try:
    gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)
    print(gm(np.random.randn(12, 36, 33)).shape)
except Exception:
    pass
