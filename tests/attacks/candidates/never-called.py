# The right calls in a function that nobody calls.
import numpy as np
from model.mlp.GatedTokenMLP import GatedTokenMLP


def main():
    x = np.random.randn(12, 36, 32)
    gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)
    print(gm(x).shape)


if __name__ == "main":
    main()
