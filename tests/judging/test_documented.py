"""What a documentation shows of one program: its its examples count, offers in prose do not."""

from __future__ import annotations

import pytest

from mlbench.judging.call_sites import CallSite
from mlbench.judging.documented import examples_of, leaves_the_rest

TEXT = """
If you prefer gaps, `--mask block`.

```bash
python train.py --data a \\
    --epochs 25
python decode.py --epochs 3
bash wrapper.sh --beam 4
```

    python ex/train.py --lr 0.1

```python
history = fit(flow, f(1), lr=0.001)  # fits
```
| --epochs | 7 |
"""
FILES = {"train.py", "decode.py", "wrapper.sh", "ex/train.py"}


def test_the_commands_of_a_program_are_its_examples() -> None:
    found = examples_of(CallSite("train.py", {}, is_program=True), TEXT, FILES)
    assert "--epochs 25" in found and "--beam 4" in found
    assert all(word not in found for word in ("--mask", "--epochs 3", "--epochs | 7", "ex/train.py"))


def test_a_program_is_found_from_the_folder_that_it_starts_in() -> None:
    assert "--lr 0.1" in examples_of(CallSite("ex/train.py", {}, cwd="ex", is_program=True), TEXT, FILES)


def test_the_calls_of_a_function_are_its_examples() -> None:
    assert examples_of(CallSite("flows.fit", {}), TEXT, FILES) == "flow, f(1), lr=0.001"
    assert examples_of(CallSite("flows.sample", {}), TEXT, FILES) == ""


@pytest.mark.parametrize(
    ("instruction", "rest"),
    [
        ("Train it on Cora. Leave everything else alone.", True),
        ("Width 5; all other settings stay at their defaults.", True),
        ("Five epochs, remaining settings untouched.", True),
        ("Train it on Cora with 5 layers.", False),
        ("Take the other family of shapes.", False),
    ],
)
def test_an_instruction_may_speak_of_all_the_rest(instruction: str, rest: bool) -> None:
    assert leaves_the_rest(instruction) is rest
