"""From pages to blocks: what is typed, where it stands, and what is said of it."""

from __future__ import annotations

from textwrap import dedent

import pytest

from mlbench.repositories.documents import Format
from mlbench.suite_builder.docs.code_blocks import LONGEST_SEGMENT, blocks
from mlbench.suite_builder.types import CodeBlock, DocPage

TRAIN = "python train.py --lr 0.1"


def found(text: str, form: Format = "markdown") -> list[CodeBlock]:
    return blocks(DocPage("README.md", form, dedent(text).lstrip("\n")))


def only(text: str, form: Format = "markdown") -> CodeBlock:
    (block,) = found(text, form)
    return block


def test_a_block_knows_its_lines_headings_and_prose() -> None:
    block = only("""
        # Tool
        ## Training
        A word before.

        Train it like **this**, see [there](x.md):

        ```bash
        python train.py --lr 0.1
        ```

        Here `--lr` is the learning rate.
        """)
    assert block.headings == ("Tool", "Training")
    assert (block.lines, block.segment) == ((8, 8), (2, 11))
    assert block.prose == "A word before.\nTrain it like this, see there:\nHere --lr is the learning rate."
    assert (block.language, block.code) == ("shell", TRAIN)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"~~~\n{TRAIN}\n~~~", 2),
        (f"```console\n$ {TRAIN}\nloss 0.3\n```", 2),
        (f"text\n\n    {TRAIN}\n", 3),
        (f"1. First\n\n   ```sh\n   {TRAIN}\n   ```\n", 4),
        (f"1. First\n\n      ```sh\n      {TRAIN}\n      ```\n", 4),  # too deep for its list
        (f"> quoted\n> ```\n> {TRAIN}\n> ```\n", 3),
        (f"<details>\n<summary>More</summary>\n\n```sh\n{TRAIN}\n```\n</details>", 5),
        (f"<details>\n```sh\n{TRAIN}\n```\n</details>", 3),  # no blank line before the fence
        (f'<pre><code class="language-sh">\n{TRAIN}\n</code></pre>', 2),
        (f"````markdown\nRun:\n```sh\n{TRAIN}\n```\n````", 4),
        (f"| task | command |\n|---|---|\n| train | `{TRAIN}` |", 3),
        (f"Run\n`{TRAIN}`\nnow.", 2),
        (f"```\n{TRAIN}", 2),  # never closed
        (f"{TRAIN}\n", 1),  # no fence at all
        (f"```{{eval-rst}}\nText::\n\n    {TRAIN}\n```", 4),
    ],
)
def test_code_is_found_wherever_markdown_holds_it(text: str, line: int) -> None:
    block = only(text)
    assert (block.code.strip(), block.language) == (TRAIN, "shell")
    assert block.lines[0] == line
    assert block.segment[0] <= block.lines[0] and block.segment[1] >= block.lines[0]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"Title\n=====\n\nRun it::\n\n    {TRAIN}\n\nEnd.\n", 6),
        (f".. code-block:: bash\n   :linenos:\n\n   {TRAIN}\n", 4),
        (f".. note::\n   Mind.\n\n   .. code:: sh\n\n      {TRAIN}\n", 6),
        (f"- item::\n\n    {TRAIN}\n", 3),
        (f"Run ``{TRAIN}`` now.\n", 1),
        (f"::\n\n  {TRAIN}\n", 3),
    ],
)
def test_code_is_found_wherever_rst_holds_it(text: str, line: int) -> None:
    block = only(text, "rst")
    assert (block.code, block.language, block.lines[0]) == (TRAIN, "shell", line)


def test_rst_titles_and_doctests() -> None:
    block = only(
        """
        ====
        Tool
        ====

        Usage
        -----
        Call :func:`lib.load` so:

        >>> import lib
        >>> for one in lib.load(
        ...     "a"):
        ...     print(one)
        1
        """,
        "rst",
    )
    assert block.headings == ("Tool", "Usage")
    assert block.prose == "Call lib.load so:"
    assert block.code == 'import lib\nfor one in lib.load(\n    "a"):\n    print(one)'
    assert (block.language, block.lines) == ("python", (9, 13))


@pytest.mark.parametrize(
    ("label", "code", "typed", "language"),
    [
        ("", "$ cd x\n$ a.py \\\n> --b 1\nprinted\n# said\n$ ls", "cd x\na.py \\\n--b 1\n\n# said\nls", "shell"),
        ("", "(env) me@box:~/x$ python a.py --b 1", "python a.py --b 1", "shell"),
        ("bash", "> python a.py --b 1", "python a.py --b 1", "shell"),
        ("shell script", "> fidel --gpu 0 --isc\n\nscore: 11.2", "fidel --gpu 0 --isc", "shell"),
        ("", "> quoted words of someone", "> quoted words of someone", ""),
        ("bash", "python a.py \\  \n  --b 1", "python a.py \\\n  --b 1", "shell"),
        ("bat", "python a.py ^\n  --b 1", "python a.py \\\n  --b 1", "shell"),
        ("python", ">>> a = f(1)\n>>> a\n3", "a = f(1)\na", "python"),
        ("", "In [1]: a = f(1)\nOut[1]: 3", "a = f(1)", "python"),
        ("python", "python a.py --b 1", "python a.py --b 1", "shell"),
        ("bash", "import lib\nlib.load('x')", "import lib\nlib.load('x')", "python"),
        ("bash", "python a.py --data <your data> --b 1", "python a.py --data <your data> --b 1", "shell"),
        ("yaml", "lr: 0.1", "lr: 0.1", ""),
        ("", "data\n├── train\n└── test", "data\n├── train\n└── test", ""),
        ("", "Some words. And more", "Some words. And more", ""),
    ],
)  # fmt: skip
def test_what_is_typed(label: str, code: str, typed: str, language: str) -> None:
    block = only(f"```{label}\n{code}\n```\n")
    assert (block.code, block.language) == (typed, language)


