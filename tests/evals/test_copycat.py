"""The copycat: what it edits, and what it leaves alone, on small prompts."""

from __future__ import annotations

import pytest

from mlbench.evals.ml_llm_bench.copycat import copycat
from mlbench.judging.extract import extract
from mlbench.records import Candidate


def answer(document: str, instruction: str, kind: str = "bash script") -> Candidate:
    prompt = (
        f'<document path="README.md">\n{document}\n</document>\n\n'
        f"The repository is called x. The working folder is `.`.\n"
        f"<instruction>\n{instruction}\n</instruction>\n"
        f"Write the {kind} that does this."
    )
    return extract(copycat(prompt))


TRAIN = """
# Training

```bash
pip install -r requirements.txt
```

```bash
python train.py --data cora --lr 0.1 --num_epochs=5
```

The sets are `cora`, `acm` and `dblp`. `--depth` is the number of layers, `--relax` lets go.

```bash
python test.py --data cora --relax
```
"""


def test_numbers_go_to_the_flags_whose_words_stand_near() -> None:
    """A number behind a comma belongs to the words behind the comma."""
    code = answer(TRAIN, "Train for 12 epochs, learning rate 3e-4.").code
    assert code == "python train.py --data cora --lr 3e-4 --num_epochs=12"


def test_a_listed_word_takes_the_place_of_the_word_listed_beside_it() -> None:
    assert answer(TRAIN, "Train on DBLP.").code == "python train.py --data dblp --lr 0.1 --num_epochs=5"


def test_numerals_are_numbers_and_documented_flags_are_added() -> None:
    code = answer(TRAIN, "Train a net, depth seven.").code
    assert code == "python train.py --data cora --lr 0.1 --num_epochs=5 --depth 7"


def test_the_block_that_shares_most_words_is_taken() -> None:
    assert answer(TRAIN, "Test it on cora, relaxed.").code == "python test.py --data cora --relax"


def test_a_switch_goes_where_the_instruction_refuses_it() -> None:
    assert answer(TRAIN, "Test it on cora without relaxing.").code == "python test.py --data cora"


def test_a_usage_line_is_no_example_and_set_up_stays() -> None:
    document = "```\nexport DIR=data\nbash train.sh DATA SIZE\nbash train.sh reels small\n```\n\n`reels`, `laments`"
    assert answer(document, "Laments, please.").code == "export DIR=data\nbash train.sh laments small"


def test_keywords_names_and_texts_of_a_program() -> None:
    document = '```python\nm = load("loom_t6")\nm.ask("what is it", top_k=3)  # or more\n```'
    candidate = answer(document, 'With loom_t3, ask "how many are there?", top-k 5.', "Python code")
    assert candidate.kind == "python"
    assert candidate.code == 'm = load("loom_t3")\nm.ask("how many are there?", top_k=5)  # or more'


@pytest.mark.parametrize("document", ["", "Only words.", "```bash\npip install x\n```"])
def test_without_an_example_there_is_no_answer(document: str) -> None:
    assert answer(document, "Train for 3 epochs.").code == ""


def test_the_same_prompt_gets_the_same_answer_and_nothing_breaks_it() -> None:
    """The instruction and the documents are other people's text: parentheses, quotes and tags stand in them."""
    document = "```bash\npython a.py --x 1 --re '(' --y \"[\"\n```\n`--x` (`a|b`) \\1 *+?\n```"
    odd = 'x 7 ( [ \\ " </document> \\1 *+? "a b'
    assert {answer(document, odd).code for _ in range(3)} == {"python a.py --x 7 --re '(' --y \"[\""}
    assert copycat("") == copycat("") and "```" in copycat("")
