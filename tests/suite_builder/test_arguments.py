"""Arguments of tasks: what is taken, with which values, and why the rest is not; asked of programs in their jail."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from pydantic import BaseModel

from mlbench.interface_check.check_server import CheckEnv
from mlbench.interface_check.checker import Checker, CheckTarget
from mlbench.records import Candidate, Check, CheckStatus, Invocation, Kind
from mlbench.suite_builder.arguments import task_arguments as arguments
from mlbench.suite_builder.arguments.candidate_values import meaning
from mlbench.suite_builder.arguments.documented_together import DocumentedTogether
from mlbench.suite_builder.arguments.references import rendered
from mlbench.suite_builder.arguments.signatures import is_known
from mlbench.suite_builder.arguments.task_arguments import _is_synopsis
from mlbench.suite_builder.arguments.value_spans import shell_slots
from mlbench.suite_builder.instructions.templates import is_copy, recipe_of
from mlbench.suite_builder.llm import Asker
from mlbench.suite_builder.mining.task_selection import subcommand
from mlbench.suite_builder.types import BuildDecision, CodeBlock, DraftArgument, DraftTask, RecipeDraft

pytestmark = pytest.mark.anyio
A = TypeVar("A", bound=BaseModel)

FILES = {
    "train.py": """
import argparse
p = argparse.ArgumentParser()
p.add_argument('data', help='data folder')
p.add_argument('--lr', type=float, default=0.01, help='learning rate')
p.add_argument('--epochs', type=int, default=10)
p.add_argument('--model', choices=['gcn', 'gat', 'sage'], default='gcn')
p.add_argument('--norm', choices=['none', 'batch'], default='none')
p.add_argument('--fp16', action='store_true')
p.add_argument('--workers', type=int, default=4)
p.add_argument('--seed', type=int, default=0, help='random seed')
p.add_argument('--hidden', type=int, nargs='+')
args = p.parse_args()
if args.model == 'sage' and args.norm == 'batch':
    p.error('sage has no batch norm')
used = args.data, args.lr, args.epochs, args.fp16, args.workers, args.seed, args.hidden
""",
    "clicks.py": """
import click
@click.command()
@click.option('--lr', type=float, default=0.1, help='learning rate')
@click.option('--model', type=click.Choice(['gcn', 'gat']), default='gcn')
@click.option('--fp16', is_flag=True)
def main(lr, model, fp16): pass
main()
""",
    "pairs.py": """
import click
shared = click.option('--batch-size', type=int, default=8)
@click.group()
def main(): pass
@main.command()
@click.argument('directory')
def pull(directory): pass
@main.command()
@click.argument('config')
@click.option('--cache/--no-cache', default=None)
@click.option('--auto-batch-size/--no-auto-batch-size', default=None)
@shared
def fit(**given): pass
main()
""",
    "whole.py": """
import argparse
p = argparse.ArgumentParser()
p.add_argument('--pack', action=argparse.BooleanOptionalAction, default=True)
p.add_argument('--no-shuffle', dest='shuffle', action='store_false')
p.parse_args()
""",
    "pairs.md": "python pairs.py fit x.yaml --cache\n",
    "flags.py": """
from absl import app, flags
flags.DEFINE_float('lr', 0.1, 'learning rate')
flags.DEFINE_enum('model', 'gcn', ['gcn', 'gat'], '')
flags.DEFINE_bool('fp16', False, '')
app.run(lambda words: None)
""",
    "fires.py": "import fire\ndef main(lr: float = 0.1, model='gcn', fp16=False): pass\nfire.Fire(main)\n",
    "opts.py": """
import optparse
p = optparse.OptionParser()
p.add_option('--lr', type='float', default=0.1, help='learning rate')
p.add_option('--model', type='choice', choices=['gcn', 'gat'], default='gcn')
p.add_option('--fp16', action='store_true', default=False)
p.parse_args()
""",
    "songs.py": """
import argparse
from pathlib import Path
p = argparse.ArgumentParser()
p.add_argument('tracks', type=Path, nargs='+')
p.add_argument('-d', '--device', default='cpu')
p.add_argument('--extras', default='{}')
p.parse_args()
""",
    "switch.py": "import argparse\np = argparse.ArgumentParser()\n"
    "p.add_argument('--fast', action='store_true')\np.add_argument('--loud', action='store_true')\np.parse_args()\n",
    "scaled.py": """
import argparse
p = argparse.ArgumentParser()
p.add_argument('--scale', type=int, choices=[1, 2, 3, 4, 5], help='scale factor')
p.add_argument('--patch', type=int, help='patch size')
p.add_argument('--folder')
p.add_argument('--weights')
p.add_argument('--seed', type=int)
p.add_argument('--out')
p.add_argument('--epochs', type=int)
p.parse_args()
""",
    "tools/opt.sh": "CONFIG=$1\npython stages.py --opt $CONFIG\n",
    "stepped.py": """
import argparse
p = argparse.ArgumentParser()
p.add_argument('--lr', type=float)
p.add_argument('--max-steps', type=int)
p.add_argument('--epochs', type=int)
p.parse_args()
""",
    "keyed.py": """
import argparse
p = argparse.ArgumentParser()
p.add_argument('--cfg')
p.add_argument('--weights')
p.add_argument('opts', nargs=argparse.REMAINDER)
p.parse_args()
""",
    "unread.py": """
import argparse
p = argparse.ArgumentParser()
p.add_argument('--lr', type=float)
p.add_argument('--epochs', type=int)
args = p.parse_args()
used = args.epochs
""",
    "few.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--verbose')\np.parse_args()\n",
    "strict.py": """
