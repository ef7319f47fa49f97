"""A model as author and reader of tasks: what it proposes is checked, and what it refuses as a reader is taken out."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from inspect_ai.model import ModelUsage, get_model
from pydantic import BaseModel

from mlbench.interface_check.check_server import CheckEnv
from mlbench.interface_check.checker import Checker, CheckTarget
from mlbench.records import Candidate, Check, CheckStatus, OptionSchema
from mlbench.suite_builder.arguments import task_arguments
from mlbench.suite_builder.arguments.candidate_values import Wish
from mlbench.suite_builder.arguments.doc_sections import section_of
from mlbench.suite_builder.arguments.llm_places import invented, placed
from mlbench.suite_builder.arguments.option_reads import is_only_stored, reads_of
from mlbench.suite_builder.arguments.repo_enums import Vocabulary
from mlbench.suite_builder.arguments.shown_to_model import _of_group, program_text, script_of
from mlbench.suite_builder.build_state import BuildOptions, RepositoryBuild
from mlbench.suite_builder.instructions.templates import WANTED, recipe_of, refused
from mlbench.suite_builder.left_out import documented
from mlbench.suite_builder.llm import Asker, LLMQuestion
from mlbench.suite_builder.llm_authoring import READINGS, written_and_read
from mlbench.suite_builder.pipeline import build
from mlbench.suite_builder.recipe_writing import recipes
from mlbench.suite_builder.source import RepositorySource, Wanted, obtain_all
from mlbench.suite_builder.types import CodeBlock, DraftTask, RecipeDraft
from mlbench.suites.recipes import load_recipe

pytestmark = pytest.mark.anyio
A = TypeVar("A", bound=BaseModel)

PROGRAM = """
import argparse
p = argparse.ArgumentParser()
p.add_argument('--config')
p.add_argument('--weights')
p.add_argument('--lr', type=float, default=0.01, help='learning rate')
p.add_argument('--epochs', type=int, default=10, help='number of epochs')
p.add_argument('--model', choices=['gcn', 'gat'], default='gcn')
p.add_argument('--amp', action='store_true', help='mixed precision')
p.add_argument('--port', type=int, default=1)
p.add_argument('--unread', type=int, default=1)
args = p.parse_args()
print(args.config, args.weights, args.lr, args.epochs, args.model, args.port)
if args.amp:
    print("amp")
"""
README = """# Lichen

## Training

Train a model:

