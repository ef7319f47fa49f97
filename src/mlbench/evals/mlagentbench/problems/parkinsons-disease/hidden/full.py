"""Visits of patients, as published: of some patients the scores are to be foretold from their samples.

RAW/train_clinical_data.csv, train_proteins.csv, train_peptides.csv, supplemental_clinical_data.csv   as they are, or
packed as zips

The competition serves its own test through a program that runs there alone, so patients of its training data are held
back. Asked for are those of their visits of which there is a sample and every score, of that month and of the months
ahead: what is not known cannot be judged, and each visit of test.csv is asked for in full.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from mlbench_preparing import called
from mlbench_tables import table

AHEAD = [0, 6, 12, 24]
SCORES = ["updrs_1", "updrs_2", "updrs_3", "updrs_4"]
SHARE = 0.4
"""Of the patients who can be asked for."""
VISIT = ["visit_id", "visit_month", "patient_id"]
CLINICAL = [*VISIT, *SCORES, "upd23b_clinical_state_on_medication"]
MEASURED = {"proteins": [*VISIT, "UniProt", "NPX"], "peptides": [*VISIT, "UniProt", "Peptide", "PeptideAbundance"]}


def of_visits(file: Path, columns: list[str]) -> pd.DataFrame:
    """A table whose cells are text; months and scores as numbers, a score that is missing as NaN."""
    frame = table(file, columns)
    try:
        numbers = {column: frame[column].astype(int) for column in ("visit_month", "patient_id")}
        scores = {column: frame[column].replace("", "nan").astype(float) for column in SCORES if column in columns}
    except ValueError as error:
        raise SystemExit(f"{file.name}: a month, a patient or a score is no number: {error}") from None
    if any((score < 0).any() for score in scores.values()):
        raise SystemExit(f"{file.name}: a score is below 0; it is not the published table")
    return frame.assign(**numbers, **scores)[columns]


def ratings(clinical: pd.DataFrame, visits: pd.DataFrame) -> pd.DataFrame:
    """What is to be foretold, a row a visit, a column for each score and number of months; NaN is not known."""
    known = clinical.set_index(["patient_id", "visit_month"])[SCORES]
    found = {}
    for score in SCORES:
        for ahead in AHEAD:
            wanted = pd.MultiIndex.from_arrays([visits["patient_id"], visits["visit_month"] + ahead])
            found[f"{score}_plus_{ahead}_months"] = known[score].reindex(wanted).to_numpy()
    return pd.DataFrame(found, index=visits["visit_id"])


def main() -> None:
    args = called()
    clinical = of_visits(args.raw / "train_clinical_data.csv", CLINICAL)
    further = of_visits(args.raw / "supplemental_clinical_data.csv", CLINICAL)
    measured = {kind: of_visits(args.raw / f"train_{kind}.csv", columns) for kind, columns in MEASURED.items()}
    if clinical.duplicated(["patient_id", "visit_month"]).any() or not clinical["visit_id"].is_unique:
        raise SystemExit("train_clinical_data.csv: a visit stands there twice; it is not the published table")
    sampled = clinical.loc[clinical["visit_id"].isin(measured["proteins"]["visit_id"]), VISIT]
    wanted = ratings(clinical, sampled).dropna()
    asked = sampled[sampled["visit_id"].isin(wanted.index)]
    able = np.random.default_rng(args.seed).permutation(np.sort(asked["patient_id"].unique()))
    tested = able[: int(SHARE * len(able))]
    if len(tested) < 2:
        raise SystemExit(
            f"train_clinical_data.csv: only {len(able)} patients have a visit with a sample and all scores"
        )
    asked = asked[asked["patient_id"].isin(tested)]
    shown = args.out / "visible"
    for folder in (shown, args.out / "hidden/perfect", args.out / "hidden/permuted"):
        folder.mkdir(parents=True)
    clinical[~clinical["patient_id"].isin(tested)].to_csv(shown / "train_clinical_data.csv", index=False)
    # the further patients are others, but for a slip in the published tables
    further[~further["patient_id"].isin(tested)].to_csv(shown / "supplemental_clinical_data.csv", index=False)
    for kind, rows in measured.items():
        rows[~rows["patient_id"].isin(tested)].to_csv(shown / f"train_{kind}.csv", index=False)
        rows[rows["visit_id"].isin(asked["visit_id"])].to_csv(shown / f"test_{kind}.csv", index=False)
    asked.to_csv(shown / "test.csv", index=False)
    answers = wanted.loc[asked["visit_id"]].stack().reset_index(name="rating")
    answers.insert(0, "prediction_id", answers.pop("visit_id") + "_" + answers.pop("level_1"))
    answers.to_csv(args.out / "hidden/answers.csv", index=False)
    answers.assign(rating=0).to_csv(shown / "sample_submission.csv", index=False)
    answers.sample(frac=1, random_state=1).to_csv(args.out / "hidden/perfect/submission.csv", index=False)
    permuted = answers.assign(rating=answers["rating"].sample(frac=1, random_state=2).to_numpy())
    permuted.to_csv(args.out / "hidden/permuted/submission.csv", index=False)


main()
