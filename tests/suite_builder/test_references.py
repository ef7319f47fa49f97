"""Templates of references: what is no argument's value stays byte by byte, and the first values give the code again."""

from __future__ import annotations

import ast
import shlex
from dataclasses import replace

import pytest

from mlbench.records import Check, CheckStatus, Invocation, Kind, OptionSchema
from mlbench.suite_builder.arguments.references import rendered, template
from mlbench.suite_builder.arguments.value_spans import python_slots, shell_slots
from mlbench.suite_builder.types import CodeBlock, DraftArgument, DraftTask
from mlbench.suites.suite import load_suite

OPTIONS = {
    "lr": ("--lr",),
    "data": ("--data",),
    "fp16": ("--fp16",),
    "hidden": ("--hidden",),
    "name": ("--name", "-n"),
    "files": (),
}
SCHEMA = (
    OptionSchema("lr", "float"),
    OptionSchema("data"),
    OptionSchema("fp16", switch=True),
    OptionSchema("hidden", "int", nargs="+"),
    OptionSchema("name"),
)


def task(code: str, argv: list[str], kind: Kind = "shell", parser: str = "argparse") -> DraftTask:
    invocation = Invocation(
        CheckStatus.ACCEPTED, program="train.py", argv=tuple(argv), parser=parser, options=OPTIONS, schema=SCHEMA
    )
    block = CodeBlock("README.md", (1, 1), (1, 1), (), "", kind, code)
    return DraftTask(
        "train", block, kind, ".", code, "train.py", Check(CheckStatus.ACCEPTED, invocations=(invocation,))
    )


def arguments(made: DraftTask) -> list[DraftArgument]:
    """One for each option in the code, with the value that stands there."""
    found: list[DraftArgument] = []
    for slot in shell_slots(made.code, made.check.invocations[0]):
        values: dict[str, tuple[str, ...]] = {"with": slot.words, "without": ()} if slot.switch else {"it": slot.words}
        found.append(
            DraftArgument(slot.place or f"p{len(found)}", slot.place, "", slot.option, values, spans=(slot.span,))
        )
    return found


def first(given: list[DraftArgument]) -> dict[str, tuple[str, ...]]:
    return {each.name: next(iter(each.values.values())) for each in given}


CODES = [
    "python train.py --lr 0.1 --data ./d --fp16",
    "python train.py \\\n  --lr=0.1 \\\n  --fp16 \\\n  --data './d'  # the data\n",
    'CUDA_VISIBLE_DEVICES=0 python train.py --data="./d" --lr 1e-3 > log.txt 2>&1 &',
    "cd src && python train.py --hidden 8 16 --name x | tee {log}.txt  # {{x}} {#y#} {",
    "echo é {{ü}}\npython train.py --hidden 32 --lr 0.1 in.txt -n e",
    "for s in 1 2; do echo $s; done\npython train.py --name a --lr 3  # {%b%}",
]


@pytest.mark.parametrize("code", CODES)
def test_the_values_that_stand_there_give_the_code_again(code: str) -> None:
    words = shlex.split(code.replace("\\\n", " "), comments=True)
    begin = words.index("train.py") + 1
    end = next((at for at, word in enumerate(words) if at >= begin and word in (">", "|", "2>&1", "&")), len(words))
    made = task(code, words[begin:end])
    given = arguments(made)
    assert len(given) >= 2
    assert rendered(made, given, first(given)) == code.strip("\n")


def test_a_value_that_needs_quotes_is_quoted_as_every_row_is() -> None:
    made = task("python train.py --name [1,2] --data 'a b'", ["--name", "[1,2]", "--data", "a b"])
    given = arguments(made)
    assert rendered(made, given, first(given)) == "python train.py --name '[1,2]' --data 'a b'"


def test_a_switch_left_out_leaves_no_gap() -> None:
    made = task("python train.py \\\n  --fp16 \\\n  --lr 0.1", ["--fp16", "--lr", "0.1"])
    given = arguments(made)
    assert rendered(made, given, {**first(given), "fp16": ()}) == "python train.py \\\n  --lr 0.1"


def test_a_comment_on_a_value_that_varies_is_left_out() -> None:
    """Of 800 classes, a reference said in its last line that there were 1000."""
    code = "net = Net(classes=1000)\n# 1000 classes\nout = net(x)  # (1, 1000)\nnet.fit()  # the fit\n"
    block = CodeBlock("README.md", (1, 1), (1, 1), (), "", "python", code)
    made = DraftTask("t", block, "python", ".", code, "", Check(CheckStatus.ACCEPTED))
    given = DraftArgument("classes", "Net.classes", "", "", {"1000": ("1000",), "800": ("800",)}, spans=((18, 22),))
    assert rendered(made, [given], {"classes": ("800",)}) == (
        "net = Net(classes=800)\nout = net(x)\nnet.fit()  # the fit"
    )
    only = replace(given, values={"1000": ("1000",)})
    assert rendered(made, [only], {"classes": ("1000",)}) == code.strip()


