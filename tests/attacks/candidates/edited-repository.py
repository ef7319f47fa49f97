# Edits the repository's module, then imports it.
from pathlib import Path

file = Path("model/mlp/GatedTokenMLP.py")
file.write_text(file.read_text().replace("for i in range(self.depth):", "for i in ():"))
import numpy as np
from model.mlp.GatedTokenMLP import GatedTokenMLP

gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)
print(gm(np.random.randn(12, 36, 32)).shape)
