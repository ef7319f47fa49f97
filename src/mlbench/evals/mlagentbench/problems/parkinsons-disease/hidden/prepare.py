"""Visits of patients, simulated: proteins of a sample, and four scores of how ill a patient is, over years.

Some proteins go with how ill somebody is now, some with how fast it gets worse; most with nothing. Samples differ in
how diluted they are, which changes all proteins alike. The scores are whole numbers, and the fourth is mostly 0, as in
the published table.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

TRAINED, TESTED, PROTEINS = 130, 110, 24
DILUTION = {"easy": 0.25, "standard": 0.5, "hard": 1.0}
"""How much samples differ in their dilution, by tier: the standard deviation of its logarithm."""
SCHEDULE = [0, 3, 6, 9, 12, 18, 24, 30, 36, 42, 48, 54, 60, 72, 84]
SAMPLED = [0, 12, 24, 36]
"""Months in which a sample is taken, and from which the scores ahead are asked for."""
AHEAD = [0, 6, 12, 24]
SCORES = ["updrs_1", "updrs_2", "updrs_3", "updrs_4"]
LETTERS = np.array(list("ACDEFGHIKLMNPQRSTVWY"))


class Patient:
    """How ill somebody is (about 0 to 3), as a function of the month, and what is measured of it."""

    def __init__(self, rng: np.random.Generator, number: int) -> None:
        self.rng, self.number = rng, number
        self.start, self.pace = rng.gamma(2.0, 0.5), rng.gamma(1.5, 0.12)
        self.own = rng.normal(0, 0.2, 4)
        self.medicated = rng.random() < 0.5

    def illness(self, month: int) -> float:
        return self.start + self.pace * month / 12

    def level(self, month: int) -> np.ndarray:
        """The four scores before chance has its part in them."""
        ill, treated = self.illness(month), self.medicated and month >= 12
        found = np.array([3.5, 4.5, 15.0, 0.9]) * ill * np.exp(self.own) + np.array([1.0, 0.0, 0.0, -1.6])
        found[2] *= 0.75 if treated else 1.0
        return found

    def scores(self, month: int) -> dict[str, float]:
        level = self.level(month)
        found = np.round(np.maximum(0, level * self.rng.normal(1, 0.1, 4) + self.rng.normal(0, 0.5, 4)))
        return dict(zip(SCORES, found, strict=True))


def visit(patient: Patient, month: int) -> dict[str, object]:
    return {"visit_id": f"{patient.number}_{month}", "visit_month": month, "patient_id": patient.number}


def clinical(patient: Patient, months: list[int]) -> pd.DataFrame:
    """One row for each visit, with the scores; a few scores are missing."""
    rows = []
    for month in months:
        state = None if patient.rng.random() < 0.4 else "On" if patient.medicated and month >= 12 else "Off"
        rows.append({**visit(patient, month), **patient.scores(month), "upd23b_clinical_state_on_medication": state})
    frame = pd.DataFrame(rows)
    frame["updrs_4"] = frame["updrs_4"].mask(patient.rng.random(len(frame)) < 0.1)
    return frame


def names(rng: np.random.Generator) -> list[str]:
    """Those of the proteins, as UniProt forms them."""
    found: set[str] = set()
    while len(found) < PROTEINS:
        digits = rng.integers(0, 10, 3)
        found.add(f"{rng.choice(list('OPQ'))}{digits[0]}{''.join(rng.choice(LETTERS, 2))}{digits[1]}{digits[2]}")
    return sorted(sorted(found), key=lambda _: rng.random())  # a set has no order of its own


class Laboratory:
    """Measures the proteins of a sample: which of them go with illness and pace is drawn once."""

    def __init__(self, rng: np.random.Generator, dilution: float) -> None:
        self.rng, self.names, self.dilution = rng, names(rng), dilution
        self.base = rng.lognormal(9, 1.5, PROTEINS)
        self.ill = np.where(np.arange(PROTEINS) < 7, rng.choice([-0.28, 0.28], PROTEINS), 0)
        self.pace = np.where(
            (np.arange(PROTEINS) > 4) & (np.arange(PROTEINS) < 11), rng.choice([-1.0, 1.0], PROTEINS), 0
        )
        self.peptides = [["".join(rng.choice(LETTERS, rng.integers(6, 14))) for _ in range(2)] for _ in self.names]

    def sample(self, patient: Patient, month: int) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
        """Rows of the table of proteins, and of that of peptides; a tenth of the proteins is not found."""
        level = self.ill * patient.illness(month) + self.pace * patient.pace + self.rng.normal(0, 0.2, PROTEINS)
        amounts = self.base * np.exp(level + self.rng.normal(0, self.dilution))
        proteins, peptides = [], []
        for name, amount, parts in zip(self.names, amounts, self.peptides, strict=True):
            if self.rng.random() < 0.1:
                continue
            proteins.append({**visit(patient, month), "UniProt": name, "NPX": round(float(amount), 1)})
            for part, share in zip(parts, self.rng.dirichlet([8, 4]), strict=True):
                value = round(float(amount * share * self.rng.lognormal(0, 0.05)), 1)
                peptides.append({**visit(patient, month), "UniProt": name, "Peptide": part, "PeptideAbundance": value})
        return proteins, peptides


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--tier", choices=DILUTION, default="standard")
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    shown = args.out / "visible"
    for folder in (shown, args.out / "hidden/perfect", args.out / "hidden/permuted"):
        folder.mkdir(parents=True)
    laboratory = Laboratory(rng, DILUTION[args.tier])
    numbers = rng.choice(np.arange(1000, 65000), TRAINED + TESTED + TRAINED // 2, replace=False)
    patients = [Patient(rng, int(number)) for number in numbers]
    train, test, further = patients[:TRAINED], patients[TRAINED : TRAINED + TESTED], patients[TRAINED + TESTED :]
    months = [month for month in SCHEDULE if month <= 60]
    kept = [month for month in months if month % 6 == 0]
    known_visits = pd.concat([clinical(each, kept) for each in train])
    known_visits.to_csv(shown / "train_clinical_data.csv", index=False)
    pd.concat([clinical(each, months) for each in further]).to_csv(
        shown / "supplemental_clinical_data.csv", index=False
    )
    for part, group in (("train", train), ("test", test)):
        sampled = [laboratory.sample(each, month) for each in group for month in SAMPLED]
        for kind, tables in zip(("proteins", "peptides"), zip(*sampled, strict=True), strict=True):
            rows = [row for table in tables for row in table]
            pd.DataFrame(rows).to_csv(shown / f"{part}_{kind}.csv", index=False)
    asked = pd.DataFrame([visit(each, month) for each in test for month in SAMPLED])
    asked.to_csv(shown / "test.csv", index=False)
    rows = []
    for each in test:
        course = {month: each.scores(month) for month in range(0, SAMPLED[-1] + AHEAD[-1] + 1, 6)}
        for month in SAMPLED:
            for score in SCORES:
                for ahead in AHEAD:
                    name = f"{each.number}_{month}_{score}_plus_{ahead}_months"
                    known = max(0.0, round(each.level(month + ahead)[SCORES.index(score)]))
                    rows.append({"prediction_id": name, "rating": course[month + ahead][score], "known": known})
    answers = pd.DataFrame(rows)
    known = answers.pop("known")
    answers.to_csv(args.out / "hidden/answers.csv", index=False)
    answers.assign(rating=0).to_csv(shown / "sample_submission.csv", index=False)
    # the rows in another order are as good: what counts is the id
    answers.sample(frac=1, random_state=1).to_csv(args.out / "hidden/perfect/submission.csv", index=False)
    permuted = answers.assign(rating=answers["rating"].sample(frac=1, random_state=2).to_numpy())
    permuted.to_csv(args.out / "hidden/permuted/submission.csv", index=False)
    middle = known_visits[SCORES].median()
    constant = answers["prediction_id"].str.extract("(updrs_.)")[0].map(middle)
    for name, told in (("trivial", constant), ("floor", known)):
        (args.out / "hidden" / name).mkdir()
        answers.assign(rating=told).to_csv(args.out / f"hidden/{name}/submission.csv", index=False)


main()
