"""What a candidate tries, and must not get. Each test makes the prize real first, so that it could be had."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import mlbench
from mlbench.records import ExitKind
from mlbench.repositories.cache import cache_folder
from mlbench.sandbox import mounts, seccomp
from mlbench.sandbox.bubblewrap import BubblewrapConfig, BubblewrapSandbox
from mlbench.sandbox.jail import Jail, Mounts
from tests.sandbox.jails import PYTHON, Start, agent_of, all_running, inside, nap, python, running, sh

pytestmark = pytest.mark.anyio
SECRET = "sk-very-secret-4711"
TRY = """
import os, sys
def attempt(name, deed):
    try:
        print(name, "SUCCEEDED", deed())
    except OSError as error:
        pass
"""


@pytest.fixture
async def two_jails(start: Start) -> AsyncIterator[tuple[Jail, Jail]]:
    yield await start(), await start()


async def test_no_network_and_not_the_hosts_loopback(jail: Jail) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
        script = f"""{TRY}
import socket
for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "10.0.0.1", "8.8.8.8", "169.254.169.254"):
    attempt(host, lambda: socket.create_connection((host, {port}), timeout=2))
attempt("names", lambda: socket.getaddrinfo("example.com", 80))
print([name for _, name in socket.if_nameindex()])
"""
        assert await python(jail, script) == "['lo']\n"


async def test_no_socket_that_knows_no_network_namespace(jail: Jail) -> None:
    """AF_VSOCK reaches the host of a virtual machine out of any network namespace."""
    script = """
import errno, socket
for family in range(46):
    try:
        socket.socket(family, socket.SOCK_STREAM).close()
        print(family)
    except OSError as error:
        assert family in (16,) or error.errno == errno.EAFNOSUPPORT, (family, error)
"""
    assert (await python(jail, script)).split() == ["1", "2", "10"]


async def test_its_own_loopback_works(jail: Jail) -> None:
    script = """
import socket
with socket.create_server((socket.gethostbyname(socket.gethostname()), 0)) as server:
    socket.create_connection(("localhost", server.getsockname()[1]), timeout=5)
    print("connected")
"""
    assert await python(jail, script) == "connected\n"


async def test_no_abstract_unix_socket_of_the_host(jail: Jail) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"\0mlbench-test-{os.getpid()}")
        server.listen()
        script = f"{TRY}\nimport socket\ns = socket.socket(socket.AF_UNIX)\n"
        script += f"attempt('abstract', lambda: s.connect('\\0mlbench-test-{os.getpid()}'))"
        assert await python(jail, script) == ""


async def test_no_home_and_no_keys(jail: Jail, tmp_path: Path) -> None:
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "id_ed25519").write_text(SECRET)
    home = Path.home()
    script = f"cat {tmp_path}/.ssh/id_ed25519; ls -A {home}/.ssh {home}/.bashrc {home}/.cache /root/.ssh; ls -A ~"
    execution, _ = await jail.run(["bash", "-c", script])
    assert execution.stdout == ""
    assert execution.stderr.count("No such file") >= 3


async def test_no_variables_of_the_host(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    jail = await start()
    seen = await sh(jail, "env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'")
    assert SECRET not in seen
    names = {line.split("=")[0] for line in (await sh(jail, "env")).splitlines()}
    assert names <= {*mounts.environment(Mounts(Path("/")), {}), "PWD", "SHLVL", "_", "OLDPWD"}


async def test_no_answers_in_the_package_or_the_cache(
    start: Start, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both stand here where the sandbox shows a folder: below the environment and below the tools."""
    environment = tmp_path / "env"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "python").symlink_to(PYTHON)
    (environment / "share").write_text("shown\n")
    monkeypatch.setenv("MLBENCH_CACHE", str(environment / "cache"))
    (cache_folder() / "answer.txt").write_text(SECRET)
    package = Path(mlbench.__file__).parent
    jail = await start(mounts=Mounts(repository, environment, package.parent))
    assert await sh(
        jail, "cat /opt/env/share; ls -A /opt/tools | grep mlbench; ls -AR /opt/env/cache /opt/tools/mlbench"
    ) == ("shown\nmlbench\n/opt/env/cache:\n\n/opt/tools/mlbench:\n")
    assert await sh(jail, f"ls -d {package} {cache_folder()}; touch /opt/env/cache/x || echo refused") == "refused\n"


