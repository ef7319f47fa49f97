"""The share of pictures whose most probable class is the right one."""

from mlbench_grading import main, predictions, read_csv


def grade(workspace: str, hidden: str) -> float:
    answers = {row["id"]: int(row["label"]) for row in read_csv(f"{hidden}/answers.csv", ["id", "label"])}
    found = predictions(f"{workspace}/submission.csv", answers, [str(kind) for kind in range(10)])
    right = [values.index(max(values)) == label for values, label in zip(found, answers.values(), strict=True)]
    return sum(right) / len(answers)


main(grade)
