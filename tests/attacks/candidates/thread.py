# The right call in a thread that is not waited for.
import os
import threading

import numpy as np


def compute():
    threading.Event().wait(0.5)
    from model.mlp.GatedTokenMLP import GatedTokenMLP

    gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)
    print(gm(np.random.randn(12, 36, 32)).shape)


threading.Thread(target=compute, daemon=True).start()
os._exit(0)
