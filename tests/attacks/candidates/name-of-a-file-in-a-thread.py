# Code of its own runs in a thread, where no frame calls it, under the name of a file that it claims the interpreter read.
import _thread
import sys
import time

import numpy as np
from model.mlp.GatedTokenMLP import GatedTokenMLP

sys.audit("cpython.run_file", "/workspace/model/mlp/GatedTokenMLP.py")
TEXT = "import sys\nsys.modules['model.mlp.GatedTokenMLP'].GatedTokenMLP.__call__ = lambda self, x: x\n"
_thread.start_new_thread(exec, (compile(TEXT, "/workspace/model/mlp/GatedTokenMLP.py", "exec"), {}))
time.sleep(0.2)
gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)
print(gm(np.random.randn(12, 36, 32)).shape)
