"""Which of several tasks are one, and which are the most different."""

from __future__ import annotations

from dataclasses import replace

from mlbench.records import Check, CheckStatus, Invocation, RepositoryCall
from mlbench.suite_builder.mining.task_selection import distinct, diverse, named
from mlbench.suite_builder.types import CodeBlock, DraftTask


def snippet(line: int, code: str, *functions: str) -> DraftTask:
    block = CodeBlock("README.md", (line, line), (line, line), ("Use",), "", "python", code)
    calls = tuple(RepositoryCall(function, {"a": 1, "b": 2}, ("a", "b")) for function in functions)
    check = Check(CheckStatus.ACCEPTED, invocations=(Invocation(CheckStatus.ACCEPTED, how="code", calls=calls),))
    return DraftTask("", block, "python", ".", code, "lib.py", check)


def command(line: int, prose: str = "", program: str = "train.py", **given: object) -> DraftTask:
    block = CodeBlock("README.md", (line, line), (line, line), ("Use", "On Cora"), prose, "shell", "")
    invocation = Invocation(CheckStatus.ACCEPTED, program=program, configuration=given, given=tuple(given))
    return DraftTask(
        "", block, "shell", ".", f"python {program}", program, Check(CheckStatus.ACCEPTED, invocations=(invocation,))
    )


def test_a_snippet_that_another_goes_on_from_is_part_of_it() -> None:
    first, second = (
        snippet(1, "net = Net(1)", "lib.Net"),
        snippet(5, "net = Net(1)\nnet.fit(2)", "lib.Net", "lib.Net.fit"),
    )
    assert distinct([first, second]) == ([second], [(first, second)])


def test_of_those_with_the_same_options_the_one_with_more_words_is_kept() -> None:
    short, long = command(1, "Run.", lr=1, seed=2), command(2, "Run it so.", lr=3, seed=4)
    assert distinct([short, long]) == ([long], [(short, long)])


def test_another_mode_is_another_task() -> None:
    train, test = command(1, mode="train", lr=1), command(2, mode="test", lr=1)
    assert distinct([train, test]) == ([train, test], [])


def positional(line: int, word: str, **settings: object) -> DraftTask:
    task = command(line)
    given = {"which": word, **settings}
    (invocation,) = task.check.invocations
    invocation = replace(invocation, configuration=given, given=("which",), argv=(word,))
    return replace(task, check=replace(task.check, invocations=(invocation,)))


def test_another_subcommand_is_another_task_and_another_value_is_not() -> None:
    """`download.py ESRGAN` and `download.py EDVR` were two tasks, each of which had the other's values."""
    one, other = positional(1, "ESRGAN", folder="."), positional(2, "EDVR", folder=".")
    assert distinct([one, other]) == ([one], [(other, one)])
    train, test = positional(1, "train", epochs=3), positional(2, "test", folder=".")
    assert distinct([train, test]) == ([train, test], [])


def test_a_command_that_a_sentence_mentions_is_no_task_beside_a_fuller_one() -> None:
    """`tool pack` became a task, though it cannot run without the settings of the example below."""
    full = command(9, seed=1, data="x")
    mention = command(1, "Pack them with `python train.py --seed 1`.", seed=1)
    mention = replace(mention, code="python train.py --seed 1")
    assert distinct([mention, full])[0] == [full]
    alone = replace(mention, block=replace(mention.block, prose="Pack them:"))
    assert distinct([alone, full])[0] == [alone, full]


def test_each_program_comes_before_the_second_task_of_one() -> None:
    first, second, other = command(1, lr=1, b=2), command(2, lr=1, c=2), command(3, program="eval.py", lr=1, b=2)
    poor = command(4, program="poor.py", lr=1)
    assert diverse([first, second, other, poor], 2) == [first, other]
    assert diverse([first, second, other, poor], 3) == [first, second, other]


def test_names_are_short_and_unique() -> None:
    tasks = [command(1, lr=1), command(2, b=1), command(3, c=1), command(4, d=1, program="gan/main.py")]
    assert [task.name for task in named(tasks)] == ["train", "train-cora", "train-2", "gan-main"]
