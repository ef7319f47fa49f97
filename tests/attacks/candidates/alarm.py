# An alarm ends the process with 0 while it works.
import os
import signal

import numpy as np
from model.mlp.GatedTokenMLP import GatedTokenMLP

signal.signal(signal.SIGALRM, lambda *what: os._exit(0))
signal.setitimer(signal.ITIMER_REAL, 1e-6)
gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)
print(gm(np.random.randn(12, 36, 32)).shape)
