# The right program as a text that is compiled and not run.
TEXT = """
import numpy as np
from model.mlp.GatedTokenMLP import GatedTokenMLP
x = np.random.randn(12, 36, 32)
gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)
print(gm(x).shape)
"""
compile(TEXT, "main", "exec")
