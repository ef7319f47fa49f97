"""The mean absolute error of the predicted targets."""

from mlbench_grading import main, predictions, read_csv


def grade(workspace: str, hidden: str) -> float:
    answers = {row["id"]: float(row["target"]) for row in read_csv(f"{hidden}/answers.csv", ["id", "target"])}
    found = predictions(f"{workspace}/submission.csv", answers, ["target"])  # joined by id; refuses bad submissions
    return sum(abs(value - right) for [value], right in zip(found, answers.values(), strict=True)) / len(answers)


main(grade)