import argparse
def below(text):
    number = float(text)
    if number > 0.1:
        raise argparse.ArgumentTypeError('too large')
    return number
p = argparse.ArgumentParser()
p.add_argument('--lr', type=below, default=0.1)
p.add_argument('--epochs', type=int, default=10)
p.add_argument('--root', default='./data')
p.add_argument('--dataset', default='cora')
p.parse_args()
""",
    "lib/__init__.py": """
from typing import Literal

class Net:
    def __init__(self, width: int, depth: int = 2, kind: Literal['relu', 'gelu'] = 'relu', dropout: float = 0.1):
        '''A net.

        Args:
            width: hidden units of a layer
            dropout: dropout rate
        '''
        self.width = width
    def fit(self, epochs=3, without_bias=False):
        return epochs
""",
    "lib/zoo.py": """
def load(name, kind): return Model()
class Model:
    def __init__(self, model='base'): pass
    def fit(self, epochs=3): return unknown.scores
import unknown
""",
    "docs/zoo.md": "load('blip', 'base')\nload('blip', 'large')\nload('clip', 'huge')\n"
    "Model('nli-bert-base')\nModel('nli-bert-large')\nModel('sts-roberta-big')\nModel('sts-roberta-small')\n",
    "hear.py": """
import argparse
p = argparse.ArgumentParser()
p.add_argument('audio')
p.add_argument('--language', choices=['Dutch', 'Japanese'])
p.add_argument('--temperature', type=float, default=0.0)
p.add_argument('--upload', action='store_true')
p.add_argument('--cos-lr', action='store_true')
p.add_argument('--weights')
p.parse_args()
""",
    "graphs.py": """
import argparse
p = argparse.ArgumentParser()
p.add_argument('--dataset')
p.add_argument('--in-channels', type=int)
p.add_argument('--lr', type=float)
p.add_argument('--epochs', type=int)
p.add_argument('--num-test', type=int)
p.add_argument('--mean', type=float)
p.parse_args()
""",
    "zoo.py": """
import argparse
p = argparse.ArgumentParser()
p.add_argument('--model', choices=['vit_base', 'vit_large'])
p.add_argument('--batch-size', type=int)
p.add_argument('--seed', type=int)
p.add_argument('--config', help='configuration of the model')
p.add_argument('--weights')
p.parse_args()
""",
    "conf/vit_base.yaml": "width: 1\n",
    "conf/vit_large.yaml": "width: 2\n",
    "frames.py": """
import argparse
p = argparse.ArgumentParser()
p.add_argument('zoom_width', type=int, help='width of a frame')
p.add_argument('an_height', type=int, help='height of a frame')
p.add_argument('--batch-size', type=int, default=1)
p.add_argument('--matting', action='store_true', help='use alpha matting')
p.add_argument('--matting-size', type=int, default=10, help='size of the mask in pixels')
p.parse_args()
""",
    "README.md": "Train with `python train.py data --lr 0.1`; there is `--seed`, --matting and --matting-size.\n" * 3,
    "stages.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--opt')\np.parse_args()\n",
    "conf/net_stage1.yaml": "depth: 1\n",
    "conf/net_stage2.yaml": "depth: 2\n",
    "conf/net_stage2_large.yaml": "depth: 4\n",
    "conf/net_stage2_tiny.yaml": "depth: 3\n",
    "docs/stages.md": "## One\npython stages.py --opt conf/net_stage1.yaml\n"
    "## Two\npython stages.py --opt conf/net_stage2.yaml\n"
    "## Three\npython stages.py --opt conf/net_stage2_tiny.yaml\n",
    "modes.py": """
import argparse
p = argparse.ArgumentParser()
p.add_argument('--mode', choices=['py', 'ct2', 'other'])
p.add_argument('--config')
p.add_argument('--beam', type=int)
p.add_argument('--fast', action='store_true')
p.add_argument('--weight-decay', type=float)
p.add_argument('--weight-decay-end', type=float)
p.add_argument('--lr', type=float)
p.add_argument('--opts', nargs=argparse.REMAINDER)
p.parse_args()
""",
    "docs/slip.md": "python modes.py --config conf/net_stage1.yaml --fast\n"
    "python modes.py --config conf/net_stage2.yaml --fast\npython modes.py --config conf/net_stage1.py --fast\n",
    "resume.py": """
