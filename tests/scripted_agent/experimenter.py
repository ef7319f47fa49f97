"""An engineer who improves experiments by known moves, chosen by what the files look like; no problem is known by name.

Look at the files, read the script, look at the data, run the script, then one move after the other: write it, run it,
keep it if the printed score is better, else undo it. He remembers nothing but his notes, which he hands on in words.
"""

from __future__ import annotations

import ast
import csv
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

SCRIPT = "train.py"
_MOVES = Path(__file__).parent / "moves"
_WORDS_OF_A_TEXT = 15
_LOOPS = 3


@dataclass(frozen=True)
class Act:
    """An action by its published name."""

    name: str
    inputs: Mapping[str, Any]
    why: str


@dataclass(frozen=True)
class Turn:
    """An action that was done, and what came back."""

    name: str
    inputs: Mapping[str, Any]
    seen: str


@dataclass(frozen=True)
class Notes:
    """What he hands on: what he is at, the moves that are to be tried, the scores so far.

    Attributes:
        moves: each a script of `moves/` and the constants that are set in it.
        stale: what the script left in the workspace is not what the kept script leaves.
    """

    stage: str = "begin"
    moves: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    starter: float | None = None
    best: float | None = None
    stale: bool = False

    @classmethod
    def read(cls, text: str) -> Notes:
        """As `write` wrote them."""
        found = json.loads(text)
        return cls(**{**found, "moves": tuple((script, constants) for script, constants in found["moves"])})

    def write(self) -> str:
        return json.dumps(asdict(self))


@dataclass(frozen=True)
class Next:
    notes: Notes
    act: Act


def next_step(problem: str, notes: Notes, turns: Sequence[Turn]) -> Next:
    """What to do next.

    Args:
        turns: the last ones, in order; the observation of the last is what he has not seen yet.
    """
    seen = turns[-1].seen if turns else ""
    match notes.stage:
        case "begin":
            return Next(replace(notes, stage="listed"), Act("List Files", {"dir_path": "."}, "I look at the files."))
        case "listed":
            stage = "read" if re.search(r"^train\.csv ", seen, re.M) else "known"
            return Next(replace(notes, stage=stage), Act("Read File", {"file_name": SCRIPT}, "I read the script."))
        case "read":
            lines = {"script_name": "train.csv", "start_line_number": 1, "end_line_number": 2}
            return Next(replace(notes, stage="known"), Act("Inspect Script Lines", lines, "I look at the data."))
        case "known":
            notes = replace(notes, stage="started", moves=chosen(problem, _script(turns), seen))
            return Next(notes, _run("I run the script as it is."))
        case "started":
            score = score_of(seen)
            return _go_on(problem, replace(notes, starter=score, best=score), turns)
        case "written":
            return Next(replace(notes, stage="ran"), _run("I run what I wrote."))
        case "ran":
            return _judged(problem, notes, turns, score_of(seen))
        case "undone":
            return _go_on(problem, replace(notes, stale=True), turns)
    return Next(notes, _end(problem, notes))


def _judged(problem: str, notes: Notes, turns: Sequence[Turn], score: float | None) -> Next:
    better = score is not None and (notes.best is None or (score > notes.best) == is_higher_better(problem))
    if better and score != notes.best:
        return _go_on(problem, replace(notes, best=score, stale=False), turns)
    return Next(replace(notes, stage="undone"), Act("Undo Edit Script", {"script_name": SCRIPT}, "It is no better."))


def _go_on(problem: str, notes: Notes, turns: Sequence[Turn]) -> Next:
    """The next move; or the end, once the workspace is as the kept script leaves it."""
    if notes.moves:
        (name, constants), *others = notes.moves
        content = written(name, constants, _script(turns))
        notes = replace(notes, stage="written", moves=tuple(others))
        return Next(notes, Act("Write File", {"file_name": SCRIPT, "content": content}, f"I try {name} {constants}."))
    if notes.stale:
        return Next(replace(notes, stage="done", stale=False), _run("I run what I kept once more."))
    return Next(replace(notes, stage="done"), _end(problem, notes))


def _run(why: str) -> Act:
    return Act("Execute Script", {"script_name": SCRIPT}, why)


