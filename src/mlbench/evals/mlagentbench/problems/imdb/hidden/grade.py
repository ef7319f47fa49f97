"""The share of reviews whose more probable class is the right one."""

from mlbench_grading import main, predictions, read_csv


def grade(workspace: str, hidden: str) -> float:
    answers = {row["idx"]: int(row["label"]) for row in read_csv(f"{hidden}/answers.csv", ["idx", "label"])}
    found = predictions(f"{workspace}/submission.csv", answers, ["0", "1"], id_column="idx")
    right = [int(good > bad) == label for (bad, good), label in zip(found, answers.values(), strict=True)]
    return sum(right) / len(answers)


main(grade)