import argparse
p = argparse.ArgumentParser()
p.add_argument('--resume')
p.add_argument('--gpus', type=int, default=1)
p.add_argument('--lr', type=float, default=0.1)
p.add_argument('--batch-size', type=int, default=8)
p.parse_args()
""",
    "docs/resume.md": "python resume.py --lr 0.1 --batch-size 8\n",
    "docs/m.md": "python modes.py --mode py --config py.yaml --beam 5 --fast\n"
    "python modes.py --mode ct2 --config ct2.yaml --beam 5 --fast\n"
    "python modes.py --mode py --config py.yaml --beam 10 --fast\n"
    "python modes.py --mode py --config py.yaml --beam 5\n",
    "lib/tools.py": "def set_seed(seed): pass\n",
    "docs/net.md": "net = Net(64)\nepochs = net.epochs\nprint(1, epochs)\n",
    "docs/shown.md": "net = Net(64)\nnet.fit(1, epochs=4)\n",
    "short.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--data')\n"
    "p.add_argument('-b', '--batch-size', type=int, default=8)\np.parse_args()\n",
    "docs/short.md": "python short.py --data a\n\npython short.py -b 16\n",
    "tools/dist_train.sh": "GPUS=$1\nwhile true; do\n  nc -z 127.0.0.1 $RANDOM || break\ndone\n"
    "python -m torch.distributed.launch --nproc_per_node=$GPUS train.py ./cora --workers 4 ${@:2}\n",
    "configured.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--config')\n"
    "p.add_argument('--weights')\np.parse_args()\n",
    "wide_config.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--config')\np.parse_args()\n",
    "cfgs/deep_a.yaml": "",
    "cfgs/deep_b.yaml": "",
    "cfgs/wide.yaml": "",
    "cfgs/_base.yaml": "",
    "trains.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float)\n"
    "p.add_argument('--epochs', type=int, default=30)\np.add_argument('--calib', action='store_true')\n"
    "p.add_argument('--fp16', action='store_true')\np.add_argument('--fix-pred-lr', action='store_true')\n"
    "args = p.parse_args()\nprint(args.lr, args.epochs)\n",
    "curves.py": "import argparse\np = argparse.ArgumentParser()\n"
    "p.add_argument('task', choices=['plot_curve', 'cal_train_time'])\np.add_argument('--keys')\np.parse_args()\n",
    "optimized.py": "import argparse\np = argparse.ArgumentParser()\n"
    "p.add_argument('--opt', choices=['adam', 'sgd'])\np.add_argument('--lr', type=float)\n"
    "p.add_argument('--epochs', type=int)\np.parse_args()\n",
    "rates.py": "import argparse\np = argparse.ArgumentParser()\n"
    "p.add_argument('--sr', type=int, choices=[8000, 16000], default=16000, help='sample rate to keep')\n"
    "p.add_argument('--band')\np.add_argument('--song')\np.add_argument('--out')\np.parse_args()\n",
    "scripts/run.sh": "python strict.py --dataset citeseer\npython strict.py --dataset pubmed\n",
}


@pytest.fixture(scope="module")
async def checker(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Checker]:
    root = tmp_path_factory.mktemp("repository")
    for name, text in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    async with Checker(CheckTarget(CheckEnv(root, preload=()))) as checker:
        yield checker


async def drafted(
    checker: Checker, code: str, kind: Kind = "shell", page: str = "README.md", lines: tuple[int, int] = (1, 3)
) -> tuple[RecipeDraft | None, list[BuildDecision], DraftTask]:
    check = await checker.check(Candidate(code, kind, "test"))
    program = check.invocations[-1].program if check.invocations else ""
    task = DraftTask(
        "task", CodeBlock(page, (lines[0],) * 2, lines, (), "", kind, code), kind, ".", code, program, check
    )
    draft, decisions = await arguments.draft(task, checker)
    return draft, decisions, task


def by_name(draft: RecipeDraft | None) -> dict[str, DraftArgument]:
    assert draft is not None
    return {each.name: each for each in draft.arguments}


async def test_what_the_code_gives_varies_and_nothing_is_added(checker: Checker) -> None:
    draft, _, _ = await drafted(checker, "python train.py ./cora --lr 0.1 --fp16 --workers 8")
    found = by_name(draft)
    assert set(found) == {"lr"}  # no workers, no folder that is not there, and no switch that goes off
    assert (found["lr"].said, found["lr"].place, found["lr"].option) == ("learning rate", "lr", "--lr")
    assert draft is not None and draft.reference == "python train.py ./cora --lr {{ lr }} --fp16 --workers 8\n"


async def test_every_row_of_the_draft_is_accepted_and_no_value_is_shared(checker: Checker) -> None:
    draft, _, task = await drafted(
        checker, "python train.py ./cora --lr 0.1 --epochs 20 --model gcn --norm none --seed 20"
    )
    found = by_name(draft)
    said = [meaning(words) for each in found.values() for words in each.values.values()]
    assert len(said) == len(set(said))
    assert all(2 <= len(each.values) <= 4 for each in found.values())
    assert draft is not None
    chosen = [
        dict(zip(found, row, strict=True)) for row in itertools.product(*(e.values.values() for e in found.values()))
    ]
    for row in chosen[::37]:
        if any(all(row.get(name) == words for name, words in rule.items()) for rule in draft.exclude):
            continue
        check = await checker.check(Candidate(rendered(task, draft.arguments, row, draft.reference), "shell", "test"))
        assert check.status is CheckStatus.ACCEPTED, row


async def test_bound_settings_take_what_another_example_shows_beside_the_same_rest(checker: Checker) -> None:
    """A mode of one example was asked for beside the configuration of another."""
    draft, _, _ = await drafted(checker, "python modes.py --mode py --config py.yaml --beam 5 --fast", page="docs/m.md")
    found = by_name(draft)
    assert found["beam"].values == {"5": ("5",), "10": ("10",)} and found["beam"].bound
    assert not {"mode", "config"} & found.keys()  # `other` is no value that a page shows


async def test_no_setting_follows_another_that_an_instruction_names(checker: Checker) -> None:
    """A weight decay of 1e-4 took the final weight decay, which had the same value, along."""
    draft, _, _ = await drafted(checker, "python modes.py --weight-decay 1e-4 --weight-decay-end 1e-4 --lr 0.1")
    assert draft is not None and "--weight-decay {{ weight_decay }} --weight-decay-end" in draft.reference
    assert "--weight-decay-end {{ weight_decay }}" not in draft.reference


@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("python songs.py 'my song.mp3'", {"tracks": ("my song.mp3",)}),
        ("python songs.py -d mps a.mp3 b.mp3", {"d": ("mps",), "tracks": ("a.mp3", "b.mp3")}),
        ("python songs.py -d mps ./a.mp3", {"d": ("mps",), "tracks": ("./a.mp3",)}),
        # a mapping is not said in a sentence, but looked up in the documentation
        ("""python songs.py --extras '{"a": [1]}' a.mp3""", {"tracks": ("a.mp3",)}),
    ],
)
async def test_a_command_whose_values_cannot_vary_is_a_task_with_its_own(
    checker: Checker, code: str, given: dict[str, tuple[str, ...]]
) -> None:
    """A quarter of the documented commands was dropped, because nothing in them could vary."""
    draft, _, _ = await drafted(checker, code)
    assert draft is not None and {each.name: (*each.values.values(),) for each in draft.arguments} == {
        name: (words,) for name, words in given.items()
    }
    task = DraftTask("", CodeBlock("", (1, 1), (1, 1), (), "", "shell", code), "shell", ".", code, "", draft.task.check)
    assert rendered(task, draft.arguments, given) == code


def of_family(task: DraftTask, *codes: str) -> DraftTask:
    return replace(task, family=tuple(replace(task.block, code=code) for code in codes))


async def test_what_is_true_of_one_command_is_not_said_of_its_family(checker: Checker) -> None:
    """The sentence above one command, and the heading of its section, belong to that one."""
    _, _, task = await drafted(checker, TOGETHER[0])
    own = replace(
        task, block=replace(task.block, headings=("Lib", "Testing", "Twice"), lead="To double a picture, run:")
    )
    beside = replace(own.block, code=TOGETHER[1], lead="To triple it, run:")
    draft, _ = await arguments.draft(replace(own, family=(beside,)), checker)
    assert draft is not None and draft.task.block.lead == "" and draft.task.block.headings == own.block.headings
    elsewhere = replace(beside, headings=("Lib", "Testing", "Thrice"))
    draft, _ = await arguments.draft(replace(own, family=(elsewhere,)), checker)
    assert draft is not None and draft.task.block.headings == ("Lib", "Testing")
    draft, _ = await arguments.draft(replace(own, family=(replace(beside, headings=("Lib", "Other")),)), checker)
    assert draft is not None and draft.task.block.headings == ()


TOGETHER = [f"python scaled.py --scale {scale} --folder sets/X{scale} --weights x{scale}.pth" for scale in (2, 3, 4)]


async def test_commands_of_a_section_become_the_rows_of_one_task(checker: Checker) -> None:
    """SwinIR documents 26 commands whose scale, weights and folders move together; none of them was a task."""
    _, _, task = await drafted(checker, TOGETHER[0])
    refused = "python scaled.py --scale 9 --folder sets/X9 --weights x9.pth"
    foreign = "python scaled.py --scale 5 --folder sets/X5"
    family = of_family(task, *TOGETHER[1:], refused, foreign)
    draft, decisions = await arguments.draft(family, checker)
    assert draft is not None and list(by_name(draft)) == ["scale"]
    assert list(by_name(draft)["scale"].values) == ["2", "3", "4"]
    assert draft.together[1] == {"scale": ("3",), "folder": ("sets/X3",), "weights": ("x3.pth",)}
    assert draft.reference == "python scaled.py --scale {{ scale }} --folder {{ folder }} --weights {{ weights }}\n"
    assert [each.name for each in draft.followers] == ["folder", "weights"] and not draft.fixed
    assert any(each.reason == "value-refused" and "sets/X9" in each.why for each in decisions)
    recipe = recipe_of(draft)
    assert [recipe.render_reference({"scale": (scale,)}) for scale in "234"] == TOGETHER


async def test_only_what_tells_commands_apart_and_can_be_said_is_an_argument(checker: Checker) -> None:
    codes = [
        "python scaled.py --scale 2 --patch 48 --weights a2.pth",
        "python scaled.py --scale 3 --patch 48 --weights a3.pth",
        "python scaled.py --scale 2 --patch 64 --weights b2.pth",
        "python scaled.py --scale 3 --patch 64 --weights https://example.org/a/b3.pth",
    ]
    _, _, task = await drafted(checker, codes[0])
    draft, _ = await arguments.draft(of_family(task, *codes[1:]), checker)
    assert draft is not None and set(by_name(draft)) == {"scale", "patch"}
    three = of_family(task, *codes[1:3])
    draft, _ = await arguments.draft(three, checker)
    assert draft is not None and len(draft.together) == 3
    apart = DocumentedTogether(draft.arguments, draft.followers, draft.together).apart()
    assert apart == [{"scale": ("3",), "patch": ("64",)}]  # the fourth command is not in this family
    ways = list(recipe_of(draft).combinations())
    assert {"scale": ("3",), "patch": ("64",)} not in ways and len(ways) == 3


async def test_a_number_of_steps_does_not_say_which_network_is_meant(checker: Checker) -> None:
    """*Set "steps" to 40*: the network and its dataset followed."""
    _, _, task = await drafted(checker, "python scaled.py --weights nets/a.pth --epochs 18")
    family = of_family(task, "python scaled.py --weights nets/b.pth --epochs 40")
    draft, _ = await arguments.draft(family, checker)
    assert set(by_name(draft)) == {"weights", "epochs"}
    several = of_family(task, "python scaled.py --weights nets/a.pth,nets/b.pth --epochs 40")
    draft, _ = await arguments.draft(several, checker)
    assert draft is not None and not draft.together  # it starts two runs
    own = draft.section
    elsewhere = [replace(each, headings=("Another section",)) for each in several.family]
    draft, _ = await arguments.draft(replace(several, family=tuple(elsewhere)), checker)
    assert draft is not None and not draft.together and draft.section == own  # not the page


async def test_keys_behind_an_option_are_not_its_value(checker: Checker) -> None:
    """`--cfg FILE KEY VALUE`: TimeSformer documents five, and none was a task."""
    keyed = "python keyed.py --weights w{0}.pth --cfg conf/net_stage{0}.yaml DATA.DIR data GPUS 8"
    _, _, task = await drafted(checker, keyed.format(1))
    draft, _ = await arguments.draft(of_family(task, keyed.format(2)), checker)
    assert draft is not None and [line["weights"] for line in draft.together] == [("w1.pth",), ("w2.pth",)]
    assert draft.reference.endswith("DATA.DIR data GPUS 8\n")


async def test_commands_that_differ_in_seeds_and_outputs_are_no_family(checker: Checker) -> None:
    _, _, task = await drafted(checker, "python scaled.py --scale 2 --seed 1 --out a")
    draft, _ = await arguments.draft(of_family(task, "python scaled.py --scale 2 --seed 2 --out b"), checker)
    assert draft is None or not draft.together


async def test_an_option_whose_name_says_nothing_makes_no_task_alone(checker: Checker) -> None:
    """`60.01 for the "seconds" setting`, and nothing else: a reader called it a copy of the page."""
    draft, decisions, _ = await drafted(checker, "python few.py --verbose 1")
    assert draft is None and decisions[-1].reason == "too-few-arguments"


async def test_the_only_setting_of_a_command_takes_the_parsers_choices(checker: Checker) -> None:
    draft, _, _ = await drafted(checker, "python rates.py --sr 8000")
    assert list(by_name(draft)["sr"].values) == ["8000", "16000"]
    draft, _, _ = await drafted(checker, "python rates.py --sr 8000 --band low")
    assert list(by_name(draft)["sr"].values) == ["8000"]  # `low` may belong to it
    draft, _, _ = await drafted(checker, "python rates.py --sr 8000 --song track.wav --out ./sung")
    assert list(by_name(draft)["sr"].values) == ["8000", "16000"]  # a user's own files do not
    draft, _, _ = await drafted(checker, "python rates.py --sr 8000 --song weights.pth")
    assert list(by_name(draft)["sr"].values) == ["8000"]


async def test_a_configuration_alone_takes_the_others_of_its_folder(checker: Checker) -> None:
    draft, _, _ = await drafted(checker, "python configured.py --config cfgs/deep_a.yaml")
    assert list(by_name(draft)["config"].values) == ["cfgs/deep_a.yaml", "cfgs/deep_b.yaml", "cfgs/wide.yaml"]
    draft, _, _ = await drafted(checker, "python wide_config.py --config cfgs/wide.yaml")
    assert draft is None or len(by_name(draft)["config"].values) == 1  # the others are not wide
    draft, _, _ = await drafted(checker, "python configured.py --config cfgs/deep_a.yaml --weights a.pth")
    assert draft is None or len(by_name(draft)["config"].values) == 1  # they may be another model's


async def test_what_the_heading_says_and_an_optimizer_beside_its_rate_do_not_vary(checker: Checker) -> None:
    """*300-epoch training* was asked for with 1000 epochs, and LARS with the rate of AdamW."""
    code = "python optimized.py --opt adam --lr 0.1 --epochs 300"
    draft, _, task = await drafted(checker, code)
    assert set(by_name(draft)) == {"lr", "epochs"}
    named = replace(task, block=replace(task.block, headings=("Lib", "300-epoch training")))
    draft, _ = await arguments.draft(named, checker)
    assert set(by_name(draft)) == {"lr"}


async def test_the_subcommand_that_names_the_task_does_not_vary(checker: Checker) -> None:
    """*Run the subcommand cal_train_time; use plot_curve for "task"*: both were rows of one task."""
    draft, _, task = await drafted(checker, "python curves.py plot_curve --keys loss")
    assert draft is None or "task" not in by_name(draft)
    assert subcommand(task) == "plot_curve"
    _, _, task = await drafted(checker, "python songs.py reverse_model other_model")
    assert subcommand(task) == ""  # a list of folders is no subcommand


async def test_a_file_with_an_equals_sign_is_one_value(checker: Checker) -> None:
    """`consolidate epoch=0-step=3.ckpt`: "take 0-step=3.ckpt as the epoch"."""
    draft, _, _ = await drafted(checker, "python songs.py epoch=0-step=3.mp3")
    assert {name: (*each.values.values(),) for name, each in by_name(draft).items()} == {
        "tracks": (("epoch=0-step=3.mp3",),)
    }


async def test_what_the_program_refuses_is_dropped_with_its_words(checker: Checker) -> None:
    draft, decisions, _ = await drafted(checker, "python strict.py --lr 0.1 --epochs 3")
    assert all(float(value) <= 0.1 for value in by_name(draft)["lr"].values)
    refused = [each for each in decisions if each.reason == "value-refused"]
    assert refused and all("too large" in each.why for each in refused)


async def test_a_name_that_stands_in_a_path_stays(checker: Checker) -> None:
    """A dataset's name was changed in a path as well, of which no instruction spoke."""
    draft, _, _ = await drafted(checker, "python strict.py --dataset cora --root ./data/cora --epochs 3")
    assert draft is not None and "dataset" not in by_name(draft)
    draft, _, _ = await drafted(checker, "python strict.py --dataset cora --epochs 3")
    assert list(by_name(draft)["dataset"].values) == ["cora", "citeseer", "pubmed"]  # the last two of a script


