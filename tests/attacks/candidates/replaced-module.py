# Puts a module of its own where the import system looks first.
import sys
import types

fake = types.ModuleType("model.mlp.GatedTokenMLP")
fake.GatedTokenMLP = lambda **options: lambda x: x
for name in ("model", "model.mlp"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["model.mlp.GatedTokenMLP"] = fake
import numpy as np
from model.mlp.GatedTokenMLP import GatedTokenMLP

gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)
print(gm(np.random.randn(12, 36, 32)).shape)
