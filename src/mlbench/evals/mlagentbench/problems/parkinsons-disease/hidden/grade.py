"""The symmetric mean absolute percentage error of the scores, each plus 1 (0 is perfect, 200 the worst)."""

from mlbench_grading import main, predictions, read_csv


def grade(workspace: str, hidden: str) -> float:
    rows = read_csv(f"{hidden}/answers.csv", ["prediction_id", "rating"])
    answers = {row["prediction_id"]: float(row["rating"]) for row in rows}
    found = predictions(f"{workspace}/submission.csv", answers, ["rating"], low=0, id_column="prediction_id")
    errors = [
        abs(value - rating) / ((value + rating) / 2 + 1)
        for [value], rating in zip(found, answers.values(), strict=True)
    ]
    return 100 * sum(errors) / len(errors)


main(grade)