async def test_no_other_samples_workspace(two_jails: tuple[Jail, Jail]) -> None:
    first, second = two_jails
    command = nap()
    places = "/workspace /tmp /home/user /dev/shm"
    await sh(first, f"for d in {places}; do echo {SECRET} > $d/secret; done; {command} > /dev/null 2>&1 &")
    assert await all_running(command)
    assert await sh(second, f"find {places} -name secret; ps ax | grep '[s]leep'; ls -A /tmp /dev/shm | xargs") == (
        "/dev/shm: /tmp:\n"
    )
    assert list(cache_folder("scratch").iterdir()) == []


async def test_no_signal_to_the_host_or_the_agent(jail: Jail) -> None:
    bystander = subprocess.Popen(["sleep", "60"])
    try:
        signals = " ".join(str(number) for number in (1, 2, 3, 6, 9, 11, 15, 17, 18, 19, 24, 25))
        script = f"kill -9 {bystander.pid}; kill -9 {os.getpid()}; for s in {signals}; do kill -$s 1; done"
        await sh(jail, script)
        await jail.run(["bash", "-c", "kill -9 -1"])
        assert bystander.poll() is None
        assert await sh(jail, "echo alive") == "alive\n"
        assert agent_of(jail).status() in ("sleeping", "running")
    finally:
        bystander.kill()
        bystander.wait()


async def test_the_agent_is_out_of_reach(jail: Jail) -> None:
    """Same user, so only that it is not dumpable, and the filter of system calls, protect it."""
    script = f"""{TRY}
import ctypes, resource
libc = ctypes.CDLL(None, use_errno=True)
def call(*arguments):
    if libc.syscall(*arguments) < 0:
        raise OSError(ctypes.get_errno(), "")
    return arguments
for name in ("mem", "environ", "maps", "auxv", "syscall", "fd/0", "root", "cwd/data.txt"):
    attempt(name, lambda: open("/proc/1/" + name, "rb").read(1))
for name in ("mem", "oom_score_adj", "clear_refs", "coredump_filter"):
    attempt(name, lambda: open("/proc/1/" + name, "wb").write(b"1"))
attempt("links", lambda: os.readlink("/proc/1/fd/0"))
attempt("attach", lambda: call({_number("ptrace")}, 16, 1, 0, 0))
attempt("seize", lambda: call({_number("ptrace")}, 0x4206, 1, 0, 0))
attempt("descriptor", lambda: call({_number("pidfd_getfd")}, os.pidfd_open(1), 0, 0))
for kind in (resource.RLIMIT_NOFILE, resource.RLIMIT_AS, resource.RLIMIT_CPU):
    attempt("limit", lambda: resource.prlimit(1, kind, (1, 1)))
attempt("affinity", lambda: os.sched_setaffinity(1, {{0}}))
attempt("policy", lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0)))
attempt("nice", lambda: os.setpriority(os.PRIO_PROCESS, 1, 19))
print(resource.prlimit(0, resource.RLIMIT_NPROC) == resource.prlimit(os.getpid(), resource.RLIMIT_NPROC))
"""
    assert await python(jail, script) == "True\n"
    assert await sh(jail, "echo alive") == "alive\n"


def _number(call: str) -> int:
    numbers = {"ptrace": (101, 117), "pidfd_getfd": (438, 438), "keyctl": (250, 219)}
    numbers |= {"io_uring_setup": (425, 425), "bpf": (321, 280), "memfd_create": (319, 279)}
    return numbers[call][os.uname().machine == "aarch64"]


async def test_no_privileges(jail: Jail) -> None:
    status = await sh(jail, "cat /proc/self/status")
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert [int(fields[f"Cap{kind}"], 16) for kind in ("Inh", "Prm", "Eff", "Bnd", "Amb")] == [0] * 5
    assert fields["NoNewPrivs"] == "1"
    assert fields["Seccomp"] == "2"


@pytest.mark.parametrize(
    "deed",
    [
        "unshare -U true",
        "unshare -Ur true",
        "unshare -n true",
        "mount -t tmpfs none /tmp",
        "mount --bind /tmp /home/user",
        "umount /proc",
        "mount -o remount,rw /usr",
        "mknod /tmp/disk b 254 0 && head -c 1 /tmp/disk",
        "mknod /tmp/memory c 1 1 && head -c 1 /tmp/memory",
        "chroot /workspace /data.txt",
        "hostname other",
        "nsenter -t 1 -m true",
        "chown root /tmp",
        "dmesg",
        "date -s 2000-01-01",
    ],
)
async def test_no_deed_of_root(jail: Jail, deed: str) -> None:
    execution, _ = await jail.run(["bash", "-c", f"PATH=$PATH:/usr/sbin:/sbin; {deed}"])
    assert execution.exit_code not in (0, 127), execution