async def test_a_variable_of_the_shell_varies_where_it_is_set(checker: Checker) -> None:
    draft, _, _ = await drafted(checker, "RATE=0.1\npython train.py ./cora --model gcn --lr $RATE")
    assert draft is not None
    assert draft.reference.startswith("RATE={{ lr }}\npython train.py ./cora --model gcn --lr $RATE")
    assert by_name(draft)["lr"].place == "lr"


async def test_what_a_launcher_script_hands_on_varies(checker: Checker) -> None:
    """`bash dist_train.sh 4 --lr 0.1`: the program's words are not the command's last ones, and nothing varied."""
    draft, _, _ = await drafted(checker, "bash tools/dist_train.sh 4 --lr 0.1 --epochs 5")
    found = by_name(draft)
    assert found["lr"].place == "lr" and found["epochs"].spans
    assert draft is not None and "dist_train.sh 4 --lr {{ lr }} --epochs {{ epochs }}" in draft.reference


async def test_python_calls_vary_by_keyword_position_and_signature(checker: Checker) -> None:
    code = "from lib import Net\nnet = Net(64, depth=3)\nnet.fit(epochs=5, without_bias=True)\nprint(64)\n"
    draft, _, _ = await drafted(checker, code, "python")
    found = by_name(draft)
    assert set(found) == {"epochs"}  # widths and switches stay
    assert found["epochs"].owner == "Net.fit"
    assert draft is not None
    assert "net = Net(64, depth=3" in draft.reference and "print(64)" in draft.reference


