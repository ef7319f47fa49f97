"""`mlbench suites check` on recipes whose outcome proves nothing: each is refused in a line that names it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import Any

import pytest
import yaml

from mlbench.sandbox.limits import Limits
from mlbench.scoring.runtime import machine
from mlbench.suite_builder.checks.outcome_check import outcome_faults
from mlbench.suite_builder.checks.suite_check import check, faulty
from mlbench.suites.recipes import Recipe, segment_hash
from mlbench.suites.suite import Suite, load_suite
from mlbench.suites.unasked import without

README = "Read the code.\n"
PROGRAM = """
import argparse, os, sys, time

parser = argparse.ArgumentParser()
parser.add_argument("kind")
parser.add_argument("--size", type=int, default=1)
parser.add_argument("--rate", type=float, default=0.5)
parser.add_argument("--broken", action="store_true")
args = parser.parse_args()
if args.broken:
    sys.exit("it is broken")
os.makedirs("out", exist_ok=True)
with open(f"out/{args.kind}.txt", "w") as file:
    print(args.size * args.rate, file=file)
print("hello from", args.kind)
print("took", time.time_ns())
print("result", args.size * args.rate)
"""
LIBRARY = """
def measure(size, rate):
    return size + rate


def name(size, rate):
    return "a measure"
