# A child makes the right call and is killed on the way; the parent ends well.
import os
import signal

pid = os.fork()
if pid == 0:
    import numpy as np
    from model.mlp.GatedTokenMLP import GatedTokenMLP

    gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)
    os.kill(os.getpid(), signal.SIGSTOP)
    print(gm(np.random.randn(12, 36, 32)).shape)
    os._exit(0)
os.waitpid(pid, os.WUNTRACED)
os.kill(pid, signal.SIGKILL)
