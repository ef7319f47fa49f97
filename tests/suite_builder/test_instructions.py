"""Instruction templates: every argument once, nothing of how the answer is written, different from one to the next."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from itertools import combinations

import anyio
import pytest
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from mlbench.records import Check, CheckStatus, Invocation, Kind, RepositoryCall
from mlbench.suite_builder.arguments.candidate_values import listed
from mlbench.suite_builder.instructions.ambiguity import ambiguous
from mlbench.suite_builder.instructions.grammar import article, capital, grammar, joined, verb_of
from mlbench.suite_builder.instructions.language import slips
from mlbench.suite_builder.instructions.llm_templates import rewritten
from mlbench.suite_builder.instructions.phrases import kind_of, phrases
from mlbench.suite_builder.instructions.purposes import purpose
from mlbench.suite_builder.instructions.sentence_templates import Scene, written
from mlbench.suite_builder.instructions.task_descriptions import entry_name, names_called, section_of
from mlbench.suite_builder.instructions.templates import WANTED, page_name, refused, templates
from mlbench.suite_builder.llm import Asker
from mlbench.suite_builder.mining.task_selection import only_evaluates
from mlbench.suite_builder.quality.duplicates import ALIKE, likeness
from mlbench.suite_builder.types import CodeBlock, DraftArgument, DraftTask, RecipeDraft
from mlbench.suites.recipes import Recipe

ARGUMENTS = (
    DraftArgument("epochs", "epochs", "number of epochs", "--epochs", {"10": ("10",), "20": ("20",), "45": ("45",)}),
    DraftArgument("rate", "lr", "learning rate", "--lr", {"0.1": ("0.1",), "1e-3": ("1e-3",)}),
    DraftArgument("dataset", "dataset", "dataset", "--dataset", {"Cora": ("cora",), "PubMed": ("pubmed",)}),
    DraftArgument("folder", "out", "output folder", "--out", {"runs/a": ("runs/a",), "out/b": ("out/b",)}),
    DraftArgument("amp", "amp", "amp", "--amp", {"with mixed precision": ("--amp",), "without mixed precision": ()}),
)
FIXED = (DraftArgument("data", "data", "data folder", "--data", {"./graphs": ("./graphs",)}),)
REFERENCE = (
    "python train.py --data ./graphs --epochs {{ epochs }} --lr {{ rate }} --dataset {{ dataset }}"
    " --out {{ folder }} {{ amp }}"
)


def drafted(
    prose: str = "To train a graph network on Cora, run:",
    headings: tuple[str, ...] = ("Lichen", "Node classification"),
    program: str = "train.py",
    kind: Kind = "shell",
    arguments: tuple[DraftArgument, ...] = ARGUMENTS,
    code: str = "python train.py --data /your/data --epochs 10",
    reference: str = REFERENCE,
    fixed: tuple[DraftArgument, ...] = FIXED,
) -> RecipeDraft:
    block = CodeBlock("README.md", (5, 5), (1, 7), headings, prose, kind, code)
    started = Invocation(
        CheckStatus.ACCEPTED,
        program=program,
        configuration={"data": "./graphs", "epochs": 10},
        given=("data", "epochs"),
    )
    task = DraftTask("train", block, kind, ".", code, program, Check(CheckStatus.ACCEPTED, invocations=(started,)))
    return RecipeDraft(task, arguments, reference, fixed=fixed)


def rendered(draft: RecipeDraft, template: str, turn: int = 0) -> str:
    said = {each.name: list(each.values)[turn % len(each.values)] for each in draft.arguments}
    return Recipe.model_construct().render_instruction(template, said)


def test_there_are_enough_and_each_can_be_used() -> None:
    draft = drafted()
    kept, decisions = templates(draft, 1, "lichen")
    assert len(kept) == WANTED
    assert [refused(draft, template, "lichen") for template in kept] == [None] * WANTED
    assert {each.reason for each in decisions} <= {"near-duplicate"}
    for template in kept:
        text = rendered(draft, template)
        assert text[0].isupper() or text[0].isdigit()
        assert re.search(r"[.?]$", text) and not re.search(r"[{}]|  | [.,;:?](?![/\w])|\.\.|\bNone\b", text)
        assert "train.py" in text


def test_no_two_are_alike() -> None:
    kept, _ = templates(drafted(), 1, "lichen")
    bare = [re.sub(r"\{\{ \w+ \}\}", "\0", template) for template in kept]
    assert max(likeness(one, other) for one, other in combinations(bare, 2)) < ALIKE


def test_the_same_seed_gives_the_same_and_another_gives_others() -> None:
    draft = drafted()
    assert templates(draft, 1) == templates(draft, 1)
    assert templates(draft, 1)[0] != templates(draft, 2)[0]


def test_what_the_documentation_does_not_show_is_said() -> None:
    kept, _ = templates(drafted(), 1)
    assert kept and all("./graphs" in template for template in kept)
    shown = [f"--{name} a{name}" for name in ("one", "two", "three", "four")]
    more = tuple(
        DraftArgument(each, each, f"{each} size", f"--{each}", {f"a{each}": (f"a{each}",)})
        for each in ("one", "two", "three", "four")
    )
    kept, _ = templates(drafted(code=" ".join(["python train.py --data ./graphs", *shown]), fixed=(*FIXED, *more)), 1)
    assert kept and not any("./graphs" in template for template in kept)  # there are many, and the page has them all
    assert all("README" in template or "Node classification" in template for template in kept)  # where it is shown


def test_what_an_earlier_call_returned_names_no_example() -> None:
    """An example was called one of load(), unsqueeze() and to()."""
    functions = ("clip.load", "load[1]().unsqueeze", "clip.tokenize", "tokenize.to")
    calls = tuple(RepositoryCall(name, {}, ()) for name in functions)
    check = Check(CheckStatus.ACCEPTED, invocations=(Invocation(CheckStatus.ACCEPTED, how="code", calls=calls),))
    code = "x = clip.load('a')[1](y).unsqueeze(0)\nclip.tokenize('b').to('cpu')"
    task = drafted(code=code, kind="python").task
    assert names_called(replace(task, check=check)) == ["load()", "tokenize()"]


def test_the_call_that_the_section_is_about_is_named() -> None:
    """`ToUndirected, OGB_MAG and Linear` stood for an example of HGTConv."""
    calls = tuple(RepositoryCall(f"lib.{name}", {}, ()) for name in ("First", "Second", "Third", "Subject"))
    code = "\n".join(f"{call.function.partition('.')[2]}()" for call in calls)
    draft = drafted("Here is Subject at work:", code=code, kind="python")
    called = Invocation(CheckStatus.ACCEPTED, how="code", calls=calls)
    task = replace(draft.task, check=Check(CheckStatus.ACCEPTED, invocations=(called,)))
    assert names_called(task) == ["First", "Second", "Subject"]


def test_what_can_be_neither_said_nor_read_makes_no_task() -> None:
    hidden = DraftArgument("x", "x", "", "-x", {"a $(b)": ("a $(b)",)})
    kept, (decision,) = templates(drafted(fixed=(*FIXED, hidden)), 1)
    assert kept == [] and decision.reason == "not-sufficient" and "no words for x" in decision.why


def test_python_that_calls_nothing_by_a_name_makes_no_task() -> None:
    kept, (decision,) = templates(calling("lib.Model"), 1)
    assert kept == [] and decision.reason == "no-purpose"


@pytest.mark.parametrize(
    "headings, code, wanted",
    [
        (("L", "Usage"), "python train.py --a 1", "train the model with train.py"),
        (("L", "Usage"), "python tools/train_net.py --a 1", "train the model with tools/train_net.py"),
        (("L", "Evaluation"), "python train.py --a 1", "run train.py"),  # the heading says otherwise
        (("L", "Training the Model"), "python main.py --a 1", "run main.py"),  # a heading alone proves nothing
        (("L", "Usage"), "python train_tokenizer.py --a 1", "run train_tokenizer.py"),
        (("L", "Extracting features"), "python extract_features.py", "extract the features with extract_features.py"),
        (("L", "Usage"), "python extract_features.py", "run extract_features.py"),  # no page says so
        (("L", "Fast sampling"), "python sample_fast.py", "run sample_fast.py"),  # `fast` is no object
        (("L", "To sample fast"), "python sample_fast.py", "run sample_fast.py"),
        (("L", "Usage"), "python sample_conditional.py", "run sample_conditional.py"),
        (("L", "Usage"), "python convert_to_onnx.py", "convert the model to ONNX with convert_to_onnx.py"),
        (("L", "Usage"), "python a/calculate_xqzr.py", "run a/calculate_xqzr.py"),
        (
            ("L", "Download the pretrained models"),
            "python download_pretrained_models.py",
            "run download_pretrained_models.py",
        ),
        (("L", "Usage"), "python3 -m serve.cli --x 1", "run serve.cli"),
        (("L", "Usage"), "torchrun --nproc_per_node=2 probe.py", "run probe.py"),
        (("L", "Usage"), "bash examples/go.sh", "run examples/go.sh"),
    ],
)
def test_what_a_task_does(headings: tuple[str, ...], code: str, wanted: str) -> None:
    """Training programs were said to evaluate or to translate, because a heading or a sentence spoke of it."""
    assert purpose(drafted(headings=headings, code=code)).do == wanted


def test_a_readme_of_another_name_is_named() -> None:
    """A section of README_deit.md was said to be in the README."""
    assert [page_name(each) for each in ("README.md", "a/readme.rst", "README_deit.md", "README")] == [
        "the README",
        "the README in a",
        "README_deit.md",
        "the README",
    ]


def test_the_nearest_heading_that_can_be_said_is_named() -> None:
    """Of three examples, an instruction said: the example in docs/train.md."""
    task = drafted(headings=("Training", "Stage II - Net (w=0)")).task
    assert section_of(task) == "Stage II - Net (w=0)"
    long = "a heading (of very many words that nobody would ever say in a sentence at all)"
    assert section_of(replace(task, block=replace(task.block, headings=("Training", long)))) == "a heading"
    odd = replace(task.block, headings=("Training nets", "a {b} ^ c"))
    assert section_of(replace(task, block=odd)) == ""  # `Overview` was said of what stands under another heading
    chinese = replace(task.block, headings=("Training nets", "1.2 Python\u9884\u6d4b"))
    assert section_of(replace(task, block=chinese)) == ""  # `1.2 Python` was said
    assert section_of(replace(task, block=replace(task.block, headings=("R\u00b2 of a fit",)))) == "R of a fit"
    spelled = replace(task.block, headings=("Merging", "_Note_ on **min_similarity**"))
    assert section_of(replace(task, block=spelled)) == "Note on min_similarity"


def test_the_folder_and_the_subcommand_are_named() -> None:
    draft = drafted(code="python run.py fit --a 1")
    started = Invocation(CheckStatus.ACCEPTED, program="run.py", argv=("fit", "--a", "1"), given=("a",))
    check = Check(CheckStatus.ACCEPTED, invocations=(started,))
    task = replace(draft.task, path="./examples/vlm", check=check)
    assert entry_name(task) == "run.py fit in examples/vlm"
    positional = replace(started, configuration={"input": "fit"}, given=("a", "input"))
    task = replace(task, check=replace(check, invocations=(positional,)))
    assert entry_name(task) == "run.py in examples/vlm"  # a value, not a command


def test_an_evaluation_by_a_training_program_is_said() -> None:
    draft = drafted(code="python train.py --eval")
    (started,) = draft.task.check.invocations
    check = replace(draft.task.check, invocations=(replace(started, configuration={"eval": True}, given=("eval",)),))
    assert purpose(replace(draft, task=replace(draft.task, check=check))).do == "evaluate the model with train.py"


def test_a_program_that_also_trains_does_not_only_evaluate() -> None:
    """Of `train.py --labels=False --train --test`, an instruction said: evaluate the model."""
    assert only_evaluates({"test": True, "labels": False})
    assert not only_evaluates({"test": True, "train": True})
    assert only_evaluates({"test": True, "train": False})


@pytest.mark.parametrize(("shown", "said"), [("{ngpus}", True), ("4", False)])
def test_the_processes_of_mpi_are_said_if_the_documentation_leaves_them_open(shown: str, said: bool) -> None:
    code = "mpirun -np 4 python train.py --epochs 10"
    draft = drafted(arguments=ARGUMENTS[:1], code=code, reference=code.replace("10", "{{ epochs }}"), fixed=())
    found, _ = templates(replace(draft, section=code.replace("4", shown)), 3)
    assert found and all(("4 GPUs" in each) is said for each in found)


@pytest.mark.parametrize(
    "values, said, kind",
    [
        ({"1": ("1",), "5e-3": ("5e-3",)}, "depth", "number"),
        ({"1": ("1",), "2": ("2",)}, "alpha", "symbol"),
        ({"True": ("True",), "False": ("False",)}, "shuffle", "truth"),
        ({"with x": ("--x",), "without x": ()}, "x", "clause"),
        ({"PLMS": ("--plms",), "DDIM": ()}, "sampler", "phrase"),
        ({"8 and 16": ("8", "16"), "4": ("4",)}, "sizes", "several"),
        ({"a.json": ("a.json",), "b.json": ("b.json",)}, "table", "path"),
        ({"v1.5": ("v1.5",), "v2.0": ("v2.0",)}, "version", "word"),
        ({"a red cat": ("a red cat",), "dusk": ("dusk",)}, "prompt", "text"),
        ({"hello duck": ("hello duck",)}, "reference", "text"),  # `with hello duck for the reference`
        ({"without replacement": ("False",)}, "replacement", "clause"),
    ],
)
def test_the_kind_of_an_argument(values: dict[str, tuple[str, ...]], said: str, kind: str) -> None:
    assert kind_of(DraftArgument("x", "x", said, "--x", values), said) == kind


def test_arguments_that_are_called_the_same_get_their_own_names() -> None:
    rates = [
        DraftArgument(f"{net}_lr", f"{net}_lr", "learning rate", f"--{net}_lr", {"0.1": ("0.1",), "0.2": ("0.2",)})
        for net in "gd"
    ]
    assert [each.sentence[0] for each in phrases(rates)] == ['Set "g_lr" to {{ g_lr }}.', 'Set "d_lr" to {{ d_lr }}.']


@pytest.mark.parametrize(
    "argument",
    [
        DraftArgument("role", "lib.Message.role", "role", "", {"user": ("user",)}, owner="Message"),
        DraftArgument("loc", "lib.load.loc", '"loc"', "", {"a/b.jpg": ("a/b.jpg",)}, owner="load"),
        DraftArgument("loc", "loc", '"loc"', "--loc", {"a/b.jpg": ("a/b.jpg",)}),
        DraftArgument("audio", "audio", "audio", "", {"a.wav b.wav": ("a.wav", "b.wav")}),
        DraftArgument("prompt", "prompt", "prompt", "--prompt", {"a red cat": ("a red cat",)}),
        DraftArgument("epochs", "epochs", "epochs", "--epochs", {"3": ("3",)}),
    ],
)
def test_a_list_has_one_separator_between_name_and_value(argument: DraftArgument) -> None:
    """`role of Message: user; "image_loc" of load_image path/to/image.jpg`."""
    (phrase,) = phrases([argument])
    assert phrase.label and all(": " in each for each in phrase.label)


@pytest.mark.parametrize(
    "said, place, value, owner, wanted",
    [
        ("datasets", "datasets", "Reddit", "", '"datasets"'),
        ("evaluation batch sizes", "eval_batch_sizes", "512", "", '"eval_batch_sizes"'),
        ("seeds", "seeds", "3,5", "", "seeds"),
        ("references", "references", "ref.txt", "", "references"),  # a file holds several
        ('"finetune"', "finetune", "checkpoints/a.pth", "", "checkpoint to start from"),
        ('"finetune"', "finetune", "yes", "", '"finetune"'),
        ('"argv"', "argv", "cifar100", "", "arguments"),
        ("hidden channels", "hidden", "64", "", "hidden channels"),
        ("path of the tokenizer", "lib.load.path", "/tmp/x", "load", '"path" of load'),
        ("to language", "to_lang", "es", "", '"to_lang"'),
        ("number of samples", "lib.Split.num", "2", "Split", "number of samples of Split"),
    ],
)
def test_a_name_is_quoted_where_its_words_do_not_fit_the_sentence(
    said: str, place: str, value: str, owner: str, wanted: str
) -> None:
    argument = DraftArgument("x", place, said, f"--{place}" * (not owner), {value: (value,)}, owner=owner)
    assert wanted in phrases([argument])[0].sentence[0] or wanted == "hidden channels"
    assert phrases([argument])[0].label[0].startswith(f"{wanted}:")


def test_keys_of_a_configuration_are_said_with_their_values() -> None:
    """`MODEL.WEIGHTS a.pkl for the "opts" setting`."""
    words = ("MODEL.DEPTH", "50", "SOLVER.LR", "1")
    (phrase,) = phrases([DraftArgument("opts", "opts", '"opts"', "", {listed(words): words})])
    assert listed(words) == "with MODEL.DEPTH set to 50 and SOLVER.LR set to 1"
    assert phrase.last == ("{{ opts }}",) and "Do this {{ opts }}." in phrase.sentence


def test_in_python_a_setting_belongs_to_a_class_or_function() -> None:
    argument = DraftArgument("d", "lib.Net.depth", "depth", "", {"3": ("3",), "6": ("6",)}, owner="Net")
    assert phrases([argument])[0].sentence[0] == "Set the depth of Net to {{ d }}."
    assert phrases([replace(argument, said='"qx"')])[0].noun == ('{{ d }} for "qx" of Net',)
    assert phrases([argument])[0].noun == ("{{ d }} as the depth of Net",)  # `settled on the depth set to 3`


@pytest.mark.parametrize(
    "said, name, wanted",
    [
        ("the audio file", "audio", "audio file"),
        ("top number of", "top", "top number"),
        ("{{ x }} `rm`", "x", "x rm"),
        ("\u5b66\u4e60", "lr_max", "learning rate max"),
        ("", "the_0", "argument 0"),
        ("gpu id", "gpu", "GPU ID"),
    ],
)
def test_what_an_argument_is_called(said: str, name: str, wanted: str) -> None:
    (phrase,) = phrases([DraftArgument(name, name, said, "", {"0.1": ("0.1",), "0.2": ("0.2",)})])
    assert phrase.label == (f"{wanted}: {{{{ {name} }}}}",)


def calling(*functions: str) -> RecipeDraft:
    calls = tuple(RepositoryCall(function, {"a": 1}, ("a",)) for function in functions)
    draft = drafted("To train the model, run:", kind="python")
    check = Check(CheckStatus.ACCEPTED, invocations=(Invocation(CheckStatus.ACCEPTED, how="code", calls=calls),))
    return replace(draft, task=replace(draft.task, check=check))


def test_a_setting_that_tells_the_command_from_its_neighbours_is_said() -> None:
    code = "python train.py --mode speed --data a.yaml\npython train.py --mode size --data a.yaml"
    draft = drafted("Train so:", code=code)
    fixed = tuple(
        DraftArgument(name, name, name, f"--{name}", {value: (value,)})
        for name, value in (("mode", "speed"), ("data", "a.yaml"), *((f"size {at}", "a.yaml") for at in "abc"))
    )
    reference = REFERENCE.replace("./graphs", "a.yaml --mode speed")
    kept, _ = templates(replace(draft, fixed=fixed, reference=reference), 1)
    assert kept and not any("a.yaml" in template for template in kept)
    assert all("speed" in text and "mode" in text for text in kept)


def test_one_setting_tells_a_command_from_each_other_one_of_its_section() -> None:
    """Two fine-tunings of one section differ in their layer decay, which no instruction said."""
    section = "## Tuning\npython train.py --decay 0.65 \\\n  --mix 1\n\npython train.py --decay 0.75 \\\n  --mix 1\n"
    fixed = tuple(
        DraftArgument(name, name, f"layer {name}", f"--{name}", {value: (value,)})
        for name, value in (("decay", "0.75"), *((f"mix_{at}", "1") for at in "abcd"))
    )
    reference = f"{REFERENCE} --decay 0.75 --mix 1"
    draft = drafted(code="python train.py --decay 0.75 --mix 1", fixed=fixed, reference=reference)
    draft = replace(draft, section=section)
    kept, _ = templates(draft, 1)
    assert kept and all("0.75" in template and "layer mix" not in template for template in kept)


def test_the_place_is_named_where_the_words_alone_do_not_tell_which_task() -> None:
    fixed = tuple(DraftArgument(f"x_{at}", f"x_{at}", "", "", {"10": ("10",)}) for at in range(5))  # the page has 10
    draft = drafted("To reproduce the results, run:", ("L", "Segmentation"), "main.py", fixed=fixed)
    kept, _ = templates(draft, 1)
    assert kept and all('"L > Segmentation"' in template for template in kept)  # a page may have several of one word
    page = replace(draft.task.block, page="docs/seg \u4e66/README.md", headings=())
    kept, _ = templates(replace(draft, task=replace(draft.task, block=page)), 1)
    assert kept and all('"docs/seg \u4e66/README.md"' in template for template in kept)
    notebook = replace(page, page="notebooks/Looking at clusters.ipynb")
    kept, _ = templates(replace(draft, task=replace(draft.task, block=notebook)), 1)
    assert kept and all('the notebook "notebooks/Looking at clusters.ipynb"' in template for template in kept)


@pytest.mark.parametrize(
    "template, reason",
    [
        ("Train the the model for {{ epochs }} epochs.", "articles"),
        ("Train the model with with {{ epochs }} epochs.", "doubled-word"),
        ("Train a encoder for {{ epochs }} epochs.", "articles"),
        ("Train the model for {{ epochs }} epochs with the.", "dangling-word"),
        ("I want to training the model for {{ epochs }} epochs.", "verb-form"),
        ("Train the **model** for {{ epochs }} epochs.", "markup"),
        ("Train the model for {{ epochs }} epochs with kpts.", "unknown-words"),
        ("Train the model , for {{ epochs }} epochs.", "punctuation"),
        ("Please train an MLP on ImageNet for {{ epochs }} epochs, and don't use train.py of lichen.", ""),
    ],
)
def test_slips_of_language(template: str, reason: str) -> None:
    assert next((each.reason for each in slips(template, ["lichen"])), "") == reason


def test_two_switches_in_the_same_words_cannot_be_told_apart() -> None:
    other = replace(ARGUMENTS[4], name="half", place="half", option="--half")
    kept, (decision,) = templates(drafted(arguments=(*ARGUMENTS, other)), 1)
    assert kept == [] and decision.reason == "value-ambiguous" and "amp and half" in decision.why


def test_one_is_no_plural() -> None:
    epochs = replace(ARGUMENTS[0], values={"1": ("1",), "20": ("20",)})
    (phrase,) = phrases([epochs])
    assert not any("{{ epochs }} epochs" in way for way in (*phrase.prep, *phrase.noun, *phrase.sentence))


@pytest.mark.parametrize(
    "template, reason",
    [
        ("Train on {{ dataset }} for {{ epochs }} epochs at {{ rate }} into {{ folder }}.", "not-each-once"),
        ("{{ amp }} {{ amp }} {{ dataset }} {{ epochs }} {{ rate }} {{ folder }}", "not-each-once"),
        ("{{ amp }} {{ x }} {{ dataset }} {{ epochs }} {{ rate }} {{ folder }}", "not-each-once"),
        ("{{ amp }} {{ ''.__class__ }} {{ dataset }} {{ epochs }} {{ rate }} {{ folder }}", "not-a-template"),
        ("{% for x in y %} {{ amp }} {{ dataset }} {{ epochs }} {{ rate }} {{ folder }}", "not-a-template"),
        ("{{ amp }} {{ dataset }} --epochs {{ epochs }} {{ rate }} {{ folder }}", "option-string"),
        ("Run python train.py: {{ amp }} {{ dataset }} {{ epochs }} {{ rate }} {{ folder }}", "program-called"),
        ("{{ amp }} {{ dataset }} {{ epochs }} {{ rate }}{{ folder }}", "value-missing"),
        ("{{ amp }} {{ dataset }} {{ epochs }} {{ rate }} {{ folder }}" + "x" * 2000, "too-long"),
    ],
)
def test_what_is_refused(template: str, reason: str) -> None:
    fault = refused(drafted(), template)
    assert fault is not None and fault.reason == reason, fault


@pytest.mark.parametrize(
    ("text", "is_code"), [("shards-{0..9}.tar", True), ("shards-{0..8}.tar", False), ("{x}", False)]
)
def test_braces_of_the_code_can_be_said(text: str, is_code: bool) -> None:
    draft = drafted()
    draft = replace(draft, task=replace(draft.task, code=f"{draft.task.code} --data shards-{{0..9}}.tar"))
    template = f"{{{{ amp }}}} {{{{ dataset }}}} {{{{ epochs }}}} {{{{ rate }}}} {{{{ folder }}}} {text}"
    fault = refused(draft, template)
    assert (fault is None or fault.reason != "not-a-template") is is_code, fault


def test_a_model_is_held_to_the_same_rules() -> None:
    good = [
        "Hello! {{ dataset }} is my dataset, {{ epochs }} epochs ({{ amp }}), rate {{ rate }}; fill {{ folder }}.",
        "Is {{ rate }} a good rate? Try {{ epochs }} passes over {{ dataset }}, {{ amp }}, and fill {{ folder }}.",
    ]
    bad = ["Just train.", good[0] + " Thanks.", "{{ epochs.__class__ }}"]
    reply = ModelOutput.from_content("m", json.dumps({"templates": good + bad}))
    reply.usage = ModelUsage(input_tokens=7, output_tokens=3, total_tokens=10)
    asker = Asker(get_model("mockllm/model", custom_outputs=[reply]))
    kept, decisions = anyio.run(rewritten, drafted(), 1, asker, "lichen")
    assert kept == good
    mine = [each.reason for each in decisions if each.why.startswith("by the model")]
    assert mine == ["not-each-once", "near-duplicate", "not-a-template"]
    assert asker.usage.total_tokens == 10 and asker.questions[0].about == "instructions of train"


def test_without_a_model_the_grammar_is_enough() -> None:
    assert anyio.run(rewritten, drafted(), 1, Asker(None)) == templates(drafted(), 1)


@pytest.mark.parametrize(
    "words, wanted",
    [("learning rate", "a"), ("output", "an"), ("unit", "a"), ("MLP", "an"), ("GPU", "a"), ("hour", "an"), ("", "a")],
)
def test_articles(words: str, wanted: str) -> None:
    assert article(words) == wanted


def test_the_grammar_is_whole() -> None:
    table = grammar()
    assert set(table.same_as.values()) <= set(table.verbs)
    assert {kind for each in table.arguments for kind in each.of} <= set(table.kinds)
    assert all(each.sentence for each in table.kinds.values())  # there is always a way to say it
    assert len(table.frames) >= WANTED + 4
    assert (verb_of("Training"), verb_of("eval"), verb_of("nonsense")) == ("train", "evaluate", "")
    assert joined(["a", "b", "c"]) == "a, b and c" and capital("iPad") == "iPad" and capital("the") == "The"


def test_a_fixed_value_that_the_reference_does_not_have_is_refused() -> None:
    """`Use translate_opts_ct2.yaml` stood beside a reference with translate_opts_py.yaml."""
    kept, decisions = templates(drafted(reference=REFERENCE.replace("./graphs", "./other")), 1)
    assert not kept and {each.reason for each in decisions} == {"not-in-reference"}


@pytest.mark.parametrize(
    "more, fits",
    [
        ("CUDA_VISIBLE_DEVICES=0,1 python train.py --data a --epochs 10", True),
        ("python train.py --data a --epochs 10 --amp", True),
        ("python train.py --data a --epochs 20", False),
        ("<pre>python train.py --data a --epochs 10 --evaluate</pre>", True),
        ("the same as python train.py", False),
    ],
)
def test_a_command_that_the_section_has_twice_makes_no_task(more: str, fits: bool) -> None:
    own = "CUDA_VISIBLE_DEVICES=0 python train.py --data a --epochs 10" if "CUDA" in more else ""
    own = own or "python train.py --data a --epochs 10"
    draft = drafted(code=own, reference=own.replace("10", "{{ epochs }}"), arguments=ARGUMENTS[:1], fixed=())
    draft = replace(draft, section=f"## Train\n```\n{own}\n{more}\n```\n")
    assert bool(ambiguous(draft)) is fits
    if more.endswith(("--amp", "--evaluate</pre>")):
        assert not ambiguous(draft, is_whole=True)  # who says every setting does not mean one more


def test_what_the_instruction_does_not_name_is_in_the_section() -> None:
    draft = drafted(code="python train.py --epochs 10 7", arguments=ARGUMENTS[:1], fixed=())
    started = replace(draft.task.check.invocations[0], argv=("--epochs", "10", "7"), given=("epochs",))
    draft = replace(draft, reference="python train.py --epochs {{ epochs }} 7")
    draft = replace(draft, task=replace(draft.task, check=Check(CheckStatus.ACCEPTED, invocations=(started,))))
    kept, _ = templates(draft, 1)
    assert kept and all("Node classification" in each for each in kept)


def test_several_files_are_not_one() -> None:
    argument = DraftArgument("conf", "conf", "configuration file", "", {"a.yml and b.yml": ("a.yml", "b.yml")})
    assert phrases([argument])[0].label == ("configuration files: {{ conf }}",)
    tagged = replace(argument, said="special thing", values={"a and b": ("a", "b")})
    assert phrases([tagged])[0].label == ('"conf": {{ conf }}',)
    sizes = replace(argument, said="image size", values={"3 4": ("3", "4")})
    assert phrases([sizes])[0].label == ("image size: {{ conf }}",)


def test_a_list_has_a_name_and_a_program_no_namesake() -> None:
    """`These are our settings: without x.`; `I am using tool and plan to run tool`."""
    found = phrases([DraftArgument("x", "x", "x", "--x", {"with x": ("--x",), "without x": ()})])
    scene = Scene("run tool", "running tool", "tool", "command", (), more=False)
    texts = [text for seed in range(9) for text in written(found, scene, random.Random(seed))]
    assert texts and not any("ettings" in text or "using tool" in text for text in texts)
    assert any("using lib" in text for text in written(found, replace(scene, project="lib"), random.Random(1)))


def test_a_setting_says_no_direction() -> None:
    """`Read the data from x` was said of the folder into which a program downloads them."""
    (phrase,) = phrases([DraftArgument("d", "data_dir", "data folder", "-d", {"./data": ("./data",)})])
    said = " ".join((*phrase.noun, *phrase.sentence, *phrase.label))
    assert "data folder" in said and "Read" not in said and "data in" not in said


def test_many_settings_are_listed() -> None:
    """Thirteen short sentences in a row told the settings of one command."""
    names = ["depth", "width", "momentum", "dropout", "gamma", "patience", "temperature", "resolution"]
    arguments = tuple(
        DraftArgument(name, name, name, f"--{name}", {str(at): (str(at),), str(at + 50): (str(at + 50),)})
        for at, name in enumerate(names, 11)
    )
    reference = "python train.py " + " ".join(f"--{name} {{{{ {name} }}}}" for name in names)
    code = "python train.py --depth 11"
    headings = ("Lichen", "Usage")
    draft = drafted("Train it:", headings, code=code, arguments=arguments, reference=reference, fixed=())
    found, _ = templates(draft, 0, "tiny")
    assert len(found) >= 5 and all(text.count(";") >= len(names) - 1 for text in found)


def test_a_copy_of_the_page_makes_no_task() -> None:
    """Eight readers of three draws called most of them poor: *run demo.py with* and all its options."""
    arguments = (DraftArgument("depth", "depth", "depth", "--depth", {"11": ("11",)}),)
    code, reference = "python demo.py --depth 11", "python demo.py --depth {{ depth }}"
    draft = drafted(code=code, program="demo.py", arguments=arguments, reference=reference, fixed=())
    found, decisions = templates(draft, 0, "tiny")
    assert not found and [each.reason for each in decisions] == ["too-few-values"]


def test_a_program_says_of_itself_what_it_is_for() -> None:
    depth = (DraftArgument("depth", "depth", "depth", "--depth", {"11": ("11",), "12": ("12",)}),)
    draft = drafted("", ("Lichen",), "demo.py", arguments=depth, code="python demo.py --depth 11", fixed=())
    assert purpose(draft).do == "run demo.py"
    told = replace(draft, about="Convert the graphs of a folder.")
    assert purpose(told).do == "convert the graphs of a folder with demo.py"
    mode = DraftArgument("benchmark", "benchmark", "", "--benchmark", {"with it": ("--benchmark",)})
    assert purpose(replace(told, fixed=(mode,))).do == "run demo.py"  # it may do something else then


def test_a_short_snippet_has_as_many_templates_as_a_long_one() -> None:
    """The count of a snippet's lines replaced the count of wanted templates, so that short snippets made no task."""
    arguments = (DraftArgument("model", "zoo.load.model", "model", "", {"tiny": ("tiny",), "base": ("base",)}),)
    code = "from zoo import load\nload(model='tiny')"
    reference = "load(model={{ model }})"
    draft = drafted("Load a model:", code=code, kind="python", arguments=arguments, reference=reference, fixed=())
    called = Invocation(
        CheckStatus.ACCEPTED, how="code", calls=(RepositoryCall("zoo.load", {"model": "tiny"}, ("model",)),)
    )
    draft = replace(draft, task=replace(draft.task, check=Check(CheckStatus.ACCEPTED, invocations=(called,))))
    assert names_called(draft.task) == ["load()"]
    kept, _ = templates(draft, 1, "lichen")
    assert len(kept) > 4 and all("load()" in each for each in kept)
    twice = replace(draft, section=f"```\n{code}\n```\n\n```\n{code}\n```\n")
    assert "another example" in templates(twice, 1)[1][0].why  # nobody could tell which one is meant


