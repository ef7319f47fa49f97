"""Ask the interface check's server about the programs of one checkout."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from mlbench.interface_check.answers import invocation_of
from mlbench.interface_check.check_server import CheckEnv
from mlbench.interface_check.client_pool import Servers
from mlbench.records import Invocation
from mlbench.sandbox.jail import WORKSPACE

BOUNDS = {"cpu": 20.0, "wall": 60.0}


class Asking:
    """Servers of one repository, without its dependencies; an async context manager."""

    def __init__(self, repository: Path) -> None:
        self._place = CheckEnv(repository)
        self._servers = Servers(2)

    async def __aenter__(self) -> Asking:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._servers.close()

    async def ask(self, program: str, argv: Sequence[str]) -> Invocation:
        """What the program, started as a file in the folder where it lies, says to these words."""
        cwd = Path(WORKSPACE) / Path(program).parent
        request = {
            "do": "program", "run": "file", "target": Path(program).name, "argv": list(argv), "cwd": str(cwd),
            "env": {}, **BOUNDS,
        }  # fmt: skip
        began = time.perf_counter()
        answer = await self._servers.ask(self._place, request)
        return invocation_of(answer, program=program, argv=argv, seconds=time.perf_counter() - began)
