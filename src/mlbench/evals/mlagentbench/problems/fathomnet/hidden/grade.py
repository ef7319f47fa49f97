"""The mean of the area under the ROC curve of `osd` and of the mean average precision of the first 20 categories."""

from mlbench_grading import Invalid, joined, main, read_csv, to_number
from sklearn.metrics import roc_auc_score

CATEGORIES, DEPTH = 24, 20
COLUMNS = ["categories", "osd"]


def grade(workspace: str, hidden: str) -> float:
    answers = {row["id"]: row for row in read_csv(f"{hidden}/answers.csv", ["id", *COLUMNS])}
    found = joined(f"{workspace}/submission.csv", answers, COLUMNS, "id")
    osd = [to_number(row.cells["osd"], f"{row.where}: osd") for row in found]
    for row, value in zip(found, osd, strict=True):
        if not 0 <= value <= 1:
            raise Invalid(f"{row.where}: osd is {value:g}, outside of 0 to 1")
    right = [{int(word) for word in row["categories"].split()} for row in answers.values()]
    ranked = [categories(row.cells["categories"], row.where) for row in found]
    precise = [precision(ranks, wanted) for ranks, wanted in zip(ranked, right, strict=True) if wanted]
    area = roc_auc_score([int(row["osd"]) for row in answers.values()], osd)
    return 0.5 * (float(area) + sum(precise) / len(precise))


def categories(text: str, where: str) -> list[int]:
    """The ranked categories of a row: numbers, known, none twice, at most 20."""
    words = text.split()
    known = {str(each) for each in range(CATEGORIES)}
    for word in words:
        if word not in known:
            raise Invalid(f"{where}: {word!r:.40} is no category; they are the numbers 0 to {CATEGORIES - 1}")
    if len(set(words)) < len(words):
        raise Invalid(f"{where}: a category stands there twice")
    if len(words) > DEPTH:
        raise Invalid(f"{where}: {len(words)} categories, at most {DEPTH} are allowed")
    return [int(word) for word in words]


def precision(ranked: list[int], right: set[int]) -> float:
    """Average precision: the mean, over the right ones, of the share of right ones down to their rank."""
    hits, total = 0, 0.0
    for rank, category in enumerate(ranked, start=1):
        if category in right:
            hits += 1
            total += hits / rank
    return total / min(len(right), DEPTH)


main(grade)
