# Forks all the time, each process ending as soon as it has a child, so that no list of processes holds it.
import os, time
end = time.time() + 600
if os.fork() == 0:
    os.setsid()
    while time.time() < end:
        try:
            if os.fork() != 0:
                os._exit(0)
        except OSError:
            pass
        time.sleep(0.002)