```
python train.py --config a.yaml --weights a.pt --lr 0.1
```
"""
CODE = "python train.py --config a.yaml --weights a.pt --lr 0.1"


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lichen")
    for name, text in {"train.py": PROGRAM, "README.md": README, "a.yaml": "", "b.yaml": "", "b.pt": ""}.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
async def checker(repository: Path) -> AsyncIterator[Checker]:
    async with Checker(CheckTarget(CheckEnv(repository, preload=())), workers=2) as checker:
        yield checker


class Answering(Asker):
    """A model with these answers by the name of their type, in turn; the last one for ever; None is no answer."""

    def __init__(self, **answers: Sequence[dict[str, Any] | None]) -> None:
        super().__init__(None)
        self.answers = {name: list(each) for name, each in answers.items()}
        self.asked: list[tuple[str, str]] = []

    async def ask(self, instructions: str, text: str, answer: type[A], about: str = "") -> A | None:
        self.asked.append((answer.__name__, text))
        left = self.answers.get(answer.__name__, [None])
        said = left.pop(0) if len(left) > 1 else left[0]
        return None if said is None else answer.model_validate_json(json.dumps(said))


SETTINGS = {"settings": [{"name": "lr", "values": ["0.05", "0.2"]}, {"name": "epochs", "values": ["20", "40"]}]}
WORDS = [
    "Please train a model with the training program at a learning rate of {{ lr }} for {{ epochs }} epochs.",
    "Training should run for {{ epochs }} epochs here; set the learning rate to {{ lr }}.",
    "I want to start a training with {{ lr }} as the learning rate and {{ epochs }} epochs.",
    "How do I fit a model? My learning rate is {{ lr }}, and {{ epochs }} epochs are enough.",
    "Which command trains for {{ epochs }} epochs, if the learning rate has to be {{ lr }}?",
    "{{ epochs }} epochs, learning rate {{ lr }}: show me how to train in this project.",
]
GOOD = {"verdict": "good", "faults": []}


async def task_of(checker: Checker) -> DraftTask:
    check = await checker.describe(Candidate(CODE, "shell", "test"))
    block = CodeBlock("README.md", (8, 8), (3, 9), ("Lichen", "Training"), "Train a model:", "shell", CODE)
    return DraftTask("train", block, "shell", ".", CODE, "train.py", check)


async def drafted(checker: Checker, asker: Asker) -> RecipeDraft:
    draft, _ = await task_arguments.draft(await task_of(checker), checker, asker=asker)
    assert draft is not None
    return draft


def values(draft: RecipeDraft) -> dict[str, list[str]]:
    return {each.name: list(each.values) for each in draft.arguments}


async def test_a_model_may_add_what_the_command_leaves_out(checker: Checker) -> None:
    """But not what the program never reads, nor what only the machine decides."""
    asker = Answering(Settings=[SETTINGS])
    assert values(await drafted(checker, asker)) == {"lr": ["0.1", "0.05", "0.2"], "epochs": ["20", "40"]}
    (_, shown) = asker.asked[0]
    settings = shown.rpartition("Its settings:")[2].partition("The program,")[0]
    assert (
        "epochs: not given; default: 10; type: int; number of epochs\n    read in train.py: print(args.config"
        in settings
    )
    assert "config: in the code: a.yaml" in settings and "beside it: b.yaml" in settings
    assert "\nport:" not in settings and "\nunread:" not in settings


async def test_a_command_that_fails_whatever_its_values_is_no_task(checker: Checker) -> None:
    """Its instructions were written, and then a reader refused it."""
    said = {"settings": SETTINGS["settings"], "broken": "it reads /home/author/data, which no option changes"}
    draft, decisions = await task_arguments.draft(await task_of(checker), checker, asker=Answering(Settings=[said]))
    assert draft is None and decisions[-1].reason == "fails"
    assert decisions[-1].why == "it reads /home/author/data, which no option changes"


async def test_a_model_that_varies_nothing_says_why(checker: Checker) -> None:
    said = {"settings": [], "nothing": "the weights belong to the configuration"}
    draft, decisions = await task_arguments.draft(await task_of(checker), checker, asker=Answering(Settings=[said]))
    assert draft is None and decisions[-1].reason == "too-few-arguments"
    assert decisions[-1].why == "it gives no setting of its own: the weights belong to the configuration"


async def test_without_an_answer_the_rules_decide(checker: Checker) -> None:
    assert "epochs" not in values(await drafted(checker, Answering()))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["in half precision", "in full precision"], ["in half precision", "in full precision"]),
        (["on", "off"], ["with mixed precision", "without mixed precision"]),  # no phrases: the rules have some
        (["on an empty {{ x }}", "off --amp"], ["with mixed precision", "without mixed precision"]),
        (["in half precision", "in half precision"], ["with mixed precision", "without mixed precision"]),
    ],
)
async def test_a_switch_has_both_states_in_the_words_of_the_model(
    checker: Checker, values: list[str], said: list[str]
) -> None:
    draft = await drafted(checker, Answering(Settings=[{"settings": [{"name": "amp", "values": values}]}]))
    assert draft.arguments[0].values == dict(zip(said, [("--amp",), ()], strict=True))


async def test_a_switch_that_denies_is_shown_as_it_is_given(tmp_path: Path) -> None:
    (tmp_path / "denies.py").write_text(
        "import argparse\np = argparse.ArgumentParser()\n"
        "p.add_argument('--no-skip', dest='skip', action='store_false')\nprint(p.parse_args().skip)\n"
    )
    asker = Answering(Settings=[{"settings": [{"name": "skip", "values": ["without skips", "with skips"]}]}])
    async with Checker(CheckTarget(CheckEnv(tmp_path, preload=())), workers=1) as checker:
        check = await checker.describe(Candidate("python denies.py", "shell", "test"))
        block = CodeBlock("README.md", (8, 8), (3, 9), ("Lichen",), "", "shell", "python denies.py")
        task = DraftTask("denies", block, "shell", ".", block.code, "denies.py", check)
        draft, _ = await task_arguments.draft(task, checker, asker=asker)
    assert "a switch, given as --no-skip" in asker.asked[0][1]
    assert draft is not None and draft.arguments[0].values == {"without skips": ("--no-skip",), "with skips": ()}


@pytest.mark.parametrize(
    ("code", "name", "reference"),
    [
        ("opts.py --opts MODEL.NET vit SOLVER.LR 0.1", "SOLVER.LR", "opts.py --opts MODEL.NET vit SOLVER.LR {{ lr }}"),
        ("opts.py --opts net=vit run.lr=0.1", "run.lr", "opts.py --opts net=vit run.lr={{ lr }}"),
        ("rest.py net=vit lr=0.1", "lr", "rest.py net=vit lr={{ lr }}"),
        ("rest.py MODEL.NET vit LR 0.1", "LR", "rest.py MODEL.NET vit LR {{ lr }}"),
    ],
)
async def test_settings_in_a_list_are_settings_of_their_own(
    repository: Path, code: str, name: str, reference: str
) -> None:
    """Programs configured by files take them so; the list was one value, and nothing could vary."""
    head = "import argparse\np = argparse.ArgumentParser()\n"
    (repository / "opts.py").write_text(head + "p.add_argument('--opts', nargs='+')\nprint(p.parse_args().opts)\n")
    (repository / "rest.py").write_text(head + "p.add_argument('rest', nargs='...')\nprint(p.parse_args().rest)\n")
    asker = Answering(Settings=[{"settings": [{"name": name, "values": ["0.2", "0.5"]}]}])
    async with Checker(CheckTarget(CheckEnv(repository, preload=())), workers=1) as checker:
        check = await checker.describe(Candidate(f"python {code}", "shell", "test"))
        block = CodeBlock("README.md", (8, 8), (3, 9), ("Lichen",), "", "shell", f"python {code}")
        task = DraftTask("opts", block, "shell", ".", block.code, code.partition(" ")[0], check)
        draft, decisions = await task_arguments.draft(task, checker, asker=asker)
    assert draft is not None, decisions
    (argument,) = draft.arguments
    assert list(argument.values) == ["0.1", "0.2", "0.5"]
    assert draft.reference == f"python {reference}\n".replace("lr }}", f"{argument.name} }}}}")


async def test_values_of_a_model_may_leave_the_example_together(checker: Checker) -> None:
    """Of settings that the rules choose, no two do: it is not known whether their values fit."""
    settings = [{"name": "model", "values": ["gcn", "gat"]}, {"name": "config", "values": ["b.yaml"]}]
    assert (await drafted(checker, Answering(Settings=[{"settings": settings}]))).exclude == ()


async def test_words_that_cannot_be_used_are_asked_for_once_more(checker: Checker) -> None:
    bad = [f"Use --lr {{{{ lr }}}} and {{{{ epochs }}}} epochs, number {at}." for at in range(8)]
    asker = Answering(Settings=[SETTINGS], Written=[{"templates": bad}, {"templates": WORDS}], TaskReading=[GOOD])
    read = await written_and_read(await drafted(checker, asker), checker, asker, asker, 0, "lichen")
    assert set(read.templates) == set(WORDS)
    asked = [text for name, text in asker.asked if name == "Written"]
    assert len(asked) == 2 and "option-string: by the model: --lr" in asked[1] and "--lr" in asked[1]


async def test_a_script_is_shown_that_the_command_starts(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "go.sh").write_text("python train.py $@\n")
    (tmp_path.parent / "out.sh").write_text("a secret\n")
    block = CodeBlock("README.md", (1, 1), (1, 1), (), "", "shell", "")
    for code, shown in (("bash go.sh", "python train.py $@\n"), ("bash ../out.sh", ""), ("bash no.sh", ""), ("ls", "")):
        task = DraftTask("go", block, "shell", ".", code, "train.py", Check(CheckStatus.ACCEPTED))
        assert script_of(task, tmp_path) == shown, code


def test_other_configurations_of_a_group_are_shown(tmp_path: Path) -> None:
    for name in ("conf/net/gcn.yaml", "conf/net/gat.yaml", "conf/net/_base.yaml", "conf/net/old/x.yaml", "net/a.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    files = Vocabulary(tmp_path).files
    assert _of_group(Wish("net", None, ("gcn",), OptionSchema("net")), files) == ["gat", "gcn"]
    assert _of_group(Wish("train.net", None, ("gcn",), OptionSchema("net")), files) == ["gat", "gcn"]
    assert _of_group(Wish("net", None, ("gin",), OptionSchema("net")), files) == []
    assert _of_group(Wish("net", None, (), OptionSchema("net")), files) == []


def test_commands_of_a_console_script_are_found_by_its_name(tmp_path: Path) -> None:
    page = "lichen grows on any of the stones\n```\nlichen fit a.yaml\nmoss fit\npython -m pack.other --lichen\n"
    page += "lichen 110M embedding\n"
    page += "bash tools/run.sh a\n./tools/run.sh b\n```\n"
    (tmp_path / "README.md").write_text(page)
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack/other.py").write_text("")
    vocabulary = Vocabulary(tmp_path)
    assert vocabulary.commands("lichen/cli.py", "lichen") == ["lichen fit a.yaml"]
    assert vocabulary.commands("pack/other.py", "pack.other") == ["pack.other --lichen"]
    assert vocabulary.commands("train.py", "tools/run.sh") == ["tools/run.sh a", "tools/run.sh b"]


async def test_settings_that_change_together_are_lines(checker: Checker) -> None:
    lines = [["a.yaml", "a.pt"], ["b.yaml", "b.pt"]]
    answer = {"settings": [], "together": {"names": ["config", "weights"], "lines": lines}}
    draft = await drafted(checker, Answering(Settings=[answer]))
    assert draft.together == (
        {"config": ("a.yaml",), "weights": ("a.pt",)},
        {"config": ("b.yaml",), "weights": ("b.pt",)},
    )
    assert set(values(draft)) == {"config", "weights"} and not draft.followers


async def test_of_lines_that_the_page_shows_the_fewest_settings_are_said(tmp_path: Path) -> None:
    """Two datasets of a page with six settings each made requests that were lists of settings."""
    more = "```\npython train.py --config b.yaml --weights b.pt --model gat --lr 0.1\n```\n"
    page = README.replace("--lr 0.1", "--model gcn --lr 0.1") + more
    for name, text in {"train.py": PROGRAM, "README.md": page}.items():
        (tmp_path / name).write_text(text)
    code = "python train.py --config a.yaml --weights a.pt --model gcn --lr 0.1"
    names, own = ["config", "weights", "model"], ["a.yaml", "a.pt", "gcn"]
    async with Checker(CheckTarget(CheckEnv(tmp_path, preload=())), workers=1) as checker:
        task = replace(await task_of(checker), code=code, check=await checker.check(Candidate(code, "shell", "x")))
        for other, said in ((["b.yaml", "b.pt", "gat"], {"model"}), (["c.yaml", "c.pt", "gat"], {*names})):
            together = {"names": names, "lines": [own, other]}
            asker = Answering(Settings=[{"settings": [], "together": together}])
            draft, _ = await task_arguments.draft(task, checker, asker=asker)
            assert draft is not None and set(values(draft)) == said
            assert {each.name for each in draft.followers} == {*names} - said


async def test_an_author_is_told_why_nothing_was_taken(checker: Checker) -> None:
    """And may try once more: tasks ended here without a word to their author."""
    first = {"settings": [{"name": "lr", "values": ["high", "low"]}, {"name": "speed", "values": ["1", "2"]}]}
    asker = Answering(Settings=[first, {"settings": [{"name": "lr", "values": ["0.2"]}]}])
    assert values(await drafted(checker, asker)) == {"lr": ["0.1", "0.2"]}
    (_, shown) = asker.asked[1]
    assert "Not one of the settings" in shown and "lr: high:" in shown and "speed: the model names a setting" in shown
    asker = Answering(Settings=[first])
    draft, decisions = await task_arguments.draft(await task_of(checker), checker, asker=asker)
    assert draft is None and len(asker.asked) == 2 and decisions[-1].reason == "too-few-arguments"


async def test_long_names_of_files_may_change_together(checker: Checker) -> None:
    """All lines of MaskDINO were lost without a word: the names of its checkpoints have 90 letters."""
    lines = [["b.yaml", f"{'b' * 90}.pt"]]
    answer = {"settings": [], "together": {"names": ["config", "weights"], "lines": lines}}
    draft = await drafted(checker, Answering(Settings=[answer]))
    assert len(draft.together) == 2


async def test_what_changes_together_counts_as_one_setting(checker: Checker) -> None:
    """Four of a language pair once took the places of the threshold beside them."""
    together = {
        "names": ["config", "weights", "model"],
        "lines": [["a.yaml", "a.pt", "gcn"], ["b.yaml", "b.pt", "gat"]],
    }
    draft = await drafted(checker, Answering(Settings=[{"settings": SETTINGS["settings"], "together": together}]))
    assert set(values(draft)) == {"config", "weights", "model", "lr", "epochs"}


async def test_what_the_command_leaves_out_may_change_together_with_others(checker: Checker) -> None:
    lines = [["a.yaml", "20"], ["b.yaml", "40"]]
    answer = {"settings": [], "together": {"names": ["config", "epochs"], "lines": lines}}
    draft = await drafted(checker, Answering(Settings=[answer]))
    assert draft.together == (
        {"config": ("a.yaml",), "epochs": ("20",)},
        {"config": ("b.yaml",), "epochs": ("40",)},
    )
    assert draft.reference.strip().endswith("--epochs {{ epochs }}") and set(values(draft)) == {"config", "epochs"}


async def test_what_follows_from_the_placeholders_need_not_be_said(checker: Checker) -> None:
    """Weights with a list in their name cannot be said in a sentence."""
    lines = [["a.yaml", "a.pt"], ["b.yaml", "b[1].pt"]]
    together = {"names": ["config", "weights"], "lines": lines}
    asker = Answering(Settings=[{"settings": [], "together": together}], Written=[{"templates": []}])
    draft = await drafted(checker, asker)
    assert [each.name for each in draft.followers] == ["weights"]
    await written_and_read(draft, checker, asker, asker, 0, "lichen")
    (shown, *_) = [text for name, text in asker.asked if name == "Written"]
    assert "they may be said, and need not be:\n---\n{{ weights }}" in shown
    assert refused(draft, "Train {{ config }} with {{ weights }} as in the README, please.", language=False) is None
    assert refused(draft, "Train with {{ weights }} as in the README, please.", language=False) is not None


@pytest.mark.parametrize(
    "together",
    [
        {"names": ["config", "rocket"], "lines": [["a.yaml", "1"], ["b.yaml", "2"]]},
        {"names": ["config", "weights"], "lines": [["a.yaml"], ["b.yaml", "b.pt"]]},
        {"names": ["config", "config"], "lines": [["a.yaml", "a.pt"], ["b.yaml", "b.pt"]]},
        {"names": ["config", "amp"], "lines": [["a.yaml", "on"], ["b.yaml", "off"]]},
    ],
    ids=["unknown", "too short", "twice", "a switch"],
)
async def test_lines_that_cannot_be_are_ignored(checker: Checker, together: dict[str, Any]) -> None:
    draft = await drafted(checker, Answering(Settings=[{**SETTINGS, "together": together}]))
    assert not draft.together and set(values(draft)) == {"lr", "epochs"}


async def test_what_the_reader_refuses_is_taken_out(checker: Checker) -> None:
    """A value, a whole variable and a request; values and variables that are not there do not count."""
    first = {
        "verdict": "good",
        "faults": [
            {"variable": "lr", "value": "0.2", "problem": "too high"},
            {"variable": "rocket", "problem": "what is this?"},
            {"variable": "epochs", "value": "7", "problem": "not there"},
        ],
    }
    second = {"verdict": "good", "faults": [{"request": 2, "problem": "clumsy"}]}
    asker = Answering(Settings=[SETTINGS], Written=[{"templates": WORDS}], TaskReading=[first, second])
    read = await written_and_read(await drafted(checker, asker), checker, asker, asker, 0, "lichen")
    assert values(read.draft) == {"lr": ["0.1", "0.05"], "epochs": ["20", "40"]}
    assert WORDS[0] in read.templates and WORDS[1] not in read.templates and len(read.templates) <= WANTED
    whys = [each.why for each in read.decisions if each.reason == "model-refused"]
    assert "0.2: too high" in whys and "request 2: clumsy" in whys
    assert [name for name, _ in asker.asked if name == "TaskReading"] == ["TaskReading"] * 2


async def test_requests_in_place_of_refused_ones_are_asked_for_once_more(checker: Checker) -> None:
    first = {"verdict": "good", "faults": [{"request": at, "problem": "too vague"} for at in (1, 2, 3)]}
    others = [f"{text} Thank you." for text in WORDS]
    asker = Answering(
        Settings=[SETTINGS], Written=[{"templates": WORDS}, {"templates": others}], TaskReading=[first, GOOD]
    )
    read = await written_and_read(await drafted(checker, asker), checker, asker, asker, 0, "lichen")
    asked = [text for name, text in asker.asked if name == "Written"]
    assert "A reader refused other requests" in asked[1] and "too vague" in asked[1] and "refused" not in asked[0]
    assert read.templates == others


async def test_a_variable_that_the_reader_refuses_stays_as_it_is(checker: Checker) -> None:
    first = {"verdict": "good", "faults": [{"variable": "epochs", "problem": "no effect"}]}
    words = [text.replace("{{ epochs }} epochs", "some epochs") for text in WORDS]
    asker = Answering(
        Settings=[SETTINGS], Written=[{"templates": WORDS}, {"templates": words}], TaskReading=[first, GOOD]
    )
    read = await written_and_read(await drafted(checker, asker), checker, asker, asker, 0, "lichen")
    assert set(values(read.draft)) == {"lr"} and "--epochs" not in read.draft.reference


@pytest.mark.parametrize("verdict", ["poor", "wrong"])
async def test_a_task_that_the_reader_refuses_has_no_words(checker: Checker, verdict: str) -> None:
    reading = {"verdict": verdict, "problem": "nobody asks so"}
    asker = Answering(Settings=[SETTINGS], Written=[{"templates": WORDS}], TaskReading=[reading])
    read = await written_and_read(await drafted(checker, asker), checker, asker, asker, 0, "lichen")
    assert read.templates == [] and read.decisions[-1].why == f"{verdict}: nobody asks so"


async def test_a_refused_task_is_made_anew_once(checker: Checker) -> None:
    """With the reader's objection: other places, also of the page's own values, and other settings."""
    first = {
        "verdict": "wrong",
        "problem": "a.pt is not for a.yaml",
        "faults": [{"variable": "epochs", "problem": "dull"}],
    }
    asker = Answering(
        Settings=[SETTINGS, {"settings": [{"name": "lr", "values": ["0.05", "0.2"]}]}],
        Places=[{"places": [{"ours": "a.pt", "better": "b.pt"}]}],
        Written=[{"templates": WORDS}, {"templates": [text.replace("{{ epochs }} epochs", "it") for text in WORDS]}],
        TaskReading=[first, GOOD],
    )
    read = await written_and_read(await drafted(checker, asker), checker, asker, asker, 0, "lichen")
    assert values(read.draft) == {"lr": ["0.1", "0.05", "0.2"]} and read.templates
    assert "--weights b.pt" in read.draft.reference
    shown = [text for name, text in asker.asked if name in ("Places", "Settings")]
    objection = "wrong. a.pt is not for a.yaml\nepochs : dull"
    assert objection not in shown[0] and objection in shown[1] and objection in shown[2]


async def test_a_task_is_made_anew_if_too_little_is_left(checker: Checker) -> None:
    faults = [{"variable": name, "problem": "no effect"} for name in ("lr", "epochs")]
    asker = Answering(
        Settings=[SETTINGS, {"settings": [{"name": "amp", "values": ["with mixed precision", "in full precision"]}]}],
        Written=[{"templates": WORDS}, {"templates": [f"{text.split('{{')[0]} it {{{{ amp }}}}" for text in WORDS]}],
        TaskReading=[{"verdict": "good", "faults": faults}, GOOD],
    )
    read = await written_and_read(await drafted(checker, asker), checker, asker, asker, 0, "lichen")
    assert set(values(read.draft)) == {"amp"}


async def test_a_command_that_the_reader_sees_fail_is_not_made_anew(checker: Checker) -> None:
    reading = {"verdict": "wrong", "problem": "it fails", "broken": "train.py:9 calls what nothing defines"}
    asker = Answering(Settings=[SETTINGS], Written=[{"templates": WORDS}], TaskReading=[reading, GOOD])
    read = await written_and_read(await drafted(checker, asker), checker, asker, asker, 0, "lichen")
    (decision,) = read.decisions
    assert (decision.reason, decision.why) == ("fails", "train.py:9 calls what nothing defines")


async def test_a_reader_who_never_ends_is_given_up(checker: Checker) -> None:
    settings = [{"name": "lr", "values": ["0.05", "0.2", "0.3"]}, {"name": "epochs", "values": ["20", "40", "60"]}]
    refused = [("lr", "0.2"), ("lr", "0.3"), ("epochs", "20"), ("epochs", "40")]
    faults = [{"verdict": "good", "faults": [{"variable": name, "value": value}]} for name, value in refused]
    asker = Answering(Settings=[{"settings": settings}], Written=[{"templates": WORDS}], TaskReading=faults)
    read = await written_and_read(await drafted(checker, asker), checker, asker, asker, 0, "lichen")
    assert read.templates == [] and str(READINGS) in read.decisions[-1].why


async def test_no_other_value_takes_the_place_of_a_refused_one(checker: Checker) -> None:
    settings = [{"name": "lr", "values": ["0.05", "0.2", "0.3", "0.4", "0.5"]}]
    words = {"templates": [text.replace("{{ epochs }}", "some") for text in WORDS]}
    first = {"verdict": "good", "faults": [{"variable": "lr", "value": "0.2"}]}
    asker = Answering(Settings=[{"settings": settings}], Written=[words], TaskReading=[first, GOOD])
    read = await written_and_read(await drafted(checker, asker), checker, asker, asker, 0, "lichen")
    assert values(read.draft) == {"lr": ["0.1", "0.05", "0.3"]}


async def test_a_reader_who_does_not_answer_refuses_nothing(checker: Checker) -> None:
    asker = Answering(Settings=[SETTINGS], Written=[{"templates": WORDS}])
    read = await written_and_read(await drafted(checker, asker), checker, asker, asker, 0, "lichen")
    assert set(read.templates) >= {WORDS[0]} and len(read.templates) <= WANTED


async def test_a_reader_sees_where_the_program_reads_a_variable(checker: Checker, repository: Path) -> None:
    asker = Answering(Settings=[SETTINGS], Written=[{"templates": WORDS}], TaskReading=[GOOD])
    await written_and_read(await drafted(checker, asker), checker, asker, asker, 0, "lichen")
    (shown,) = [text for name, text in asker.asked if name == "TaskReading"]
    assert "print(args.config, args.weights, args.lr, args.epochs" in shown
    assert "a.yaml: in the repository" in shown and "a.pt: not in the repository" in shown
    assert "not given by the documented example; default: 10" in shown
    assert f"The program, train.py:\n---\n{PROGRAM}" in shown
    assert f"The program, train.py:\n---\n{PROGRAM}" in asker.asked[0][1]
    assert "  read in train.py, with the lines that follow:\n    print(args.config" in shown
    assert reads_of(repository, "train.py", "amp")[:1] == [("train.py", 'if args.amp:\n    print("amp")')]
    assert reads_of(repository, "train.py", "unread") == []


@pytest.mark.parametrize(("use", "only"), [("", True), ("print(self.size)", False), ("Resize(size)", False)])
def test_a_setting_that_is_only_stored_is_told(tmp_path: Path, use: str, only: bool) -> None:
    """`--min-image-size` of a demo ended in an attribute that nothing reads."""
    net = f"class Demo:\n    def __init__(self, cfg, size=224):\n        self.size = size\n        {use or 'pass'}\n"
    (tmp_path / "net.py").write_text(net)
    run = "from net import Demo\np.add_argument('--size', type=int)\nDemo(1, size=args.size)\n"
    (tmp_path / "run.py").write_text(run)
    assert is_only_stored(tmp_path, "run.py", "size") is only


def test_what_reads_the_settings_comes_first(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(
        "def build(args):\n    return args.size\ndef look(image):\n    return image.size\n"
    )
    (tmp_path / "run.py").write_text("from net import build, look\nlook(1)\nbuild(args)\nprint(image.size)\n")
    found = [f"{file}: {text.splitlines()[0]}" for file, text in reads_of(tmp_path, "run.py", "size")]
    assert found == ["net.py: return args.size", "run.py: print(image.size)", "net.py: return image.size"]


def test_nothing_is_read_in_an_unknown_program(repository: Path) -> None:
    assert reads_of(repository, "train.py", "a.b") == [] == reads_of(repository, "none.py", "amp")


async def placeheld(checker: Checker, *places: dict[str, str]) -> tuple[str, list[str]]:
    """The command with a model's places, and what it was shown as ours."""
    page = "python train.py --config <file> --weights <weights> --lr 0.1"
    code = "python train.py --config ./data/x.yaml --weights=./data --lr 0.1"
    check = await checker.describe(Candidate(code, "shell", "test"))
    block = CodeBlock("README.md", (8, 8), (3, 9), ("Lichen", "Training"), "", "shell", page)
    task = DraftTask("train", block, "shell", ".", code, "train.py", check, filled=2)
    asker = Answering(Places=[{"places": list(places)}])
    return (await placed(task, checker, asker)).code, invented(task)


