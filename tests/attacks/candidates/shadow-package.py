# Writes a package of the same name and puts it first.
import os
import sys

os.makedirs("/tmp/own/model/mlp")
open("/tmp/own/model/__init__.py", "w").close()
open("/tmp/own/model/mlp/__init__.py", "w").close()
with open("/tmp/own/model/mlp/GatedTokenMLP.py", "w") as file:
    file.write("class GatedTokenMLP:\n    def __init__(self, **o): pass\n    def __call__(self, x): return x\n")
sys.path.insert(0, "/tmp/own")
import numpy as np
from model.mlp.GatedTokenMLP import GatedTokenMLP

gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)
print(gm(np.random.randn(12, 36, 32)).shape)
