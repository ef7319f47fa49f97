"""What the repository makes of a claimed input decides, whoever claims it."""

from __future__ import annotations

import ast
import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mlbench.judging.outcome_spec import OutcomeSpec, Relation
from mlbench.judging.outcomes import Expected
from mlbench.records import Execution, ExitKind, LeftBehind, OutputFile, Sample
from mlbench.sandbox.bubblewrap import BubblewrapConfig
from mlbench.sandbox.execute import CLAIMS
from mlbench.sandbox.limits import Limits
from mlbench.scoring.input_relations import replayed_text, unproven
from mlbench.scoring.runtime import machine
from mlbench.suites.suite import load_split, load_suite

pytestmark = pytest.mark.anyio

PLAIN = "x = draw(3)\ny = f(x)\nprint(y.shape)\n"


def run(code: str) -> list[tuple[str, Any]]:
    """What a text loads and saves."""
    seen: list[tuple[str, Any]] = []

    class Numpy:
        @staticmethod
        def load(path: str, allow_pickle: bool) -> list[float]:
            assert not allow_pickle
            seen.append(("load", path))
            return [1.0, 2.0]

        @staticmethod
        def save(path: str, value: Any) -> None:
            seen.append(("save", value))

    class Result(list[float]):
        shape = (2,)

    space = {
        "draw": lambda n: [0.0] * n,
        "f": lambda x: Result(2 * each for each in x),
        "print": lambda *a: None,
        "__builtins__": {"__import__": lambda name: Numpy},
    }
    exec(code, space)
    return seen


def test_the_free_input_is_loaded_and_the_result_is_saved() -> None:
    text = replayed_text(PLAIN, Relation(input="x", result="y"), True)
    assert run(text) == [("load", "/tmp/mlbench-input.npy"), ("save", [2.0, 4.0])]


def test_without_an_input_only_the_result_is_saved() -> None:
    assert run(replayed_text(PLAIN, Relation(result="y"), False)) == [("save", [0.0, 0.0, 0.0])]


def test_the_first_assignment_is_the_input() -> None:
    text = replayed_text("x = draw(1)\nx = x + [5.0]\ny = f(x)", Relation(input="x", result="y"), True)
    assert run(text)[-1] == ("save", [2.0, 4.0, 10.0])


@pytest.mark.parametrize("reference", ["y = f(3)", "def g():\n    x = draw(3)\n    return x\ny = f(g())"])
def test_a_reference_without_that_input_is_refused(reference: str) -> None:
    with pytest.raises(ValueError, match="assigns no variable x"):
        replayed_text(reference, Relation(input="x", result="y"), True)


def test_every_declared_relation_can_be_replayed() -> None:
    found = 0
    for sample in load_split("pocket", "full"):
        origin = load_suite("pocket").row(sample.id).origin
        if origin and origin.recipe.outcome and (relation := origin.recipe.outcome.relation):
            ast.parse(replayed_text(sample.output, relation, bool(relation.input)))
            found += 1
    assert found


LAYER = """
import numpy as np

class Layer:
    def __call__(self, x):
        if x.ndim != 2:
            raise ValueError("two dimensions")
        return np.tanh(x @ np.arange(6.0).reshape(3, 2))
"""
REFERENCE = "import numpy as np\nfrom layer import Layer\nx = np.random.randn(4, 3)\ny = Layer()(x)\nprint(y.shape)"
SAMPLE = Sample(1, "x/y", 1, 1, ".", "{}", "", "", "Python Code", REFERENCE, "")
INPUT = np.linspace(-1.0, 1.0, 12).reshape(4, 3)


def layer(x: Any) -> Any:
    return np.tanh(x @ np.arange(6.0).reshape(3, 2))


@pytest.fixture
def config(tmp_path: Any) -> BubblewrapConfig:
    (tmp_path / "repository").mkdir()
    (tmp_path / "repository" / "layer.py").write_text(LAYER)
    place = machine("bubblewrap", "pocket", Limits(seconds=20), None)
    config = place.jail(next(iter(place.checkouts)))
    return config.model_copy(update={"repository": str(tmp_path / "repository"), "env": (("PYTHONPATH", "."),)})


def claim(*claims: tuple[Any, Any], numbers: list[int] | None = None) -> Execution:
    """An execution that left these claims: input and result of each call."""
    files = []
    for number, (taken, returned) in zip(numbers or range(len(claims)), claims, strict=True):
        buffer = io.BytesIO()
        np.savez(buffer, taken=taken, returned=returned)
        files.append(OutputFile(f"{CLAIMS}/{number}.npz", len(buffer.getvalue()), buffer.getvalue()))
    return Execution(ExitKind.EXITED, 0, 0.1, outcome=LeftBehind(tuple(files)))