@pytest.mark.parametrize(
    ("better", "code"),
    [
        ("./weights/a.pt", "python train.py --config ./data/x.yaml --weights=./weights/a.pt --lr 0.1"),
        ("/data/a.pt", "python train.py --config ./data/x.yaml --weights=/data/a.pt --lr 0.1"),
        ("/etc/passwd", ""),
        ("../a.pt", ""),
        ("a.pt; rm -rf .", ""),
        ("$(id)", ""),
        ("--port", ""),
    ],
)
async def test_a_model_may_give_better_places(checker: Checker, better: str, code: str) -> None:
    found, ours = await placeheld(checker, {"ours": "./data", "better": better}, {"ours": "0.1", "better": "0.2"})
    assert ours == ["./data/x.yaml", "./data"]
    assert found == (code or "python train.py --config ./data/x.yaml --weights=./data --lr 0.1")


async def test_a_placeholder_in_capitals_may_be_replaced(checker: Checker) -> None:
    code = "python train.py --lr 0.1 --model gcn --config JOB_NAME"
    check = await checker.describe(Candidate(code, "shell", "test"))
    block = CodeBlock("README.md", (8, 8), (3, 9), (), "", "shell", code)
    task = DraftTask("train", block, "shell", ".", code, "train.py", check)
    asker = Answering(Places=[{"places": [{"ours": "JOB_NAME", "better": "run-1"}, {"ours": "gcn", "better": "gat"}]}])
    assert (await placed(task, checker, asker)).code == "python train.py --lr 0.1 --model gcn --config run-1"
    assert "lr: learning rate" in asker.asked[0][1]


