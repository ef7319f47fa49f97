"""The root of the mean squared error of each of the six scores, and of these the mean (MCRMSE)."""

from mlbench_grading import main, predictions, read_csv

SCORES = ["cohesion", "syntax", "vocabulary", "phraseology", "grammar", "conventions"]


def grade(workspace: str, hidden: str) -> float:
    rows = read_csv(f"{hidden}/answers.csv", ["text_id", *SCORES])
    answers = {row["text_id"]: [float(row[score]) for score in SCORES] for row in rows}
    # bounds far outside of what makes sense, so that no square overflows
    found = predictions(f"{workspace}/submission.csv", answers, SCORES, low=-100, high=100, id_column="text_id")
    errors = zip(zip(*found, strict=True), zip(*answers.values(), strict=True), strict=True)
    each = [(sum((a - b) ** 2 for a, b in zip(told, right, strict=True)) / len(rows)) ** 0.5 for told, right in errors]
    return sum(each) / len(each)


main(grade)
