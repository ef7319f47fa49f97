"""What hangs on a library that is missing is known from its table or undecided: never broken, never just accepted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from mlbench.interface_check.runtime import stubs, tables
from tests.runtime.asking import Ask, asking, write

LAZY = """
import argparse, importlib, accelerate
class Own(accelerate.Config):
    pass
def lazily(get, name):
    try:
        return get(name)
    except Exception as error:
        raise RuntimeError(f"Failed to import {name}") from error
def main():
    lazily(GET)
    argparse.ArgumentParser().parse_args()
main()
"""
ARGS = "from transformers import TrainingArguments, HfArgumentParser\nfrom dataclasses import dataclass, field\n"
SCRIPT = "@dataclass\nclass Script:\n    data: str = field()\n    size: int = 3\n"
KNOWN = (
    "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int)\n"
    "args, rest = p.parse_known_args()\n"
)
FILES = {
    "requirements.txt": "transformers>=4.36,<4.50\naccelerate\n",
    "configs.py": "from transformers import TrainingArguments\nfrom dataclasses import dataclass\n"
    "@dataclass\nclass Config(TrainingArguments):\n    _VALID = TrainingArguments._VALID_FIELDS + ['kwargs']\n"
    "    beta: float = 0.1\n    def __post_init__(self):\n        super().__post_init__()\n",
    "sft.py": ARGS + SCRIPT + "from configs import Config\n"
    "script, config = HfArgumentParser((Script, Config)).parse_args_into_dataclasses()\n",
    "lazy.py": LAZY.replace("GET", "lambda name: getattr(Own, name), '_fields'"),
    "lazy_for_good.py": LAZY.replace("GET", "importlib.import_module, 'misspelt_name'"),
    "misspelt_name.py": "import accelerate\nfrom argparse import ArgumentPorser\n",
    "open.py": ARGS + SCRIPT + "from accelerate import OtherArguments\n"
    "HfArgumentParser((Script, OtherArguments)).parse_args_into_dataclasses()\n",
    "adds.py": "import argparse, accelerate\np = argparse.ArgumentParser()\np.add_argument('--n', type=int)\n"
    "accelerate.add_options(p)\nprint(p.parse_args())\n",
    "trl_script.py": "from trl import TrlParser, ModelConfig, ScriptArguments, SFTConfig\n"
    "print(TrlParser((ScriptArguments, SFTConfig, ModelConfig)).parse_args_and_config())\n",
    "old_yaml.py": "import argparse, yaml\nfrom easydict import EasyDict as edict\n"
    "config = edict(LR=0.1)\nconfig.MODEL = edict()\nconfig.MODEL.DEPTH = 3\n"
    "p = argparse.ArgumentParser()\np.add_argument('--cfg', required=True)\nargs, rest = p.parse_known_args()\n"
    "for key, value in edict(yaml.load(open(args.cfg))).items():\n    if key not in config:\n"
    "        raise ValueError(key)\n    config[key] = value\n"
    "p.add_argument('--depth', type=int, default=config.MODEL.DEPTH)\nprint(p.parse_args())\n",
    "old.yaml": "MODEL:\n  DEPTH: 5\n",
    "new.yaml": "OTHER: 1\n",
    "limits.py": "import resource\nlimit = resource.getrlimit(resource.RLIMIT_NOFILE)\n"
    "resource.setrlimit(resource.RLIMIT_NOFILE, (limit[1] + 1, limit[1]))\n" + KNOWN,
    "sft.yaml": "dataset_name: d\noutput_dir: y\n",
    "own_action.py": "import argparse\nfrom mmengine import DictAction\np = argparse.ArgumentParser()\n"
    "p.add_argument('config')\np.add_argument('--set', nargs='+', action=DictAction)\nprint(p.parse_args())\n",
    "asserts.py": "import argparse, mmengine\nfrom mmengine import digit_version\n"
    "found = digit_version(mmengine.__version__)\n"
    "assert (found >= digit_version('0.8') and found < digit_version('1.0')), 'too new'\n"
    "if found < digit_version('0.9'):\n    raise ValueError('too old')\n" + KNOWN,
    "checks_version.py": "import mmcv\nLOW, HIGH = (1, 1, 4), (1, 3, 0)\n"
    "version = tuple(int(each) for each in mmcv.__version__.split('.'))\n"
    "assert (LOW <= version <= HIGH), f'MMCV=={mmcv.__version__} is incompatible'\n" + KNOWN,
    "archives.py": "from transformers import BERT_PRETRAINED_CONFIG_ARCHIVE_MAP as B, BertConfig\n"
    "ALL = sum((tuple(each.pretrained_config_archive_map.keys()) for each in (BertConfig,)), tuple(B))\n"
    "', '.join(ALL)\n" + KNOWN,
    "own_digits.py": "import mmcv\nMMCV_MIN = '1.0.2'\nMMCV_MAX = '1.3'\n"
    "digits = lambda text: [int(each) for each in text.split('.')]\n"
    "if not digits(MMCV_MIN) <= digits(mmcv.__version__) <= digits(MMCV_MAX):\n    raise RuntimeError('incompatible')\n"
    + KNOWN,
    "own_version.py": "import argparse, mmcv\nprint(mmcv.__version__)\np = argparse.ArgumentParser()\n"
    "p.add_argument('--version')\na = p.parse_args()\n"
    "if a.version not in (None, 'v1'):\n    raise ValueError(f'unknown version {a.version}')\n",
    "paths.py": "from typing import List, Optional\nfrom jsonargparse import ArgumentParser\n"
    "from jsonargparse.typing import Path_fr\np = ArgumentParser()\np.add_argument('-s', '--source', type=Path_fr)\n"
    "p.add_argument('-t', '--texts', nargs='+', type=Path_fr)\np.parse_args()\n",
    "trains.py": "from detectron2.engine import default_argument_parser\nfrom detectron2.data import MetadataCatalog\n"
    "delattr(MetadataCatalog.get('coco'), 'thing_classes')\np = default_argument_parser()\n"
    "p.add_argument('--n', type=int)\nprint(p.parse_args().config_file)\n",
    "speeds.py": "import argparse, deepspeed\np = argparse.ArgumentParser()\np.add_argument('--n', type=int)\n"
    "p = deepspeed.add_config_arguments(p)\nprint(p.parse_args().deepspeed_config)\n",
    "dispatches.py": "import functools, pandas\n@functools.singledispatch\ndef encode(v):\n    return v\n"
    "@encode.register\ndef _(v: pandas.Period):\n    return str(v)\n" + KNOWN,
    "unused.py": KNOWN + "print(args.n)\n",
    "handed.py": "import accelerate\n" + KNOWN + "accelerate.launch().parse_args(rest)\n",
    "second.py": "import accelerate\n" + KNOWN + "for step in range(500):\n    accelerate.warm_up(step)\n"
    "q = argparse.ArgumentParser()\nq.add_argument('--lr', type=float)\nprint(q.parse_args(rest))\n",
    "loops.py": KNOWN + "settings = {'lr': 1.0}\nfor word in rest:\n    key, value = word[2:].split('=')\n"
    "    if key not in settings:\n        raise KeyError(f'no setting {key}')\n    settings[key] = float(value)\n",
    "starts.py": "import subprocess\n" + KNOWN + "subprocess.run(['python', 'other.py'] + rest)\n",
    "refuses.py": "import accelerate\n" + KNOWN + "accelerate.set_seed(1)\n"
    "if args.n and args.n > 9:\n    raise ValueError(f'{args.n} is too many')\n",
    "refuses_on_stub.py": "import accelerate\n"
    + KNOWN
    + "if not accelerate.has_gpu():\n    raise ValueError('no GPU')\n",
    "refuses_a_kind.py": "import accelerate\n" + KNOWN + "m = accelerate.load()\n"
    "if not isinstance(m, accelerate.Model):\n    raise TypeError('no model')\n",
    "by_hand.py": "import sys, torch\nlr = 0.1\ndevice = 'cuda' if torch.cuda.is_available() else 'cpu'\n"
    "exec(open('override.py').read())\nprint(lr, device)\n",
    "override.py": "for arg in sys.argv[1:]:\n    key, value = arg[2:].split('=')\n    if key not in globals():\n"
    "        raise ValueError(f'Unknown config key: {key}')\n    globals()[key] = value\n",
    "by_hand_int.py": "import sys\nn = int(sys.argv[1])\nprint(open('/nonexistent/weights'))\n",
    "by_hand_later.py": "import sys, torch\nname = sys.argv[1]\nmodel = torch.load(name)\n"
    "if not model:\n    raise ValueError(f'no model {name}')\n",
}


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    with asking(write(tmp_path_factory.mktemp("missing"), FILES)) as ask:
        yield ask


@pytest.mark.parametrize(
    ("words", "status", "reason"),
    [
        ("sft.py --data x --output_dir y --learning_rate 1e-4 --beta 0.2", "accepted", ""),
        ("sft.py --data x --output_dir y --learnig_rate 1e-4", "rejected", "unknown-argument"),
        ("sft.py --data x --output_dir y --learning_rate fast", "rejected", "invalid-type"),
        ("sft.py --data x --output_dir y --lr_scheduler_type cosin", "rejected", "invalid-choice"),
        ("sft.py --data x --output_dir y --save_strategy never", "rejected", "invalid-choice"),
        ("sft.py --data x --output_dir y --log_level info", "accepted", ""),  # choices that only running would give
        ("sft.py --output_dir y", "rejected", "missing-argument"),
        ("trl_script.py --dataset_name d --model_name_or_path m --output_dir y", "accepted", ""),
        ("trl_script.py --dataset_nome d --output_dir y", "rejected", "unknown-argument"),
        ("trl_script.py --config sft.yaml", "accepted", ""),
        ("trl_script.py --config none.yaml", "rejected", "no-such-file"),
        ("open.py --data x", "accepted", ""),
        ("open.py --data x --output_dir y", "undecided", "stub"),
        ("open.py --data x --size y", "rejected", "invalid-type"),
        ("adds.py --n 3", "accepted", ""),
        ("adds.py --n x", "rejected", "invalid-type"),
        ("adds.py --n 3 --deep", "undecided", "stub"),
        ("lazy.py", "undecided", "stub"),
        ("lazy_for_good.py", "broken", "raised"),
        ("own_action.py a.py --set b=1 c=2", "accepted", ""),  # it said nothing of any program of mmengine's
        ("own_action.py a.py --sot b=1", "rejected", "unknown-argument"),
        ("paths.py -s src.txt -t a.txt b.txt", "accepted", ""),  # inputs of the user
        ("paths.py -s nosuch.py", "rejected", "invalid-type"),  # the repository has files of this kind
        ("trains.py --config-file sft.yaml --n 3 MODEL.WEIGHTS a.pkl", "accepted", ""),
        ("trains.py --num_gpu 8", "rejected", "unknown-argument"),
        ("speeds.py --n 3 --deepspeed --deepspeed_config=zero.json", "accepted", ""),
        ("speeds.py --n 3 --deepspeed_configs=zero.json", "rejected", "unknown-argument"),
        ("dispatches.py --n 3", "accepted", ""),
        ("asserts.py --n 3", "accepted", ""),  # a guard of versions: `minimum <= installed < maximum`
        ("asserts.py --n x", "rejected", "invalid-type"),
        ("checks_version.py --n 3", "accepted", ""),  # which version would be installed is unknown
        ("own_digits.py --n 3", "accepted", ""),
        ("archives.py --n 3", "accepted", ""),
        ("checks_version.py --n x", "rejected", "invalid-type"),
        ("old_yaml.py --cfg old.yaml --depth 4", "accepted", ""),
        ("old_yaml.py --cfg old.yaml --dept 4 --depths 4", "rejected", "unknown-argument"),
        ("old_yaml.py --cfg new.yaml", "rejected", "raised"),
        ("limits.py --n 3", "accepted", ""),  # the limit is the machine's
        ("own_version.py --version v1", "accepted", ""),
        ("own_version.py --version v9", "rejected", "raised"),
        ("unused.py --n 3 --m 4", "accepted", ""),
        ("handed.py --n 3", "accepted", ""),
        ("handed.py --n 3 --m 4", "undecided", "stub"),
        ("second.py --n 3 --lr 0.1", "accepted", ""),
        ("second.py --n 3 --lt 0.1", "rejected", "unknown-argument"),
        ("loops.py --lr=3", "accepted", ""),  # its own code takes it, as a setting
        ("loops.py --lr=3 --lr=4", "undecided", "reads-argv-by-hand"),
        ("loops.py --lt=3", "rejected", "raised"),
        ("starts.py --n 3 --m 4", "undecided", "cannot-follow"),
        ("refuses.py --n 3", "accepted", ""),
        ("refuses.py --n 10", "rejected", "raised"),
        ("refuses_on_stub.py --n 10", "accepted", ""),
        ("refuses_a_kind.py --n 10", "accepted", ""),
        ("by_hand.py --lr=0.2", "undecided", "reads-argv-by-hand"),
        ("by_hand.py --devize=cpu", "rejected", "raised"),
        ("by_hand_int.py x", "rejected", "raised"),
        ("by_hand_int.py 3", "accepted", ""),
        ("by_hand_later.py x", "accepted", ""),
    ],
)
def test_verdicts(ask: Ask, words: str, status: str, reason: str) -> None:
    answer = ask(*words.split())
    assert (answer["status"], answer.get("reason", "")) == (status, reason), answer


def test_settings_of_a_configuration_are_defaults_of_what_follows(ask: Ask) -> None:
    """`yaml.load` without a loader and `EasyDict`, neither of which the check's own libraries have."""
    answer = ask("old_yaml.py", "--cfg", "old.yaml")
    assert answer["configuration"]["depth"] == 5
    assert answer["repairs"] == ["older PyYAML: load without a Loader"]