async def test_requests_that_leave_out_what_nothing_shows_are_written_once_more(
    checker: Checker, repository: Path, tmp_path: Path
) -> None:
    """Three tasks of one repository were lost for a folder of weights that its author had put into the command."""
    code = "python train.py --config a.yaml --weights hub-7.pt --lr 0.1"
    check = await checker.describe(Candidate(code, "shell", "test"))
    task = replace(await task_of(checker), code=code, check=check)
    said = [f"{each} Begin with hub-7.pt." for each in WORDS]
    asker = Answering(Settings=[SETTINGS], Written=[{"templates": WORDS}, {"templates": said}], TaskReading=[GOOD])
    asker.model = get_model("mockllm/model")
    draft, _ = await task_arguments.draft(task, checker, asker=asker)
    assert draft is not None
    built = RepositoryBuild(RepositorySource("lichen", repository))
    wishes = BuildOptions(asker=asker)
    (recipe,) = await recipes(built, tmp_path, [draft], checker, wishes, lambda *_: None)
    assert all("hub-7.pt" in each for each in recipe.instructions)
    asked = [text for name, text in asker.asked if name == "Written"]
    assert len(asked) == 2 and "nor the code shows hub-7.pt: each request has to say it" in asked[1]


async def test_of_a_tool_with_subcommands_the_own_file_is_shown(tmp_path: Path) -> None:
    tool = "import argparse\nfrom tool import fit_all\np = argparse.ArgumentParser()\n"
    tool += "sub = p.add_subparsers(dest='command')\n"
    (tmp_path / "tool").mkdir()
    (tmp_path / "tool/main.py").write_text(f"{tool}fit_all.add(sub.add_parser('fit-all'))\np.parse_args()\n")
    (tmp_path / "tool/fit_all.py").write_text("def add(p):\n    p.add_argument('--lr', type=float)\n")
    code = "python -m tool.main fit-all --lr 0.1"
    async with Checker(CheckTarget(CheckEnv(tmp_path, preload=())), workers=1) as checker:
        check = await checker.describe(Candidate(code, "shell", "test"))
    block = CodeBlock("R.md", (1, 1), (1, 1), (), "", "shell", code)
    task = DraftTask("fit", block, "shell", ".", code, "tool/main.py", check)
    assert program_text(task, tmp_path).startswith("def add(p)")


