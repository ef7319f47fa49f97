"""What help texts say of options, which values are attested, and which words are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.records import OptionSchema
from mlbench.suite_builder.arguments.argument_candidates import _kind
from mlbench.suite_builder.arguments.argument_finder import _of_owner
from mlbench.suite_builder.arguments.argument_kinds import kind_of
from mlbench.suite_builder.arguments.argument_names import described, switch_phrases, truth_phrases
from mlbench.suite_builder.arguments.candidate_values import Wish, listed, proposals
from mlbench.suite_builder.arguments.help_text import allowed_range, is_conditional, noun_phrase
from mlbench.suite_builder.arguments.number_values import numbers
from mlbench.suite_builder.arguments.repo_enums import Vocabulary
from mlbench.suite_builder.arguments.signatures import about
from mlbench.suite_builder.arguments.usages import instead, settings_of
from mlbench.suite_builder.arguments.value_relations import (
    contradicting_pairs,
    contradiction,
    gives_weights,
    is_of_training,
    is_repeated,
    undocumented_pairs,
)
from mlbench.suite_builder.instructions.phrases import phrases
from mlbench.suite_builder.lexicon import prose_words, unknown
from mlbench.suite_builder.types import DraftArgument


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Number of epochs to train for (default: 10)", "Number of epochs"),
        ("the maximum number of detections per image", "maximum number of detections per image"),
        ("Name of the model to use", "model"),
        ("where to save the results", ""),
        ("controls the fraction of epochs", ""),
        ("topk objects for every images", ""),
        ("resume from checkpoint", ""),
        ("The audio file to open", ""),
        ("Minimum duration to log, in milliseconds", ""),
        ("None", ""),
        ("foo_bar baz", ""),
        ("Multiplier for the qux loss", ""),
        ("Model's version", ""),
    ],
)
def test_what_a_help_text_calls_its_option(text: str, wanted: str) -> None:
    assert noun_phrase(text).lower() == wanted.lower()


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("emb_file_both", '"emb_file_both"'),  # `the embedding file both`
        ("num_process_per_gpu", '"num_process_per_gpu"'),  # `the number of process per GPU`
        ("ignore_labels", '"ignore_labels"'),
        ("preprocess", '"preprocess"'),
        ("min_duration_ms", '"min_duration_ms"'),
        ("test_dataset", "test dataset"),
        ("seed", "seed"),  # it ended like a participle
        ("max_epochs", "maximum number of epochs"),
        ("max_context_length", "maximum context length"),
        ("in_channels", "input channels"),
    ],
)
def test_a_name_that_is_no_noun_is_quoted(name: str, wanted: str) -> None:
    assert described(OptionSchema(name), None, name) == wanted


def test_a_number_of_two_values_is_quoted() -> None:
    option = OptionSchema("balanced_classes", type="int", default=0, help="Whether classes are balanced (0 or 1)")
    assert described(option, None, "balanced_classes") == '"balanced_classes"'


def test_json_is_no_configuration_where_data_are_meant() -> None:
    found = _kind("input", OptionSchema("input"), ("x.json",))
    assert found is not None and found.kind == "input"


def test_a_switch_is_said_as_it_is_meant() -> None:
    assert switch_phrases("amp", kind_of("amp")) == ("with mixed precision", "without mixed precision")
    assert switch_phrases("no-shuffle", kind_of("shuffle"))[0] == "without shuffling"
    assert switch_phrases("--grid", None) == ('with the "grid" option', 'without the "grid" option')
    assert switch_phrases("--no-grid", None) == ('with "grid" turned off', 'with "grid" turned on')
    assert truth_phrases("grid", None) == ('with the "grid" setting on', 'with the "grid" setting off')


@pytest.mark.parametrize(
    ("name", "help_text", "said"),
    [
        ("num_steps", "number of forward steps in A2C (default: 5)", '"num_steps"'),
        ("niter", "# of iter at starting learning rate", '"niter"'),
        (
            "num_steps",
            "Total number of training steps to perform. If provided, overrides num_train_epochs.",
            "number of steps",
        ),
        ("epochs", "number of epochs to train for (default: 10)", "epochs"),
        ("epochs", "", "epochs"),
    ],
)
def test_a_length_of_the_run_is_said_only_if_the_help_text_says_no_other(name: str, help_text: str, said: str) -> None:
    """*Run for 1000 steps* was the number of steps between two updates."""
    assert described(OptionSchema(name, help=help_text), kind_of(name), name) == said


def test_a_number_of_epochs_is_said_so() -> None:
    """*Use an epoch of 1000.*"""
    assert described(OptionSchema("epoch"), kind_of("epoch"), "epoch") == "number of epochs"


@pytest.mark.parametrize("name", ["input_path", "input_dir", "output", "json_logs", "results", "export_dir"])
def test_a_place_takes_no_invented_value(name: str) -> None:
    """`my_data/first.png` was an output, and a log that the program reads; another place of an output asks nothing."""
    wish = Wish(name, kind_of(name), ("./work/x.png",), OptionSchema(name, default=None), (f"--{name}",))
    assert list(proposals(wish, Vocabulary(Path("nowhere")), "", "")) == ["./work/x.png"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("100.",), "100.0"),
        (("a.yml", "b.yml"), "a.yml and b.yml"),
        (("0", "1", "2"), "0, 1 and 2"),
        (("a", "red", "car"), "a red car"),
        (("MODEL.WEIGHTS", "a.pkl"), "with MODEL.WEIGHTS set to a.pkl"),
        (("MODEL.DEPTH", "50", "SEED", "1"), "with MODEL.DEPTH set to 50 and SEED set to 1"),
        (("DEPTH", "50", "SEED", "1"), "DEPTH, 50, SEED and 1"),  # perhaps no keys
        (("MODEL.DEPTH", "50", "SOLVER.LR", "1"), "with MODEL.DEPTH set to 50 and SOLVER.LR set to 1"),
        (("lr=1", "wd=2"), "lr=1 wd=2"),
        (("one.png",), "one.png"),
        (("ResNet", "SE-ResNet", "Mask R-CNN"), 'ResNet, SE-ResNet and "Mask R-CNN"'),
    ],
)
def test_several_values_are_no_single_one(words: tuple[str, ...], said: str) -> None:
    """`Set "model" to microsoft/deberta-large microsoft/deberta-large-mnli` read like one name."""
    assert listed(words) == said


def test_a_probability_of_dropping_something_is_no_dropout() -> None:
    """`cond_drop_prob`, which drops the condition, was asked for as the dropout rate."""
    assert [(kind := kind_of(name)) and kind.kind for name in ("cond_drop_prob", "attn_dropout", "drop_rate")] == [
        "share",
        "dropout",
        "dropout",
    ]


def test_a_large_batch_is_at_most_doubled() -> None:
    found = numbers(OptionSchema("batch_size", type="int"), kind_of("batch_size"), "512", [])
    assert {float(each) for each in found} <= {256.0, 512.0, 1024.0, 384.0, 768.0}, found


def test_a_folder_that_is_a_file_is_called_one() -> None:
    """`--pretrained_dir ViT-B_16.npz`."""
    for value, name in (("net/ViT-B_16.npz", "pretrained file"), ("net/ViT-B_16", "pretrained folder")):
        (phrase,) = phrases([DraftArgument("d", "d", "pretrained folder", "--d", {value: (value,)})])
        assert name in phrase.sentence[0]


def test_a_kind_in_a_help_text_is_name_enough() -> None:
    """`a temperature for loss function of 0.1`."""
    option = OptionSchema("temp", default=0.07, help="temperature for loss function")
    assert described(option, kind_of("temp"), "temp") == "temperature"


@pytest.mark.parametrize(
    ("default", "on", "off"),
    [(None, ("--x",), ("--no-x",)), (False, ("--x",), ()), (True, (), ("--no-x",))],
)
def test_of_two_options_each_does_what_is_said(default: bool | None, on: tuple[str, ...], off: tuple[str, ...]) -> None:
    wish = Wish("x", None, (), OptionSchema("x", default=default, switch=True), ("--x", "--no-x"), switch=True)
    found = proposals(wish, Vocabulary(Path("nowhere")), "", "")
    assert found == {'with "x" turned on': on, 'with "x" turned off': off}


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("lr", "", "learning rate"),
        ("blr", "base learning rate: lr = blr * batch size", "base learning rate"),
        ("text_encoder_lr", "", "text encoder learning rate"),
        ("drop_path", "", "drop path"),
        ("model_max_length", "", "maximum model length"),
        ("train_num_steps", "", "number of train steps"),
        ("batch_size", "Per GPU batch size", "batch size"),
        ("iou_thres", "iou threshold for NMS", "IoU threshold"),
        ("align_model", "Name of the phoneme-level model to do alignment", "align model"),
        ("every", "the validation every so many steps", '"every"'),
        ("resume", "resume from checkpoint", '"resume"'),
        ("in_dir", "", "input folder"),  # it was the in folder
        ("qx", "path of weight file", '"qx"'),
        ("qx", "A model name listed by `models()`", '"qx"'),
        ("qx", "", '"qx"'),
        ("--qux_frobs", "see the paper", '"qux_frobs"'),
    ],
)
def test_what_an_argument_is_called_in_words(name: str, text: str, wanted: str) -> None:
    """A raw help text (`the validation every`) was used as a name."""
    assert described(OptionSchema(name, help=text), kind_of(name), name) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("threshold (0-255)", (0, 255)), ("between 0 and 1", (0, 1)), ("a value", None), ("in [1, 10]", (1, 10))],
)
def test_the_range_that_a_help_text_states(text: str, wanted: tuple[float, float] | None) -> None:
    assert allowed_range(text) == wanted


def test_numbers_stay_near_and_within_their_range() -> None:
    option = OptionSchema("fg", type="int", default=240, help="foreground threshold (0-255)")
    found = numbers(option, None, "240", ["270", "230"])
    assert found[:2] == ["240", "230"] and all(0 <= int(each) <= 255 for each in found)
    rate = numbers(OptionSchema("lr", type="float"), kind_of("lr"), "1e-3", ["0.5", "3e-4"])
    assert rate[:2] == ["1e-3", "3e-4"] and "0.5" not in rate and len(rate) == 4
    assert numbers(OptionSchema("conf", type="float"), None, "0.001", [])[:3] == ["0.001", "0.0005", "0.002"]
    assert numbers(OptionSchema("wd", type="float"), None, "1e-8", []) == ["1e-8"]  # nobody tries 2e-09 instead


def test_sizes_keep_the_power_of_two_that_all_attested_ones_have() -> None:
    """A height of 288 was asked of a network that takes multiples of 64, and a test size of 500 instead of 640."""
    whole = OptionSchema("x", type="int")
    for name, text, given, step in (
        ("H", "384", ["384"], 64),
        ("tsize", "640", [], 64),
        ("img_size", "224", ["384"], 32),
        ("hidden_dim", "16", ["48"], 16),
    ):
        found = numbers(whole, kind_of(name), text, given)
        assert len(found) > 1 and all(int(each) % step == 0 for each in found), (name, found)
    assert "32" in numbers(whole, kind_of("batch_size"), "64", [])  # nothing forbids it
    assert "96" in numbers(whole, kind_of("hidden_dim"), "100", [])


def test_what_depends_on_another_setting() -> None:
    assert is_conditional("only used if --amp is given") and is_conditional("Deprecated.")
    assert not is_conditional("the only model")


def test_the_first_sentence_of_a_docstring(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "__init__.py").write_text("def cut(image):\n    '''Remove the background. Then more.'''\n")
    (tmp_path / "run.py").write_text("'''Evaluates a model on\nImageNet.\n\nMore.'''\n")
    assert about(tmp_path, "lib/__init__.py", ["lib.cut"]) == "Remove the background."
    assert about(tmp_path, "run.py", []) == "Evaluates a model on\nImageNet."
    assert about(tmp_path, "../run.py", []) == ""


def test_which_words_are_known() -> None:
    assert unknown("train the encoders with kpts and CamelCase on data/x.yaml") == ["kpts"]
    assert "qux" not in prose_words("`qux` --qux qux/a ```\nqux qux qux\n```")
    assert prose_words("A quxx is a quxx, and quxx too.") == {"quxx"}


def test_numbers_stay_within_what_is_usual() -> None:
    kind = kind_of("drop_path")
    found = numbers(OptionSchema("drop_path", type="float"), kind, "0.5", [])
    assert found[0] == "0.5" and max(map(float, found)) <= 0.5


def test_a_warm_up_is_shorter_than_the_training() -> None:
    """A warm-up of 50 epochs stood beside 30 epochs."""
    assert contradiction("warmup_epochs", ("50",), {"epochs": 30}) and not contradiction(
        "warmup_epochs", ("5",), {"epochs": 30}
    )
    assert contradiction("epochs", ("20",), {"warmup_epochs": 20})
    assert contradiction("lr", ("2e-6",), {"min_lr": 5e-6}) and not contradiction("lr", ("1e-3",), {"min_lr": 5e-6})
    assert contradiction("steps", ("9",), {"max_steps": 8}) and not contradiction("steps", ("9",), {"max_epochs": 8})
    short, long = (
        DraftArgument("warm", "warmup_epochs", "", "", {"0": ("0",), "50": ("50",)}),
        DraftArgument("epochs", "epochs", "", "", {"30": ("30",), "90": ("90",)}),
    )
    assert list(contradicting_pairs([short, long])) == [{"warm": ("50",), "epochs": ("30",)}]


def test_weights_are_known_by_their_file_or_option() -> None:
    assert gives_weights({"resume": "mae_vit_base.pth"}, frozenset({"resume"}))
    assert gives_weights({"weights": ["yolo"]}, frozenset({"weights"}))
    assert gives_weights({"model": "a/b.safetensors"}, frozenset({"model"}))
    assert not gives_weights({"resume": "last.pth", "epochs": 3}, frozenset({"epochs"}))


def test_a_value_that_another_value_repeats() -> None:
    """`net-b0` was to be written to `test-b1.onnx`; 448 pixels to a folder called `net_640_val`."""
    assert is_repeated(["net-b1"], ["test-b1.onnx"]) and is_repeated(["640"], ["net_640_val"])
    assert is_repeated(["2"], ["outx2"]) and not is_repeated(["2"], ["net_0.25", "v12"])  # twice the size in `outx2`
    assert not is_repeated(["net-b1"], ["test.onnx", "net"])


def test_a_value_counts_only_beside_the_same_rest() -> None:
    """A mode of one example stood beside the configuration of another; what varies together stays together."""
    spellings = {"-c": "config", "--config": "config", "-m": "mode", "--fast": "fast", "--seed": "seed"}
    own, *others = [
        settings_of(line.split(), spellings)
        for line in (
            "-c py.yaml -m py --seed 1",
            "--config=ct2.yaml -m ct2",
            "-c big.yaml -m py",
            "-c py.yaml -m py --fast",
        )
    ]
    assert own == {"config": ("py.yaml",), "mode": ("py",), "seed": ("1",)}
    assert instead(own, others, "config") == [("big.yaml",)] and instead(own, others, "mode") == []
    assert instead(others[-1], [own], "fast") == [()] and instead(others[-1], others, "fast") == []


def test_two_bound_settings_do_not_leave_the_example_together() -> None:
    one, other, free = (
        DraftArgument(name, name, "", "", {"a": ("a",), f"{name}2": (f"{name}2",)}, bound=name != "lr")
        for name in ("model", "config", "lr")
    )
    assert list(undocumented_pairs([one, other, free])) == [{"model": ("model2",), "config": ("config2",)}]


def test_a_file_of_settings_is_no_optimizer() -> None:
    """`-opt options/train.yml` was called the optimizer."""
    found = _kind("opt", OptionSchema("opt"), ("options/train/a.yml",))
    assert found is not None and found.said == "configuration file"
    of_model, plain = (_kind(name, OptionSchema(name), ("a.yml",)) for name in ("model_config", "config_file"))
    assert of_model is not None and of_model.said == "model configuration file"
    assert plain is not None and plain.said == "configuration file"
    assert _kind("opt", OptionSchema("opt"), ("O1",)) is None  # apex's level of optimization


@pytest.mark.parametrize(
    ("name", "is_idle"),
    [
        ("inner_batch", True),
        ("train_batch_size", True),
        ("lr", True),
        ("batch_size", False),
        ("eval_batch_size", False),
        ("seed", False),
    ],
)
def test_what_an_evaluation_does_not_read(name: str, is_idle: bool) -> None:
    """`-inner_batch` was varied beside `-eval`, where only the training has inner batches."""
    assert is_of_training(name, kind_of(name)) == is_idle


def test_a_letter_is_no_name() -> None:
    """`2 as the k features`."""
    assert described(OptionSchema("k_features", default=1), None, "k_features") == '"k_features"'


def test_nobody_asks_for_one_epochs() -> None:
    """`The epochs should be 1.`"""
    option = OptionSchema("epochs", type="int", default=3)
    assert "1" not in numbers(option, kind_of("epochs"), "3", ["1", "5"])
    assert numbers(option, kind_of("epochs"), "1", [])[0] == "1"  # the page's own


def test_a_switch_of_python_has_its_class() -> None:
    """`with the "x" setting off` did not say of which of two objects."""
    values = {'with the "x" setting off': ("False",), "with shuffling": ("True",)}
    assert list(_of_owner(values, "Net")) == ['with the "x" setting of Net off', "with shuffling"]
    assert _of_owner(values, "") == values


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("lr_backbone", "learning rate of the backbone"),
        ("learning_rate", "learning rate"),
        ("model_name_or_path", "model name"),
        ("url_or_path", "url"),
    ],
)
def test_the_own_words_of_an_option(name: str, said: str) -> None:
    assert described(OptionSchema(name), None, name) == said


@pytest.mark.parametrize(
    ("help_text", "named"),
    [
        ("number of process", False),
        ("folder level of data", False),
        ("number of processes", True),
        ("width of a frame", True),
        ("augmentation folder", True),
    ],
)
def test_a_help_text_names_a_setting_only_by_a_noun(help_text: str, named: bool) -> None:
    said = described(OptionSchema("qx", help=help_text), None, "qx")
    assert said == (help_text if named else '"qx"')