async def test_a_setting_that_two_calls_give_differently_has_no_name(checker: Checker) -> None:
    """`The content of Message` was asked for where two messages had different ones."""
    code = "from lib import Net\none = Net(64, depth=3)\none.fit(epochs=5)\ntwo = Net(64)\ntwo.fit()\n"
    draft, _, _ = await drafted(checker, code, "python")
    assert draft is None or not {"depth", "epochs"} & {*by_name(draft)}


async def test_a_text_varies_with_the_other_texts_of_its_call(checker: Checker) -> None:
    """`load_model("img2prompt_vqa", "vqav2")` became a model of one name with a type of another."""
    code = "from lib.zoo import load\nmodel = load('blip', 'base')\nmodel.fit(epochs=5)\nmodel.fit(epochs=5)\n"
    draft, decisions, _ = await drafted(checker, code, "python")
    assert draft is not None and [each.name for each in draft.arguments] == ["kind"]
    assert [(each.subject, each.kept) for each in decisions] == [("task.kind", True)]
    assert "2 values" in decisions[0].why


async def test_what_a_stand_in_gives_back_is_not_the_repositorys(checker: Checker) -> None:
    """`scores.argmax(axis=1)` was varied, of an array that nobody has."""
    code = "from lib.zoo import Model\nscores = Model('nli-bert-base').fit(epochs=5)\nscores.argmax(axis=1)\n"
    draft, _, _ = await drafted(checker, code, "python")
    found = by_name(draft)
    assert set(found) == {"model", "epochs"}
    assert list(found["model"].values) == ["nli-bert-base", "nli-bert-large"]  # sts-roberta-big does something else