async def test_the_own_value_may_be_left_out(checker: Checker) -> None:
    wished = {"settings": [{"name": "lr", "values": ["0.2", "0.3"], "own_fits": False}]}
    draft = await drafted(checker, Answering(Settings=[wished]))
    assert values(draft) == {"lr": ["0.2", "0.3"]}
    lines = {"names": ["config", "weights"], "lines": [["b.yaml", "b.pt"], ["c.yaml", "c.pt"]], "own_fits": False}
    draft = await drafted(checker, Answering(Settings=[{"settings": [], "together": lines}]))
    assert values(draft) == {"config": ["b.yaml", "c.yaml"], "weights": ["b.pt", "c.pt"]}


@pytest.mark.parametrize("own_fits", [False, True])
async def test_a_number_that_the_page_leaves_open_may_vary(checker: Checker, own_fits: bool) -> None:
    """The only command of smoothquant was dropped, though the model had values for its numbers."""
    code = "python train.py --lr 4 --epochs 7"
    check = await checker.describe(Candidate(code, "shell", "test"))
    block = CodeBlock("R.md", (1, 1), (1, 1), (), "", "shell", "python train.py --lr <lr> --epochs 7")
    task = DraftTask("train", block, "shell", ".", code, "train.py", check, filled=1)
    wished = {"settings": [{"name": "lr", "values": ["0.2", "0.3"], "own_fits": own_fits}]}
    draft, decisions = await task_arguments.draft(task, checker, asker=Answering(Settings=[wished]))
    assert draft is not None, decisions
    nothing = {"settings": [], "nothing": "none"}
    draft, decisions = await task_arguments.draft(task, checker, asker=Answering(Settings=[nothing]))
    assert (draft, decisions[-1].why) == (None, "nothing says a value for lr")