def _end(problem: str, notes: Notes) -> Act:
    if notes.best == notes.starter:
        text = "I know no move that makes this better: the starter stands as it was."
    else:
        text = f"The validation score of {SCRIPT} is {notes.best:g} now; the starter's was {notes.starter:g}."
    return Act("Final Answer", {"final_answer": text}, "Nothing is left that I know.")


def _script(turns: Sequence[Turn]) -> str:
    return next((turn.seen for turn in reversed(turns) if turn.name == "Read File"), "")


def score_of(seen: str) -> float | None:
    """The last figure that a script printed; None where it failed or printed none."""
    if not seen.startswith("exit code 0 "):
        return None
    printed = seen.partition("stdout:\n")[2].partition("\nstderr:\n")[0]
    found = re.findall(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?", printed)
    return float(found[-1]) if found else None


def is_higher_better(problem: str) -> bool:
    return re.search(r"accuracy|as large as|Dice", problem) is not None


def chosen(problem: str, script: str, data: str) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """The moves for what the files look like.

    Args:
        data: the first lines of `train.csv`, each behind its number, where there is one.
    """
    classes = "accuracy" in problem
    rows = list(csv.reader(re.findall(r"^ *\d+ (.*)$", data, re.M)))
    if len(rows) > 1 and rows[0] and "test.csv" in script:
        if any(len(cell.split()) >= _WORDS_OF_A_TEXT for cell in rows[1]):
            linear = {"CLASSES": classes, "PROBABILITIES": "probability of each class" in problem}
            return (("texts", linear), ("texts", {**linear, "WORDS": [1, 5], "STRENGTH": 0.1}))
        boosted = {"CLASSES": classes, "LOSS": "absolute_error" if "absolute error" in problem else "squared_error"}
        return (
            ("tables", {"CLASSES": classes}),
            ("tables", {**boosted, "LOGARITHM": not classes, "ROUNDS": 200, "LEAVES": 12}),
        )
    if "edge_index" in problem and "node_feat" in script:
        return (("graphs", {}), ("graphs", {"LABELS": True}))
    return (("convolutions", {}),) if _slow_convolution(script) else ()


def _slow_convolution(script: str) -> ast.FunctionDef | None:
    """The function that goes through windows and sums products, in loops within loops."""
    if "PADDING" not in script or "STRIDE" not in script:
        return None
    try:
        functions = [node for node in ast.walk(ast.parse(script)) if isinstance(node, ast.FunctionDef)]
    except SyntaxError:
        return None
    for function in functions:
        loops = sum(isinstance(node, ast.For) for node in ast.walk(function))
        if loops >= _LOOPS and "np.sum(" in ast.unparse(function) and len(function.args.args) == 3:
            return function
    return None


def written(name: str, constants: Mapping[str, Any], script: str) -> str:
    """A move as a script; one that is about a function takes its place in the script that was read."""
    text = (_MOVES / f"{name}.py").read_text()
    for constant, value in constants.items():
        text = _set(text, constant, tuple(value) if isinstance(value, list) else value)
    if name != "convolutions":
        return text
    old, new = _slow_convolution(script), ast.parse(text).body[-1]
    assert old is not None
    assert isinstance(new, ast.FunctionDef)
    new.name = old.name
    lines = script.splitlines()
    return "\n".join([*lines[: old.lineno - 1], ast.unparse(new), *lines[old.end_lineno :]]) + "\n"


def _set(text: str, constant: str, value: Any) -> str:
    """The first assignment to a constant, alone or among others on its line, gets this value."""
    tree = ast.parse(text)
    for node in tree.body:
        names = ast.unparse(node.targets[0]).strip("()").split(", ") if isinstance(node, ast.Assign) else []
        if constant in names:
            assert isinstance(node, ast.Assign)
            values = node.value.elts if isinstance(node.value, ast.Tuple) and len(names) > 1 else [node.value]
            said = [
                repr(value) if each == constant else ast.unparse(old) for each, old in zip(names, values, strict=True)
            ]
            lines = text.splitlines()
            lines[node.lineno - 1 : node.end_lineno] = [f"{', '.join(names)} = {', '.join(said)}"]
            return "\n".join(lines) + "\n"
    raise ValueError(f"no constant {constant}")
