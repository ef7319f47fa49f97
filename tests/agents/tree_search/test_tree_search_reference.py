"""The tree search on every bundled problem: a model whose only draft is the reference solution succeeds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from mlbench.evals.mlagentbench.problem import DATA_SEED, load_problem, problems
from mlbench.evals.mlagentbench.task import experiment


def draft(name: str) -> str:
    """A script that does what the reference does; the files beside its script are written by it."""
    problem = load_problem(name)
    files = [file for file in problem.reference.iterdir() if file.is_file() and file.name != problem.script]
    beside = [f"open({file.name!r}, 'w').write({file.read_text()!r})\n" for file in files]
    script = (problem.reference / problem.script).read_text()
    future, code = ("", script) if "from __future__" not in script else _split(script)
    return f"It is known to work.\n```python\n{future}{''.join(beside)}{code}\nprint('validation score: 1')\n```"


def _split(script: str) -> tuple[str, str]:
    head, line, rest = script.partition("from __future__ import annotations\n")
    return head + line, rest


def replies(name: str) -> Iterator[str]:
    yield "none"
    while True:
        yield draft(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", problems())
def test_the_reference_as_a_draft_succeeds(name: str, tmp_path: Path) -> None:
    said = replies(name)

    def generate(*rest: object) -> ModelOutput:
        output = ModelOutput.from_content("mockllm", next(said))
        output.usage = ModelUsage()
        return output

    model = get_model("mockllm/model", custom_outputs=generate, memoize=False)
    task = experiment(
        name, agent="tree_search", data_seed=DATA_SEED, options={"steps": 2}, steps_dir=str(tmp_path / "steps")
    )
    (log,) = inspect_eval(task, model=model, log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    assert log.samples
    sample = log.samples[0]
    found = (sample.output.metadata or {})["tree_search"]
    assert [node["fault"] for node in found["nodes"]] == ["", ""], found
    assert found["best"] == 1
    assert sample.scores
    value = sample.scores["experiment"].value
    assert isinstance(value, dict)
    assert (value["valid"], value["success"]) == (1.0, 1.0), sample.scores