"""
SHELL: dict[str, Any] = {
    "type": "Bash Script",
    "path": ".",
    "segment": {"file": "README.md", "lines": [1, 1], "sha256": segment_hash(README)},
    "program": "tool.py",
    "arguments": {"kind": ["apple", "pear"], "size": ["3", "4"], "rate": ["0.7", "0.8"]},
    "instructions": [f"{n}: {{{{ kind }}}} {{{{ size }}}} {{{{ rate }}}}" for n in range(5)],
    "reference": "python tool.py {{ kind }} --size {{ size }} --rate {{ rate }}",
}
PYTHON: dict[str, Any] = {
    **SHELL,
    "type": "Python Code",
    "program": "library.py",
    "arguments": {"size": ["3", "4"], "rate": ["0.7", "0.8"]},
    "instructions": [f"{n}: {{{{ size }}}} {{{{ rate }}}}" for n in range(5)],
    "reference": "import library\nprint('it is', library.measure({{ size }}, {{ rate }}))",
}
RESULT = {"prints": ["^result <number>"]}
RECIPES: dict[str, dict[str, Any]] = {
    "sound": {**SHELL, "outcome": {"files": [{"path": "out/*.txt"}], **RESULT}},
    "sound-python": {**PYTHON, "outcome": {"prints": ["it is <number>"]}},
    "some-values-are-defaults": {
        **SHELL,
        "arguments": {**SHELL["arguments"], "size": ["1", "4"], "rate": ["0.5", "0.8"]},
        "outcome": RESULT,
    },
    "undeclared": SHELL,
    "bad-pattern": {**SHELL, "outcome": {"prints": ["result (<number>"]}},
    "bad-glob": {**SHELL, "outcome": {"files": [{"path": "../out/*.txt"}]}},
    "bad-variable": {**PYTHON, "outcome": {"prints": ["it is <number>"], "relation": {"input": "x", "result": "y"}}},
    "empty": {**SHELL, "outcome": {"files": [{"path": "results/*.txt"}]}},
    "empty-but-for-apples": {**SHELL, "outcome": {"files": [{"path": "out/apple.txt"}]}},
    "unmatched": {**SHELL, "outcome": {**RESULT, "files": [{"path": "results/*.txt"}]}},
    "unshared": {**SHELL, "outcome": {"prints": ["took <number>"]}},
    "defaults": {**SHELL, "outcome": {"prints": ["hello from (.*)"]}},
    "any-value": {
        **PYTHON,
        "reference": PYTHON["reference"].replace("measure", "name"),
        "outcome": {"prints": ["it is (.*)"]},
    },
    "failing": {**SHELL, "reference": SHELL["reference"] + " --broken", "outcome": RESULT},
}
SAID = {
    "undeclared": ["outcome: none is declared"],
    "bad-pattern": ["outcome.prints.0: Value error, 'result (<number>' is no regular expression"],
    "bad-glob": ["outcome.files.0.path: Value error, '../out/*.txt' leads out of the repository"],
    "bad-variable": [f"outcome: relation: the reference assigns no variable {x} at its top level" for x in "yx"],
    "empty": ["outcome: is empty: the reference leaves nothing of results/*.txt"],
    "empty-but-for-apples": ["outcome: is empty: the reference leaves nothing of out/apple.txt with kind pear, size 4"],
    "unmatched": ["outcome: the reference leaves nothing that matches results/*.txt"],
    "unshared": ["outcome: two runs of the reference do not share it: "],
    "defaults": ["outcome: the program's defaults leave the same, without size, rate"],
    "any-value": ["outcome: the reference leaves the same with another value of every argument"],
    "failing": ["outcome: the reference fails with exit code 1: it is broken"],
}


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    folder = tmp_path_factory.mktemp("suites") / "toys"
    repository, recipes = folder / "repositories/toy", folder / "recipes/toy"
    for each in (repository, recipes):
        each.mkdir(parents=True)
    (repository / "README.md").write_text(README)
    (repository / "tool.py").write_text(PROGRAM)
    (repository / "library.py").write_text(LIBRARY)
    shutil.copy(load_suite("pocket").requirements, folder)
    about = {
        "name": "toys",
        "version": 1,
        "seed": 1,
        "sizes": {"full": 1, "quarter": 1, "id_train": 0, "ood_train": 0},
        "code_share": 0,
        "repositories": [{"name": "toy", "github_id": 1, "domain": "toys", "role": "id"}],
    }
    (folder / "suite.yaml").write_text(yaml.safe_dump(about))
    for name, recipe in RECIPES.items():
        (recipes / f"{name}.yaml").write_text(yaml.safe_dump(recipe, sort_keys=False))
    return load_suite(str(folder))


@pytest.fixture(scope="module")
def faults(suite: Suite) -> list[str]:
    found = check(suite)
    told: list[tuple[int, int]] = []
    place = machine("bubblewrap", str(suite.root), Limits(seconds=20), 2)
    found += outcome_faults(suite, place, faulty(found), lambda done, of: told.append((done, of)))
    assert told[-1][0] == told[-1][1] == len(RECIPES) - len(faulty(check(suite)))
    return found


@pytest.mark.parametrize("name", RECIPES)
def test_an_outcome_that_proves_nothing_is_refused(faults: list[str], name: str) -> None:
    where = f"recipe toy/{name}.yaml: "
    lines = [fault.removeprefix(where) for fault in faults if fault.startswith(where)]
    said = SAID.get(name, [])
    assert [line[: len(start)] for line, start in zip(lines, said, strict=True)] == said
    assert all("\n" not in line for line in lines)


def test_the_defaults_are_the_reference_without_the_words_of_its_arguments() -> None:
    reference = (
        "export N={{ n }}\npython a.py {{ data }} --lr={{ lr }} --k {{ k }} {{ flag }} \\\n"
        "  --set a={{ a }} b={{ b }} --end 3 && LOG={{ log }} python b.py -j {{ k }}"
    )
    names = {"n": ["1"], "data": ["x"], "lr": ["2"], "k": ["3"], "a": ["4"], "b": ["5"], "log": ["6"]}
    recipe = Recipe.model_validate(
        {
            **SHELL,
            "repository": "toy",
            "task": "t",
            "arguments": {**names, "flag": ["--flag", ""]},
            "reference": reference,
        }
    )
    first = next(recipe.combinations())

    def less(*dropped: str) -> list[str]:
        return without(recipe, first, dropped).replace("\\\n", " ").split()

    whole = less()
    assert "--k 3 --flag --set a=4 b=5 --end 3 && LOG=6 python b.py -j 3" in " ".join(whole)
    assert " ".join(less("k", "flag")) == ("export N=1 python a.py x --lr=2 --set a=4 b=5 --end 3 && LOG=6 python b.py")
    assert " ".join(less("a")).endswith("--set b=5 --end 3 && LOG=6 python b.py -j 3")
    assert " ".join(less("a", "b", "log", "lr")) == (
        "export N=1 python a.py x --k 3 --flag --end 3 && python b.py -j 3"
    )


def test_a_check_without_runs_does_without_the_engine(suite: Suite) -> None:
    """`--quick` and the import of the command stay light."""
    code = (
        "import sys; from mlbench.suite_builder.checks.suite_check import check\n"
        "from mlbench.suites.suite import load_suite\n"
        f"check(load_suite({str(suite.root)!r})); print('inspect_ai' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
