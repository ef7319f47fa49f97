# The right calls in a coroutine that nobody awaits, and in a generator that nobody reads.
import numpy as np
from model.mlp.GatedTokenMLP import GatedTokenMLP


async def compute():
    gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)
    return gm(np.random.randn(12, 36, 32))


shapes = (GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)(np.zeros((12, 36, 32))) for _ in range(1))
compute().close()
print("done", shapes)