async def test_one_place_of_several_may_be_meant(checker: Checker) -> None:
    """A file that stood for both training and evaluation could only be replaced in both."""
    page = "python train.py --config <file> --weights <file> --lr 0.1"
    code = "python train.py --config ./a.txt \\\n  --weights ./a.txt --lr 0.1"
    check = await checker.describe(Candidate(code, "shell", "test"))
    task = DraftTask(
        "train",
        CodeBlock("R.md", (1, 1), (1, 1), (), "", "shell", page),
        "shell",
        ".",
        code,
        "train.py",
        check,
        filled=2,
    )
    places = [
        {"ours": "./a.txt", "better": "c.src,c.tgt"},
        {"ours": "./a.txt", "option": "--weights", "better": "b.txt"},
    ]
    asker = Answering(Places=[{"places": places}])
    better = (await placed(task, checker, asker)).code
    assert better == "python train.py --config c.src,c.tgt \\\n  --weights b.txt --lr 0.1"
    assert "./a.txt (behind --config and --weights)" in asker.asked[0][1]


async def test_a_configuration_that_is_not_there_is_a_placeholder(tmp_path: Path) -> None:
    (tmp_path / "configs").mkdir()
    for name, text in {"train.py": PROGRAM, "configs/a.yaml": "", "configs/b.yaml": "", "other.yaml": ""}.items():
        (tmp_path / name).write_text(text)
    code = "python train.py --config CONFIG.yaml"
    block = CodeBlock("README.md", (8, 8), (3, 9), (), "", "shell", code)
    asker = Answering(
        Places=[{"places": [{"ours": "CONFIG.yaml", "better": "configs/a.yaml"}]}], Settings=[{"settings": []}] * 2
    )
    async with Checker(CheckTarget(CheckEnv(tmp_path, preload=())), workers=1) as checker:
        check = await checker.describe(Candidate(code, "shell", "test"))
        task = DraftTask("train", block, "shell", ".", code, "train.py", check)
        await task_arguments.of(task, checker, asker=asker)
        assert (await placed(task, checker, asker)).code == "python train.py --config configs/a.yaml"
    shown = "not there; configurations that are: configs/a.yaml, configs/b.yaml"
    assert shown in asker.asked[0][1] and "other.yaml" not in asker.asked[0][1]
    assert "Configurations that there are:\n---\nconfigs/a.yaml\nconfigs/b.yaml\n---" in asker.asked[1][1]


async def test_a_page_s_own_example_of_a_configuration_may_be_replaced(tmp_path: Path) -> None:
    (tmp_path / "configs").mkdir()
    for name, text in {"train.py": PROGRAM, "configs/a.py": "", "configs/b.yaml": ""}.items():
        (tmp_path / name).write_text(text)
    code = "python train.py --config config1.py"
    block = CodeBlock("README.md", (8, 8), (3, 9), (), "", "shell", code)
    asker = Answering(Places=[{"places": [{"ours": "config1.py", "better": "configs/a.py"}]}])
    async with Checker(CheckTarget(CheckEnv(tmp_path, preload=())), workers=1) as checker:
        check = await checker.describe(Candidate(code, "shell", "test"))
        task = DraftTask("train", block, "shell", ".", code, "train.py", check)
        assert (await placed(task, checker, asker)).code == "python train.py --config configs/a.py"
    assert "Configurations that there are:\n---\nconfigs/a.py\n---" in asker.asked[0][1]


