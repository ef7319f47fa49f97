"""The sandbox provider `bubblewrap` for Inspect: one jail per sample, without a daemon, image or copy.

It works for any Inspect task: `sandbox=SandboxEnvironmentSpec("bubblewrap", BubblewrapConfig(repository="/path"))`.
"""

from __future__ import annotations

import shlex
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Literal, cast, overload

import anyio
from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentConfigType,
    SandboxEnvironmentLimits,
    SandboxUserUnsupportedError,
    sandboxenv,
)
from pydantic import BaseModel, ConfigDict

from mlbench.records import Execution, ExitKind, RunError
from mlbench.repositories.cache import cache_folder
from mlbench.sandbox import cgroup, launcher_pool
from mlbench.sandbox.jail import WORKSPACE, Jail, Mounts
from mlbench.sandbox.limits import Limits
from mlbench.sandbox.preflight import why_not

_USERS = (None, "user", "1000")
_SYSTEM = {"PATH": "/usr/bin:/bin"}  # our own commands are never looked up in a folder that a candidate chose
_FILE_SECONDS = 120.0
# Opened without blocking, because a process inside may replace the file by a FIFO after we looked.
_READ = """
[ -d "$1" ] && exit 21; [ -e "$1" ] || exit 22; [ -f "$1" ] || exit 25; [ -r "$1" ] || exit 23
[ "$(stat -L -c %s -- "$1")" -le "$2" ] || exit 24
exec dd if="$1" iflag=nonblock,fullblock,count_bytes bs=1M count="$2" status=none
"""
_WRITE = """
[ -d "$1" ] && exit 21; mkdir -p -- "$(dirname -- "$1")" || exit 23
[ ! -e "$1" ] || [ -f "$1" ] || exit 25; [ ! -e "$1" ] || [ -w "$1" ] || exit 23
exec dd of="$1" oflag=nonblock iflag=fullblock bs=1M status=none
"""