async def test_a_seed_alone_makes_no_task(checker: Checker) -> None:
    code = "import math\nfrom lib.tools import set_seed\nset_seed(3407)"
    draft, decisions, _ = await drafted(checker, code, "python")
    assert draft is None and decisions[-1].reason == "too-few-arguments"


@pytest.mark.parametrize(
    "code, page, wanted",
    [
        ("python pairs.py fit x.yaml --no-cache", "pairs.md", {'with "cache" turned off': ("--no-cache",)}),
        ("python pairs.py fit x.yaml --cache", "pairs.md", {'with "cache" turned on': ("--cache",)}),
        ("python whole.py --no-pack", "README.md", {'with "pack" turned off': ("--no-pack",)}),
        ("python whole.py --no-shuffle", "README.md", {"without shuffling": ("--no-shuffle",)}),
    ],
)
async def test_two_options_of_one_setting_are_said_by_what_they_do(
    checker: Checker, code: str, page: str, wanted: dict[str, tuple[str, ...]]
) -> None:
    """The longer spelling named both: `no-cache` was asked for where `--cache` was wanted."""
    draft, _, _ = await drafted(checker, code, page=page, lines=(1, 1))
    assert draft is not None
    assert wanted in [each.values for each in draft.arguments], [each.values for each in draft.arguments]


async def test_a_positional_of_a_subcommand_is_called_by_its_own_name(checker: Checker) -> None:
    """The key in the configuration, `fetch.directory`, reached an instruction."""
    draft, _, _ = await drafted(checker, "python pairs.py pull examples", lines=(1, 1))
    assert [each.said for each in by_name(draft).values()] == ['"directory"']


async def test_a_subcommand_gets_no_option_that_its_pages_do_not_show(checker: Checker) -> None:
    draft, _, _ = await drafted(checker, "python pairs.py fit x.yaml --cache", lines=(1, 1))
    assert set(by_name(draft)) == {"cache", "config"}


async def test_a_name_that_a_pattern_contains_stays(checker: Checker) -> None:
    """Other models were asked for beside a prompt of the model `sam`."""
    draft, _, _ = await drafted(checker, """python songs.py -d sam --extras '{"sam_prompt": [1]}' a.mp3""")
    assert list(by_name(draft)["d"].values) == ["sam"]


async def test_the_one_switch_of_a_command_stays(checker: Checker) -> None:
    """Without it, the command was bare: run rembg s without the "no-ui" option."""
    draft, _, _ = await drafted(checker, "python switch.py --loud --fast")
    assert draft is not None and 'with the "loud" option' in {said for each in draft.arguments for said in each.values}
    draft, _, _ = await drafted(checker, "python switch.py --fast")
    assert draft is not None and [each.values for each in draft.arguments] == [{'with the "fast" option': ("--fast",)}]


