# Leaves a process that holds the output open and never writes.
import os, time
if os.fork() == 0:
    os.setsid()
    time.sleep(600)
print("done")
