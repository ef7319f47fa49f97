# Takes all memory in children, each of which stays small.
import os, time
for _ in range(30):
    if os.fork() == 0:
        hoard = bytearray(40 << 20)
        time.sleep(1)
        os._exit(0)
time.sleep(1)
