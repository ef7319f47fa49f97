"""The mean absolute error of the predicted prices, in dollars."""

from mlbench_grading import main, predictions, read_csv


def grade(workspace: str, hidden: str) -> float:
    answers = {row["Id"]: float(row["SalePrice"]) for row in read_csv(f"{hidden}/answers.csv", ["Id", "SalePrice"])}
    found = predictions(f"{workspace}/submission.csv", answers, ["SalePrice"], id_column="Id")
    return sum(abs(value - price) for [value], price in zip(found, answers.values(), strict=True)) / len(answers)


main(grade)