async def proof(execution: Execution, config: BubblewrapConfig, relation: Relation | None = None) -> str:
    spec = OutcomeSpec(prints=(r"\((.*)\)",), relation=relation or Relation(input="x", result="y"))
    return await unproven(SAMPLE, Expected(spec), execution, config)


async def test_a_call_that_returned_what_the_repository_makes_of_its_input(config: BubblewrapConfig) -> None:
    assert await proof(claim((INPUT, layer(INPUT))), config) == ""
    after = claim((INPUT, layer(INPUT)), (INPUT, INPUT), numbers=[9, 10])  # one is enough, in the order of numbers
    assert await proof(after, config) == ""


@pytest.mark.parametrize(
    ("taken", "returned", "why"),
    [
        (INPUT, np.zeros((4, 2)), "not what the repository makes"),
        (INPUT, layer(INPUT) * 0.9, "not what the repository makes"),
        (INPUT, layer(INPUT)[:2], "not what the repository makes"),
        (INPUT, np.full((4, 2), np.nan), "not what the repository makes"),
        (INPUT[0], layer(INPUT[0]), "ValueError: two dimensions"),
        (np.zeros(0), np.zeros((4, 2)), "took and returned"),
        (np.zeros((4, 3)), np.zeros((4, 2)), "same number everywhere"),
        (np.full((4, 3), 7), layer(np.full((4, 3), 7.0)), "same number everywhere"),
        (np.full((4, 3), np.nan), np.full((4, 2), np.nan), "not finite"),
        (np.where(INPUT > 0.9, np.inf, INPUT), layer(INPUT), "not finite"),
    ],
)
async def test_a_forged_claim_is_refused(taken: Any, returned: Any, why: str, config: BubblewrapConfig) -> None:
    assert why in await proof(claim((taken, returned)), config)


async def test_what_comes_out_as_no_number_proves_nothing(config: BubblewrapConfig) -> None:
    """Of numbers that overflow anybody knows what comes out."""
    huge = np.where(np.arange(12) % 2, -1.7e308, 1.7e308).reshape(4, 3)
    assert "not what the repository makes" in await proof(claim((huge, np.full((4, 2), np.nan))), config)


async def test_where_nothing_is_claimed_nothing_is_proven(config: BubblewrapConfig) -> None:
    files = tuple(
        OutputFile(path, len(content or b""), content)
        for path, content in [
            (f"{CLAIMS}/0.npz", b"PK\x03\x04 cut"),
            (f"{CLAIMS}/1.npz", None),
            (f"{CLAIMS}/x.npz", b""),
            ("/workspace/0.npz", b""),
        ]
    )
    none = Execution(ExitKind.EXITED, 0, 0.1, outcome=LeftBehind(files))
    for execution in (none, claim((np.array(["a"]), INPUT)), Execution(ExitKind.EXITED, 0, 0.1)):
        assert "no call" in await proof(execution, config)


async def test_a_result_without_a_free_input_is_what_the_reference_comes_to(config: BubblewrapConfig) -> None:
    fixed = Sample(1, "x/y", 1, 1, ".", "{}", "", "", "Python Code", "import numpy\ny = numpy.arange(3.0)", "")
    spec = OutcomeSpec(prints=(r"\((.*)\)",), relation=Relation(result="y"))
    right, wrong = claim((np.zeros(0), np.arange(3.0))), claim((INPUT, layer(INPUT)))
    assert await unproven(fixed, Expected(spec), right, config) == ""
    assert "not what the repository makes" in await unproven(fixed, Expected(spec), wrong, config)


async def test_without_a_free_input_the_result_may_be_made_by_steps_of_ones_own(config: BubblewrapConfig) -> None:
    """The array that an answer holds at its end was taken by no call."""
    sample = replace(SAMPLE, output="import numpy as np\nfrom layer import Layer\ny = Layer()(np.ones((4, 3)))")
    spec = OutcomeSpec(prints=(r"\((.*)\)",), relation=Relation(result="y"))
    nothing, made = np.zeros(0), layer(np.ones((4, 3)))
    held = claim(*[(nothing, np.ones(3))] * 3, (nothing, made), *[(nothing, np.zeros(2))] * 9)
    assert await unproven(sample, Expected(spec), held, config) == ""
    assert "not what" in await unproven(sample, Expected(spec), claim((nothing, made * 2)), config)


async def test_what_no_call_took_proves_nothing_of_a_free_input(config: BubblewrapConfig) -> None:
    assert "took and returned" in await proof(claim((np.zeros(0), layer(INPUT))), config)
