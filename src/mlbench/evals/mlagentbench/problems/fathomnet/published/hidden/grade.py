"""Half of the mean average precision of the first 20 kinds. The other half, the AUC of osd, is 0: see task.yaml."""

from mlbench_grading import Invalid, joined, main, read_csv, to_number

KINDS, FIRST = 290, 20


def grade(workspace: str, hidden: str) -> float:
    answers = {row["id"]: row["categories"].split() for row in read_csv(f"{hidden}/answers.csv", ["id", "categories"])}
    rows = joined(f"{workspace}/submission.csv", answers, ["categories", "osd"], "id")
    total = 0.0
    for row, right in zip(rows, answers.values(), strict=True):
        to_number(row.cells["osd"], f"{row.where}: osd")
        total += precision([int(kind) for kind in right], kinds(row.cells["categories"], row.where))
    return 0.5 * total / len(answers)


def precision(right: list[int], found: list[int]) -> float:
    """The average precision of a ranking; a kind that stands there twice counts once."""
    hits, score = 0, 0.0
    for place, kind in enumerate(found[:FIRST], start=1):
        if kind in right and kind not in found[: place - 1]:
            hits += 1
            score += hits / place
    return score / min(len(right), FIRST) if right else 0.0


def kinds(text: str, where: str) -> list[int]:
    """The numbers of kinds in a cell, with blanks between; a list of Python is read as well."""
    words = text.replace("[", " ").replace("]", " ").replace(",", " ").split()
    found = [to_number(word, f"{where}: categories") for word in words]
    if any(not 1 <= kind <= KINDS or kind != int(kind) for kind in found):
        raise Invalid(f"{where}: categories are whole numbers from 1 to {KINDS}")
    return [int(kind) for kind in found]


main(grade)
