"""Python of a page with what it needs from above."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlbench.suite_builder.mining.needed_code import needed_part
from mlbench.suite_builder.mining.section_examples import examples
from mlbench.suite_builder.mining.snippets import (
    MOST_LINES,
    called,
    has_gap,
    imported,
    names_of,
    only_shows,
    waits,
    whole,
)
from mlbench.suite_builder.types import CodeBlock


def block(first: int, code: str) -> CodeBlock:
    last = first + code.count("\n")
    return CodeBlock("README.md", (first, last), (first - 1, last + 1), (), "", "python", code)


def test_of_another_example_only_the_imports_are_taken() -> None:
    """A snippet began with `model = Net(3)` of the example above, and then made its own model."""
    above = block(5, "from lib import Net, Data\nimport torch.nn as nn\nmodel = Net(3)")
    above = replace(above, headings=("Another example",))
    found = whole(block(20, "model = Net(5, Data('x'))"), [above])
    assert (found.code, found.lacking) == ("from lib import Net, Data\nmodel = Net(5, Data('x'))", ())


def test_of_other_sections_one_is_taken_and_named() -> None:
    """An example began with half of the setup of the section before, and no instruction said of which."""
    use = replace(block(20, "model.fit(data)"), headings=("Tool", "Plots"))
    made = replace(block(5, "from lib import Net\nmodel = Net(3)\ndata = []"), headings=("Tool", "Models"))
    found = whole(use, [made])
    assert (found.code, found.setup) == (
        "from lib import Net\nmodel = Net(3)\ndata = []\nmodel.fit(data)",
        made.headings,
    )
    assert whole(use, [replace(made, headings=("Tool",))]).setup == ()
    other = replace(block(2, "data = []"), headings=("Tool", "Data"))
    assert whole(use, [other, replace(made, code="from lib import Net\nmodel = Net(3)")]).lacking == ("data",)


def test_the_pieces_of_a_section_that_belong_together_are_one_example() -> None:
    """`Reproduce the example under "Usage"` meant the first half of it, or the second with parts of the first."""
    codes = [
        "from lib import Net\nnet = Net(3)",
        "net.fit(epochs=2)",
        "other = Net(4)",
        "net.plot()",
        "net.fit(unknown)",
    ]
    found = [replace(block(10 * at, code), headings=("Usage",)) for at, code in enumerate(codes, 1)]
    found[1] = replace(found[1], code=f"{codes[1]}\n# {{'loss': 0.1}}\n# ...")  # what it prints
    found.append(replace(block(90, "net.fit(epochs=3)"), headings=("More",)))
    joined = examples(found)
    assert [each.code.split("\n\n") for each, _ in joined] == [
        [codes[0], codes[1], codes[3]],
        [codes[2]],
        [codes[4]],
        ["net.fit(epochs=3)"],
    ]
    assert joined[1][0].beside == ("\n\n".join([codes[0], codes[1], codes[3]]), codes[4])
    whole_, parts = joined[0]
    assert (whole_.lines, whole_.segment, parts) == ((10, 40), (9, 41), (found[0], found[1], found[3]))


def test_of_an_example_above_nothing_is_taken_that_is_not_needed() -> None:
    """A reference imported what it did not use, or fitted another classifier first."""
    above = block(5, "import os\nfrom lib import Net, Data\nX = Data(3)\nother = Net(3)\nother.fit(X)\nprint(X)")
    assert whole(block(20, "model = Net(5)"), [above]).code == "from lib import Net\nmodel = Net(5)"
    assert whole(block(20, "Net(5).fit(X)"), [above]).code == "from lib import Net, Data\nX = Data(3)\nNet(5).fit(X)"


@pytest.mark.parametrize(
    "above",
    [
        "net = Net(3)\nnet.eval()",
        "net = Net(3)\nnet.head[0].bias = None",
        "net = Net(3)\ndel net['Name']",
        "net = Net(3)\ninit_weights(net)",
        "net = Net(3)\nfor each in range(3):\n    net.step(each)",
        "@wraps\ndef make():\n    return Net(3)\nnet = make()",
    ],
)
def test_what_changes_a_needed_object_is_needed(above: str) -> None:
    assert needed_part(above + "\nrest = 1\nprint(net)", {"net"})[0] == above


def test_a_fragment_is_joined_with_what_it_needs_and_nothing_else() -> None:
    imports, other = block(5, "from lib import Net"), block(10, "import os\nprint(os.sep)")
    net, use = block(15, "net = Net(3)"), block(20, "net.fit(epochs=2)")
    found = whole(use, [imports, other, net])
    assert found.code == "from lib import Net\nnet = Net(3)\nnet.fit(epochs=2)"
    assert (found.lacking, found.segment) == ((), (4, 21))


def test_what_changes_an_imported_object_is_needed() -> None:
    """A notebook's detector was made without the file that the cell between had merged into the configuration."""
    imports = block(5, "from lib import cfg, Net\nimport numpy as np")
    between = block(10, "name = 'a.yaml'\ncfg.merge_from_file(name)\nnp.random.seed(1)")
    found = whole(block(20, "net = Net(cfg)"), [imports, between])
    assert found.code == "from lib import cfg, Net\nname = 'a.yaml'\ncfg.merge_from_file(name)\nnet = Net(cfg)"
    apart = replace(between, headings=("Another example",))
    assert whole(block(20, "net = Net(cfg)"), [imports, apart]).code == "from lib import cfg, Net\nnet = Net(cfg)"


