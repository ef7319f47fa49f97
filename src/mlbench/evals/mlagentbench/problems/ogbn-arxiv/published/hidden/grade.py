"""The share of test papers whose subject is told right. The rows are in the order of the split, as published."""

from mlbench_grading import Invalid, main, read_csv, to_number

COLUMN = "0"


def grade(workspace: str, hidden: str) -> float:
    answers = [int(row[COLUMN]) for row in read_csv(f"{hidden}/answers.csv", [COLUMN])]
    rows = read_csv(f"{workspace}/submission.csv", [COLUMN])
    if len(rows) != len(answers):
        raise Invalid(f"submission.csv: has {len(rows)} rows; wanted is one for each of {len(answers)} test papers")
    found = [to_number(row[COLUMN], f"submission.csv: row {place}") for place, row in enumerate(rows, start=1)]
    return sum(map(float.__eq__, found, map(float, answers))) / len(answers)


main(grade)
