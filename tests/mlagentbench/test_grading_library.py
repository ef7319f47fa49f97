"""What graders share: every bad submission is told in a line that names the file and the rule."""

from __future__ import annotations

import io
import json
import os
import pickle
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mlbench.evals.mlagentbench.grader_runtime import mlbench_grading as library
from mlbench.evals.mlagentbench.grader_runtime.mlbench_grading import Invalid

GOOD = "id,y\n1,0.5\n2,1e3\n"


@pytest.fixture
def table(tmp_path: Path) -> Callable[[str | bytes], str]:
    def write(content: str | bytes) -> str:
        file = tmp_path / "s.csv"
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(file)

    return write


Table = Callable[[str | bytes], str]


@pytest.mark.parametrize(
    "content",
    [
        GOOD,
        "y,id\n0.5,1\n1e3,2\n",
        "id,y\n2,1000\n1,.5\n",
        "\ufeffid,y\r\n1,0.5\r\n2,1000\r\n",
        'id,y\n"1"," 0.5"\n"2","1000"',
        "id,y\n\n1,0.5\n\n\n2,1000\n\n",
        "id , y\r1,0.5\r2,1000",
    ],
    ids=["plain", "columns", "order", "BOM and CRLF", "quotes", "blank lines", "CR"],
)
def test_rows_are_joined_by_id(table: Table, content: str) -> None:
    assert library.predictions(table(content), [1, 2], ["y"]) == [[0.5], [1000.0]]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "s.csv: it is empty; its first line has to be id,y"),
        ("\n\n", "s.csv: it is empty"),
        ("id,y\n", "s.csv: 2 of 2 ids are missing, the first is '1'"),
        ("id,y\n1,0\n", "s.csv: 1 of 2 ids are missing, the first is '2'"),
        ("id,y\n1,0\n2,0\n1,0\n", "s.csv: line 4: the id '1' stands there twice"),
        ("id,y\n\n\n1,0\n\n1,0\n", "s.csv: line 6: the id '1' stands there twice"),
        ('id,y\n"1","0"\n"3\n4","0"\n', r"s.csv: line 4: the id '3\\n4' is not one of those asked for"),
        ("id,y\n1,0\n9,0\n", "s.csv: line 3: the id '9' is not one of those asked for"),
        ("id,y\n1,0\n\x1b[2J,0\n", r"line 3: the id '\\x1b\[2J' is not one"),
        ("id,y\n1,0\n2,nan\n", "s.csv: line 3: y: nan is not finite"),
        ("id,y\n1,0\n2,-inf\n", "s.csv: line 3: y: -inf is not finite"),
        ("id,y\n1,0\n2,1e999\n", "is not finite"),
        ("id,y\n1,0\n2,\n", "s.csv: line 3: y: '' is no number"),
        ("id,y\n1,0\n2,one\n", "s.csv: line 3: y: 'one' is no number"),
        ("id,y\n1,0\n2,0x10\n", "is no number"),
        ("id,y\n1,0\n2,0,5\n", "s.csv: line 3: 3 cells in 2 columns"),
        ("id,y\n1,0\n2\n", "s.csv: line 3: 1 cells in 2 columns"),
        ("id,y,z\n1,0,0\n2,0,0\n", "s.csv: its columns are id, y, z; wanted are id, y"),
        ("id,y,y\n1,0,0\n2,0,0\n", "its columns are id, y, y; wanted"),
        ("1,0\n2,0\n", "its columns are 1, 0; wanted are id, y"),
        ("id,y\n1,0\n2,0\0\n", "is no number"),
        (b"id,y\n1,0\n2,\xff\n", "s.csv: cannot be read: 'utf-8' codec"),
        (GOOD.encode("utf-16"), "s.csv: cannot be read: 'utf-8' codec"),
        ("id,y\n1," + "0" * (1 << 20) + "\n", "s.csv: line 2 is longer than 1024 KiB"),
        ("," * (2 << 20), "s.csv: line 1 is longer than 1024 KiB"),
    ],
)
def test_a_bad_table_is_told(table: Table, content: str | bytes, said: str) -> None:
    with pytest.raises(Invalid, match=said):
        library.predictions(table(content), ["1", "2"], ["y"])


def test_a_table_without_end_is_read_as_far_as_it_is_right(tmp_path: Path) -> None:
    """Ten million rows were all kept before the first of them was looked at."""

    class Endless(io.StringIO):
        lines = 0

        def readline(self, size: int | None = -1) -> str:
            self.lines += 1
            assert self.lines < 10
            return "id,y\n" if self.lines == 1 else "1,0\n"

    lines = library._lines(Endless(), "s.csv")
    assert [next(lines) for _ in range(3)] == ["id,y\n", "1,0\n", "1,0\n"]
    (tmp_path / "s.csv").write_text("id,y\n" + "1,0\n" * 1_000_000)
    with pytest.raises(Invalid, match="line 3: the id '1' stands there twice"):
        library.predictions(str(tmp_path / "s.csv"), [1], ["y"])


@pytest.mark.parametrize(("low", "high", "said"), [(0, None, "y is -1, outside of 0"), (None, -2, "y is -1, outside")])
def test_values_out_of_bounds_are_told(table: Table, low: float | None, high: float | None, said: str) -> None:
    with pytest.raises(Invalid, match=f"s.csv: line 2: {said}"):
        library.predictions(table("id,y\n1,-1\n"), ["1"], ["y"], low, high)


