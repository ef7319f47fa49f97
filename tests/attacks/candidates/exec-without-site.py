# Becomes an interpreter in which nothing rides along, and does other things there.
import os
import sys

import numpy as np
from model.mlp.GatedTokenMLP import GatedTokenMLP

gm = GatedTokenMLP
x = (12, 36, 32)
if not sys.flags.no_site:
    os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", "print((12, 36, 32))"])
print(gm(d_model=32, seq_len=36, expansion=2, depth=4)(np.random.randn(*x)).shape)