def test_a_pattern_stands_for_several_words_of_the_program() -> None:
    """Two demos of CutLER had nothing that could vary: bash had put 12 files in the place of `imgs/*.jpg`."""
    argv = ("--input", "imgs/a.jpg", "imgs/b.jpg", "--threshold", "0.5")
    configuration = {"input": ["imgs/a.jpg", "imgs/b.jpg"], "threshold": 0.5}
    options = {"input": ("--input",), "threshold": ("--threshold",)}
    found = Invocation(
        CheckStatus.ACCEPTED, argv=argv, configuration=configuration, options=options, given=frozenset(configuration)
    )
    slots = shell_slots("python demo.py --input imgs/*.jpg --threshold 0.5", found)
    assert [(each.place, each.words) for each in slots] == [("threshold", ("0.5",))]
    assert not shell_slots("python demo.py --input other/*.jpg --threshold 0.5", found)


def test_an_override_between_quotes_has_no_value_to_change() -> None:
    """The value got quotes of its own inside the quotes, and the shell could not read the command."""
    code = "python train.py -m 'experiment=glob(*)' model=gcn"
    invocation = Invocation(CheckStatus.ACCEPTED, program="train.py", argv=("-m", "experiment=glob(*)", "model=gcn"))
    assert [slot.words for slot in shell_slots(code, invocation) if slot.option.endswith("=")] == [("gcn",)]


def test_a_name_is_known_where_a_file_of_the_repository_says_it(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "net.py").write_text("class Net(Base): fit = other\n")
    known = {name: is_known(tmp_path, name) for name in ("lib.net.Net.fit", "net.Net", "predict.argmax", "net.argmax")}
    assert known == {"lib.net.Net.fit": True, "net.Net": True, "predict.argmax": False, "net.argmax": False}


async def test_a_language_that_another_recording_has_is_not_taken(checker: Checker) -> None:
    """`japanese.wav` was to be transcribed in Dutch, which another page's command does with another recording."""
    draft, _, _ = await drafted(
        checker, "python hear.py japanese.wav --language Japanese --temperature 0.2 --upload --cos-lr"
    )
    found = by_name(draft)
    assert "language" not in found and "temperature" in found
    assert "audio" not in found  # no other recording is there
    assert "upload" not in found
    assert "cos_lr" not in found  # no page shows it off


async def test_what_belongs_to_the_data_or_cannot_be_said_stays(checker: Checker) -> None:
    """100 input channels of one dataset were asked for with another; `a number of test` is no English."""
    code = "python graphs.py --dataset cora --in-channels 100 --lr 0.1 --epochs 5 --num-test 20 --mean 112.6"
    draft, _, _ = await drafted(checker, code)
    assert set(by_name(draft)) == {"lr", "epochs"}  # another dataset has other channels


async def test_a_value_that_an_address_repeats_stays(checker: Checker) -> None:
    code = "python hear.py in.wav --temperature 0.2 --language Dutch --weights https://example.org/Dutch/a.pt"
    draft, _, _ = await drafted(checker, code)
    assert "language" not in by_name(draft)


async def test_equal_values_are_named_by_where_they_arrive(checker: Checker) -> None:
    """`rembg b 4 4` bound the height to the width."""
    draft, _, _ = await drafted(checker, "python frames.py 640 640 --batch-size 4")
    assert draft is not None
    found = {each.place: each.said for each in (*draft.arguments, *draft.fixed)}
    assert (found["zoom_width"], found["an_height"]) == ("width of a frame", "an height")


async def test_a_model_whose_checkpoint_is_given_stays(checker: Checker) -> None:
    """A large model was to be resumed from the checkpoint of a base model."""
    code = "python zoo.py --model vit_base --batch-size 4 --seed 1 --weights ckpt/mae_vit_base.pth"
    draft, _, _ = await drafted(checker, code)
    assert draft is not None and "model" not in by_name(draft)
    code = "python zoo.py --config conf/vit_base.yaml --batch-size 4 --seed 1 --weights https://a.org/vit_base.pth"
    draft, _, _ = await drafted(checker, code)
    assert draft is not None and "config" not in by_name(draft)


async def test_a_file_that_is_not_there_takes_no_place_of_one_that_is(checker: Checker) -> None:
    """A page wrote `config.py` once for `config.json`."""
    draft, _, _ = await drafted(checker, "python modes.py --config conf/net_stage1.yaml --fast", page="docs/slip.md")
    assert "conf/net_stage1.py" not in by_name(draft)["config"].values


def test_a_synopsis_is_no_task() -> None:
    """`browse_dataset.py ${CONFIG}` was asked for with ./config.yaml, which no page names."""
    block = CodeBlock("README.md", (1, 1), (1, 1), (), "", "shell", "python browse.py ${CONFIG}")
    task = DraftTask(
        "browse",
        block,
        "shell",
        ".",
        "python browse.py ./config.yaml",
        "browse.py",
        Check(CheckStatus.ACCEPTED),
        filled=1,
    )
    config = DraftArgument("config", "config", "configuration file", "", {"./config.yaml": ("./config.yaml",)})
    assert _is_synopsis(task, [config])
    assert not _is_synopsis(replace(task, filled=0), [config])
    net = DraftArgument("net", "net", "net", "-net", {"vgg16": ("vgg16",)})
    shown = replace(task, block=replace(block, code="python browse.py ${CONFIG} -net vgg16"))
    assert not _is_synopsis(shown, [config, net])


