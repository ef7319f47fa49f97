# Leaves shared memory, semaphores and queues of the kernel behind, which belong to no process.
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for make in (lambda: libc.shmget(0x4711, 1 << 24, 0o1666), lambda: libc.semget(0x4711, 8, 0o1666), lambda: libc.msgget(0x4711, 0o1666)):
    print(make())
open("/dev/shm/planted-" + os.environ["MARK"], "w").write("x" * 100000)
librt = ctypes.CDLL(None)
librt.mq_open(b"/planted", os.O_CREAT | os.O_RDWR, 0o666, None)
