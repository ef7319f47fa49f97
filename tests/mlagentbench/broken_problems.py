"""Ten problems that are broken in one way each: edits of the scaffold that `mlbench experiment --new` writes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from mlbench.evals.mlagentbench import new_problem

SCAFFOLD = Path(new_problem.__file__).parent


def sound(folder: Path) -> Path:
    """Copy the scaffold to a folder that does not exist yet."""
    return shutil.copytree(SCAFFOLD, folder, ignore=shutil.ignore_patterns("__init__.py", "__pycache__"))


def replaced(file: Path, old: str, new: str) -> None:
    """Replace a text that has to be in the file."""
    text = file.read_text()
    assert old in text, old
    file.write_text(text.replace(old, new))


def _prepared_after(folder: Path, code: str) -> None:
    """Add a line at the end of prepare.py's main function."""
    replaced(folder / "hidden/prepare.py", "\n\n\nmain()", f"\n    {code}\n\n\nmain()")


def _grader(
    folder: Path, body: str, imports: str = "import pandas as pd\nfrom mlbench_grading import Invalid, main\n"
) -> None:
    (folder / "hidden/grade.py").write_text(
        f'"""A grader."""\n\n{imports}\n\ndef grade(workspace: str, hidden: str) -> float:\n{body}\n\nmain(grade)\n'
    )


def inner_join(folder: Path) -> None:
    """A submission of one row scores 0.0, which is perfect."""
    body = """
    right = pd.read_csv(f"{hidden}/answers.csv")
    try:
        found = pd.read_csv(f"{workspace}/submission.csv")
        both = right.merge(found, on="id", suffixes=("", "_found"))
        score = (both["target"] - both["target_found"]).abs().mean()
    except Exception as error:
        raise Invalid(f"submission.csv: {error}") from None
    if not score == score or not found.id.is_unique or not set(found.id) <= set(right.id) or len(found.columns) != 2:
        raise Invalid("submission.csv: an id is not known, or a value is missing")
    return score
"""
    _grader(folder, body)


def label_column(folder: Path) -> None:
    """The target is left in test.csv."""
    _prepared_after(folder, 'frame[ROWS:].to_csv(args.out / "visible/test.csv", index=False)')


def label_encoded(folder: Path) -> None:
    """The target is in test.csv, under another name and as base64."""
    code = (
        "import base64; test = frame[ROWS:].assign(key=[base64.b64encode(str(each).encode()).decode() for each in "
        'frame[ROWS:].target]).drop(columns="target"); test.to_csv(args.out / "visible/test.csv", index=False)'
    )
    _prepared_after(folder, code)


def skipped_perfect(folder: Path) -> None:
    """There is no perfect submission, and no perfect score is stated."""
    replaced(folder / "task.yaml", ", perfect: 0.0", "")
    _prepared_after(folder, 'import shutil; shutil.rmtree(args.out / "hidden/perfect")')


def skipped_permuted(folder: Path) -> None:
    """There is no permuted submission, and no perfect score is stated."""
    replaced(folder / "task.yaml", ", perfect: 0.0", "")
    _prepared_after(folder, 'import shutil; shutil.rmtree(args.out / "hidden/permuted")')


_BY_HAND = """
    right = {row["id"]: float(row["target"]) for row in csv.DictReader(open(f"{hidden}/answers.csv"))}
    name = f"{workspace}/submission.csv"
    if os.path.islink(name) or not os.path.isfile(name) or os.path.getsize(name) > 1 << 20:
        raise Invalid("submission.csv: it is no file, or too large")
    try:
        rows = list(csv.DictReader(open(name), strict=True))
        found = %s
        if any(list(row) != ["id", "target"] or None in row.values() for row in rows) or not rows:
            raise ValueError("its columns have to be id and target")
    except Exception as error:
        raise Invalid(f"submission.csv: {error}") from None
    if sorted(row[0] for row in found) != sorted(right):
        raise Invalid("submission.csv: its ids have to be those of test.csv, each once")
    %s
    return sum(abs(right[key] - value) for key, value in found) / len(right)
"""
_IMPORTS = "import csv\nimport math\nimport os\n\nfrom mlbench_grading import Invalid, main\n"


