"""Every problem's grader on bad submissions: a line that names the file, never a crash and never a number."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from mlbench.evals.mlagentbench import grader_runtime
from mlbench.evals.mlagentbench.data import CODE, REQUIREMENTS, Prepared, prepared
from mlbench.evals.mlagentbench.problem import load_problem, problems
from mlbench.repositories.environments import environment
from mlbench.sandbox.jail import Jail, Mounts
from mlbench.sandbox.limits import Limits

DRIVER = Path(__file__).with_name("bad_submissions.py")
HIDDEN, LIBRARY = "/opt/hidden", "/opt/lib"


def array_of(name: str, data: Prepared) -> tuple[list[int], str] | None:
    """Shape and type of the array that is wanted; None where it is a table."""
    match name:
        case "babylm":
            answers = json.loads((data.hidden / "answers.json").read_text())
            return [len(answers["next"]), len(answers["characters"])], "f8"
        case "llama-inference":
            return list(np.load(data.hidden / "answers.npy").shape), "i8"
        case "vectorization":
            with np.load(data.hidden / "inputs.npz") as inputs:
                count, height, width, _ = inputs["pictures"].shape
                size, *_, filters = inputs["weights"].shape
                return [count, height + 5 - size, width + 5 - size, filters], "f8"
    return None


@pytest.mark.anyio
@pytest.mark.parametrize("name", problems())
async def test_a_bad_submission_is_told_in_a_line(name: str) -> None:
    problem = load_problem(name)
    data = await prepared(problem)
    array, [file] = array_of(name, data), problem.measured.outputs if problem.measured else problem.submission
    shape, kind = (json.dumps(array[0]), array[1]) if array else ("", "")
    library = Path(grader_runtime.__file__).parent / "mlbench_grading.py"
    shown = ((problem.hidden, CODE), (data.hidden, HIDDEN), (library, f"{LIBRARY}/{library.name}"))
    mounts = Mounts(data.workspace, environment(REQUIREMENTS), shown=(*shown, (DRIVER, "/opt/driver.py")))
    jail = await Jail.start(mounts, Limits(seconds=120))
    try:
        command = ["python", "-s", "/opt/driver.py", f"{CODE}/grade.py", HIDDEN, file, shape, kind]
        done, _ = await jail.run(command, env={"PYTHONPATH": LIBRARY}, cwd="/opt")
    finally:
        await jail.close()
    assert done.exit_code == 0, done.stderr
    said = json.loads(done.stdout)
    assert len(said) >= 12
    good = said.pop("good", None)
    if problem.metric.perfect is not None and not problem.measured:
        assert good == {"score": pytest.approx(problem.metric.perfect)}  # a grader that refuses all proves nothing
    bad = {case: answer for case, answer in said.items() if not str(answer.get("invalid", "")).startswith(f"{file}: ")}
    assert bad == {}