async def test_an_option_is_added_before_what_takes_the_rest(tmp_path: Path) -> None:
    """Behind `MODEL.DEVICE cpu` the added option was a part of the list, so that its values were refused."""
    program = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float, default=0.1)\n"
    program += "p.add_argument('opts', nargs=argparse.REMAINDER)\nargs = p.parse_args()\nprint(args.lr, args.opts)\n"
    (tmp_path / "run.py").write_text(program)
    code = "python run.py \\\n  MODEL.DEVICE cpu"
    block = CodeBlock("README.md", (8, 8), (3, 9), (), "", "shell", code)
    asker = Answering(Settings=[{"settings": [{"name": "lr", "values": ["0.2", "0.3"]}]}])
    async with Checker(CheckTarget(CheckEnv(tmp_path, preload=())), workers=1) as checker:
        check = await checker.check(Candidate(code, "shell", "test"))
        task = DraftTask("run", block, "shell", ".", code, "run.py", check)
        draft, _ = await task_arguments.draft(task, checker, asker=asker)
    assert draft is not None and values(draft) == {"lr": ["0.2", "0.3"]}
    assert draft.reference.split() == ["python", "run.py", "\\", "--lr", "{{", "lr", "}}", "\\", "MODEL.DEVICE", "cpu"]


async def test_a_script_may_branch_by_a_word(tmp_path: Path) -> None:
    """What a script sets by itself may follow; what its command hands on may not."""
    script = "lr=0.1\n[[ $1 == gat ]] && lr=0.2\npython train.py --model $1 --lr $lr --port 7 --epochs $2\n"
    for name, text in {"train.py": PROGRAM, "run.sh": script}.items():
        (tmp_path / name).write_text(text)
    block = CodeBlock("README.md", (8, 8), (3, 9), (), "", "shell", "bash run.sh gcn 5")
    wished = {"settings": [{"name": "model", "values": ["gat"]}, {"name": "epochs", "values": ["6"]}]}
    asker = Answering(Settings=[wished])
    async with Checker(CheckTarget(CheckEnv(tmp_path, preload=())), workers=1) as checker:
        check = await checker.describe(Candidate(block.code, "shell", "test"))
        task = DraftTask("run", block, "shell", ".", block.code, "train.py", check)
        draft, _ = await task_arguments.draft(task, checker, asker=asker)
    assert draft is not None and values(draft) == {"model": ["gcn", "gat"], "epochs": ["5", "6"]}
    assert draft.reference.strip() == "bash run.sh {{ model }} {{ epochs }}"


@pytest.mark.parametrize("hands_on", ['"$@"', "${@:1}", ""])
async def test_a_script_that_hands_all_words_on_may_be_given_more(tmp_path: Path, hands_on: str) -> None:
    """`bash scripts/train.sh` is the whole command of many pages."""
    script = f"python train.py --lr 0.1 --port 7 {hands_on}\n"
    for name, text in {"train.py": PROGRAM, "run.sh": script}.items():
        (tmp_path / name).write_text(text)
    block = CodeBlock("README.md", (8, 8), (3, 9), (), "", "shell", "bash run.sh")
    wished = {"settings": [{"name": "lr", "values": ["0.2", "0.3"]}, {"name": "epochs", "values": ["5", "6"]}]}
    async with Checker(CheckTarget(CheckEnv(tmp_path, preload=())), workers=1) as checker:
        check = await checker.describe(Candidate(block.code, "shell", "test"))
        task = DraftTask("run", block, "shell", ".", block.code, "train.py", check)
        draft, _ = await task_arguments.draft(task, checker, asker=Answering(Settings=[wished]))
    assert (draft is not None) == bool(hands_on)
    if draft is not None:
        assert values(draft) == {"lr": ["0.2", "0.3"], "epochs": ["5", "6"]}
        assert draft.reference.strip() == "bash run.sh --lr {{ lr }} --epochs {{ epochs }}"


async def test_a_script_may_make_others_of_its_words(tmp_path: Path) -> None:
    for name, text in {"train.py": PROGRAM, "run.sh": "python train.py --weights $1/last.pt --lr 0.1\n"}.items():
        (tmp_path / name).write_text(text)
    block = CodeBlock("README.md", (8, 8), (3, 9), (), "", "shell", "bash run.sh lichens")
    asker = Answering(Settings=[{"settings": [{"name": "weights", "values": ["mosses"]}]}])
    async with Checker(CheckTarget(CheckEnv(tmp_path, preload=())), workers=1) as checker:
        check = await checker.describe(Candidate(block.code, "shell", "test"))
        task = DraftTask("run", block, "shell", ".", block.code, "train.py", check)
        draft, _ = await task_arguments.draft(task, checker, asker=asker)
    assert draft is not None and values(draft) == {"weights": ["lichens", "mosses"]}
    assert draft.reference.strip() == "bash run.sh {{ weights }}"


async def test_a_place_in_the_home_folder_is_a_value(checker: Checker) -> None:
    code = "python train.py --config ~/lichen/a.yaml --lr 0.1"
    block = CodeBlock("README.md", (8, 8), (3, 9), (), "", "shell", code)
    task = DraftTask(
        "train", block, "shell", ".", code, "train.py", await checker.describe(Candidate(code, "shell", "x"))
    )
    asker = Answering(Settings=[{"settings": [{"name": "config", "values": ["~/moss/b.yaml"]}]}])
    draft, _ = await task_arguments.draft(task, checker, asker=asker)
    assert draft is not None and values(draft) == {"config": ["~/lichen/a.yaml", "~/moss/b.yaml"]}
    wanted = {"config": draft.arguments[0].values["~/moss/b.yaml"]}
    assert recipe_of(draft).render_reference(wanted) == "python train.py --config ~/moss/b.yaml --lr 0.1"


async def test_a_model_is_shown_all_that_the_command_gives(checker: Checker) -> None:
    code = "python train.py --port 5000"
    block = CodeBlock("README.md", (8, 8), (3, 9), (), "", "shell", code)
    task = DraftTask(
        "train", block, "shell", ".", code, "train.py", await checker.describe(Candidate(code, "shell", "x"))
    )
    asker = Answering(Settings=[{"settings": [{"name": "port", "values": ["8080"]}]}])
    draft, _ = await task_arguments.draft(task, checker, asker=asker)
    assert draft is not None and values(draft) == {"port": ["5000", "8080"]}


async def test_a_place_that_the_program_refuses_is_not_taken(checker: Checker, repository: Path) -> None:
    code = "python train.py --epochs 4"
    check = await checker.describe(Candidate(code, "shell", "test"))
    block = CodeBlock("README.md", (8, 8), (3, 9), (), "", "shell", "python train.py --epochs <N>")
    task = DraftTask("train", block, "shell", ".", code, "train.py", check, filled=1)
    assert await placed(task, checker, Answering(Places=[{"places": [{"ours": "4", "better": "many"}]}])) is task
    assert (await placed(task, checker, Answering(Places=[None]))) is task
    other = await placed(task, checker, Answering(Places=[{"places": [{"ours": "4", "better": "12"}]}]))
    assert other.code == "python train.py --epochs 12" and other.check.status is CheckStatus.ACCEPTED


