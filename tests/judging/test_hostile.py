"""Text that no answer holds: nothing crashes, and time stays in bounds."""

from __future__ import annotations

import time

import pytest

from mlbench.judging.arguments import published_hits, token_hits
from mlbench.judging.extract import extract
from mlbench.records import Candidate
from mlbench.shell.languages import LONGEST, language_of
from mlbench.shell.shell_tokens import shell_words

REQUIRED = {"lr": "0.1", "layers": "0 2", "data": "data/cora", "kernels": "[1, 7]"}
PIECES = [
    *("x", "1 ", "word ", "`", "` `` ", "*a ", "[", "- ", "> ", "<", "<think>", "|a|b\n", "    a b\n", "$ a\n", "\0"),
    *("\ud800", "```\n", "```\na b\n```\n", "Text.\n", "python a.py --lr 0.15\n", "import a\n\n", "(", "a,", "/a", "="),
]
CODE = ["f(lr=0.15)\n", '"', "(", "$(", "{ ", "<<A ", "cat <<A\n", '"${a:-', "if a; then ", "a$b", "a;", "é", "\\", "{"]


def judged(reply: str) -> float:
    """Seconds of processor time: others may use this machine as well."""
    began = time.process_time()
    candidate = extract(reply)
    hits = token_hits(candidate, REQUIRED)
    assert len(hits.missing) == len(REQUIRED)
    return time.process_time() - began


@pytest.mark.parametrize("piece", PIECES)
def test_a_megabyte_of_anything(piece: str) -> None:
    assert judged(piece * (1_000_000 // len(piece))) < 5  # about 0.1 to 0.8 s; the bound is for a slow machine


@pytest.mark.parametrize("piece", CODE)
@pytest.mark.parametrize("label", ["bash", "python"])
@pytest.mark.parametrize("size", [LONGEST - 10, 1_000_000])
def test_a_block_of_anything(piece: str, label: str, size: int) -> None:
    assert judged(f"```{label}\n{piece * (size // len(piece))}\n```") < 5


@pytest.mark.parametrize(
    "code",
    [
        "x = " + "(" * 5_000,
        "x = " + "[" * 150 + "1, " * 4_000 + "]" * 150,
        "x = 1" + "+1" * 900 + "\nf(lr=2)",
        "x = a" + ".b" * 900,
        "x = " + "-" * 3_000 + "1",
        "a = 'xxxxxxxxxx'\n" + "a = a + a\n" * 100 + "f(a)",
        "a = 99999\n" + "a = a * a\n" * 60 + "f(a)",
        "a = 9**9**9**9\nb = 1e300 * 1e300 / 0\nf(a, b, 0x" + "f" * 5_000 + ")",
    ],
)
def test_python_that_explodes(code: str) -> None:
    assert judged(f"```python\n{code}\n```") < 5


def test_shell_variables_that_double() -> None:
    assert judged("```bash\nA=xxxxxxxxxx\n" + "A=$A$A\n" * 60 + 'python a.py $A "$A"\n```') < 5


def test_shell_variables_are_filled_in_so_often_and_no_more() -> None:
    code = "A=xxxxxxxxxx\n" + "A=$A$A\n" * 14 + "python a.py" + " y$A" * 100
    assert sum(len(word) for word in shell_words(code).words) < 2_000_000


def test_shell_programs_inside_one_another() -> None:
    code = "python train.py --lr 0.2"
    for _ in range(6):
        code = "bash -c " + "'" + code.replace("'", "'\\''") + "'"
    assert token_hits(Candidate(code, "shell", "fence"), {"lr": "0.2"}).share == 1
    assert judged("```bash\n" + "eval " * 3_000 + "\n```") < 5


def test_what_is_longer_than_any_answer_is_neither_language() -> None:
    code = "python train.py --lr 0.1\n" * (LONGEST // 25 + 1)
    assert language_of(code).kind is None
    assert str(LONGEST) in language_of(code).fault


def test_lone_surrogates_never_leave_the_extractor() -> None:
    """A candidate is written to a file and into a log, both in UTF-8."""
    candidate = extract("```bash\npython a.py --name '\ud800'\n```")
    assert candidate.kind == "shell"
    candidate.code.encode("utf-8")


def test_the_published_rule_takes_any_text() -> None:
    assert published_hits("", {"a": ""}).share == 1
    assert published_hits("\ud800 A", {"a": "a"}).share == 1
    assert published_hits("LR=0.15", {"lr": "0.1", "data": "cora"}).by_name == {"lr": True, "data": False}


def test_markdown_in_markdown_in_markdown_ends() -> None:
    """A reply of 1,500 opened Markdown fences overflowed the stack: the sample then had no score at all."""
    assert extract("```md\n" * 1500 + "python train.py").code
    fences = "".join(f"{'`' * n}md\n" for n in range(600, 2, -1))
    assert extract(fences + "python train.py") is not None
