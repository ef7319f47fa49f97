# Ends well before the right call.
import sys

import numpy as np
from model.mlp.GatedTokenMLP import GatedTokenMLP

x = np.random.randn(12, 36, 32)
sys.exit(0)
gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)
print(gm(x).shape)
