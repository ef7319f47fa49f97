"""Files that programs write, compared by what they hold; hostile ones are refused, never unpickled."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlbench.judging.file_differences import differences
from mlbench.judging.file_formats import MOST_VALUES, Unreadable, read


def npz(**arrays: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def differ(name: str, one: bytes, other: bytes, *volatile: str) -> list[str]:
    return list(differences(read(name, one), read(name, other), volatile, 1e-4, 1e-8))


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("a.json", b'{"loss": 0.5, "seconds": 3}', b'{"seconds": 9, "loss": 0.50000001, "more": 1}'),
        ("a.jsonl", b'{"a": 1}\n{"a": 2}\n', b'{"a":1}\n\n{"a":2.0}'),
        ("a.csv", b"clip,psnr,seconds\n0,1.0,5\n", b"clip,psnr,seconds\n0,1.00001,7\n"),
        ("a.txt", b"loss 0.5 at end\n", b"loss   0.500  at end"),
        ("a.npz", npz(w=np.arange(3.0)), npz(w=np.arange(3.0) + 1e-9)),
        ("a.bin", b"\xff\xfe\x00", b"\xff\xfe\x00"),
        ("a.json", b'{"a": NaN}', b'{"a": NaN}'),
    ],
)
def test_equal_within_the_tolerance(name: str, one: bytes, other: bytes) -> None:
    assert differ(name, one, other, "seconds") == []


@pytest.mark.parametrize(
    ("name", "one", "other", "said"),
    [
        ("a.json", b'{"loss": 0.5}', b'{"loss": 0.6}', "loss: 0.6, expected 0.5"),
        ("a.json", b'{"loss": 0.5}', b"{}", "lacks loss"),
        ("a.json", b'{"a": true}', b'{"a": 1}', "a: 1, expected True"),
        ("a.jsonl", b"1\n2", b"1", "1 entries, expected 2"),
        ("a.csv", b"a,b\n1,2\n", b"a,b\n1,3\n", "text: '3', expected '2'"),
        ("a.txt", b"one two", b"one", "1 words and numbers, expected 2"),
        ("a.npz", npz(w=np.arange(3.0)), npz(w=np.arange(4.0)), "w: shape (4,), expected (3,)"),
        ("a.npz", npz(w=np.arange(3.0)), npz(w=np.zeros(3)), "w: 2 of 3 numbers differ"),
        ("a.npz", npz(w=np.array([np.nan])), npz(w=np.zeros(1)), "w: 1 of 1 numbers differ"),
        ("a.bin", b"\xff\x00", b"\xff\x01", "2 bytes, expected 2 bytes"),
    ],
)
def test_what_differs_is_named(name: str, one: bytes, other: bytes, said: str) -> None:
    found = differ(name, one, other)
    assert len(found) == 1
    assert said in found[0]


def bomb() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("w.npy", b"\0" * (MOST_VALUES + 1))
    return buffer.getvalue()


def huge_header() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.zeros(1))
    return buffer.getvalue().replace(b"(1,)", b"(9**9,)"[:4])


class Evil:
    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (Path("/tmp/mlbench-unpickled"),)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", b'{"a": '),
        ("a.json", b"[" * 100_000),
        ("a.npz", b"PK\x03\x04 cut"),
        ("a.npz", npz(w=np.arange(99.0))[:-60]),
        ("a.npz", bomb()),
        ("a.npy", b"\x93NUMPY\x01\x00"),
        ("a.npy", pickle.dumps(Evil())),
    ],
)
def test_what_is_damaged_or_too_large_is_refused(name: str, content: bytes) -> None:
    with pytest.raises(Unreadable):
        read(name, content)


def test_nothing_is_unpickled() -> None:
    target = Path("/tmp/mlbench-unpickled")
    target.unlink(missing_ok=True)
    with pytest.raises(Unreadable, match="pickled"):
        read("a.npz", npz(w=np.array([Evil()], dtype=object)))
    assert not target.exists()


def test_an_array_does_not_say_more_than_there_is() -> None:
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": "<f8", "fortran_order": False, "shape": (10**9,)})
    with pytest.raises(Unreadable, match="more than there is"):
        read("a.npy", b"".join([buffer.getvalue(), b"\0" * 8]))


def test_json_numbers_keep_their_meaning() -> None:
    assert differ("a.json", json.dumps({"n": 1}).encode(), json.dumps({"n": 1.0}).encode()) == []