def test_a_class_that_is_registered_and_named_is_needed() -> None:
    above = block(
        5, "from lib import DATA, train\n@DATA.register()\nclass Tiny(list):\n    pass\nclass Other:\n    pass"
    )
    found = whole(block(20, "train(data='Tiny')"), [above])
    assert found.code.startswith("from lib import") and "class Tiny" in found.code and "Other" not in found.code


def test_what_nothing_binds_is_lacking() -> None:
    found = whole(block(9, "net.fit(data)"), [block(1, "net = Net(3)")])
    assert found.lacking == ("Net", "data")


def test_what_stands_too_far_above_is_not_used() -> None:
    assert whole(block(MOST_LINES + 9, "net.fit(1)"), [block(2, "net = 1")]).lacking == ("net",)


def test_imports_are_taken_from_anywhere_above_and_well_known_ones_from_nowhere() -> None:
    above = block(2, "import json, lib as l\nfrom lib.nets import Net as N, Other\nx = 1")
    found = whole(block(MOST_LINES + 9, "N(np.zeros(3)).fit(json, l)"), [above])
    assert found.lacking == ()
    assert found.code.split("\n")[:-1] == [
        "import numpy as np",
        "import json",
        "import lib as l",
        "from lib.nets import Net as N",
    ]


@pytest.mark.parametrize(
    ("code", "bound", "lacking"),
    [
        ("x = f(x)", {"x"}, {"f", "x"}),
        ("import a.b as c, d.e", {"c", "d"}, set()),
        ("[y for y in z]", {"y"}, {"z"}),
        ("def f(a):\n    return a + b", {"f", "a"}, {"b"}),
        ("with open('x') as f:\n    f.read()", {"f"}, set()),
        ("no such thing", set(), set()),
    ],
)
def test_names(code: str, bound: set[str], lacking: set[str]) -> None:
    found = names_of(code)
    assert (found.bound, found.lacking) == (bound, lacking)


def test_a_constant_that_no_line_sets_is_filled_in() -> None:
    found = whole(block(9, "net = f(NUM_CLASSES, 'NUM_CLASSES', where=DATA_DIR)  # NUM_CLASSES"), [block(1, "f = 1")])
    assert found.code == "f = 1\nnet = f(10, 'NUM_CLASSES', where='./data')"
    assert found.lacking == ()


def test_what_a_text_imports_calls_and_leaves_open() -> None:
    assert imported("import a.b\nfrom c.d import e\nfrom . import f") == {"a", "c"}
    assert called("a.b(c(1))") == {"b", "c"}
    assert has_gap("f(1, ...)") and has_gap("x = ...") and not has_gap("x[..., 0]")
    assert only_shows("import a\nprint(a)\nmodel.eval()\ndef f():\n    g(1)")
    assert not only_shows("model.fit(1)")


@pytest.mark.parametrize(
    ("code", "does"),
    [
        ("while True:\n    net.fit(1)", True),
        ("query = input('?')", True),
        ("while x:\n    x = f(x)", False),
        ("net.input(3)", False),
    ],
)
def test_a_snippet_that_waits_or_never_ends(code: str, does: bool) -> None:
    assert waits(code) is does


def test_printed_output_below_the_code_is_left_out() -> None:
    code = "from lib import Net\nnet = Net(3)\nnet.fit(2)"
    assert whole(block(5, code + "\n# Epoch 1: 0.3\n# ..."), []).code == code


def test_what_a_page_sets_for_its_imports_stays() -> None:
    """Four snippets of alibi-detect lacked `TF_USE_LEGACY_KERAS`, and one saved twice what it had not made."""
    above = [
        block(1, "import os\nimport keras\nos.environ['LEGACY'] = '1'\nfrom lib import Net"),
        block(3, "os.environ['API_KEY'] = 'x'\nos.environ['HOME'] = home"),
        block(5, "net = Net(3)\nsave_net(net, 'a')"),
    ]
    assert whole(block(9, "net.fit(2)"), above).code.split("\n") == [
        "import os",
        "os.environ['LEGACY'] = '1'",
        "from lib import Net",
        "net = Net(3)",
        "net.fit(2)",
    ]


def test_a_reference_has_no_comments() -> None:
    """They said of k=3 that the best match is found."""
    code = "from lib import Net\n# a small net\nnet = Net('# 3')  # small\n\n  # fit it\nnet.fit(2)"
    assert whole(block(5, code), []).code == "from lib import Net\nnet = Net('# 3')\n\nnet.fit(2)"


def test_a_joined_snippet_keeps_every_line_of_its_own_block() -> None:
    """A reference lacked the example's last line, and kept its comment."""
    earlier = block(5, "from lib import Net\nnet = Net(3)\nprint(net)")
    assert whole(block(15, "net.fit(2)\nnet.loss # a number"), [earlier]).code.split("\n")[2:] == [
        "net.fit(2)",
        "net.loss",
    ]


def test_an_example_whose_section_goes_on_with_something_unknown_is_cut() -> None:
    pieces = [
        block(1, "from lib import Net\nnet = Net(lr=0.1)"),
        block(5, "net.fit(their_data)"),
        block(9, "plot(net.history)"),
    ]
    (first, _), *_ = examples(pieces)
    assert first.cut == "net.fit(their_data)"
    (whole, _), *_ = examples([pieces[0], block(5, "net.fit([1, 2])")])
    assert whole.cut == ""