def test_the_programs_own_words_are_the_message(ask: Ask) -> None:
    assert "Unknown config key: devize" in ask("by_hand.py", "--devize=cpu")["message"]
    assert "no setting lt" in ask("loops.py", "--lt=3")["message"]


def test_words_that_the_programs_own_code_takes_are_settings(ask: Ask) -> None:
    """Left over as `--key value`, `--key=value` or `key=value`."""
    answer = ask("loops.py", "--lr=3")
    assert (answer["configuration"]["lr"], answer["options"]["lr"], answer["ignored"]) == ("3", ["--lr"], [])
    assert "lr" in answer["given"] and "own code reads --lr" in answer["unchecked"][-1]


def test_words_that_nobody_used_are_seen(ask: Ask) -> None:
    assert ask("unused.py", "--n", "3", "--m", "4")["ignored"] == ["--m", "4"]
    assert ask("second.py", "--n", "3", "--lr", "0.1")["ignored"] == []


def test_an_option_of_some_versions_only_is_said_to_be(ask: Ask) -> None:
    for option in ("--evaluation_strategy", "--eval_strategy"):  # the one became the other within what is allowed
        answer = ask("sft.py", "--data", "x", "--output_dir", "y", option, "no")
        assert answer["status"] == "accepted"
        assert any(option[2:] in note and "transformers" in note for note in answer["unchecked"])
    assert not ask("sft.py", "--data", "x", "--output_dir", "y", "--seed", "1")["unchecked"]