def test_labels_are_of_the_classes(table: Table) -> None:
    path = table("id,y\n2, true \n1,FALSE\n")
    assert library.labels(path, [1, 2], "y", ["True", "False"], fold=True) == ["False", "True"]
    with pytest.raises(Invalid, match="s.csv: line 3: y is 'FALSE', none of the classes, True to False"):
        library.labels(table("id,y\n2,True\n1,FALSE\n"), [1, 2], "y", ["True", "False"])
    with pytest.raises(Invalid, match="line 2: y is ''"):
        library.labels(table("id,y\n1,\n"), [1], "y", ["True", "False"])


@pytest.mark.parametrize("function", ["predictions", "load_array"])
@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("nothing", "s: there is no such file"),
        ("folder", "s: is no ordinary file"),
        ("fifo", "s: is no ordinary file"),
        ("link", "s: is a link"),
        ("link to nothing", "s: is a link"),
        ("device", "s: is a link"),
        ("huge", "s: larger than 64 MiB"),
    ],
)
def test_what_is_no_file_is_told(tmp_path: Path, function: str, kind: str, said: str) -> None:
    path = tmp_path / "s"
    (tmp_path / "other").write_text(GOOD)
    match kind:
        case "folder":
            path.mkdir()
        case "fifo":
            os.mkfifo(path)
        case "link":
            path.symlink_to(tmp_path / "other")
        case "link to nothing":
            path.symlink_to(tmp_path / "none")
        case "device":
            path.symlink_to("/dev/stdin")
        case "huge":
            with path.open("wb") as file:
                file.truncate(library.LARGEST + 1)
    with pytest.raises(Invalid, match=said):
        library.predictions(str(path), [1], ["y"]) if function == "predictions" else library.load_array(str(path), (1,))


def _header(text: str) -> bytes:
    return b"\x93NUMPY\x01\x00v\x00" + text.encode().ljust(117) + b"\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "a.npy: is not a plain NumPy array"),
        (b"no array", "a.npy: is not a plain NumPy array"),
        (np.zeros((2, 4)), r"a.npy: its shape is \(2, 4\), wanted is \(2, 3\)"),
        (np.zeros(6), r"a.npy: its shape is \(6,\), wanted is \(2, 3\)"),
        (np.zeros((2, 3), int), "a.npy: its type is int64"),
        (np.zeros((2, 3), complex), "a.npy: its type is complex128"),
        (np.zeros((2, 3), "U5"), "a.npy: its type is <U5"),
        (np.full((2, 3), np.nan), "a.npy: not all of its values are finite"),
        (np.full((2, 3), -np.inf), "a.npy: not all of its values are finite"),
        (np.array([[{}, 1, 2], [3, 4, 5]], dtype=object), "a.npy: is not a plain NumPy array"),
        (_header("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }") + bytes(40), "is not a plain"),
        (_header("{'descr': '<f8', 'fortran_order': False, 'shape': (10**13,), }"), "is not a plain"),
        (_header("{'descr': '<f8', 'fortran_order': False, 'shape': (10000000000000,), }"), "is not a plain"),
        (_header("(" * 110), "is not a plain"),
    ],
)
def test_a_bad_array_is_told(tmp_path: Path, content: bytes | np.ndarray, said: str) -> None:
    path = tmp_path / "a.npy"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        np.save(path, content, allow_pickle=True)
    with pytest.raises(Invalid, match=said):
        library.load_array(str(path), (2, 3))


def test_an_archive_of_arrays_is_not_unpacked(tmp_path: Path) -> None:
    with (tmp_path / "a.npy").open("wb") as file:
        np.savez(file, a=np.zeros((2, 3)))
    with pytest.raises(Invalid, match="a.npy: is an archive of arrays, not a plain NumPy array"):
        library.load_array(str(tmp_path / "a.npy"), (2, 3))


@pytest.mark.parametrize("form", ["in an array", "alone"])
def test_a_pickle_is_not_opened(tmp_path: Path, form: str) -> None:
    class Code:
        def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
            return os.mkdir, (str(tmp_path / "opened"),)

    if form == "alone":
        (tmp_path / "a.npy").write_bytes(pickle.dumps(Code()))
    else:
        np.save(tmp_path / "a.npy", np.array([Code()], dtype=object), allow_pickle=True)
    with pytest.raises(Invalid, match="a.npy: is not a plain NumPy array"):
        library.load_array(str(tmp_path / "a.npy"), (1,))
    assert not (tmp_path / "opened").exists()


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_good_array_is_loaded(tmp_path: Path, order: str) -> None:
    array = np.asarray(np.arange(6.0).reshape(2, 3), order=order)  # type: ignore[call-overload]
    np.save(tmp_path / "a.npy", array)
    found = library.load_array(str(tmp_path / "a.npy"), (2, 3))
    assert type(found) is np.ndarray
    assert (found == array).all()


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (0.5, {"score": 0.5}),
        (np.float64(2), {"score": 2.0}),
        (float("inf"), {"invalid": "the predictions are so far off that the score is not finite"}),
        (float("nan"), {"invalid": "the predictions are so far off that the score is not finite"}),
        (Invalid("s.csv:\n two   lines"), {"invalid": "s.csv: two lines"}),
    ],
)
def test_a_grader_prints_one_line(
    result: float | Invalid,
    said: dict[str, object],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def grade(workspace: str, hidden: str) -> float:
        assert (workspace, hidden) == ("w", "h")
        if isinstance(result, Invalid):
            raise result
        return result

    monkeypatch.setattr(sys, "argv", ["grade.py", "w", "h"])
    library.main(grade)
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == [said]


def test_a_grader_of_speed_is_told_the_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["grade.py", "w", "h"])
    monkeypatch.setattr(sys, "stdin", io.StringIO("[0.3, 0.2]"))
    library.main(lambda workspace, hidden, seconds: min(seconds))
    assert json.loads(capsys.readouterr().out) == {"score": 0.2}
