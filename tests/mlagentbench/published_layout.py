"""Tiny files in the exact layout of the published data: names, columns, formats. Their contents are made up."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from mlbench.evals.mlagentbench.download import fetched, raw_folder
from mlbench.evals.mlagentbench.problem import ResearchProblem, load_problem
from tests.mlagentbench import published_data

HOUSE_COLUMNS = """
    Id MSSubClass MSZoning LotFrontage LotArea Street Alley LotShape LandContour Utilities LotConfig LandSlope Neighborhood
    Condition1 Condition2 BldgType HouseStyle OverallQual OverallCond YearBuilt YearRemodAdd RoofStyle RoofMatl Exterior1st
    Exterior2nd MasVnrType MasVnrArea ExterQual ExterCond Foundation BsmtQual BsmtCond BsmtExposure BsmtFinType1 BsmtFinSF1
    BsmtFinType2 BsmtFinSF2 BsmtUnfSF TotalBsmtSF Heating HeatingQC CentralAir Electrical 1stFlrSF 2ndFlrSF LowQualFinSF
    GrLivArea BsmtFullBath BsmtHalfBath FullBath HalfBath BedroomAbvGr KitchenAbvGr KitchenQual TotRmsAbvGrd Functional
    Fireplaces FireplaceQu GarageType GarageYrBlt GarageFinish GarageCars GarageArea GarageQual GarageCond PavedDrive
    WoodDeckSF OpenPorchSF EnclosedPorch 3SsnPorch ScreenPorch PoolArea PoolQC Fence MiscFeature MiscVal MoSold YrSold
    SaleType SaleCondition SalePrice
""".split()
_HOUSE_WORDS = """
    MSZoning Street Alley LotShape LandContour Utilities LotConfig LandSlope Neighborhood Condition1 Condition2 BldgType
    HouseStyle RoofStyle RoofMatl Exterior1st Exterior2nd MasVnrType ExterQual ExterCond Foundation BsmtQual BsmtCond
    BsmtExposure BsmtFinType1 BsmtFinType2 Heating HeatingQC CentralAir Electrical KitchenQual Functional FireplaceQu
    GarageType GarageFinish GarageQual GarageCond PavedDrive PoolQC Fence MiscFeature SaleType SaleCondition
""".split()
_HOUSE_GAPS = ("LotFrontage", "Alley", "MasVnrArea", "GarageYrBlt", "PoolQC", "Fence", "MiscFeature", "FireplaceQu")


def house_price(folder: Path) -> None:
    """All 81 columns; NA where a house has no such thing."""
    rng, rows = np.random.default_rng(21), 150
    frame = pd.DataFrame({"Id": range(1, rows + 1)})
    for name in HOUSE_COLUMNS[1:-1]:
        words = name in _HOUSE_WORDS
        frame[name] = rng.choice(["TA", "Gd", "Ex"], rows) if words else rng.integers(0, 2000, rows)
    for name in _HOUSE_GAPS:
        frame[name] = frame[name].astype(object).where(rng.random(rows) < 0.7, "NA")
    frame["SalePrice"] = 40_000 + 60 * frame["GrLivArea"] + rng.integers(0, 20_000, rows)
    frame.to_csv(folder / "train.csv", index=False)
    (folder / "data_description.txt").write_text("MSSubClass: Identifies the type of dwelling\n\n  20\t1-STORY\n")


def vectorization(folder: Path) -> None:
    """Nothing is fetched."""


LAYOUTS: dict[str, Callable[[Path], None]] = {
    "house-price": house_price,
    "spaceship-titanic": lambda folder: published_data.spaceship_titanic(folder, 300),
    "parkinsons-disease": lambda folder: published_data.parkinsons_disease(folder, 12),
    "vectorization": vectorization,
}


def with_tiny_data(name: str) -> ResearchProblem:
    """Return a problem as published, after putting tiny files where its downloads are kept."""
    problem = load_problem(name, "published")
    folder = raw_folder(problem)
    if not any(folder.iterdir()):
        LAYOUTS[name](folder)
    fetched(problem, accepted=False)  # all files are there, so that nothing is requested
    return problem


def link_environments(cache: Path, own: Path) -> None:
    """Let another cache have the environments of this one, which take minutes to build."""
    cache.mkdir(exist_ok=True)
    for part in ("environments", "wheels", "tools"):
        (own / part).mkdir(parents=True, exist_ok=True)
        (cache / part).symlink_to(own / part)


def remove_data(problem: ResearchProblem) -> None:
    """Remove the tiny files, so that nobody takes them for the published ones."""
    shutil.rmtree(raw_folder(problem))
