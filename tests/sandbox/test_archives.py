"""Hostile archives are refused on every Python, with and without the standard library's filter."""

from __future__ import annotations

import ast
import io
import os
import stat
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

import mlbench
from mlbench.records import RunError
from mlbench.sandbox import archives
from mlbench.sandbox.archives import extract_tar

ROOT = Path(mlbench.__file__).parents[2]


def member(name: str, type_: bytes = tarfile.REGTYPE, link: str = "", **changes: object) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = type_, link
    for field, value in changes.items():
        setattr(info, field, value)
    return info


def packed(*members: tarfile.TarInfo, format: int = tarfile.PAX_FORMAT) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=format) as tar:
        for info in members:
            data = b"x" * info.size if info.isreg() else b""
            tar.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


@pytest.fixture(params=["filter", "no filter"])
def extract(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], Path]:
    """Extracts into a folder of its own, as a Python with or without `tarfile.data_filter` does."""
    if request.param == "no filter":
        monkeypatch.setattr(archives, "_FILTER", {})
    folder = tmp_path / "outer" / "into"
    folder.mkdir(parents=True)

    def run(archive: bytes) -> Path:
        extract_tar(io.BytesIO(archive), folder, most=10_000)
        return folder

    return run


SYM, LNK, DIR = tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE
HOSTILE = {
    "absolute": ([member("/tmp/x")], "absolute"),
    "two slashes": ([member("//tmp/x")], "absolute"),
    "parent": ([member("../x")], "leads out"),
    "parent in the middle": ([member("a/../../x")], "leads out"),
    "the parent itself": ([member("..", DIR)], "leads out"),
    "link to an absolute path": ([member("a", SYM, "/etc/passwd")], "absolute"),
    "link out": ([member("a/b", SYM, "../../x")], "leads out"),
    "link to the parent": ([member("a", SYM, "..")], "leads out"),
    "links that go out together": ([member("x", SYM, "."), member("y", SYM, "x/x/..")], "leads out"),
    "link through a deeper link": (
        [member("d/e", DIR), member("l", SYM, "d/e"), member("o", SYM, "l/../../..")],
        "lead",
    ),
    "links in a circle": ([member("a", SYM, "b"), member("b", SYM, "a")], "leads out"),
    "file behind a link": ([member("d", DIR), member("a", SYM, "d"), member("a/x")], "behind a link"),
    "file before its folder is a link": ([member("a/x"), member("a", SYM, "d")], "behind a link"),
    "link, then file of that name": ([member("d"), member("a", SYM, "d"), member("./a")], "twice"),
    "link in place of the folder": ([member(".", SYM, "x")], "twice"),
    "hard link out": ([member("a", LNK, "../x")], "hard link"),
    "hard link to an absolute path": ([member("a", LNK, "/etc/passwd")], "hard link"),
    "hard link to a link": ([member("d"), member("a", SYM, "d"), member("b", LNK, "a")], "hard link"),
    "character device": ([member("a", tarfile.CHRTYPE, devmajor=1, devminor=5)], "neither"),
    "block device": ([member("a", tarfile.BLKTYPE)], "neither"),
    "FIFO": ([member("a", tarfile.FIFOTYPE)], "neither"),
    "set-user-id": ([member("a", mode=0o4755)], "set-user-id"),
    "set-group-id": ([member("a", mode=0o2755)], "set-user-id"),
    "too large": ([member("a", size=6000), member("b", size=6000)], "'b' has too many bytes"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_archive_is_refused_whole(case: str, extract: Callable[[bytes], Path], tmp_path: Path) -> None:
    members, said = HOSTILE[case]
    with pytest.raises(RunError, match="refused to extract") as caught:
        extract(packed(member("good", size=1), *members))
    assert said in str(caught.value)
    assert [path.name for path in tmp_path.rglob("*")] == ["outer", "into"]


def test_a_size_below_zero_ends(extract: Callable[[bytes], Path]) -> None:
    """An old `tarfile` goes back to where it was and reads the same member for ever."""
    archive = packed(member("a", pax_headers={"size": "-1024"}))
    with pytest.raises(RunError):
        extract(archive + archive)


@pytest.mark.parametrize("cut", [1, 512, 513, 1023, 1500])
def test_a_truncated_archive_is_said(cut: int, extract: Callable[[bytes], Path]) -> None:
    with pytest.raises(RunError, match="not a whole tar archive"):
        extract(packed(member("a", size=2000))[:cut])


@pytest.mark.parametrize("noise", [b"", b"PK\x03\x04 no tar", b"\x1f\x8b" + bytes(2000), os.urandom(5000)])
def test_what_is_no_archive_is_said(noise: bytes, extract: Callable[[bytes], Path]) -> None:
    with pytest.raises(RunError, match="not a whole tar archive"):
        extract(noise)


def test_what_is_good_is_extracted(extract: Callable[[bytes], Path]) -> None:
    members = [
        member(".", DIR, mode=0o2700),
        member("./d", DIR, mode=0o2777),
        member("./d/a", size=5, mode=0o666, uid=12345, uname="nobody", mtime=1_600_000_000),
        member("./d/run", size=1, mode=0o775, mtime=-1),
        member("./d/same", LNK, "./d/a", mtime=1_600_000_000),
        member("./d/link", SYM, "../top"),
        member("./top", size=2),
        member("./to-folder", SYM, "d"),
        member("./dangling", SYM, "nowhere/at/all"),
    ]
    folder = extract(packed(*members))
    assert (folder / "d" / "a").read_text() == "xxxxx"
    assert (folder / "d" / "same").read_text() == "xxxxx"
    assert (folder / "d" / "link").read_text() == (folder / "top").read_text() == "xx"
    assert (folder / "to-folder" / "run").read_text() == "x"
    assert os.readlink(folder / "dangling") == "nowhere/at/all"
    modes = {name: stat.S_IMODE((folder / name).stat().st_mode) for name in ("d", "d/a", "d/run", "top")}
    assert modes == {"d": 0o755, "d/a": 0o644, "d/run": 0o755, "top": 0o644}
    assert (folder / "d" / "a").stat().st_uid == os.geteuid()
    assert (folder / "d" / "a").stat().st_mtime == 1_600_000_000


def test_nothing_else_extracts_archives() -> None:
    """Every archive goes through the one helper: `extractall` of Debian's Python has no filter."""
    calls = {"extractall", "unpack_archive"}
    found = set()
    for part in ("src", "benchmarks", "tests"):
        for file in (ROOT / part).rglob("*.py"):
            text = file.read_text(encoding="utf-8", errors="replace")
            if not any(name in text for name in calls):
                continue
            nodes = ast.walk(ast.parse(text))
            if any(isinstance(node, ast.Attribute) and node.attr in calls for node in nodes):
                found.add(file.relative_to(ROOT).as_posix())
    assert found == {"src/mlbench/sandbox/archives.py"}
