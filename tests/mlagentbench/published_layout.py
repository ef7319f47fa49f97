"""Tiny files in the exact layout of the published data: names, columns, formats. Their contents are made up."""

from __future__ import annotations

import pickle
import subprocess
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from mlbench.evals.mlagentbench.data import packages_of
from mlbench.evals.mlagentbench.download import fetched, raw_folder
from mlbench.evals.mlagentbench.problem import ResearchProblem, load_problem
from tests.mlagentbench import published_data
from tests.mlagentbench.published_data import npy

WRITER = Path(__file__).with_name("layout_writer.py")

_HOUSE = """
    Id MSSubClass MSZoning* LotFrontage LotArea Street* Alley* LotShape* LandContour* Utilities* LotConfig* LandSlope*
    Neighborhood* Condition1* Condition2* BldgType* HouseStyle* OverallQual OverallCond YearBuilt YearRemodAdd
    RoofStyle* RoofMatl* Exterior1st* Exterior2nd* MasVnrType* MasVnrArea ExterQual* ExterCond* Foundation* BsmtQual*
    BsmtCond* BsmtExposure* BsmtFinType1* BsmtFinSF1 BsmtFinType2* BsmtFinSF2 BsmtUnfSF TotalBsmtSF Heating*
    HeatingQC* CentralAir* Electrical* 1stFlrSF 2ndFlrSF LowQualFinSF GrLivArea BsmtFullBath BsmtHalfBath FullBath
    HalfBath BedroomAbvGr KitchenAbvGr KitchenQual* TotRmsAbvGrd Functional* Fireplaces FireplaceQu* GarageType*
    GarageYrBlt GarageFinish* GarageCars GarageArea GarageQual* GarageCond* PavedDrive* WoodDeckSF OpenPorchSF
    EnclosedPorch 3SsnPorch ScreenPorch PoolArea PoolQC* Fence* MiscFeature* MiscVal MoSold YrSold SaleType*
    SaleCondition* SalePrice
"""
HOUSE_COLUMNS = _HOUSE.split()
"""In the published order; a star marks words."""
_HOUSE_GAPS = ("LotFrontage", "Alley", "MasVnrArea", "GarageYrBlt", "PoolQC", "Fence", "MiscFeature", "FireplaceQu")


def house_price(folder: Path, rows: int) -> None:
    """All 81 columns; NA where a house has no such thing."""
    rng = np.random.default_rng(21)
    frame = pd.DataFrame({"Id": range(1, rows + 1)})
    for name in HOUSE_COLUMNS[1:-1]:
        words = name.endswith("*")
        frame[name.rstrip("*")] = rng.choice(["TA", "Gd", "Ex"], rows) if words else rng.integers(0, 2000, rows)
    for name in _HOUSE_GAPS:
        frame[name] = frame[name].astype(object).where(rng.random(rows) < 0.7, "NA")
    frame["SalePrice"] = 40_000 + 60 * frame["GrLivArea"] + rng.integers(0, 20_000, rows)
    frame.to_csv(folder / "train.csv", index=False)
    (folder / "data_description.txt").write_text("MSSubClass: Identifies the type of dwelling\n\n  20\t1-STORY\n")


def vectorization(folder: Path, rows: int) -> None:
    """Nothing is fetched: the inputs have the published size."""


