"""Patients as published: two patients of the clinical table are the test, drawn with the published seed 42.

RAW/NAME.csv   train_clinical_data, supplemental_clinical_data, train_proteins, train_peptides: as they are, or as zips

Asked for is every score of a visit of theirs that is known at the month itself, or 6, 12 or 24 months later.
"""

import random

import pandas as pd
from mlbench_preparing import called
from mlbench_tables import table

PUBLISHED_SEED, AHEAD, LAST_MONTH = 42, (0, 6, 12, 24), 108
VISIT = ["visit_id", "patient_id", "visit_month"]
NEEDED = {"train_clinical_data": [f"updrs_{part}" for part in range(1, 5)], "supplemental_clinical_data": [],
          "train_proteins": ["UniProt", "NPX"], "train_peptides": ["Peptide", "PeptideAbundance"]}  # fmt: skip


def main() -> None:
    args = called()
    tables = {name: table(args.raw / f"{name}.csv", [*VISIT, *needed]) for name, needed in NEEDED.items()}
    patients = tables["train_clinical_data"]["patient_id"].drop_duplicates().tolist()
    test = set(random.Random(PUBLISHED_SEED).sample(patients, 2))
    visible = args.out / "visible"
    (visible / "example_test_files").mkdir(parents=True)
    for name, frame in tables.items():
        # as published: patients who stand in the supplemental table alone are left out too
        frame[frame["patient_id"].isin(set(patients) - test)].to_csv(visible / f"{name}.csv", index=False)
        if name in ("train_proteins", "train_peptides"):
            file = visible / "example_test_files" / f"{name.replace('train', 'test')}.csv"
            frame[frame["patient_id"].isin(test)].to_csv(file, index=False)
    clinical = tables["train_clinical_data"]
    _write_test(args.out, clinical[clinical["patient_id"].isin(test)])


def _write_test(out, clinical: pd.DataFrame) -> None:
    """Write the visits, what is asked for, and the answers."""
    visits, asked = [], []
    ratings = clinical.set_index("visit_id")
    for part in range(1, 5):
        score = f"updrs_{part}"
        rows = clinical[VISIT].assign(updrs_test=score)
        rows["row_id"] = rows["visit_id"] + f"_{score}"
        visits.append(rows[[*VISIT, "row_id", "updrs_test"]])
    for ahead in AHEAD:
        for part, rows in enumerate(visits, start=1):
            month = rows["visit_month"].astype(int)
            later = rows["patient_id"] + "_" + (month + ahead).astype(str)
            rating = later.map(ratings[f"updrs_{part}"]).replace("", None)
            ids = rows["row_id"] + f"_plus_{ahead}_months"
            found = pd.DataFrame({"prediction_id": ids, "rating": rating, "visit_month": month})
            asked.append(found[month + ahead <= LAST_MONTH].dropna())
    answers = pd.concat(asked)
    pd.concat(visits).to_csv(out / "visible/example_test_files/test.csv", index=False)
    answers.assign(rating=0).to_csv(out / "visible/example_test_files/sample_submission.csv", index=False)
    for part in ("perfect", "permuted"):
        (out / "hidden" / part).mkdir(parents=True)
    answers.to_csv(out / "hidden/answers.csv", index=False)
    answers.sample(frac=1, random_state=1).to_csv(out / "hidden/perfect/submission.csv", index=False)
    permuted = answers.assign(rating=answers["rating"].sample(frac=1, random_state=2).to_numpy())
    permuted.to_csv(out / "hidden/permuted/submission.csv", index=False)


main()
