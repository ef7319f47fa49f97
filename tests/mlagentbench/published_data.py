"""Made-up files in the form in which the data of problems are published, small or as large as those are."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

Maker = Callable[[Path, int], None]
"""Writes the files of a problem into a folder, with so many rows, patients, records or pictures."""

_WORDS = ["the", "students", "schools", "Phones", "because", "however", "makes", "good", "in", "of", "peoples"]
_SCORES = ["cohesion", "syntax", "vocabulary", "phraseology", "grammar", "conventions"]
_BILLS = ["RoomService", "FoodCourt", "ShoppingMall", "Spa", "VRDeck"]
_VISITS = [0, 3, 6, 9, 12, 18, 24, 30, 36, 42, 48, 54, 60]


def house_price(folder: Path, rows: int) -> None:
    """80 columns and the price; many are words, NA where a house has no such thing."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"Id": range(1, rows + 1), "LotArea": rng.integers(1300, 60_000, rows)})
    frame["LotFrontage"] = np.where(rng.random(rows) < 0.8, rng.integers(20, 150, rows).astype(str), "NA")
    frame["Neighborhood"] = rng.choice(["NAmes", "CollgCr", "OldTown", "Veenker"], rows)
    frame["Alley"] = rng.choice(["NA", "Grvl", "Pave"], rows)
    frame["MasVnrType"] = rng.choice(["None", "BrkFace", "Stone", "NA"], rows)
    frame["CentralAir"] = rng.choice(["Y", "N"], rows)
    frame["KitchenQual"] = rng.choice(["Ex", "Gd", "TA", "Fa"], rows)
    frame["MoSold"], frame["YrSold"] = rng.integers(1, 13, rows), rng.integers(2006, 2011, rows)
    for name in ("OverallQual", "OverallCond", "FullBath", "BedroomAbvGr", "GarageCars", "Fireplaces"):
        frame[name] = rng.integers(1, 5, rows)
    for name in ("YearBuilt", "YearRemodAdd"):
        frame[name] = rng.integers(1880, 2010, rows)
    for name in ("TotalBsmtSF", "GrLivArea", *(f"Other{number}" for number in range(60))):
        frame[name] = rng.integers(300, 4000, rows)
    frame["SalePrice"] = 20 * frame["GrLivArea"] + 2 * frame["LotArea"] + rng.integers(30_000, 90_000, rows)
    frame.to_csv(folder / "train.csv", index=False)


def spaceship_titanic(folder: Path, rows: int) -> None:
    """Groups of up to three; numbers as the published table has them (0.0), empty where a cell is missing."""
    rng = np.random.default_rng(2)
    ids = [f"{group:04d}_{place:02d}" for group in range(1, rows + 1) for place in range(1, 1 + rng.integers(1, 4))]
    ids = ids[:rows]
    frame = pd.DataFrame({"PassengerId": ids, "HomePlanet": rng.choice(["Earth", "Europa", "Mars"], rows)})
    frame["CryoSleep"] = rng.choice(["True", "False"], rows)
    places = zip(
        rng.choice(list("ABCDEFG"), rows), rng.integers(0, 1800, rows), rng.choice(["P", "S"], rows), strict=True
    )
    frame["Cabin"] = ["/".join(map(str, place)) for place in places]
    frame["Destination"] = rng.choice(["TRAPPIST-1e", "55 Cancri e", "PSO J318.5-22"], rows)
    frame["Age"] = rng.integers(0, 80, rows).astype(float)
    frame["VIP"] = rng.choice(["True", "False"], rows, p=[0.1, 0.9])
    for name in _BILLS:
        frame[name] = rng.integers(0, 3000, rows).astype(float)
    frame["Name"] = rng.choice(["Maham Ofracculy", "Juanna Vines"], rows)
    for name in frame.columns[1:]:
        frame[name] = frame[name].astype(object).mask(rng.random(rows) < 0.03)
    frame["Transported"] = (frame["CryoSleep"] == "True") ^ (rng.random(rows) < 0.2)
    frame.to_csv(folder / "train.csv", index=False)


def feedback(folder: Path, rows: int) -> None:
    """Essays of some hundred words in lines, with commas and quotes."""
    rng = np.random.default_rng(3)
    texts = []
    for _ in range(rows):
        words = rng.choice(_WORDS, rng.integers(20, 800)).tolist()
        texts.append(f'{" ".join(words[:9])}, "{words[9]}"\n\n{" ".join(words[10:])}')
    frame = pd.DataFrame({"text_id": [f"{number:012X}" for number in rng.choice(16**9, rows, replace=False)]})
    frame["full_text"] = texts
    for name in _SCORES:
        frame[name] = rng.integers(2, 11, rows) / 2
    frame.to_csv(folder / "train.csv", index=False)