@pytest.mark.parametrize(
    ("code", "varies"),
    [
        ("python resume.py --lr 0.1 --batch-size 8", True),
        ("torchrun --nproc_per_node 2 resume.py --lr 0.1 --batch-size 8", False),
        ("python resume.py --lr 0.1 --batch-size 8 --gpus 4", False),
        ("python resume.py --lr 0.1 --batch-size 8 --gpus 1", True),
    ],
)
async def test_a_batch_varies_on_one_device(checker: Checker, code: str, varies: bool) -> None:
    """A batch of 48 on eight GPUs is refused deep inside; so is one that does not divide the samples to generate."""
    draft, _, task = await drafted(checker, code, page="docs/resume.md")
    found = by_name(draft).get("batch_size")
    assert (found is not None and len(found.values) > 1) is varies
    tested = replace(task, program="tools/generate.py")
    draft, _ = await arguments.draft(tested, checker)
    assert draft is None or len(by_name(draft)["batch_size"].values) == 1


async def test_a_seed_alone_makes_no_task_of_a_command(checker: Checker) -> None:
    draft, _, _ = await drafted(checker, "python scaled.py --seed 3")
    assert draft is not None and is_copy(draft)


async def test_what_a_checkpoint_restores_stays(checker: Checker) -> None:
    """A learning rate was asked for beside a checkpoint whose optimizer brings its own."""
    draft, _, _ = await drafted(
        checker, "python resume.py --resume a.pth --lr 0.1 --batch-size 8", page="docs/resume.md"
    )
    assert draft is not None and all(len(each.values) == 1 for each in draft.arguments)
    draft, _, _ = await drafted(checker, "python resume.py --lr 0.1 --batch-size 8", page="docs/resume.md")
    assert by_name(draft).keys() == {"batch_size", "lr"}


async def test_a_description_of_data_is_not_called_the_configuration(checker: Checker) -> None:
    draft, _, _ = await drafted(checker, "python short.py --data a.yaml -b 16", page="docs/short.md")
    assert draft is not None
    said = {each.place: each.said for each in (*draft.arguments, *draft.fixed)}
    assert said["data"] == "data configuration file"


async def test_a_setting_of_a_switch_that_is_off_stays_out(checker: Checker) -> None:
    """A threshold of alpha matting was asked for without alpha matting."""
    code = "python frames.py 640 480 --batch-size 4 --matting-size 3"
    draft, _, _ = await drafted(checker, code)
    assert "matting" not in by_name(draft)  # its own setting is given
    draft, _, _ = await drafted(checker, "python frames.py 640 480 --batch-size 4")
    assert "matting_size" not in by_name(draft)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("python few.py", "too-few-arguments"),
        ("python songs.py -d device a.mp3", "placeholder"),  # a synopsis
        ("python train.py", "missing-argument"),
        ("python train.py d --lr x", "invalid-type"),
        ("for m in gcn gat; do python train.py d --model $m --lr 0.1; done", "too-few-arguments"),
        ("python none.py", "no-such-file"),
    ],
)
async def test_what_is_no_draft_has_its_reason(checker: Checker, code: str, reason: str) -> None:
    draft, decisions, _ = await drafted(checker, code)
    assert draft is None
    assert reason in [each.reason for each in decisions]


async def test_a_check_says_nothing_of_options_unless_asked(checker: Checker) -> None:
    candidate = Candidate("python train.py d", "shell", "test")
    assert (await checker.check(candidate)).invocations[0].schema == ()
    schema = {each.place: each for each in (await checker.describe(candidate)).invocations[0].schema}
    assert schema["model"].choices == ("gcn", "gat", "sage")
    assert (schema["lr"].type, schema["lr"].default, schema["lr"].help) == ("float", 0.01, "learning rate")
    assert schema["fp16"].switch and schema["data"].required and schema["hidden"].nargs == "+"
    assert (await checker.check(candidate)).invocations[0].schema == ()  # the parked program has not kept it


@pytest.mark.parametrize(
    ("program", "choices", "switch", "told"),
    [
        ("clicks", True, True, True),
        ("flags", True, False, True),
        ("opts", True, True, True),
        ("fires", False, False, False),
    ],
)
async def test_every_parser_says_what_its_options_take(
    checker: Checker, program: str, choices: bool, switch: bool, told: bool
) -> None:
    check = await checker.describe(Candidate(f"python {program}.py --lr 0.2", "shell", "test"))
    schema = {each.place: each for each in check.invocations[0].schema}
    assert (schema["lr"].type, schema["lr"].default) == ("float", 0.1)
    assert schema["lr"].help == ("learning rate" if told else "")
    assert schema["model"].choices == (("gcn", "gat") if choices else ()) and schema["model"].default == "gcn"
    assert schema["fp16"].switch is switch and schema["fp16"].default is False


async def test_a_model_may_prefer_and_propose_but_not_decide(checker: Checker) -> None:
    """Its order counts; a setting that is not there and a value that the program refuses are turned down."""
    said = '{"settings": [{"name": "model", "values": ["sage", "gin", "gat"]}, {"name": "rocket", "values": ["1"]}]}'

    class Saying(Asker):
        async def ask(self, instructions: str, text: str, answer: type[A], about: str = "") -> A:
            return answer.model_validate_json(said)

    _, _, task = await drafted(checker, "python train.py ./cora --lr 0.1 --model gcn")
    draft, decisions = await arguments.draft(task, checker, asker=Saying(None))
    assert draft is not None and draft.arguments[0].name == "model"
    assert list(draft.arguments[0].values) == ["gcn", "sage", "gat"]
    assert {(each.subject, each.reason) for each in decisions if not each.kept} >= {
        ("task.rocket", "model"),
        ("task.model", "value-refused"),
    }
