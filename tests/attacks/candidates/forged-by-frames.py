# Calls the right class from a frame that is none of the candidate's, on numbers that never reach it.
import sys

import numpy as np

from model.mlp.GatedTokenMLP import GatedTokenMLP

code = compile("gm = GatedTokenMLP.__new__(GatedTokenMLP)\ndict(d_model=32, seq_len=36, expansion=2, depth=4)", "/workspace/model/mlp/GatedTokenMLP.py", "exec")
exec(code, {"GatedTokenMLP": GatedTokenMLP, "__name__": "model.mlp.GatedTokenMLP"})
sys.audit("call", GatedTokenMLP, {"d_model": 32, "seq_len": 36, "expansion": 2, "depth": 4})
print(np.empty((12, 36, 32)).shape)