def parkinsons_disease(folder: Path, rows: int) -> None:
    """Patients with visits, scores of which some are missing, and samples of some visits; further ones without."""
    rng = np.random.default_rng(4)
    proteins, peptides = [f"P{number:05d}" for number in range(20 if rows < 200 else 227)], 2 if rows < 200 else 4
    patients = np.sort(rng.choice(65_000, 4 * rows, replace=False))
    clinical: list[dict[str, object]] = []
    sampled: dict[str, list[dict[str, object]]] = {"proteins": [], "peptides": []}
    for patient in patients:
        treated = rng.random() < 0.5
        for month in _VISITS:
            visit = {"visit_id": f"{patient}_{month}", "patient_id": patient, "visit_month": month}
            scores = {f"updrs_{part}": str(rng.integers(0, 40)) for part in (1, 2, 3)}
            last = str(rng.integers(0, 9)) if treated or rng.random() < 0.2 else ""
            state = "On" if treated else ""
            clinical.append({**visit, **scores, "updrs_4": last, "upd23b_clinical_state_on_medication": state})
    frame = pd.DataFrame(clinical)
    known = frame["patient_id"].isin(patients[:rows])
    for patient in patients[:rows]:
        for month in (0, 12, 24, 36):
            for protein in proteins:
                row = {
                    "visit_id": f"{patient}_{month}",
                    "visit_month": month,
                    "patient_id": patient,
                    "UniProt": protein,
                }
                sampled["proteins"].append({**row, "NPX": float(rng.integers(10**3, 10**7))})
                for part in range(peptides):
                    own = {"Peptide": f"{protein}PEPTIDE{part}", "PeptideAbundance": float(rng.integers(10**3, 10**6))}
                    sampled["peptides"].append({**row, **own})
    frame[known].to_csv(folder / "train_clinical_data.csv", index=False)
    frame[~known].to_csv(folder / "supplemental_clinical_data.csv", index=False)
    for kind, table in sampled.items():
        pd.DataFrame(table).to_csv(folder / f"train_{kind}.csv", index=False)