async def test_what_the_page_names_is_shown_first(tmp_path: Path) -> None:
    """Sixty thresholds came before the options that the page documents."""
    options = "".join(f"p.add_argument('--batch-size-{at}', type=int, default={at})\n" for at in range(70))
    options += "p.add_argument('--shape-of-it')\nprint(p.parse_args())\n"
    (tmp_path / "many.py").write_text(f"import argparse\np = argparse.ArgumentParser()\n{options}")
    (tmp_path / "MANY.md").write_text("# Many\n\n```\npython many.py\n```\n\n`--shape-of-it` is the shape.\n")
    block = CodeBlock("MANY.md", (4, 4), (1, 7), ("Many",), "", "shell", "python many.py")
    asker = Answering(Settings=[{"settings": []}])
    async with Checker(CheckTarget(CheckEnv(tmp_path, preload=())), workers=1) as checker:
        check = await checker.describe(Candidate("python many.py", "shell", "test"))
        task = DraftTask("many", block, "shell", ".", block.code, "many.py", check)
        await task_arguments.draft(task, checker, asker=asker)
    settings = asker.asked[0][1].rpartition("Its settings:\n---\n")[2]
    assert settings.startswith("shape_of_it: not given")


REST = """One
===

text

Two
~~~~

code

Three
-----
code

====  ====
a     b
====  ====
"""


@pytest.mark.parametrize(
    ("line", "section"), [(2, "One\n===\n\ntext"), (7, "Two\n~~~~\n\ncode"), (12, "Three\n-----\ncode")]
)
def test_the_section_of_a_page_in_rest(tmp_path: Path, line: int, section: str) -> None:
    """The reader was shown the beginning of the page."""
    (tmp_path / "page.rst").write_text(REST)
    block = CodeBlock("page.rst", (line, line), (1, 12), (), "", "shell", "")
    task = DraftTask("t", block, "shell", ".", "", "a.py", Check(CheckStatus.ACCEPTED))
    assert section_of(task, tmp_path).startswith(section)
    assert ("Three" in section_of(task, tmp_path)) == (line == 12)


class Silent(Asker):
    """A model that answers everything but, if `reads` is false, the readings."""

    def __init__(self, reads: bool) -> None:
        super().__init__(get_model("mockllm/model", memoize=False))
        self.reads = reads

    async def ask(self, instructions: str, text: str, answer: type[A], about: str = "") -> A | None:
        is_reading = answer.__name__ == "TaskReading"
        found = answer.model_validate(GOOD) if is_reading and self.reads else None
        self.questions.append(LLMQuestion(about, answer.__name__, (), ModelUsage(), "" if found else "it is silent"))
        return found


@pytest.mark.parametrize("reads", [True, False])
async def test_a_suite_that_the_model_has_not_read_is_a_draft(repository: Path, tmp_path: Path, reads: bool) -> None:
    sources, _ = obtain_all([str(repository)], tmp_path / "suite", Wanted())
    await build(sources, tmp_path / "suite", BuildOptions(asker=Silent(reads)))
    assert ("draft: needs review" in (tmp_path / "suite/suite.yaml").read_text()) != reads


async def test_another_model_may_read_what_the_first_one_wrote(repository: Path, tmp_path: Path) -> None:
    sources, _ = obtain_all([str(repository)], tmp_path / "suite", Wanted())
    author, reader = Silent(reads=False), Silent(reads=True)
    await build(sources, tmp_path / "suite", BuildOptions(asker=author, reader=reader))
    assert {each.wanted for each in reader.questions} == {"TaskReading"}
    assert "TaskReading" not in {each.wanted for each in author.questions}
    assert "draft" not in (tmp_path / "suite/suite.yaml").read_text()
    asked = [json.loads(line)["wanted"] for line in (tmp_path / "suite/steps/model.jsonl").read_text().splitlines()]
    assert len(asked) == len(author.questions) + len(reader.questions)


async def test_where_a_command_fails_another_of_its_form_is_tried(repository: Path, tmp_path: Path) -> None:
    """`train.py --model resnet18` failed, and so `--model wideresnet` was never looked at."""
    shutil.copytree(repository, tmp_path / "fern")
    (tmp_path / "fern/b.yaml").write_text("x: 1")
    second = CODE.replace("a.yaml", "b.yaml").replace("a.pt", "b.pt")
    (tmp_path / "fern/README.md").write_text(f"{README}\nOr:\n\n```\n{second}\n```\n")
    words = [text.replace("{{ epochs }} epochs", "some time") for text in WORDS]
    broken = {"verdict": "wrong", "broken": "a.yaml names a network that nothing defines"}
    settings = {"settings": SETTINGS["settings"][:1]}
    asker = Answering(Settings=[settings], Written=[{"templates": words}], TaskReading=[broken, GOOD])
    asker.model = get_model("mockllm/model", memoize=False)
    sources, _ = obtain_all([str(tmp_path / "fern")], tmp_path / "suite", Wanted())
    (part,) = (await build(sources, tmp_path / "suite", BuildOptions(asker=asker))).parts
    (recipe,) = part.recipes
    assert "--config b.yaml" in recipe.reference
    found = {each.code.strip(): (each.task, each.reason, each.why) for each in documented(part.decisions)}
    assert found[CODE] == ("", "fails", broken["broken"])
    assert found[second][:2] == (recipe.task, "")


async def test_what_a_switch_does_is_shown(repository: Path, tmp_path: Path) -> None:
    """A request says it in words, which a page that only gives the switch does not have."""
    shutil.copytree(repository, tmp_path / "moss")
    readme = README.replace("--lr 0.1", "--amp --lr 0.1")
    (tmp_path / "moss/README.md").write_text(readme)
    words = [text.replace("{{ epochs }} epochs", "some time, {{ amp }}").replace("{{ lr }}", "0.1") for text in WORDS]
    answers = {"Settings": {"settings": [{"name": "amp", "values": ["in half precision", "in full precision"]}]}}
    asker = Answering(**{name: [each] for name, each in {**answers, "Written": {"templates": words}}.items()})
    asker.model = get_model("mockllm/model", memoize=False)
    sources, _ = obtain_all([str(tmp_path / "moss")], tmp_path / "suite", Wanted())
    await build(sources, tmp_path / "suite", BuildOptions(asker=asker))
    (file,) = (tmp_path / "suite/recipes/moss").glob("*.yaml")
    shown = [span.file for span in load_recipe(file).segment]
    assert shown == ["README.md", "train.py"]
