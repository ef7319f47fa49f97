# Leaves a daemon: twice forked, in a session of its own, deaf to signals, without descriptors.
import os, signal, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in set(range(1, 65)) - {9, 19, 32, 33}:
            signal.signal(number, signal.SIG_IGN)
        os.closerange(0, 64)
        while True:
            time.sleep(1)
    os._exit(0)
os.wait()
