# Prints one line without end, on both outputs, from several processes that outlive the first.
import os
for _ in range(3):
    if os.fork() == 0:
        while True:
            os.write(1, b"x" * 65536)
            os.write(2, b"y" * 65536)
