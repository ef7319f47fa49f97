# The parent makes a wrong call and ends well; a child that nobody waits for fails at the right one.
import os

import numpy as np
from model.mlp.GatedTokenMLP import GatedTokenMLP

if os.fork() == 0:
    gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)
    print(gm(np.random.randn(12, 36, 30)).shape)
gm = GatedTokenMLP(d_model=8, seq_len=4)
print(gm(np.random.randn(1, 4, 8)).shape)