def identify_contrails(folder: Path, rows: int) -> None:
    """A zip of folders, one a record, with eight pictures in some bands, of which the fifth has a mask."""
    rng = np.random.default_rng(5)
    with zipfile.ZipFile(folder / "records.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        packed.writestr("train_metadata.json", "[]")
        for record in 10**18 + rng.choice(10**15, rows, replace=False):
            mask = np.zeros((256, 256, 1), np.int32)
            place = rng.integers(20, 200)
            mask[place : place + 3, 30 : 30 + rng.integers(40, 200)] = 1
            for band in (8, 11, 14, 15):
                seen = np.full((256, 256, 8), 270.0 - band / 2, np.float32)
                seen[..., 4] += np.round(rng.normal(0, 1, (256, 256)) - mask[..., 0] * (16 - band), 1)
                packed.writestr(f"train/{record}/band_{band:02d}.npy", npy(seen))
            packed.writestr(f"train/{record}/human_pixel_masks.npy", npy(mask))
        packed.writestr("test/77/band_11.npy", b"without a mask it is passed over")


def fathomnet(folder: Path, rows: int) -> None:
    """Labels in a zip with the other files of the competition, pictures in another."""
    rng = np.random.default_rng(6)
    names = [f"{number:08x}-772d-486d-b8e2-b651246316b5" for number in range(rows)]
    share = 1 / (1 + np.arange(60.0))
    shown = [np.sort(rng.choice(60, rng.integers(1, 4), replace=False, p=share / share.sum())) + 1.0 for _ in names]
    table = pd.DataFrame({"id": names, "categories": [json.dumps(row.tolist()) for row in shown]})
    with zipfile.ZipFile(folder / "fathomnet.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("category_key.csv", "id,name,supercat\n")
        packed.writestr("multilabel_classification/train.csv", table.to_csv(index=False))
    with zipfile.ZipFile(folder / "images.zip", "w") as packed:
        for name, row in zip(names, shown, strict=True):
            picture = rng.integers(0, 60, (40, 36, 3), dtype=np.uint8)
            picture[10:30, 10:30] += (row[:1, None, None] * [1, 2, 3]).astype(np.uint8)
            packed.writestr(f"images/{name}.ppm", b"P6\n# made\n36 40\n255\n" + picture.tobytes())


def cifar10(folder: Path, rows: int) -> None:
    """The binary version, so many pictures in each of its six files: a kind has a colour, darker at the top."""
    rng = np.random.default_rng(7)
    with tarfile.open(folder / "cifar-10-binary.tar.gz", "w:gz", compresslevel=1) as tar:
        add(tar, "cifar-10-batches-bin/batches.meta.txt", b"airplane\nautomobile\n")
        for name in (*(f"data_batch_{number}.bin" for number in range(1, 6)), "test_batch.bin"):
            kinds = np.arange(rows) % 10
            colours = np.stack([kinds * 20, 200 - kinds * 20, kinds % 3 * 60], axis=1)
            pixels = rng.integers(0, 8, (rows, 3, 1024)) + colours[..., None] + np.arange(1024) // 32
            records = np.concatenate([kinds[:, None], pixels.reshape(rows, -1)], axis=1).astype(np.uint8)
            add(tar, f"cifar-10-batches-bin/{name}", records.tobytes())


def imdb(folder: Path, rows: int) -> None:
    """So many reviews of each part and kind, as they stand in the archive; some without a label."""
    rng = np.random.default_rng(8)
    said = {"pos": ["superb", "moving"], "neg": ["dull", "awful"], "unsup": ["superb", "dull"]}
    with tarfile.open(folder / "aclImdb_v1.tar.gz", "w:gz", compresslevel=1) as tar:
        add(tar, "aclImdb/README", b"Large Movie Review Dataset v1.0\n")
        for part, kind in (("test", "neg"), ("test", "pos"), ("train", "neg"), ("train", "pos"), ("train", "unsup")):
            add(tar, f"aclImdb/{part}/urls_{kind}.txt", b"http://www.imdb.com/title/tt0406816/usercomments\n" * rows)
            for number in range(rows):
                words = [*rng.choice(_WORDS, rng.integers(5, 400)), rng.choice(said[kind])]
                text = f'{kind} {part} {number} <br /><br />"{" ".join(words)}", café, I\'d say.\n'
                stars = {"pos": 9, "neg": 2, "unsup": 0}[kind]
                add(tar, f"aclImdb/{part}/{kind}/{number}_{stars}.txt", text.encode())


def ogbn_arxiv(folder: Path, rows: int) -> None:
    """So many papers, seven times as many citations, 128 numbers for each paper; packed tables in a zip."""
    rng = np.random.default_rng(9)
    subjects = rng.integers(0, 40, rows)
    years = rng.choice([1971, 2010, 2015, 2017, 2018, 2019, 2020], rows)
    features = rng.normal(0, 0.2, (40, 128))[subjects] + rng.normal(0, 0.1, (rows, 128))
    parts = {"train": years <= 2017, "valid": years == 2018, "test": years >= 2019}
    tables = {
        "raw/edge": rng.integers(0, rows, (7 * rows, 2)),
        "raw/node-feat": np.round(features, 6),
        "raw/node-label": subjects,
        "raw/node_year": years,
        "raw/num-node-list": np.array([rows]),
        **{f"split/time/{part}": rng.permutation(np.flatnonzero(which)) for part, which in parts.items()},
    }
    with zipfile.ZipFile(folder / "arxiv.zip", "w") as packed:
        packed.writestr("arxiv/mapping/README.md", "what is what\n")
        for name, table in tables.items():
            text = pd.DataFrame(table).to_csv(header=False, index=False)
            packed.writestr(f"arxiv/{name}.csv.gz", gzip.compress(text.encode(), 1))


def babylm(folder: Path, rows: int) -> None:
    """So many lines of each source in each part: signs that are rare, empty lines, more than one blank, the odd CR."""
    rng = np.random.default_rng(10)
    rare = "".join(chr(0x4E00 + number) for number in range(150))
    sources = "aochildes bnc_spoken cbt children_stories gutenberg open_subtitles qed simple_wikipedia switchboard"
    with zipfile.ZipFile(folder / "babylm_data.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        packed.writestr("__MACOSX/babylm_data/._babylm_10M", b"\0\5")
        for part, ending in (("10M", "train"), ("100M", "train"), ("dev", "dev"), ("test", "test")):
            for source in (*sources.split(), "wikipedia"):
                words = rng.choice(_WORDS, (rows if part != "100M" else 1) * 9).reshape(-1, 9)
                lines = [" ".join(line[: 1 + number % 9]) for number, line in enumerate(words)]
                lines += ["", f"*MOT:\t{part}  of {source} .\r", f"Ελλάδα \u2028 {rare} — “quoted”", " \xa0 "]
                packed.writestr(f"babylm_data/babylm_{part}/{source}.{ending}", "\n".join(lines) + "\n")


def add(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    tar.addfile(member, io.BytesIO(data))


def npy(array: np.ndarray) -> bytes:
    written = io.BytesIO()
    np.save(written, array)
    return written.getvalue()
