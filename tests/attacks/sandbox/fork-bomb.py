# Forks children that fork, each in a session of its own and deaf to signals.
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
end = time.time() + 2
while time.time() < end:
    try:
        if os.fork() == 0:
            os.setsid()
    except OSError:
        time.sleep(0.05)
