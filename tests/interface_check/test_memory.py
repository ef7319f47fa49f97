"""What was judged is remembered: once per question, whole, and only where it would come out the same again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest

from mlbench import source_digest
from mlbench.interface_check import verdict_cache
from mlbench.interface_check.verdict_cache import VerdictCache

pytestmark = pytest.mark.anyio


class Maker:
    """Makes results and counts them."""

    def __init__(self, result: dict[str, Any] | None = None, fails: bool = False) -> None:
        self.calls, self.result, self.fails = 0, result or {"passed": True}, fails

    async def __call__(self) -> dict[str, Any]:
        self.calls += 1
        await anyio.sleep(0)
        if self.fails:
            raise OSError("the machine")
        return self.result


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "verdicts"


def files(cache: Path) -> list[Path]:
    return [file for file in cache.rglob("*") if file.is_file()]


async def test_a_result_is_made_once_and_found_by_the_next_process() -> None:
    make = Maker({"passed": False, "why": "ü"})
    assert await VerdictCache("place").once(["code", 1], make) == ({"passed": False, "why": "ü"}, False)
    assert await VerdictCache("place").once(["code", 1], make) == ({"passed": False, "why": "ü"}, True)
    assert make.calls == 1


@pytest.mark.parametrize(
    ("facts", "what"), [(("elsewhere",), ["code", 1]), (("place",), ["code", 2]), (("place", 1), ["code", 1])]
)
async def test_another_question_or_another_place_is_made_anew(facts: tuple[object, ...], what: object) -> None:
    make = Maker()
    await VerdictCache("place").once(["code", 1], make)
    assert (await VerdictCache(*facts).once(what, make))[1] is False


async def test_our_own_code_is_part_of_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    make = Maker()
    await VerdictCache("place").once("code", make)
    monkeypatch.setattr(verdict_cache, "sources", lambda: "other code")
    assert (await VerdictCache("place").once("code", make))[1] is False


def test_sources_change_with_a_file_of_the_judging_rooms_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("interface_check/a.py", "judging/b.txt", "results/c.py", "judging/__pycache__/a.pyc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1")
    monkeypatch.setattr(source_digest, "_PACKAGE", tmp_path)
    seen = []
    for name in ("results/c.py", "judging/__pycache__/a.pyc", "judging/b.txt", "interface_check/a.py"):
        source_digest.source_digest.cache_clear()
        before = verdict_cache.sources()
        (tmp_path / name).write_text("2")
        source_digest.source_digest.cache_clear()
        seen.append(verdict_cache.sources() != before)
    source_digest.source_digest.cache_clear()
    assert seen == [False, False, True, True]


async def test_who_asks_for_the_same_at_the_same_time_waits() -> None:
    make, room = Maker(), VerdictCache("place")
    found: list[bool] = []

    async def ask() -> None:
        found.append((await room.once("code", make))[1])

    async with anyio.create_task_group() as group:
        for _ in range(5):
            group.start_soon(ask)
    assert make.calls == 1
    assert sorted(found) == [False, True, True, True, True]


async def test_what_is_not_worth_it_is_not_kept(cache: Path) -> None:
    make = Maker({"passed": False})
    for _ in range(2):
        assert (await VerdictCache("place").once("code", make, lambda result: bool(result["passed"])))[1] is False
    assert make.calls == 2
    assert files(cache) == []


async def test_a_failure_is_not_kept_and_holds_nobody_up() -> None:
    room = VerdictCache("place")
    with pytest.raises(OSError, match="the machine"):
        await room.once("code", Maker(fails=True))
    with anyio.fail_after(5):
        assert await room.once("code", Maker()) == ({"passed": True}, False)


@pytest.mark.parametrize("damage", ["", '{"passed": tr', "[1]", "\xff"])
async def test_a_damaged_file_is_made_anew_and_mended(cache: Path, damage: str) -> None:
    await VerdictCache("place").once("code", Maker())
    (file,) = files(cache)
    file.write_bytes(damage.encode("latin-1"))
    assert await VerdictCache("place").once("code", Maker({"passed": 1})) == ({"passed": 1}, False)
    assert await VerdictCache("place").once("code", Maker({"passed": 2})) == ({"passed": 1}, True)


async def test_a_cache_that_cannot_be_written_costs_no_verdict(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(verdict_cache, "write_file", full)
    assert await VerdictCache("place").once("code", Maker()) == ({"passed": True}, False)
    assert files(cache) == []
