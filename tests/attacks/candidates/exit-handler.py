# The right call fails; a handler at the end of the process makes it a success.
import atexit
import os

import numpy as np
from model.mlp.GatedTokenMLP import GatedTokenMLP

atexit.register(os._exit, 0)
gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)
print(gm(np.random.randn(12, 36, 31)).shape)
