"""The share of papers whose subject is told right."""

from mlbench_grading import labels, main, read_csv

SUBJECTS = [str(subject) for subject in range(40)]


def grade(workspace: str, hidden: str) -> float:
    answers = {row["node"]: row["label"] for row in read_csv(f"{hidden}/answers.csv", ["node", "label"])}
    found = labels(f"{workspace}/submission.csv", answers, "label", SUBJECTS, id_column="node")
    return sum(map(str.__eq__, found, answers.values())) / len(answers)


main(grade)
