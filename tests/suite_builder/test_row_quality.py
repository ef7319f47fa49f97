"""The rules that look at rows alone: each finds what it is there for, and nothing in the bundled suites."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlbench.records import Sample
from mlbench.suite_builder.quality import rows
from mlbench.suite_builder.quality.duplicates import ALIKE, ComparedText, likeness, twins
from mlbench.suite_builder.quality.instructions import faults, leaks, masked, unsaid
from mlbench.suite_builder.quality.round_trip import placeholder, unattested
from mlbench.suites.suite import load_rows, load_suite


@pytest.fixture(scope="module")
def splits() -> dict[str, list[Sample]]:
    return load_rows("pocket")


def reasons(instruction: str, **said: str) -> list[str]:
    return [
        f"{fault.reason} {fault.evidence.partition(':')[0]}"
        for fault in unsaid(instruction, {n: [w] for n, w in said.items()})
    ]


def test_the_bundled_rows_are_sound(splits: dict[str, list[Sample]]) -> None:
    assert rows(load_suite("pocket"), splits) == []


def test_what_is_put_into_a_row_is_found(splits: dict[str, list[Sample]]) -> None:
    test, train = splits["full"], splits["id_train"]
    values = list(test[0].required().values())
    leaky = replace(test[1], instruction=test[1].instruction + " Say --seed 3.")
    twin = replace(
        train[0], **{n: getattr(test[2], n) for n in ("github_id", "path", "type", "oracle", "output", "prefix_code")}
    )
    silent = replace(test[0], instruction="Please.")
    found = rows(load_suite("pocket"), {"full": [silent, leaky, *test[2:]], "id_train": [*train[1:], twin]})
    by_row: dict[int, list[str]] = {}
    for each in found:
        assert not each.passed and each.repository
        by_row.setdefault(each.row, []).append(each.reason)
    assert len(by_row[silent.id]) >= len(values) and set(by_row[silent.id]) == {"value-missing"}
    assert by_row[leaky.id] == ["option-string"]
    assert "same-reference" in by_row[test[2].id]
    assert set(by_row) <= {silent.id, leaky.id, test[2].id, twin.id}


@pytest.mark.parametrize(
    "instruction, value",
    [
        ("Run for 16 epochs.", "16"),
        ("Batches of 16, please", "16"),
        ("An order-3 model", "3"),
        ("3x3 windows", "3"),
        ("a 224x96 image", "96"),
        ("rate=0.1;", "0.1"),
        ("It is 0.1.", "0.1"),
        ("a shift of -1.5", "-1.5"),
        ("in ./data/train.", "./data/train"),
        ("on cora, please", "cora"),
        ("With mixed  precision run it", "with mixed precision"),
        ("as “dusk”", "dusk"),
        ("at 1e-4", "1e-4"),
    ],
)
def test_a_value_that_is_said(instruction: str, value: str) -> None:
    assert reasons(instruction, x=value) == []


@pytest.mark.parametrize(
    "instruction, value",
    [
        ("Run for 160 epochs.", "16"),
        ("Run for 1.16 epochs.", "16"),
        ("Run for 16.5 epochs.", "16"),
        ("Run for 16e-3 epochs.", "16"),
        ("at 1e-16", "16"),
        ("the model ViT-B-16-plus", "16"),
        ("the folder uncased_L-12_H-768", "12"),
        ("on coral", "cora"),
        ("in data/cora", "cora"),
        ("in data/train/more", "data/train"),
        ("with sixteen", "16"),
        ("", "16"),
        ("on PubMed", "pubmed"),
    ],
)
def test_a_value_that_is_not(instruction: str, value: str) -> None:
    assert reasons(instruction, x=value) == ["value-missing x"]


def test_every_argument_has_a_place_of_its_own() -> None:
    assert reasons("16 epochs in batches of 16", epochs="16", batch="16") == []
    assert reasons("16 epochs and batches", epochs="16", batch="16") == ["value-ambiguous batch"]
    assert reasons("read my data and write to my data set", a="my data", b="my data set") == []
    assert reasons("write to my data set", a="my data", b="my data set") == ["value-ambiguous a"]


def test_one_of_several_ways_is_enough_and_an_empty_one_is_silence() -> None:
    assert not list(unsaid("three rounds", {"n": ["3 rounds", "three rounds"], "switch": [""]}))


REFERENCE = 'python tools/train.py --lr 0.1 -k 5 model.depth=3 --prompt "a red cat sits on a mat"'
CODE = "from lichen import Net\nnet = Net(width={w}, depth=3)\nresult = net.fit(graph, epochs=5)\nprint(result)"


@pytest.mark.parametrize(
    "instruction, reason",
    [
        ("Use --lr 0.1.", "option-string"),
        ("Use --anything else.", "option-string"),
        ("Use -k with 5.", "option-string"),
        ("Use model.depth=3 here.", "option-string"),
        ("Call python tools/train.py with 0.1", "program-called"),
        ("Start python3 -u train.py", "program-called"),
        ("Use torchrun main.py", "program-called"),
        ("Run python -m lichen", "program-called"),
    ],
)
def test_what_gives_a_command_away(instruction: str, reason: str) -> None:
    assert reason in [fault.reason for fault in leaks(instruction, ["0.1", "5", "3"], REFERENCE)]


@pytest.mark.parametrize(
    "instruction",
    [
        "Train with a learning rate of 0.1 and k=5 - and a depth of 3.",
        "A top-k of 5, a well-known x-y plot, -1 as the last layer.",
        'Draw "a red cat sits on a mat".',
        "In Python, train the network in tools/train.py.",
    ],
)
def test_what_gives_nothing_away(instruction: str) -> None:
    assert list(leaks(instruction, ["0.1", "5", "3", "-1"], REFERENCE)) == []


def test_a_quotation_of_code() -> None:
    quoted = "Write from lichen import Net, net = Net with width 8."
    assert [fault.reason for fault in leaks(quoted, ["8"], CODE)] == ["code-quoted"]
    module = "python -m tools.cli.toxicity.text_scorer --batch_size 8"
    assert list(leaks("Run tools.cli.toxicity.text_scorer with a batch size of 8.", ["8"], module)) == []
    file = "run.marco-v2.1-doc.arctic-embed-l-merged.dev.txt"
    assert list(leaks(f"Merge them into {file}.", [], f"python merge.py --output {file}")) == []
    assert list(leaks("Fit a lichen Net of width 8 and print the result.", ["8"], CODE)) == []
    assert [f.reason for f in faults("width", {"w": ["8"]}, CODE)] == ["value-missing"]


def test_a_wording_is_what_is_left_without_values() -> None:
    said = {"e": ["16"], "d": ["my data"]}
    assert masked("For 16 epochs on my data, not 160", said) == "For \0 epochs on \0, not 160"


GROUP = (1, "Bash Script", ".", "the segment")
ASKED = "Please train the network on \0 for \0 epochs, and write everything that comes out to \0."


def text(row: int, wording: str, reference: str = "", group: tuple[int, str, str, str] = GROUP) -> ComparedText:
    return ComparedText(row, group, wording, reference or f"python train.py {row}")


def test_twins() -> None:
    reworded = ASKED.replace("Please train", "Kindly train")
    other = "How do I get a result for \0 with \0 passes?"
    test = [text(1, ASKED), text(2, other), text(3, other, "python  same.py \\\n --x")]
    train = [text(10, reworded), text(11, "Nothing of the kind."), text(12, "Unlike.", "python same.py --x")]
    found = twins(test, train)
    assert [(twin.row, twin.other, twin.reason) for twin in found] == [
        (1, 10, "near-duplicate"),
        (3, 12, "same-reference"),
    ]
    assert found[0].likeness >= ALIKE
    elsewhere = (2, "Bash Script", ".", "the segment")
    assert twins([text(1, ASKED)], [text(10, ASKED, group=elsewhere)]) == []


def test_likeness() -> None:
    assert likeness(ASKED, ASKED.upper()) == 1 and likeness("", "") == 1
    assert likeness(ASKED, "Could somebody show me how to do it?") == 0


def test_many_rows_are_no_trouble() -> None:
    """Two thousand wordings of one task against a hundred: every pair is not looked at."""
    train = [text(n, f"{ASKED} number w{n} of x{n % 7} and y{n % 11}") for n in range(2000)]
    found = twins([text(-n, f"{ASKED} number w{n} of x{n % 7} and y{n % 11}") for n in range(1, 101)], train)
    assert [twin.other for twin in found] == list(range(1, 101))


@pytest.mark.parametrize(
    ("instruction", "evidence"),
    [
        ("Train for 30 epochs on ./data/b.", []),
        ("Train for 3e1 epochs, as in a.md.", []),
        ("Train for 40 epochs.", ["40"]),
        ("Train with out/other.yml as the configuration.", ["out/other.yml"]),
        ('Keep to the section "Tuning" of the README.', ["Tuning"]),
    ],
)
def test_what_an_instruction_states_stands_in_the_reference_or_the_documentation(
    instruction: str, evidence: list[str]
) -> None:
    found = unattested(instruction, "python a.py --epochs 30 --data ./data/b", "Training\na.md")
    assert [each.evidence for each in found] == evidence


def test_a_reference_with_a_placeholder_is_found() -> None:
    assert placeholder("torchrun --nproc_per_node=N train.py") == "N"
    assert placeholder("python a.py --root path/to/data") == "path/to/data"
    assert placeholder("python a.py --model model --data ./data") == "--model model"
    assert placeholder('python a.py --model_dir="..."') == '"..."'
    assert placeholder("python a.py --types {types of result, default: [default]}").startswith("{types of")
    assert not placeholder("python a.py --grade A4 --name N1 --set '{a: 1}' --pair {a,b}")
    assert placeholder("python a.py --dist-url 'tcp://[your first node address]:[specified port]' --x 1")
    assert not placeholder("python a.py --dist-url 'tcp://localhost:10001' --ip http://[::1]:80/")
    assert placeholder("python a.py --data_folder ./path") == "./path"
    assert placeholder("python a.py --ckpt checkpoints/SOME_CHECKPOINT.pth") == "checkpoints/SOME_CHECKPOINT.pth"
    assert placeholder("python a.py --files a.wav,etc.wav") and placeholder("python a.py --names x etc")
    assert not placeholder("python a.py --config /etc/a.yaml --path ./paths")


@pytest.mark.parametrize(
    ("command", "left"),
    [
        ("python a.py --device [cpu/gpu]", "[cpu/gpu]"),
        ("torchrun --nproc_per_node=gpu_num a.py", "gpu_num"),
        ("torchrun --nproc_per_node workers a.py", "--nproc_per_node workers"),
        ("python a.py -m <XML_MODEL_PATH>", "<XML_MODEL_PATH>"),
        ("python a.py --w logs/xxx.pth", "logs/xxx.pth"),
        ("python a.py --w '/data/path/to/x'", "/data/path/to/x"),
        ("python a.py --key=YOUR_KEY", "YOUR_KEY"),
        ("python a.py --url tcp://123.123.123.123:80", "tcp://123.123.123.123:80"),
        ("torchrun --nproc_per_node=gpu a.py --url tcp://127.0.0.1:80 --host 0.0.0.0 --set num_gpus=4", ""),
        ("python a.py --shape [1,2] --out my_data/a.png --prompt 'a photo of your cat' --net resnext50", ""),
    ],
)
def test_each_kind_of_placeholder_is_found(command: str, left: str) -> None:
    """`--device [cpu/gpu]` and `--nproc_per_node=gpu_num` stood in references."""
    assert placeholder(command) == left


def test_a_placeholder_in_python_is_a_text() -> None:
    assert placeholder('load("/path/to/a.pt")', python=True) and placeholder("load('<token>')", python=True)
    assert not placeholder("x = N\nassert a <b> c\nload('path.pt')", python=True)