def test_new_values_are_quoted_unless_the_quotes_stand_there() -> None:
    made = task('python train.py --name "a" --data d', ["--name", "a", "--data", "d"])
    plain, spaced = (
        [DraftArgument("name", "name", "", "--name", {"a": ("a",), "b": (b,)}, spans=arguments(made)[0].spans)]
        for b in ("b", "b c")
    )
    assert rendered(made, plain, {"name": ("b",)}) == 'python train.py --name "b" --data d'
    assert rendered(made, spaced, {"name": ("b c",)}) == "python train.py --name 'b c' --data d"


@pytest.mark.parametrize(
    ("code", "words", "wanted"),
    [
        ("python train.py --lr 1 > log", ["--lr", "1"], "python train.py --lr 1 --name x --fp16 > log"),
        ("python train.py --lr=1 | tee l", ["--lr=1"], "python train.py --lr=1 --name=x --fp16 | tee l"),
        (
            "python train.py \\\n    --lr 1",
            ["--lr", "1"],
            "python train.py \\\n    --lr 1 \\\n    --name x \\\n    --fp16",
        ),
    ],
)
def test_what_the_code_does_not_give_is_added_in_its_manner(code: str, words: list[str], wanted: str) -> None:
    made = task(code, words)
    added = [
        DraftArgument("name", "name", "", "--name", {"x": ("x",)}),
        DraftArgument("fp16", "fp16", "", "--fp16", {"with": ("--fp16",), "without": ()}),
    ]
    assert rendered(made, added, first(added)) == wanted
    assert rendered(made, added, {**first(added), "fp16": ()}) == wanted.replace(" \\\n    --fp16", "").replace(
        " --fp16", ""
    )


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("python train.py --data x --hidden 3 4", "python train.py --data x --lr {{ lr }} --hidden 3 4"),
        (
            "python train.py --data x \\\n    --hidden 3 4",
            "python train.py --data x \\\n    --lr {{ lr }} \\\n    --hidden 3 4",
        ),
        ("python train.py --hidden 3 4 --data x", "python train.py --hidden 3 4 --data x --lr {{ lr }}"),
    ],
)
def test_nothing_is_added_behind_an_option_that_takes_the_rest(code: str, wanted: str) -> None:
    argv = [each for each in code.split()[2:] if each != "\\"]
    plain = task(code, argv)
    (ours,) = plain.check.invocations
    given = replace(ours, given=("data", "hidden"), configuration={"data": "x", "hidden": [3, 4]})
    draft = replace(plain, check=replace(plain.check, invocations=(given,)))
    assert template(draft, [DraftArgument("lr", "lr", "rate", "--lr", {"0.1": ("0.1",)})]) == wanted


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("m = Model(8)\nm.fit()", "m = Model(8, depth=3)\nm.fit()"),
        ("m = Model()", "m = Model(depth=3)"),
        ("m = Model(\n    8,\n)", "m = Model(\n    8, depth=3\n)"),
    ],
)
def test_a_keyword_is_added_to_its_call(code: str, wanted: str) -> None:
    made = task(code, [], "python")
    assert (
        rendered(made, [DraftArgument("depth", "pkg.Model.depth", "", "", {"3": ("3",)})], {"depth": ("3",)}) == wanted
    )


@pytest.mark.parametrize("code", ["Model(8); Model(9)", "make(8)", "Model(**options)"])
def test_no_place_to_add_is_said(code: str) -> None:
    made = task(code, [], "python")
    with pytest.raises(ValueError, match="no single call of pkg.Model"):
        template(made, [DraftArgument("depth", "pkg.Model.depth", "", "", {"3": ("3",)})])


def test_two_arguments_in_one_place_are_refused() -> None:
    made = task("python train.py --lr 1", ["--lr", "1"])
    (one,) = arguments(made)
    with pytest.raises(ValueError, match="same place"):
        template(made, [one, DraftArgument("other", "lr", "", "--lr", {"1": ("1",)}, spans=one.spans)])


def test_real_references_come_back_from_their_templates() -> None:
    """The references of pocket: shell byte by byte, Python by its syntax tree (quotes may be others)."""
    seen = 0
    for repository in ("quillpress", "mirage", "focalbench", "glaze"):
        for recipe in load_suite("pocket").recipes(repository):
            code = recipe.render_reference(next(recipe.combinations()))
            if recipe.kind == "python":
                made = task(code, [], "python")
                given = [
                    DraftArgument(f"a{at}", "", "", "", {"it": slot.words}, spans=(slot.span,))
                    for at, slot in enumerate(python_slots(code))
                ]
                assert ast.dump(ast.parse(rendered(made, given, first(given)))) == ast.dump(ast.parse(code))
                seen += bool(given)
    assert seen >= 5
