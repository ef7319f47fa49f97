"""The share of passengers of whom it is told right whether they were carried off."""

from mlbench_grading import labels, main, read_csv


def grade(workspace: str, hidden: str) -> float:
    rows = read_csv(f"{hidden}/answers.csv", ["PassengerId", "Transported"])
    answers = {row["PassengerId"]: row["Transported"] for row in rows}
    allowed, column = ["True", "False"], "Transported"
    found = labels(f"{workspace}/submission.csv", answers, column, allowed, id_column="PassengerId", fold=True)
    return sum(map(str.__eq__, found, answers.values())) / len(answers)


main(grade)
