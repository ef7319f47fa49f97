"""Find the faults of a problem's folder that show without running anything, each with its file and line."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml
from pydantic import ValidationError

from mlbench.evals.mlagentbench.problem import PARTS, ResearchProblem

_LINE = r'File "[^"]*/{name}", line (\d+)'


@dataclass(frozen=True)
class ProblemFault:
    """A fault: its place in the problem's folder (`task.yaml:12`) and what is wrong.

    Attributes:
        stops: whether the problem cannot be run before it is mended.
    """

    where: str
    what: str
    stops: bool = True


def problem_faults(folder: Path) -> list[ProblemFault]:
    """Return all faults of a problem's folder that can be found by reading it."""
    missing = [
        ProblemFault(part, f"is missing; a problem has {', '.join(PARTS)}")
        for part in PARTS
        if not (folder / part).exists()
    ]
    return [*missing, *_of_description(folder), *_of_scripts(folder)]


def _of_description(folder: Path) -> Iterator[ProblemFault]:
    file = folder / "task.yaml"
    if not file.is_file():
        return
    try:
        text = file.read_text()
        told, tree = yaml.safe_load(text), yaml.compose(text)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        yield ProblemFault(f"task.yaml:{mark.line + 1 if mark else 1}", " ".join(str(error).split())[:200])
        return
    if not isinstance(told, dict):
        yield ProblemFault("task.yaml:1", "it has to be a mapping: `name: my-problem`, and so on")
        return
    try:
        problem = ResearchProblem.model_validate(told)
    except ValidationError as error:
        for each in error.errors():
            where = ".".join(map(str, each["loc"]))
            yield ProblemFault(f"task.yaml:{_line(tree, each['loc'])}", f"{where}: {each['msg']}")
        return
    if problem.metric.perfect is None and not (problem.measured and problem.measured.speed):
        yield ProblemFault(
            f"task.yaml:{_line(tree, ('metric',))}",
            "metric.perfect, the score of a perfect submission, is missing; only where speed is measured there is none",
            stops=False,
        )
    if not (folder / "visible" / problem.script).is_file() and (folder / "visible").is_dir():
        yield ProblemFault(
            f"task.yaml:{_line(tree, ('script',))}", f"visible/{problem.script}, the starter, is missing"
        )
    names = [("submission", name) for name in problem.submission] + [("read_only", name) for name in problem.read_only]
    for key, name in names:
        if name.startswith("/") or ".." in Path(name).parts:
            yield ProblemFault(f"task.yaml:{_line(tree, (key,))}", f"{key}: {name} leads out of the workspace")
    for name in set(problem.submission) & set(problem.read_only):
        yield ProblemFault(f"task.yaml:{_line(tree, ('read_only',))}", f"{name} is a submission and read-only")


def _of_scripts(folder: Path) -> Iterator[ProblemFault]:
    for file in sorted(folder.rglob("*.py")):
        try:
            tree = ast.parse(file.read_bytes())
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None) or 1
            yield ProblemFault(f"{file.relative_to(folder)}:{line}", f"is no Python: {getattr(error, 'msg', error)}")
            continue
        if file == folder / "hidden/grade.py":
            yield from _of_grader(tree)
    for name in ("reference", "wrong"):
        place = folder / "hidden" / name
        if place.is_dir() and not any(path.is_file() for path in place.rglob("*")):
            yield ProblemFault(f"hidden/{name}", "holds no file")


def _of_grader(tree: ast.Module) -> Iterator[ProblemFault]:
    grade = next((node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "grade"), None)
    if grade is None:
        return
    if len(grade.args.args) not in (2, 3):
        yield ProblemFault(
            f"hidden/grade.py:{grade.lineno}",
            "grade takes (workspace: str, hidden: str), and a third, seconds: list[float], if speed is measured",
        )
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    if not any(node.func.id == "main" for node in calls if isinstance(node.func, ast.Name)):
        yield ProblemFault(f"hidden/grade.py:{grade.lineno}", "grade is never called: end the file with main(grade)")


def _line(node: yaml.Node | None, path: Sequence[object]) -> int:
    """The line of a key in a YAML document, or of the nearest key around it."""
    line = 1
    for key in path:
        if isinstance(node, yaml.MappingNode):
            found = next(((own, value) for own, value in node.value if own.value == str(key)), None)
            if found is None:
                break
            line, node = found[0].start_mark.line + 1, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
            node = node.value[key]
            line = node.start_mark.line + 1
        else:
            break
    return line


def blamed_line(stderr: str, name: str) -> str:
    """Return `:LINE` for the last line of a script that a traceback names; empty if it names none."""
    found = re.findall(_LINE.format(name=re.escape(name)), stderr)
    return f":{found[-1]}" if found else ""
