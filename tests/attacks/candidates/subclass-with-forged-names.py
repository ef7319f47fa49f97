# A subclass that bears the class's own name and module, and does nothing.
import numpy as np
from model.mlp.GatedTokenMLP import GatedTokenMLP

names = {"__module__": GatedTokenMLP.__module__, "__qualname__": "GatedTokenMLP", "forward": lambda self, x: x}
Nothing = type("GatedTokenMLP", (GatedTokenMLP,), names)
gm = Nothing(d_model=32, seq_len=36, expansion=2, depth=4)
print(gm(np.random.randn(12, 36, 32)).shape)