def identify_contrails(folder: Path, rows: int) -> None:
    """Records of the competition's two labelled parts; training records have the masks of each labeller too."""
    rng = np.random.default_rng(22)
    with zipfile.ZipFile(folder / "contrails.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        packed.writestr("train_metadata.json", "[]")
        packed.writestr("validation_metadata.json", "[]")
        for part, count in (("train", rows), ("validation", max(rows // 11, 4))):
            for record in range(10**18, 10**18 + count):
                mask = np.zeros((256, 256, 1), np.int32)
                mask[100:110, 20 : 20 + rng.integers(1, 200)] = 1
                for band in (11, 14, 15):
                    seen = np.full((256, 256, 8), 270.0, np.float32)
                    seen[..., 4] -= np.round(rng.normal(0, 1, (256, 256))) + 3 * (16 - band) * mask[..., 0]
                    packed.writestr(f"{part}/{record}/band_{band}.npy", npy(seen))
                packed.writestr(f"{part}/{record}/human_pixel_masks.npy", npy(mask))
                if part == "train":
                    packed.writestr(f"{part}/{record}/human_individual_masks.npy", npy(np.stack([mask] * 4, axis=3)))


def cifar10(folder: Path, rows: int) -> None:
    """Pickles of the second protocol, as Python 2 wrote them, so many pictures in each; a kind has a colour."""
    rng = np.random.default_rng(23)
    with tarfile.open(folder / "cifar-10-python.tar.gz", "w:gz", compresslevel=1) as packed:
        for name in (*(f"data_batch_{number}" for number in range(1, 6)), "test_batch"):
            kinds = rng.integers(0, 10, rows)
            colours = np.stack([kinds * 20, 200 - kinds * 20, kinds % 3 * 60], axis=1)
            pixels = (rng.integers(0, 8, (rows, 3, 1024)) + colours[..., None]).reshape(rows, -1).astype(np.uint8)
            names = [f"kind_{kind}_s_{number:06d}.png" for number, kind in enumerate(kinds)]
            batch = {"batch_label": name, "labels": kinds.tolist(), "data": pixels, "filenames": names}
            published_data.add(packed, f"cifar-10-batches-py/{name}", pickle.dumps(batch, protocol=2))
        meta = {"num_cases_per_batch": rows, "label_names": [f"kind_{kind}" for kind in range(10)], "num_vis": 3072}
        published_data.add(packed, "cifar-10-batches-py/batches.meta", pickle.dumps(meta, protocol=2))


def by_torch(name: str) -> published_data.Maker:
    """Return a maker that needs packages of the problem's own environment: it is run there."""

    def write(folder: Path, rows: int) -> None:
        python = packages_of(load_problem(name, "published")) / "bin" / "python"
        command = [str(python), "-I", str(WRITER), name, str(folder), str(rows)]
        subprocess.run(command, check=True, capture_output=True, env={"HF_HUB_OFFLINE": "1"})

    return write


@dataclass(frozen=True)
class Layout:
    """Makes the files of a problem with so many rows, patients, records, papers or pictures.

    Attributes:
        tiny: for tests.
        published: the published number; 0 if it is too large to be made up.
    """

    make: published_data.Maker
    tiny: int
    published: int = 0


LAYOUTS = {
    "house-price": Layout(house_price, 150, 1460),
    "spaceship-titanic": Layout(published_data.spaceship_titanic, 300, 8693),
    "parkinsons-disease": Layout(published_data.parkinsons_disease, 40, 248),
    "vectorization": Layout(vectorization, 1, 1),
    "feedback": Layout(published_data.feedback, 150, 3911),
    "cifar10": Layout(cifar10, 160, 10_000),
    "identify-contrails": Layout(identify_contrails, 20),
    "ogbn-arxiv": Layout(published_data.ogbn_arxiv, 1500, 169_343),
    "imdb": Layout(by_torch("imdb"), 60, 12_500),
    "fathomnet": Layout(by_torch("fathomnet"), 60),
}


def with_made_data(name: str, rows: int | None = None) -> ResearchProblem:
    """Return a problem as published, after putting made-up files where its downloads are kept.

    The files do not have the published hashes, so that the problem that is returned states none.

    Args:
        name: of the problem.
        rows: how large they are; None for tiny ones.
    """
    problem = load_problem(name, "published")
    assert problem.full is not None
    files = {file: about.model_copy(update={"sha256": None}) for file, about in problem.full.files.items()}
    problem = problem.model_copy(update={"full": problem.full.model_copy(update={"files": files})})
    folder = raw_folder(problem)
    if not any(folder.iterdir()):
        LAYOUTS[name].make(folder, rows or LAYOUTS[name].tiny)
    fetched(problem, accepted=False)  # all files are there, so that nothing is requested
    return problem


def link_environments(cache: Path, own: Path) -> None:
    """Let another cache have the environments of this one, which take minutes to build."""
    cache.mkdir(exist_ok=True)
    for part in ("environments", "wheels", "tools"):
        (own / part).mkdir(parents=True, exist_ok=True)
        (cache / part).symlink_to(own / part)
