# A trace function changes the arguments on their way into the repository.
import ctypes
import sys

import numpy as np
from model.mlp.GatedTokenMLP import GatedTokenMLP


def trace(frame, event, value):
    if frame.f_code.co_name == "__init__" and "depth" in frame.f_locals:
        frame.f_locals["depth"] = 1
        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))
    return trace


sys.settrace(trace)
gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)
print(gm(np.random.randn(12, 36, 32)).shape)