def test_a_cell_of_a_notebook_is_python_and_shell() -> None:
    first, second = found(
        "```python\n%matplotlib inline\nimport lib\n!python train.py \\\n  --lr 1\nlib.load(1)\n```\n", "notebook"
    )
    assert (first.language, first.code) == ("shell", "python train.py \\\n  --lr 1")
    assert second.language == "python"
    assert [line for line in second.code.split("\n") if line] == ["import lib", "lib.load(1)"]


def test_a_cell_that_fetches_its_files_gives_no_python() -> None:
    """`load('/content')` without the download above it returns nothing."""
    (block,) = found(
        "```python\n# @title Load\n!gsutil cp gs://a/b /content\nx = lib.load('/content')\n```\n", "notebook"
    )
    assert block.language == "shell"


def test_comments_for_a_notebook_or_a_test_runner_are_not_typed() -> None:
    block = only("```python\n# @title Load\nimport lib  # doctest: +SKIP\nlib.load(1)  # one\n```\n")
    assert block.code == "import lib\nlib.load(1)  # one"


def test_quoted_python_with_line_breaks_is_code() -> None:
    block = only("> from lib import Net\\\n> net = Net(dim=3)\\\n> net.fit(epochs=2)\n")
    assert block.code == "from lib import Net\nnet = Net(dim=3)\nnet.fit(epochs=2)"
    assert block.language == "python"


def test_a_command_that_is_a_paragraph_of_its_own_is_code() -> None:
    """The whole usage of a repository is "```python train.py```" in one line."""
    (block,) = found("## Usage\n\n```python train.py```\n\nSee `train.py`, or call `python train.py`.\n")
    assert (block.code, block.language, block.lines) == ("python train.py", "shell", (3, 3))


def test_forgotten_backslashes_are_put_back() -> None:
    (block,) = found("```sh\npython a.py --lr 1\n--epochs 2\n  --out x \\\n  --fast\npython b.py  # alone\n```\n")
    assert block.code == "python a.py --lr 1 \\\n--epochs 2 \\\n  --out x \\\n  --fast\npython b.py  # alone"
    (block,) = found("```sh\npython b.py  # alone\n--lr 1\n\n--lr 2\n```\n")
    assert "\\" not in block.code


def test_a_comment_behind_a_backslash_ends_no_command() -> None:
    """Of a command with `\\  # a comment`, the options below were lost."""
    page = "```\npython a.py \\\n  --x=1 \\  # or 2\n  --y=2\n```"
    assert only(page).code == "python a.py \\\n  --x=1 \\\n  --y=2"


def test_a_space_that_does_not_break_is_a_space() -> None:
    assert only("```\npython a.py\xa0--x 1\n```").code == "python a.py --x 1"


def test_a_sentence_is_no_code() -> None:
    assert found("python is a language, and `pip` or `train.py` are programs.\n\nimport taxes are high.\n") == []


def test_code_without_prose_of_its_own_has_that_of_the_code_before() -> None:
    first, second = found(f"# T\nTrain:\n```sh\n{TRAIN}\n```\n```sh\n{TRAIN} --b 2\n```\n")
    assert first.prose == second.prose == "Train:"
    assert second.segment[0] == 1


def test_a_segment_is_bounded() -> None:
    words = "\n\n".join(["A word."] * 50)
    near = only(f"# T\n{words}\n\nTrain:\n\n```sh\n{TRAIN}\n```\n")
    assert near.segment[1] - near.segment[0] < LONGEST_SEGMENT
    long = only("# T\nTrain:\n\n```sh\n" + f"{TRAIN}\n" * 80 + "```\n")
    assert long.segment == (4, 85)


@pytest.mark.parametrize("text", ["", "\n\n", "```", "`" * 5000, "> " * 3000, "<pre>" * 500, "- " * 3000, "[" * 5000])
@pytest.mark.parametrize("form", ["markdown", "rst", "notebook"])
def test_nothing_breaks_the_reader(text: str, form: Format) -> None:
    assert all(block.segment[0] >= 1 for block in blocks(DocPage("a", form, text)))


def test_a_summary_is_a_heading_until_its_details_end() -> None:
    """YOLOv6's README folds its parts: all of *Quick Start* was one section with five commands."""
    inside, after = found(f"""
        # Tool
        ## Quick Start
        <details>
        <summary> Finetune on custom data</summary>

        Single GPU

        ```sh
        {TRAIN}
        ```

        </details>

        And in short:

        ```sh
        {TRAIN} --epochs 3
        ```
        """)
    assert inside.headings == ("Tool", "Quick Start", "Finetune on custom data")
    assert after.headings == ("Tool", "Quick Start")
