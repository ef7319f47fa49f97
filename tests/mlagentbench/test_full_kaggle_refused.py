"""Files that are not the published ones: one line that names the file, and nothing is made of them."""

from __future__ import annotations

import io
import runpy
import shutil
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mlbench.evals.mlagentbench.data import PREPARING
from mlbench.evals.mlagentbench.problem import load_problem
from tests.mlagentbench import published_data

ROWS = {
    "house-price": 30,
    "spaceship-titanic": 30,
    "parkinsons-disease": 30,
    "feedback": 30,
    "identify-contrails": 1,
    "fathomnet": 120,
}


def published(name: str, folder: Path) -> Path:
    """A folder with few of the rows that are published."""
    raw = folder / "raw"
    raw.mkdir()
    getattr(published_data, name.replace("-", "_"))(raw, ROWS[name])
    return raw


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def another(file: Path) -> None:
    file.write_bytes(b"<html>please sign in</html>\n" * 50)


def gone(file: Path) -> None:
    file.unlink()


def refused(name: str, raw: Path, out: Path) -> str:
    """What `full.py` ends with, in this process: a new one for each would take most of the time."""
    script = load_problem(name).hidden / "full.py"
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as caught:
        patch.syspath_prepend(PREPARING)
        patch.setattr(sys, "argv", [str(script), str(raw), str(out), "--seed", "7"])
        runpy.run_path(str(script), run_name="__main__")
    assert isinstance(caught.value.code, str)  # said on standard error, exit code 1
    assert len(caught.value.code.splitlines()) == 1
    assert not out.exists()
    return caught.value.code


@pytest.mark.parametrize("spoil", [another, gone, cut])
@pytest.mark.parametrize("name", ROWS)
def test_a_file_that_is_not_the_published_one_is_named(
    tmp_path: Path, name: str, spoil: Callable[[Path], None]
) -> None:
    whole = published(name, tmp_path)
    for file in sorted(whole.iterdir()):
        raw = shutil.copytree(whole, tmp_path / file.name)
        spoil(raw / file.name)
        if spoil is cut and file.suffix == ".csv":
            # in the middle of a line: what ends with one is a shorter table, which a hash has to tell
            text = file.read_text()
            (raw / file.name).write_text(text[: text.rindex("\n", 0, len(text) // 2) + 8])
        assert refused(name, raw, tmp_path / "out").startswith(f"{file.name}: ")


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("house-price", "SalePrice"),
        ("spaceship-titanic", "Cabin"),
        ("feedback", "grammar"),
        ("parkinsons-disease", "NPX"),
    ],
)
def test_a_column_that_is_missing_is_named(tmp_path: Path, name: str, column: str) -> None:
    raw = published(name, tmp_path)
    spoilt = None
    for file in raw.glob("*.csv"):
        table = pd.read_csv(file, dtype=str, keep_default_na=False)
        if column in table:
            table.drop(columns=column).to_csv(file, index=False)
            spoilt = file.name
    assert refused(name, raw, tmp_path / "out").startswith(f"{spoilt}: has no column {column}")


@pytest.mark.parametrize(
    ("name", "column", "value", "said"),
    [
        ("house-price", "SalePrice", "free", "SalePrice"),
        ("house-price", "Id", "1", "stands there twice"),
        ("spaceship-titanic", "Transported", "perhaps", "Transported"),
        ("spaceship-titanic", "PassengerId", "7", "no gggg_pp"),
        ("feedback", "grammar", "11", "from 1 to 5"),
        ("feedback", "full_text", " ", "empty"),
        ("parkinsons-disease", "visit_month", "May", "no number"),
        ("parkinsons-disease", "updrs_2", "-3", "below 0"),
        ("parkinsons-disease", "updrs_4", "", "only 0 patients"),
    ],
)
def test_a_value_that_cannot_be_is_named(tmp_path: Path, name: str, column: str, value: str, said: str) -> None:
    raw = published(name, tmp_path)
    for file in raw.glob("train*.csv"):
        table = pd.read_csv(file, dtype=str, keep_default_na=False)
        if column in table:
            table.assign(**{column: value}).to_csv(file, index=False)
    assert said in refused(name, raw, tmp_path / "out")


def repacked(file: Path, changed: Callable[[str, bytes], bytes | None]) -> None:
    """Write an archive again, each member as `changed` says, without those of which it says None."""
    with zipfile.ZipFile(file) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    with zipfile.ZipFile(file, "w") as packed:
        for name, content in members.items():
            if (new := changed(name, content)) is not None:
                packed.writestr(name, new)


def npy(array: np.ndarray) -> bytes:
    written = io.BytesIO()
    np.save(written, array, allow_pickle=True)
    return written.getvalue()


@pytest.mark.parametrize(
    ("end", "new", "said"),
    [
        ("band_14.npy", None, "band_14.npy cannot be read"),
        ("band_14.npy", b"none", "band_14.npy cannot be read"),
        ("band_14.npy", npy(np.array([{}], object)), "band_14.npy cannot be read"),
        ("band_14.npy", npy(np.zeros((256, 256, 4), np.float32)), "does not have 5 pictures"),
        ("band_14.npy", npy(np.zeros((256, 255, 8), np.float32)), "no array of 256 by 256"),
        ("human_pixel_masks.npy", None, "holds 0 records"),
        ("band_11.npy", bytes(17 << 20), "larger than 16 MiB"),
    ],
)
def test_a_record_that_cannot_be_is_named(tmp_path: Path, end: str, new: bytes | None, said: str) -> None:
    raw = published("identify-contrails", tmp_path)
    repacked(raw / "records.zip", lambda name, content: new if name.endswith(end) else content)
    if new is not None or end != "human_pixel_masks.npy":
        with zipfile.ZipFile(raw / "records.zip", "a") as packed:  # the spoilt record is the first to be read
            for record in range(60):
                packed.writestr(f"train/2{record}/human_pixel_masks.npy", b"")
    line = refused("identify-contrails", raw, tmp_path / "out")
    assert line.startswith("records.zip: ")
    assert said in line


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (None, "0 of its .ppm have labels"),
        (b"\x89PNG", "no binary portable pixmap"),
        (b"P6\n36 40\n255\n" + bytes(9), "is cut"),
        (b"P6\n16 16\n255\n" + bytes(768), "smaller than 32 by 32"),
        (b"P6\n99999 99999\n255\n" + bytes(768), "is cut"),
        (b"P6\n36 40\n65535\n" + bytes(8640), "no binary portable pixmap"),
    ],
)
def test_a_picture_that_cannot_be_is_named(tmp_path: Path, new: bytes | None, said: str) -> None:
    raw = published("fathomnet", tmp_path)
    repacked(raw / "images.zip", lambda name, content: new)
    assert said in refused("fathomnet", raw, tmp_path / "out")


@pytest.mark.parametrize(
    ("categories", "said"),
    [
        ("os.abort()", "not the published table"),
        ("[[1]]", "not the published table"),
        ("[" * 100_000, "not the published table"),
        ("[1.0]", "take more pictures"),
    ],
)
def test_labels_that_cannot_be_are_named(tmp_path: Path, categories: str, said: str) -> None:
    raw = published("fathomnet", tmp_path)
    with zipfile.ZipFile(raw / "images.zip") as packed:
        names = [Path(name).stem for name in packed.namelist()]
    table = pd.DataFrame({"id": names, "categories": categories}).to_csv(index=False).encode()
    repacked(raw / "fathomnet.zip", lambda name, content: table if name.endswith("train.csv") else content)
    assert said in refused("fathomnet", raw, tmp_path / "out")
