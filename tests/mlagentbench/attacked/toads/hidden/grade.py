"""The mean absolute error, in grams."""

from mlbench_grading import main, predictions, read_csv


def grade(workspace: str, hidden: str) -> float:
    answers = {row["id"]: float(row["weight"]) for row in read_csv(f"{hidden}/answers.csv", ["id", "weight"])}
    found = predictions(f"{workspace}/submission.csv", answers, ["weight"])
    return sum(abs(value - weight) for [value], weight in zip(found, answers.values(), strict=True)) / len(answers)


main(grade)
