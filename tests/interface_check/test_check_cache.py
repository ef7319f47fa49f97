"""A check of an equal candidate is not made again, not even if it needs a jail of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from mlbench.interface_check.check_cache import CheckCache, CheckQuestion
from mlbench.interface_check.check_server import CheckEnv, CheckServer
from mlbench.interface_check.checker import Checker, CheckTarget
from mlbench.interface_check.client_pool import Servers
from mlbench.records import Candidate, Check, CheckStatus

PROGRAM = """import argparse, os
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
os.makedirs("runs", exist_ok=True)
args = parser.parse_args()
print(args.lr)
"""


def question(code: str) -> CheckQuestion:
    return CheckQuestion(CheckEnv(Path("/x")), (), Candidate(code, "shell", "given"), "/workspace", "", ())


def test_only_results_that_come_out_the_same_again_are_kept() -> None:
    cache = CheckCache()
    for status in CheckStatus:
        cache.keep(question(status), Check(status, "", ""))
    kept = {status for status in CheckStatus if cache.get(question(status))}
    assert kept == {CheckStatus.ACCEPTED, CheckStatus.REJECTED, CheckStatus.BROKEN}


def test_the_oldest_check_is_forgotten_first() -> None:
    cache = CheckCache(2)
    for code in ("a", "b"):
        cache.keep(question(code), Check(CheckStatus.ACCEPTED, "", code))
    cache.get(question("a"))
    cache.keep(question("c"), Check(CheckStatus.ACCEPTED, "", "c"))
    assert cache.get(question("b")) is None
    assert cache.get(question("a")) is not None


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """For each jail that is started, whether it is writable."""
    seen: list[bool] = []
    start = CheckServer.start.__func__  # type: ignore[attr-defined]

    async def counted(
        cls: type[CheckServer], place: CheckEnv, *, writable: bool = False, **rest: object
    ) -> CheckServer:
        seen.append(writable)
        found: CheckServer = await start(cls, place, writable=writable, **rest)
        return found

    monkeypatch.setattr(CheckServer, "start", classmethod(counted))
    yield seen


def test_a_text_that_writes_gets_one_jail_for_two_equal_checks(tmp_path: Path, starts: list[bool]) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    text = "echo '{}' > settings.json\npython train.py --lr 0.1"

    async def both(remember: bool) -> list[Check]:
        servers = Servers(4, remember=remember)
        try:
            checker = Checker(CheckTarget(CheckEnv(tmp_path)), servers)
            return [await checker.check(Candidate(text, "shell", "given")) for _ in range(2)]
        finally:
            await servers.close()

    first, second = anyio.run(both, True)
    assert first.status is CheckStatus.ACCEPTED, json.dumps(first.message)
    assert first.invocations == second.invocations
    assert starts.count(True) == 1
    starts.clear()
    anyio.run(both, False)
    assert starts.count(True) == 2
