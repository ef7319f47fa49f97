"""The attacks on the sandbox: each file runs in a jail of its own, and what it reached is looked up from outside.

Every prize is real and could be had: a key in a folder, listeners on the host's loopback, a process to kill, a second
jail beside. The attacks are told where the prizes are (variables, see `Prizes.told`). What an attack says of itself
counts only against it: the word REACHED, or a secret, in its output.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import socket
import subprocess
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import psutil
from inspect_ai.util import SandboxUnavailableError

import mlbench
from mlbench.judging.policy import describe
from mlbench.records import Execution, ExitKind
from mlbench.repositories.cache import cache_folder
from mlbench.repositories.environments import environment
from mlbench.sandbox.bubblewrap import BubblewrapConfig, BubblewrapSandbox
from mlbench.sandbox.jail import Jail
from mlbench.sandbox.limits import MIB, Limits
from mlbench.suites.suite import load_suite
from tests.attacks.attack_candidates import Attack

FOLDER = Path(__file__).parent / "sandbox"
LIMITS = Limits(seconds=3, memory=200 * MIB, written=32 * MIB, processes=40, open_files=64, output=65536)
AT_ONCE = 3
_SPARE_PROCESSES = 6  # launcher, bwrap, agent, and what ends while it is counted
_LATE_SECONDS = 6.0  # a jail on a busy machine may take that much longer to be gone
_SETTINGS = ("kernel/core_pattern", "kernel/hostname", "kernel/modprobe", "kernel/randomize_va_space", "fs/file-max")
_PLACES = ("/tmp", "/dev/shm", "/var/tmp", "/dev/mqueue", "/usr/lib", "/usr/local/bin", "/etc/cron.d")


@dataclass
class Prizes:
    """What one attack may reach for, each with a mark of its own. Use as a context manager."""

    folder: Path
    mark: str
    secret: str = field(init=False)

    def __enter__(self) -> Prizes:
        self.secret = f"{self.mark}-secret"
        (self.folder / ".ssh").mkdir(parents=True)
        for file in (self.folder / "key", self.folder / ".ssh" / "id_ed25519"):
            file.write_text(self.secret)
        with contextlib.ExitStack() as stack:
            self._tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            self._udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            self._udp.bind(("127.0.0.1", 0))
            self._abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
            self._abstract.bind(f"\0{self.mark}-abstract")
            self._path = stack.enter_context(socket.socket(socket.AF_UNIX))
            self._path.bind(str(self.folder / "socket"))
            for server in (self._abstract, self._path):
                server.listen()
            for server in (self._tcp, self._udp, self._abstract, self._path):
                server.setblocking(False)
            self.bystander = subprocess.Popen(["sleep", "600"])
            stack.callback(self.bystander.wait)
            stack.callback(self.bystander.kill)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def told(self, ground: Ground) -> dict[str, str]:
        """The attack's variables."""
        return {
            "MARK": self.mark,
            "CANARY": str(self.folder),
            "PORT": str(self._tcp.getsockname()[1]),
            "UDP_PORT": str(self._udp.getsockname()[1]),
            "ABSTRACT": f"{self.mark}-abstract",
            "SOCKET": str(self.folder / "socket"),
            "BYSTANDER": str(self.bystander.pid),
            "JUDGE": str(os.getpid()),
            "NEIGHBOURS": " ".join(str(process.pid) for process in ground.neighbours),
            "REPOSITORY": str(ground.repository),
            "PACKAGE": str(Path(mlbench.__file__).parent),
            "CACHE": str(cache_folder()),
        }

    def reached(self) -> Iterator[str]:
        """Which of them it had."""
        for name, server in (("loopback", self._tcp), ("abstract socket", self._abstract), ("socket", self._path)):
            with contextlib.suppress(BlockingIOError):
                server.accept()[0].close()
                yield f"connected to the host's {name}"
        with contextlib.suppress(BlockingIOError):
            self._udp.recv(100)
            yield "sent a datagram to the host"
        if self.bystander.poll() is not None or psutil.Process(self.bystander.pid).status() == psutil.STATUS_STOPPED:
            yield "signalled a process of the host"
        names = {path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*")}
        if names != {"key", ".ssh", ".ssh/id_ed25519", "socket"} or (self.folder / "key").read_text() != self.secret:
            yield "wrote into a folder of the host"
        for place in (*_PLACES, str(Path.home()), os.getcwd(), str(cache_folder())):
            with contextlib.suppress(OSError):
                yield from (f"left {place}/{name}" for name in os.listdir(place) if self.mark in name)
        with contextlib.suppress(OSError):
            if self.mark in Path("/proc/keys").read_text():
                yield "left a key in the host's keyring"

    def alive(self) -> list[int]:
        """Processes of the machine that carry the mark: those that the attack started."""
        found = []
        for name in os.listdir("/proc"):
            with contextlib.suppress(OSError):
                if name.isdigit() and self.mark.encode() in Path("/proc", name, "environ").read_bytes():
                    found.append(int(name))
        return found


@dataclass
class Ground:
    """What all attacks share: the repository and its environment, a jail beside, the machine."""

    repository: Path
    environment: Path
    neighbours: list[psutil.Process] = field(default_factory=list)
    before: dict[str, str] = field(default_factory=dict)

    @contextlib.asynccontextmanager
    async def with_neighbour(self) -> AsyncIterator[Ground]:
        """With another candidate's jail beside, in which something stands and runs."""
        config = BubblewrapConfig(repository=str(self.repository))
        sandboxes = await BubblewrapSandbox.sample_init("attack", config, {})
        sandbox = sandboxes["default"].as_type(BubblewrapSandbox)
        try:
            places = "/workspace /tmp /home/user /dev/shm"
            script = f"for d in {places}; do echo neighbour-secret > $d/neighbour; done; sleep 900 > /dev/null 2>&1 &"
            await sandbox.run(["bash", "-c", script])
            self.neighbours = _below(await sandbox.jail())
            self.before = self.state()
            yield self
        finally:
            await BubblewrapSandbox.sample_cleanup("attack", config, sandboxes, False)

    def state(self) -> dict[str, str]:
        """What no attack may change, as text by name."""
        found = {f"/proc/sys/{name}": _text(Path("/proc/sys", name)) for name in _SETTINGS}
        found["mounts"] = _text(Path("/proc/self/mounts"))
        found |= {f"/proc/sysvipc/{kind}": _keys(Path("/proc/sysvipc", kind)) for kind in ("shm", "sem", "msg")}
        sites = list(self.environment.glob("lib/python3*/site-packages"))
        package = Path(mlbench.__file__).parent
        watched = [self.environment / "bin", self.environment / "pyvenv.cfg", Path("/usr/lib"), Path("/usr/bin/env")]
        watched += [*sites, *(site / "numpy" / "__init__.py" for site in sites), Path("/dev/null"), Path("/bin/bash")]
        watched += [*(package / "sandbox" / "etc").iterdir(), *cache_folder("agent").iterdir(), Path("/etc/passwd")]
        found |= {str(path): _stat(path) for path in watched}
        found["repository"] = " ".join(
            f"{path.name} {_stat(path)} {hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ''}"
            for path in sorted(self.repository.rglob("*"))
        )
        return found

    def changed(self) -> Iterator[str]:
        now = self.state()
        yield from (f"changed {name}" for name, before in self.before.items() if now[name] != before)
        for process in self.neighbours:
            if not process.is_running() or process.status() in (psutil.STATUS_STOPPED, psutil.STATUS_ZOMBIE):
                yield "reached a process of another sandbox"


async def faults(attack: Attack, ground: Ground, folder: Path) -> list[str]:
    """What this attack reached that it must not; nothing where it was contained."""
    mark = f"mlbench-attack-{os.getpid()}-{attack.name.replace('.', '-')}"
    with Prizes(folder / attack.name, mark) as prizes:
        config = BubblewrapConfig(
            repository=str(ground.repository),
            environment=str(ground.environment),
            env=tuple(prizes.told(ground).items()),
            limits=LIMITS,
        )
        sandboxes = await BubblewrapSandbox.sample_init("attack", config, {})
        sandbox = sandboxes["default"].as_type(BubblewrapSandbox)
        file = f"attack{Path(attack.name).suffix}"
        await sandbox.write_file(file, attack.code)
        jail = await sandbox.jail()
        watch = Sampled(jail)
        found: list[str] = []
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(watch.sample)
                argv = ["bash" if file.endswith(".sh") else "python", file]
                execution = await sandbox.run(argv, seconds=LIMITS.seconds)
                await anyio.sleep(0.1)
                group.cancel_scope.cancel()
            found += _said(execution, prizes)
            found += watch.faults()
        except* SandboxUnavailableError as group_error:
            found.append(f"the machine is blamed: {group_error.exceptions[0]}")
        await BubblewrapSandbox.sample_cleanup("attack", config, sandboxes, False)
        with anyio.move_on_after(_LATE_SECONDS):
            while prizes.alive():
                await anyio.sleep(0.05)
        left = prizes.alive()
        for pid in left:  # this machine must not suffer for it
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        found += [f"{len(left)} processes survived"] if left else []
        return [*found, *prizes.reached(), *ground.changed()]


def _said(execution: Execution, prizes: Prizes) -> Iterator[str]:
    """What stands in its output, and in what the report shows of it."""
    for text in (execution.stdout, execution.stderr):
        if len(text.encode(errors="replace")) > 2 * LIMITS.output:
            yield "its output was not bounded"
        for word in (prizes.secret, "neighbour-secret", HOST_KEY, "REACHED", "root:x:0:0:root:/root", "root:$"):
            if word in text:
                yield f"printed {word}"
    shown = describe(execution)
    if not all(sign.isprintable() or sign in "\n\t" for sign in shown) or len(shown) > 10_000:
        yield "reached the report with control characters"
    if execution.seconds > LIMITS.seconds + _LATE_SECONDS or (
        execution.ending is not ExitKind.TIMEOUT and execution.seconds > LIMITS.seconds + 1
    ):
        yield f"ran for {execution.seconds:.1f} s"


class Sampled:
    """The processes of a jail and their memory, as the host counts them, again and again while it runs."""

    def __init__(self, jail: Jail) -> None:
        self._jail = jail
        self._processes = self._memory = 0

    async def sample(self) -> None:
        while True:
            processes = _below(self._jail)
            self._processes = max(self._processes, len(processes))
            self._memory = max(self._memory, sum(_proportional(process.pid) for process in processes))
            await anyio.sleep(0.1)

    def faults(self) -> Iterator[str]:
        if self._processes > LIMITS.processes + _SPARE_PROCESSES:
            yield f"{self._processes} processes"
        if self._memory > LIMITS.memory * 1.25:
            yield f"{self._memory // MIB} MiB of memory"


def _below(jail: Jail) -> list[psutil.Process]:
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(jail._launcher._process.pid).children(recursive=True)
    return []


def _proportional(pid: int) -> int:
    """Bytes of memory, pages that processes share divided among them; 0 where this user may not look."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def _keys(table: Path) -> str:
    """The objects of a table of the kernel, without their counters."""
    return " ".join(sorted(line.split()[1] for line in _text(table).splitlines()[1:]))


def _stat(path: Path) -> str:
    stat = path.lstat()
    times = () if path.is_char_device() else (stat.st_mtime_ns, stat.st_size)
    return f"{stat.st_mode:o} {stat.st_uid} {stat.st_nlink} {stat.st_ino} {times}"


HOST_KEY = "sk-attack-canary-4711"


async def contained(attacks: Iterable[Attack], folder: Path) -> dict[Attack, list[str]]:
    """Every attack and its faults. Some run at the same time; a key stands in this process's environment meanwhile."""
    repository = folder / "repository"
    repository.mkdir()
    (repository / "README.md").write_text("# Nothing to see\n")
    (repository / "train.py").write_text("print('training')\n")
    ground = Ground(repository, environment(load_suite("pocket").requirements))
    (folder / "prizes").mkdir()
    results: dict[Attack, list[str]] = {}
    slots = anyio.CapacityLimiter(AT_ONCE)
    os.environ["OPENAI_API_KEY"] = HOST_KEY
    try:
        async with ground.with_neighbour():

            async def one(attack: Attack) -> None:
                async with slots:
                    results[attack] = await faults(attack, ground, folder / "prizes")

            async with anyio.create_task_group() as group:
                for attack in attacks:
                    group.start_soon(one, attack)
    finally:
        del os.environ["OPENAI_API_KEY"]
    return results