def test_what_a_repository_declares_of_versions() -> None:
    text = (
        '"transformers>=4.56.2",\n"transformers!=5.1.0", # not >= 6\n "trl[vllm] == 0.9.6"\n-e ../my-transformers==1.0'
    )
    assert tables.requirements(text) == {"transformers": ">=4.56.2", "trl": "== 0.9.6"}
    assert tables.requirements("my-transformers==1\ntransformers\n") == {"my-transformers": "==1"}


@pytest.mark.parametrize(
    ("required", "version"),
    [
        ({}, None),
        ({"mmcv": ">=1.3.0"}, "2.1.0"),
        ({"mmcv": ">=2.2"}, "2.2"),
        ({"mmcv-full": ">=1.3.0,<=1.8.0"}, "1.8.0"),
        ({"mmcv_lite": "<2.0.0"}, "1.99"),
        ({"mmcv": ">=2.0.0rc4, <2.2.0"}, "2.1.0"),
        ({"mmcv": "==1.4"}, "1.4"),
        ({"mmcv-extra": "==1.4"}, None),
    ],
)
def test_a_stub_has_a_version_that_the_repository_declares(required: dict[str, str], version: str | None) -> None:
    assert tables.Tables(required, {}).known("mmcv", "__version__") == version


@pytest.mark.parametrize(
    ("required", "places"),
    [
        ("", (0, 3)),
        (">=2.0", (1, 3)),
        ("==2.5", (1, 2)),
        ("==2.0", (1, 1)),
        ("<2.5,>=1.2", (0, 2)),
        (">=9", (3, 3)),
        ("<0.1", (0, 0)),
    ],
)
def test_the_versions_that_count(required: str, places: tuple[int, int]) -> None:
    assert tables.allowed(["1.0", "2.0", "3.0", "4.0"], required) == places


def test_every_class_of_the_table_can_be_made() -> None:
    path = Path(tables.__file__).with_name("fields.json")
    content = json.loads(path.read_text())
    assert tuple(content) == tables.LIBRARIES
    for library, table in content.items():
        for place, version in enumerate(table["versions"]):
            known = tables.Tables({library: f"=={version}"}, {}).known
            for name, spans in table["bases"].items():
                is_there = any(span[0] <= place <= span[1] for span in spans)
                assert (known(library, name) is not None) == is_there, (name, version)
        for name in table["enumerations"]:
            assert tables.Tables({}, {}).known(library, name) is not None
    assert stubs.is_stub(tables.Tables({}, {}).known("transformers", "TrainingArguments"))
    assert path.stat().st_size < 100_000