class BubblewrapConfig(BaseModel):
    """Configuration of a jail: mounts, environment variables and limits.

    Attributes:
        repository: host path of the repository.
        environment: host path of the virtual environment.
        shown: further mounts as pairs of host path and path inside.
        tools, installable, online, home, gpus: see `Mounts`.
        env: variables of every command.
        limits: limits of memory, processes, disk, time and output.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    repository: str
    environment: str | None = None
    tools: str | None = None
    shown: tuple[tuple[str, str], ...] = ()
    installable: bool = False
    online: bool = False
    home: str | None = None
    gpus: bool = False
    env: tuple[tuple[str, str], ...] = ()
    limits: Limits = Limits()

    def mounts(self) -> Mounts:
        return Mounts(
            repository=Path(self.repository),
            environment=Path(self.environment) if self.environment else None,
            tools=Path(self.tools) if self.tools else None,
            shown=tuple((Path(folder), place) for folder, place in self.shown),
            installable=self.installable,
            online=self.online,
            home=Path(self.home) if self.home else None,
            gpus=self.gpus,
        )


_at_cleanup: list[Callable[[], Awaitable[None]]] = []


def at_cleanup(close: Callable[[], Awaitable[None]]) -> None:
    """Register a function that is awaited once at the end of the running task, for jails that outlive a sample."""
    _at_cleanup.append(close)


@sandboxenv(name="bubblewrap")
class BubblewrapSandbox(SandboxEnvironment):
    """Runs commands in a `Jail`. The working folder is a copy-on-write view of the repository.

    The jail starts with the first command, so a sample that waits for its model holds no jail.
    """

    def __init__(self, config: BubblewrapConfig) -> None:
        super().__init__()
        self._config = config
        self._jail: Jail | None = None
        self._starting = anyio.Lock()

    async def jail(self) -> Jail:
        """Return the sample's jail; start it if needed.

        Raises:
            SandboxUnavailableError: the jail does not start; says why.
        """
        async with self._starting:
            if self._jail is None:
                config = self._config
                self._jail = await Jail.start(config.mounts(), config.limits, dict(config.env))
            return self._jail

    async def close(self) -> None:
        """End the jail and everything in it."""
        if self._jail is not None:
            await self._jail.close()

    @classmethod
    async def task_init(cls, task_name: str, config: SandboxEnvironmentConfigType | None) -> None:
        cgroup.sweep()
        if reason := await why_not():
            raise RunError(reason)

    @classmethod
    async def sample_init(
        cls, task_name: str, config: SandboxEnvironmentConfigType | None, metadata: dict[str, str]
    ) -> dict[str, SandboxEnvironment]:
        if config is None:  # a task without a repository gets an empty one
            config = BubblewrapConfig(repository=str(cache_folder("empty")))
        return {"default": cls(cast(BubblewrapConfig, config))}

    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        for environment in environments.values():
            await environment.as_type(cls).close()

    @classmethod
    async def task_cleanup(cls, task_name: str, config: SandboxEnvironmentConfigType | None, cleanup: bool) -> None:
        while _at_cleanup:
            await _at_cleanup.pop()()
        launcher_pool.stop_all()

    @classmethod
    def config_deserialize(cls, config: dict[str, object]) -> BaseModel:
        return BubblewrapConfig.model_validate(config)

    async def run(
        self,
        argv: list[str],
        *,
        cwd: str = WORKSPACE,
        env: dict[str, str] | None = None,
        seconds: float | None = None,
        witnessed: bool = False,
        answer: tuple[str, bytes] | None = None,
    ) -> Execution:
        """Run a command until it ends or reaches a limit, and return how it ended. A limit is not an error.

        For `witnessed` and `answer` see `Jail.run`.

        Raises:
            SandboxUnavailableError: the sandbox failed, not the command.
        """
        jail = await self.jail()
        bound = seconds or jail.limits.seconds
        execution, _ = await jail.run(argv, cwd=cwd, env=env, seconds=bound, witnessed=witnessed, answer=answer)
        return execution

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        if user not in _USERS:
            raise SandboxUserUnsupportedError(f"a bubblewrap sandbox has one user, `user`; {user!r} was asked for")
        execution, _ = await (await self.jail()).run(
            cmd,
            stdin=_bytes(input or b""),
            cwd=_resolve(cwd or "."),
            env=env,
            seconds=timeout,
        )
        if execution.ending is ExitKind.TIMEOUT:
            raise TimeoutError(f"command ran for more than {timeout} s: {shlex.join(cmd)[:200]}")
        if execution.exit_code == 126 and "Permission denied" in execution.stderr:
            raise PermissionError(execution.stderr.strip())
        return ExecResult(execution.exit_code == 0, execution.exit_code, execution.stdout, execution.stderr)

    async def write_file(self, file: str, contents: str | bytes) -> None:
        execution, _ = await (await self.jail()).run(
            ["/bin/sh", "-c", _WRITE, "write", _resolve(file)],
            stdin=_bytes(contents),
            env=_SYSTEM,
            seconds=_FILE_SECONDS,
        )
        _raise_for(execution, file)

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        most = SandboxEnvironmentLimits.MAX_READ_FILE_SIZE
        execution, data = await (await self.jail()).run(
            ["/bin/sh", "-c", _READ, "read", _resolve(file), str(most)],
            env=_SYSTEM,
            seconds=_FILE_SECONDS,
            keep=None,
        )
        if execution.exit_code == 24:
            raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR, None)
        _raise_for(execution, file)
        return data.decode("utf-8") if text else data


def _resolve(path: str) -> str:
    return path if path.startswith("/") else f"{WORKSPACE}/{path}"


def _bytes(text: str | bytes) -> bytes:
    """Encode text. A model's text may hold lone surrogates: the program inside must reject them, not we."""
    return text.encode(errors="surrogatepass") if isinstance(text, str) else text


def _raise_for(execution: Execution, file: str) -> None:
    match execution.exit_code:
        case 0:
            return
        case 21:
            raise IsADirectoryError(f"is a directory: {file}")
        case 22:
            raise FileNotFoundError(f"no such file: {file}")
        case 23:
            raise PermissionError(f"permission denied: {file}")
        case 25:
            raise PermissionError(f"not a regular file but a FIFO, socket or device: {file}")
    raise OSError(f"{file}: {execution.stderr.strip() or execution.ending}")