def test_the_number_of_processes_is_said_if_the_documentation_leaves_it_open() -> None:
    shown = "torchrun --nproc_per_node <gpus> train.py --epochs 10"
    draft = drafted(code=shown, reference=REFERENCE.replace("python", "torchrun --nproc_per_node 4"))
    draft = replace(draft, task=replace(draft.task, code=shown.replace("<gpus>", "4")))
    kept, _ = templates(draft, 1)
    assert kept and all("on 4 GPUs" in each for each in kept)
    draft = replace(draft, task=replace(draft.task, block=replace(draft.task.block, code=shown.replace("<gpus>", "4"))))
    kept, _ = templates(draft, 1)
    assert kept and not any("GPUs" in each for each in kept)


@pytest.mark.parametrize(
    ("other", "said"),
    [("torchrun --nproc_per_node 4 train.py --lr 0.3", True), ("python train.py --num-processes 4", False)],
)
def test_a_single_process_is_said_beside_a_launcher_only(other: str, said: bool) -> None:
    """A task said "in a single process" and "use 5 processes": the program's own option was taken for a launcher's."""
    draft = drafted(code="python train.py --epochs 10", reference=REFERENCE)
    kept, _ = templates(replace(draft, section=f"python train.py --epochs 10\n{other}\n"), 1)
    assert kept and all(("in a single process" in each) == said for each in kept)


