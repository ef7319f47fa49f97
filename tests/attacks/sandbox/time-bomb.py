# Waits until the judge has gone on, and then does its deeds.
import os, time
if os.fork() == 0:
    os.setsid()
    os.closerange(0, 3)
    time.sleep(0.6)
    for target in (os.environ["CANARY"] + "/planted", os.environ["REPOSITORY"] + "/planted", "/tmp/planted-" + os.environ["MARK"]):
        try:
            open(target, "w").write(os.environ["MARK"])
        except OSError:
            pass
    time.sleep(600)
