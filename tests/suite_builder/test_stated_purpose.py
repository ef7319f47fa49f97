"""What the sentence above a command says that it is for, and when an instruction may take it over."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlbench.suite_builder.docs.code_blocks import blocks
from mlbench.suite_builder.instructions.ambiguity import ambiguous, is_told_apart
from mlbench.suite_builder.instructions.fixed_settings import said_settings
from mlbench.suite_builder.instructions.purposes import purpose
from mlbench.suite_builder.instructions.stated_purpose import fits, stated
from mlbench.suite_builder.instructions.templates import templates
from mlbench.suite_builder.types import DocPage, DraftArgument
from tests.suite_builder.test_instructions import calling, drafted


@pytest.mark.parametrize(
    ("lead", "wanted"),
    [
        ("To evaluate the finetuned model on Cora, run:", "evaluate the finetuned model on Cora"),
        ("2. To train the network on 4 GPUs for 300 epochs run", "train the network"),
        ("Then, to extract the features you can run", "extract the features"),
        ("If you want to train your own model, use this:", "train my own model"),
        ("Train your model with", "train my model"),
        ("You can also convert the weights by running the script:", "convert the weights"),
        ("Run the following command to train a graph network:", "train a graph network"),
        ("Command for generating the vocabulary:", "generate the vocabulary"),
        ("Training on ImageNet-1k:", "train on ImageNet-1k"),
        ("To fine-tune the checkpoint, first set `x` in a.yaml. Then run:", "fine-tune the checkpoint"),
        ("The data are large. To perform zero-shot evaluation (slow), run", "perform zero-shot evaluation"),
        ("For English single-speaker TTS, try", " for English single-speaker TTS"),
        ("And for Deit-tiny:", " for Deit-tiny"),
        ("To predict cell type, run:", "predict cell type"),
        ("To run inference on images, use", "run inference on images"),
    ],
)
def test_the_verb_and_its_objects(lead: str, wanted: str) -> None:
    assert " ".join(stated(lead)) == wanted


@pytest.mark.parametrize(
    "lead",
    [
        "",
        "Run the following command:",
        "or",
        "DeiT-small",
        "To train the model, first prepare the data with:",
        "To reproduce this, run",
        "To train, run",
        "To train on 8 GPUs, run",
        "For more details on the options:",
        "For example:",
        "For 8 GPUs, run",
        "The results are shown below.",
        "Evaluate the models that you trained:",
        "Train with [a + b] or",
        "Training logs are written to the folder runs.",
        "Training Details",
        "Test data",
        "To train the model, prepare the data with:",
        "Train the model without using",
        "train mode",
    ],
)
def test_what_is_not_said_plainly_is_not_taken(lead: str) -> None:
    assert stated(lead) == ("", "")


def argument(*ways: str, absent: bool = False) -> DraftArgument:
    values = {way: (way,) for way in ways}
    return DraftArgument("x", "x", "x", "--x", values | ({"without x": ()} if absent else {}))


@pytest.mark.parametrize(
    ("arguments", "fit"),
    [
        ((argument("3", "5"),), True),
        ((argument("cora18", "vgg16"),), False),
        ((argument("cora"),), True),
        ((argument("cora", "pubmed"),), False),
        ((argument("gcn_cora_small", "gcn_pubmed_small"),), False),
        ((argument("on", absent=True),), False),
    ],
)
def test_words_that_a_row_could_contradict_are_not_taken(arguments: tuple[DraftArgument, ...], fit: bool) -> None:
    assert fits("a graph network on Cora", arguments) is fit


def test_a_setting_that_varies_is_not_said_as_with_or_without() -> None:
    """*Generate images without truncation; set the truncation to 0.8.*"""
    truncation = replace(argument("1", "0.8"), said="truncation")
    assert not fits("images without truncation", (truncation,)) and fits("images of faces", (truncation,))
    assert fits("images without truncation", (replace(truncation, values={"1": ("1",)}),))


def test_what_a_command_is_run_for_is_said_after_its_program() -> None:
    draft = drafted(arguments=(argument("3", "5"),), program="synthesize.py", code="python synthesize.py --x 3")
    block = replace(draft.task.block, lead="For English speech, try")
    assert purpose(replace(draft, task=replace(draft.task, block=block))).do == "run synthesize.py for English speech"


def test_an_instruction_says_it_with_the_program() -> None:
    draft = drafted(arguments=(argument("3", "5"),))
    assert purpose(draft).do == "run train.py"
    block = replace(draft.task.block, lead="To train a graph network with attention, run:")
    told = purpose(replace(draft, task=replace(draft.task, block=block)))
    assert told.do == "train a graph network with attention using train.py"
    assert told.doing == "training a graph network with attention using train.py"


@pytest.mark.parametrize(
    ("above", "apart"),
    [("To evaluate the network, run:", True), ("or", False), ("To train a network, run:", False)],
)
def test_two_commands_that_are_for_different_things_are_told_apart(above: str, apart: bool) -> None:
    own = "python train.py --data x"
    section = f"To train a network, run:\n```\n{own}\n```\n{above}\n```\n{own} --epochs 3\n```"
    draft = drafted(arguments=(), code=own, reference=own, fixed=())
    draft = replace(draft, section=section)
    block = replace(draft.task.block, lead="To train a network, run:", code=own)
    told = replace(draft, task=replace(draft.task, block=block, code=own))
    assert ambiguous(draft)
    assert bool(ambiguous(told)) is not apart


def test_the_paragraph_above_a_block_belongs_to_it_alone() -> None:
    page = "# A\n\nTo train, run:\n\n```\npython a.py\n```\n\n```\npython b.py\n```\n\n`python c.py --x 1` works.\n"
    assert [each.lead for each in blocks(DocPage("README.md", "markdown", page))] == ["To train, run:", "", ""]


def test_as_few_settings_as_needed_tell_a_command_apart_and_none_beside_its_purpose() -> None:
    own = "python train.py --data x --depth 3 --width 4 --heads 2 --blocks 5"
    fixed = tuple(
        DraftArgument(name, name, name, f"--{name}", {value: (value,)})
        for name, value in (("data", "x"), ("depth", "3"), ("width", "4"), ("heads", "2"), ("blocks", "5"))
    )
    other = "To evaluate it all, run:\n```\npython train.py --data x\n```"
    section = f"To train a wide network, run:\n```\n{own}\n```\n{other}"
    draft = replace(drafted(arguments=(), code=own, reference=own, fixed=fixed), section=section)
    block = replace(draft.task.block, code=own)
    plain = replace(draft, task=replace(draft.task, block=block, code=own))
    # to a command that lacks a setting it could be added: all that it lacks are said
    assert {each.name for each in said_settings(plain)} == {"depth", "width", "heads", "blocks"}
    another = section.replace("--data x\n", "--data x --depth 9 --width 8\n")
    assert {each.name for each in said_settings(replace(plain, section=another))} == {"depth"}
    block = replace(block, lead="To train a wide network, run:")
    told = replace(plain, task=replace(plain.task, block=block))
    assert is_told_apart(told) is False  # the other sentence says nothing plainly
    told = replace(told, section=section.replace("evaluate it all", "evaluate a network"))
    assert is_told_apart(told)
    assert said_settings(told) == []


def test_an_example_of_python_needs_a_heading_that_the_page_has_once() -> None:
    page = (
        "# A\n\n## Things to try\n\n```python\nf(1)\n```\n\n## Use {#use}\n\n```python\nf(2)\n```\n\n## Things to try\n"
    )
    first, second = blocks(DocPage("a.md", "markdown", page))
    assert (first.is_heading_shared, second.is_heading_shared) == (True, False)
    draft = calling("lib.f")
    told = [
        [each.why for each in templates(replace(draft, task=replace(draft.task, block=block, code=block.code)), 3)[1]]
        for block in (first, second, replace(second, headings=("T", "A {x}")), replace(second, headings=("A",)))
    ]
    why = "no heading of its own names its section"
    assert [why in each for each in told] == [True, False, True, True], told


def test_the_goal_of_a_later_step_is_not_taken() -> None:
    draft = drafted(arguments=(), program="prepare_data.py", code="python prepare_data.py --x 3")
    block = replace(draft.task.block, lead="To train a network:")
    assert "train" not in purpose(replace(draft, task=replace(draft.task, block=block))).do


@pytest.mark.parametrize(
    ("heading", "verb"), [("Training and evaluation", "train"), ("Evaluation", "run"), ("Usage", "train")]
)
def test_a_heading_denies_a_programs_name_only_if_it_never_says_its_verb(heading: str, verb: str) -> None:
    draft = drafted("", ("Lib", heading), arguments=(argument("3", "5"),), fixed=())
    assert purpose(draft).verb == verb


@pytest.mark.parametrize(
    ("program", "wanted"),
    [
        ("tools/infer.py", "run inference with tools/infer.py"),
        ("export_onnx.py", "export the model to ONNX with export_onnx.py"),
        ("convert_to_tensorrt.py", "convert the model to TensorRT with convert_to_tensorrt.py"),
        ("export_data.py", "run export_data.py"),
    ],
)
def test_a_programs_name_says_what_it_is_for(program: str, wanted: str) -> None:
    draft = drafted("", ("Lib", "Usage"), program=program, code=f"python {program} --data x", arguments=(), fixed=())
    assert purpose(draft).do == wanted


def test_a_heading_is_the_goal_of_the_one_program_of_its_section() -> None:
    code = "python -m lib.main --x 3"
    draft = replace(drafted(arguments=(), code=code, headings=("Lib", "Training")), section=code)
    assert purpose(draft).do == "train the model with lib.main"
    more = replace(draft, section=f"{code}\npython -m lib.other")
    assert purpose(more).do == "run lib.main"