async def test_no_set_user_id(jail: Jail) -> None:
    script = "cp /usr/bin/bash /tmp/b; chmod 6755 /tmp/b; /tmp/b -p -c 'id -u; grep Uid /proc/self/status'"
    assert await sh(jail, script) == "1000\nUid:\t1000\t1000\t1000\t1000\n"


async def test_nothing_of_the_host_can_be_written(jail: Jail) -> None:
    """A sandbox of the host's root owns, to the kernel, /proc/sys and the device files, whatever its capabilities."""
    before = {name: os.stat(name) for name in ("/dev/null", "/dev/full")}
    script = f"""{TRY}
for folder in ("/", "/usr", "/usr/bin", "/etc", "/dev", "/opt", "/proc", "/proc/sys", {str(Path(PYTHON).parent)!r}):
    attempt(folder, lambda: open(folder + "/new", "w"))
for path in ("/dev/null", "/dev/full"):
    attempt(path, lambda: os.chmod(path, 0o600))
    attempt(path, lambda: os.utime(path, (0, 0)))
for folder, _, files in os.walk("/proc/sys"):
    for name in files:
        attempt(folder + "/" + name, lambda: open(folder + "/" + name, "r+").close())
for name in os.listdir("/proc"):
    if not name.isdigit() and os.path.isfile("/proc/" + name):
        attempt(name, lambda: open("/proc/" + name, "r+").close())
attempt("own", lambda: open("/proc/self/oom_score_adj", "w").write("0"))
open("/dev/null", "w").write("fine")
"""
    try:
        assert await python(jail, script) == ""
    finally:
        for name, stat in before.items():
            if os.stat(name).st_mode != stat.st_mode:  # where it is not contained, this machine must not suffer for it
                os.chmod(name, stat.st_mode)


async def test_no_daemon_survives(start: Start) -> None:
    jail, command = await start(), nap()
    script = f"""
import os, signal, time
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in range(1, 32):
                if number not in (signal.SIGKILL, signal.SIGSTOP):
                    signal.signal(number, signal.SIG_IGN)
            for fd in range(3):
                os.close(fd)
            os.execvp("sleep", {command.split()})
        os._exit(0)
time.sleep(0.2)
"""
    await python(jail, script)
    assert await all_running(command, 3)
    family = inside(jail)
    await jail.close()
    assert running(command) == []
    assert not any(process.is_running() for process in family)


