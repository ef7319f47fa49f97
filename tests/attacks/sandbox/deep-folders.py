# Makes folders in folders, deeper than any path can name.
import os
os.chdir("/workspace")
try:
    for _ in range(20_000):
        os.mkdir("d" * 200)
        os.chdir("d" * 200)
except OSError as error:
    print(error)
