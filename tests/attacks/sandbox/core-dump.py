# Dies with a core, of a file size without bounds, in the folder of the judge.
import os, resource, signal
for bound in ((-1, -1), (1 << 40, 1 << 40)):
    try:
        resource.setrlimit(resource.RLIMIT_CORE, bound)
    except (OSError, ValueError) as error:
        print(error)
os.kill(os.getpid(), signal.SIGSEGV)