async def test_links_lead_nowhere(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(SECRET)
    (repository / "out").symlink_to(tmp_path / "secret")
    config = BubblewrapConfig(repository=str(repository))
    environments = await BubblewrapSandbox.sample_init("check", config, {})
    sandbox = environments["default"]
    try:
        await sandbox.exec(["ln", "-s", str(tmp_path / "secret"), "made"])
        await sandbox.exec(["ln", "-s", "../../../../../../../etc/shadow", "shadow"])
        for name in ("out", "made", "shadow", f"../../..{tmp_path}/secret"):
            with pytest.raises(FileNotFoundError):
                await sandbox.read_file(name)
        with pytest.raises(OSError):
            await sandbox.write_file("made", "changed")
        await sandbox.exec(["bash", "-c", "echo changed > out"])
    finally:
        await BubblewrapSandbox.sample_cleanup("check", config, environments, False)
    assert (tmp_path / "secret").read_text() == SECRET


async def test_no_descriptor_is_inherited_and_no_status_forged(jail: Jail) -> None:
    background = "sleep 30 > /dev/null 2>&1 < /dev/null &"
    await sh(jail, background)
    script = """
import os
print(sorted(int(name) for name in os.listdir("/proc/self/fd"))[:-1])
for fd in range(3, 1024):
    try:
        os.write(fd, b"exited 0 0\\n")
        print("wrote to", fd)
    except OSError:
        pass
os.write(1, b"exited 0 0\\n")
os.write(2, b"exited 0 0\\n")
os._exit(7)
"""
    execution, _ = await jail.run([PYTHON, "-c", script])
    assert (execution.ending, execution.exit_code) == (ExitKind.EXITED, 7)
    assert execution.stdout == "[0, 1, 2]\nexited 0 0\n"


async def test_no_terminal(jail: Jail) -> None:
    """A sandbox that keeps the host's terminal can type into it."""
    script = f"""{TRY}
import fcntl, termios
attempt("terminal", lambda: open("/dev/tty"))
for fd in range(3):
    attempt(fd, lambda: fcntl.ioctl(fd, termios.TIOCSTI, b"x"))
print(os.getsid(0) == os.getpid(), os.path.exists("/dev/console"))
"""
    assert await python(jail, script) == "True False\n"


async def test_refused_calls_are_answered_as_if_they_did_not_exist(jail: Jail) -> None:
    """Of these, the keyring belongs to the host's session, and io_uring would open sockets past the filter."""
    names = {name: _number(name) for name in ("keyctl", "io_uring_setup", "bpf", "memfd_create")}
    script = f"""
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
for name, number in {names!r}.items():
    if libc.syscall(number, 0, 0, 0, 0, 0) != -1 or ctypes.get_errno() != errno.ENOSYS:
        print(name, ctypes.get_errno())
"""
    assert await python(jail, script) == ""


@pytest.mark.parametrize(("machine", "column"), [("x86_64", 0), ("aarch64", 1)])
def test_the_filter_on_both_processors(machine: str, column: int) -> None:
    architecture = seccomp._ARCHITECTURES[machine]
    code = seccomp.program(machine)

    def verdict(number: int, *arguments: int, architecture: int = architecture) -> int:
        words = {0: number, 4: architecture, **{16 + 8 * i: value for i, value in enumerate(arguments)}}
        return _interpret(code, words)

    allow, refused = 0x7FFF0000, 0x00050000
    for numbers in seccomp._ABSENT.values():
        assert verdict(numbers[column]) == refused | 38
    for *numbers, position in seccomp._NOT_ON_THE_AGENT.values():
        arguments = [0] * position
        assert verdict(numbers[column], *arguments, 1) == refused | 1
        assert verdict(numbers[column], *arguments, 0) == allow
        assert verdict(numbers[column], *arguments, 77) == allow
    sockets = {family: verdict(seccomp._SOCKET[column], family) for family in range(50)}
    assert {family for family, answer in sockets.items() if answer == allow} == {1, 2, 10, 16}
    assert sockets[40] == refused | 97
    assert verdict(2, 1) == verdict(60) == verdict(435) == allow
    assert verdict(2, architecture=0x40000003) == verdict(0x40000000 | 1) == refused | 38


def _interpret(code: bytes, words: dict[int, int]) -> int:
    import struct

    instructions = list(struct.iter_unpack("HBBI", code))
    value = position = 0
    while True:
        what, yes, no, operand = instructions[position]
        position += 1
        if what == 0x20:
            value = words.get(operand, 0)
        elif what == 0x06:
            return operand
        else:
            holds = value == operand if what == 0x15 else value >= operand
            position += yes if holds else no


def test_another_processor_is_refused() -> None:
    with pytest.raises(Exception, match="riscv64"):
        seccomp.program("riscv64")


async def test_a_python_installed_in_the_home_folder_is_refused(
    start: Start, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To show that interpreter would be to show the whole home."""
    (tmp_path / "home" / "bin").mkdir(parents=True)
    (tmp_path / "home" / "bin" / "python").write_bytes(b"")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with pytest.raises(Exception, match="home folder"):
        await start(mounts=Mounts(repository, tmp_path / "home"))


def test_nothing_outlives_a_host_that_is_killed(repository: Path, tmp_path: Path) -> None:
    command = nap()
    script = f"""
import anyio, os, signal
from pathlib import Path
from mlbench.sandbox.jail import Jail, Mounts
from mlbench.sandbox.limits import Limits
async def main():
    jail = await Jail.start(Mounts(Path({str(repository)!r})), Limits())
    await jail.run(["bash", "-c", "setsid {command} > /dev/null 2>&1 &"])
    print(jail._launcher._process.pid, flush=True)
    await anyio.sleep(0.1)
    os.kill(os.getpid(), signal.SIGKILL)
anyio.run(main)
"""
    host = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert host.returncode == -signal.SIGKILL, host.stderr
    launcher = Path(f"/proc/{host.stdout.strip()}/cmdline")
    for _ in range(250):
        if not running(command) and not (launcher.exists() and b"launcher" in launcher.read_bytes()):
            return
        time.sleep(0.02)
    pytest.fail("something is left")