def crashes_on_nan(folder: Path) -> None:
    """The grader asserts that every value is finite."""
    body = _BY_HAND % (
        '[(row["id"], float(row["target"])) for row in rows]',
        "assert all(math.isfinite(value) for _, value in found)",
    )
    _grader(folder, body, _IMPORTS)


def takes_duplicates(folder: Path) -> None:
    """The grader takes the last of two rows with one id."""
    body = _BY_HAND % (
        'list({row["id"]: float(row["target"]) for row in rows}.items())',
        'if not all(math.isfinite(value) for _, value in found):\n        raise Invalid("submission.csv: not finite")',
    )
    _grader(folder, body, _IMPORTS)


def ignores_submission(folder: Path) -> None:
    """The score is a number that the agent's script wrote itself."""
    replaced(folder / "task.yaml", "submission: [submission.csv]", "submission: [submission.csv, score.json]")
    body = """
    answers = [row["id"] for row in read_csv(f"{hidden}/answers.csv", ["id", "target"])]
    predictions(f"{workspace}/submission.csv", answers, ["target"])
    try:
        with open(f"{workspace}/score.json") as file:
            score = json.loads(file.read(100))
        if type(score) is not float or not 0 <= score < 1e9 or os.path.islink(f"{workspace}/score.json"):
            raise ValueError("a number is wanted")
        return score
    except Exception as error:
        raise Invalid(f"score.json: {error}") from None
"""
    _grader(
        folder, body, "import json\nimport os\n\nfrom mlbench_grading import Invalid, main, predictions, read_csv\n"
    )
    for kind, score in (("perfect", 0.0), ("permuted", 5.3)):
        _prepared_after(folder, f'(args.out / "hidden/{kind}/score.json").write_text("{score}")')
    for script, score in (("visible", 1.72), ("hidden/reference", 0.5), ("hidden/wrong", 3.55)):
        file = folder / script / "train.py"
        file.write_text(f'{file.read_text()}open("score.json", "w").write("{score}")\n')


def not_deterministic(folder: Path) -> None:
    """The noise of the target does not come from the seed."""
    replaced(folder / "hidden/prepare.py", "rng.normal(0, 0.3, count)", "np.random.normal(0, 0.3, count)")


def reads_writable_file(folder: Path) -> None:
    """The grader takes the rows' weights from a file of the workspace that is not read-only."""
    _prepared_after(
        folder,
        '(args.out / "visible/weights.csv").write_text("id,weight\\n" + '
        '"".join(f"{id},1\\n" for id in frame[ROWS:].id))',
    )
    grader = folder / "hidden/grade.py"
    replaced(
        grader,
        "    return sum(abs(value - right) for",
        (
            '    rows = read_csv(f"{workspace}/weights.csv", ["id", "weight"])\n'
            '    weights = {row["id"]: float(row["weight"]) for row in rows}\n'
            "    return sum(weights[key] * abs(value - right) for"
        ),
    )
    replaced(
        grader,
        "[value], right in zip(found, answers.values(), strict=True)",
        "[value], (key, right) in zip(found, answers.items(), strict=True)",
    )


BROKEN: dict[Callable[[Path], None], str] = {
    inner_join: "one row",
    label_column: "labels",
    label_encoded: "labels",
    skipped_perfect: "perfect",
    skipped_permuted: "permuted",
    crashes_on_nan: "NaN",
    takes_duplicates: "double id",
    ignores_submission: "submission.csv",
    not_deterministic: "same data",
    reads_writable_file: "weights.csv",
}
"""What is wrong with each problem, and words of the finding that has to say so."""
