# The right call fails; a hook for uncaught exceptions ends with 0.
import os
import sys

import numpy as np
from model.mlp.GatedTokenMLP import GatedTokenMLP

sys.excepthook = lambda *what: os._exit(0)
gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)
print(gm(np.random.randn(12, 36)).shape)