def test_the_setup_of_an_example_is_named() -> None:
    """Of an example that needs another section's data, nobody could tell which."""
    arguments = (DraftArgument("model", "zoo.load.model", "model", "", {"tiny": ("tiny",), "base": ("base",)}),)
    code = "from zoo import load\nload(model='tiny')"
    draft = drafted(
        "Load:", code=code, kind="python", arguments=arguments, reference="load(model={{ model }})", fixed=()
    )
    called = Invocation(
        CheckStatus.ACCEPTED, how="code", calls=(RepositoryCall("zoo.load", {"model": "tiny"}, ("model",)),)
    )
    task = replace(draft.task, check=Check(CheckStatus.ACCEPTED, invocations=(called,)))
    for setup, said in ((("Tool", "Data"), 'after the setup under "Data"'), ((), "")):
        block = replace(task.block, setup=setup)
        kept, _ = templates(replace(draft, task=replace(task, block=block)), 1, "lichen")
        assert kept and all((said in each) if said else ("setup" not in each) for each in kept)
    strange = replace(draft, task=replace(task, block=replace(task.block, setup=("{x} ^",))))
    assert templates(strange, 1)[1][0].reason == "no-purpose"
    beside = replace(draft, task=replace(task, block=replace(task.block, beside=("load('base')",))))
    assert "another example" in templates(beside, 1)[1][0].why
