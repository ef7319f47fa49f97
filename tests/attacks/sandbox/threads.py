# Starts threads without end.
import threading, time
try:
    while True:
        threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
except RuntimeError:
    time.sleep(0.5)
