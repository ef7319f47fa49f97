# Signals through descriptors of processes, to process groups and to threads, and by a dying parent.
import ctypes, os, signal
libc = ctypes.CDLL(None, use_errno=True)
for pid in (int(os.environ["BYSTANDER"]), int(os.environ["JUDGE"]), 1):
    for deed in (lambda: signal.pidfd_send_signal(os.pidfd_open(pid), signal.SIGKILL), lambda: os.killpg(pid, signal.SIGKILL),
                 lambda: os.kill(-pid, signal.SIGKILL)):
        try:
            deed()
        except OSError as error:
            print(pid, error)
    libc.syscall(234 if os.uname().machine == "x86_64" else 131, pid, pid, signal.SIGKILL)
