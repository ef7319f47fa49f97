"""The check's Python has what a user's `python` has: builtins, older names, what an installation makes and requires."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from tests.runtime.asking import Ask, asking, write

PARSE = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float)\nargs = p.parse_args()\n"
FILES = {
    "requirements.txt": "dm-replay==0.7\ntrainer>=0.0.32\npyannote-audio>=3.3\nomegaconf\nattr\n# data: none\n",
    "site_names.py": "help, exit, quit, copyright, credits, license\n" + PARSE,
    "needs.py": "import trainer, pyannote.audio\n" + PARSE,
    "needs_replay.py": "import replay\n" + PARSE,
    "pack/deep/replay.py": "",
    "pack/vino/README.md": "```\npip install numpy vino  # or later\npip install -U -r more.txt\n```\n",
    "pack/vino/docs/getting_started.md": "pip install wine\n",
    "pack/wine/a.py": "",
    "pack/vino/convert_wine.py": "import wine\n" + PARSE,
    "pack/vino/convert.py": "import vino\n" + PARSE,
    "pack/deep/trainer.py": "",
    "pack/deep/pyannote.py": "",
    "pack/deep/data.py": "",
    "elsewhere.py": "import data\n" + PARSE,
    "newer.py": "from typing import ReadOnly, TypeVar, override\nT = TypeVar('T')\nassert isinstance(T, TypeVar)\n"
    + PARSE,
    "older.py": "from collections import Mapping\nfrom dataclasses import dataclass\n"
    "@dataclass\nclass Inner:\n    n: int = 1\n@dataclass\nclass Outer:\n    inner: Inner = Inner()\n" + PARSE,
    "mutable.py": "from dataclasses import dataclass\n@dataclass\nclass Outer:\n    names: list = []\n" + PARSE,
    "keys.py": "import trainer\nnames = {each: 1 for each in trainer.names()}\nnames['en'] = names['en-us']\n" + PARSE,
    "typed.py": "import trainer\nfrom dataclasses import dataclass\nfrom omegaconf import OmegaConf\n"
    "@dataclass\nclass Config:\n    kind: trainer.Kind = 'a'\nOmegaConf.structured(Config)\n" + PARSE,
    "valued.py": "import trainer\nfrom dataclasses import dataclass, field\nfrom omegaconf import OmegaConf\n"
    "@dataclass\nclass Inner:\n    kind: trainer.Kind = trainer.Kind.FULL\n"
    "@dataclass\nclass Config:\n    inner: Inner = field(default_factory=Inner)\nOmegaConf.structured(Config)\n"
    + PARSE,
    # `attr` is declared as a library here, and omegaconf asks for it
    "composed.py": "import attr\nfrom typing import Any, List\nfrom dataclasses import dataclass, field\n"
    "from omegaconf import OmegaConf\n@dataclass\nclass Config:\n"
    "    defaults: List[Any] = field(default_factory=lambda: [{'a': 'b'}])\nOmegaConf.structured(Config)\n" + PARSE,
    "passes.py": "import json, random, trainer\nrandom.seed(trainer.seed)\nassert not json.loads(trainer.text)['a']\n"
    "random.Random(3).seed(trainer.seed)\nassert json.loads('[1]') == [1] and random.random() != random.random()\n"
    "random.seed(4)\nfirst = random.random()\nrandom.seed(4)\nassert first == random.random()\n" + PARSE,
    "refuses.py": "import random\nrandom.seed([])\n" + PARSE,
    "loads.py": "import os\nassert os.system('wget x') == 0\n" + PARSE,
    "temporary.py": "import tempfile\nassert tempfile.gettempdir()\n" + PARSE,
    "setup.py": "version_file = 'made/version.py'\nextension = CUDAExtension\n"
    "modules = [extension(\n    'made._C',\n    ['x.cu'])]\n",
    "made/ops/__init__.py": "from . import boxes_cuda\n",
    "made/ops/setup.py": "modules = [make_ext(name='boxes_cuda', module='made.ops')]\nsetup(ext_modules=modules)\n",
    "made/crop/__init__.py": "",
    "made/crop/_ext/__init__.py": "",
    "made/crop/_ext/crop/__init__.py": "from ._crop import lib\n",
    "compiled.py": "from made import _C, ops, near, rusty\nfrom made.crop._ext import crop\n" + PARSE,
    "Cargo.toml": '[lib]\nname = "rusty"\n',
    "made/near/__init__.py": "from . import libNear\n",
    "made/near/setup.py": "config.add_extension(\n    'libNear',\n    sources=['near.cpp'])\n",
    "not_compiled.py": "from made import _D\n" + PARSE,
    "variables.py": "import os\nDATA, GPUS = os.environ['ML_DATA'], int(os.environ['GPUS'])\n"
    "assert os.environ.get('ML_DATA') is None and 'ML_DATA' not in os.environ\n" + PARSE,
    "linked.py": "import linked_ops\nfrom linked_ops.deep import Net\n" + PARSE,
    "not_linked.py": "import unlinked_ops\n" + PARSE,
    "there/linked_ops/__init__.py": "",
    "there/unlinked_ops/__init__.py": "",
    "copied.py": "from made.parts import grid\n" + PARSE,
    "made/parts/__init__.py": "from .grid_part import grid\n",
    "extra/README.md": "ln -s ../there/linked_ops ./\n    cp /path/to/other/grid_part.py made/parts/\n",
    "java.py": "import glob, os\nhere = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'jars')\n"
    "assert max(glob.glob(os.path.join(here, 'tool-*.jar')), key=os.path.getctime)\n"
    "assert not glob.glob(os.path.join(here, '*.txt')) and not glob.glob('/nowhere/*.jar')\n" + PARSE,
    "no_variable.py": "import os\nos.environ['OTHER']\n" + PARSE,
    "database.py": "import os, sqlite3\nos.makedirs('/nowhere/kept', exist_ok=True)\n"
    "with sqlite3.connect('/nowhere/kept/cache.db') as db:\n    db.cursor().execute('CREATE TABLE t (a)')\n" + PARSE,
    "no_database.py": "import sqlite3\nsqlite3.connect('/not/there/cache.db')\n" + PARSE,
    ".gitignore": "*.log\n/made/_scm_version.py\n",
    "made/__init__.py": "from .version import __version__, __gitsha__\nfrom ._scm_version import version_tuple\n"
    "assert __version__.split('.') and version_tuple < (1,)\nfrom .fast import dot\n",
    "made/fast.pyx": "",
    "CMakeLists.txt": "nanobind_add_module(\n  _native\n  STABLE_ABI\n  made/native.cc)\n",
    "README.md": "Then bring the layers:\n```\ncd made\ngit clone https://host.org/who/layers-repo\n"
    "cp -rf layers-repo/layers .\n```\nThe folder other/ holds nothing.\n"
    '```\nexport ML_DATA="where the data are"\n$ export GPUS=4\n```\nexport OTHER\n',
    "quick.py": "from numba import njit\n@njit(fastmath=True)\ndef dot(a):\n    return a\n"
    "for each in (dot,):\n    MATH = each.targetoptions['fastmath']\n" + PARSE,
    "fields.py": "import attr, flax\nfrom flax import struct\n@struct.dataclass\nclass Config:\n    width: int\n"
    "    depth: int = flax.struct.field(default=3)\n    name: str\n"
    "@flax.struct.dataclass\nclass Plain:\n    width: int\n"
    "@attr.s\nclass Old:\n    width = attr.ib()\nConfig(width=2, depth=4, name='a')\nOld(width=3)\n"
    "MADE = Plain(width=2).width\n" + PARSE,
    "no_field.py": "from flax import struct\n@struct.dataclass\nclass Plain:\n    width: int\nPlain(with_=2)\n" + PARSE,
    "plain.py": "def dot(a):\n    return a\ndot.targetoptions\n" + PARSE,
    "own.py": "def dot(a):\n    return a\n",
    "lazy/__init__.py": "import sys\nfrom transformers.utils import _LazyModule\n"
    "structure = {'training': ['Trainer'], 'deep': []}\nif False:\n    from .training import Trainer\nelse:\n"
    "    sys.modules[__name__] = _LazyModule(__name__, globals()['__file__'], structure, module_spec=__spec__,\n"
    "                                        extra_objects={'__version__': '3'})\n",
    "lazy/training.py": "class Trainer:\n    def __init__(self, steps):\n        self.steps = steps\n",
    "lazy/deep/__init__.py": "SIZE = 2\n",
    "from_lazy.py": "import lazy\nfrom lazy import Trainer, __version__\nfrom lazy.deep import SIZE\n"
    "assert (Trainer(3).steps, __version__, SIZE, lazy.deep.SIZE) == (3, '3', 2, 2)\n" + PARSE,
    "not_lazy.py": "from lazy import Other\n" + PARSE,
    "sent/__init__.py": "from .message_pb2 import *\nfrom .plain_part import SIZE\n",
    "sent/message_pb2.py": "from google.protobuf.internal import builder\nbuilder.build('message', globals())\n",
    "sent/plain_part.py": "SIZE = 3\n",
    "uses_sent.py": "from sent import Document, plain_part\nassert plain_part.SIZE == 3\nDocument(text='a')\n" + PARSE,
    "brought.py": "from made import _native\nfrom made.layers import Norm\n" + PARSE,
    "use.py": "import made\n" + PARSE,
    "not_made.py": "import made.other\n" + PARSE,
}


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    with asking(write(tmp_path_factory.mktemp("real"), FILES)) as ask:
        yield ask


@pytest.mark.parametrize(
    "program",
    [
        "site_names.py",
        "needs.py",
        "older.py",
        "keys.py",
        "typed.py",
        "valued.py",
        "composed.py",
        "passes.py",
        "loads.py",
        "temporary.py",
        "java.py",
        "linked.py",
        "copied.py",
        "needs_replay.py",
        "uses_sent.py",
        "pack/vino/convert.py",
        "pack/vino/convert_wine.py",
    ],
)
def test_what_a_real_python_runs_is_accepted(ask: Ask, program: str) -> None:
    answer = ask(program, "--lr", "0.1")
    assert (answer["status"], answer["configuration"]) == ("accepted", {"lr": 0.1}), answer


def test_what_a_real_python_refuses_is_refused(ask: Ask) -> None:
    assert ask("elsewhere.py")["reason"] == "no-such-module"
    assert ask("not_linked.py")["reason"] == "no-such-module"
    answer = {"do": "code", "code": "import replay, own\nown.dot(replay)\n"}
    assert ask("", **answer)["reason"] == "no-such-module"
    assert ask("not_lazy.py")["reason"] == "import-fails"
    answer = {"do": "code", "code": "from sent import Document\nimport own\nown.dot(Document)\n"}
    assert "cannot import name 'Document'" in ask("", **answer)["message"]
    assert "mutable default" in ask("mutable.py")["message"]
    assert "seed types" in ask("refuses.py")["message"]


def test_names_of_older_pythons_are_repairs(ask: Ask) -> None:
    assert ask("older.py")["repairs"] == [
        "older Python: collections.Mapping",
        "older Python: a mutable default of a dataclass",
    ]


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python has them")
def test_names_of_newer_pythons_are_there_for_the_repository(ask: Ask) -> None:
    answer = ask("newer.py", "--lr", "0.1")
    assert (answer["status"], answer["repairs"][-1:]) == ("accepted", ["newer Python: typing.override"]), answer
    answer = ask("", do="code", code="import typing, own\nown.dot(typing.override)\n")
    assert answer["reason"] == "no-such-name", answer


def test_an_attribute_that_a_missing_decorator_gives_is_there(ask: Ask) -> None:
    answer = ask("quick.py", "--lr", "0.1")
    assert (answer["status"], answer["configuration"]["lr"]) == ("accepted", 0.1), answer
    assert "targetoptions" in ask("plain.py", "--lr", "0.1")["message"]


def test_a_class_that_a_missing_library_makes_a_dataclass_takes_its_fields(ask: Ask) -> None:
    """`T5Config() takes no arguments`: flax's own decorator was taken to change nothing."""
    answer = ask("fields.py", "--lr", "0.1")
    assert (answer["status"], answer["configuration"]["lr"]) == ("accepted", 0.1), answer
    assert "unexpected keyword" in ask("no_field.py", "--lr", "0.1")["message"]


def test_what_the_documentation_says_how_to_bring_is_there(ask: Ask) -> None:
    answer = ask("brought.py", "--lr", "0.1")
    assert (answer["status"], answer["configuration"]["lr"]) == ("accepted", 0.1), answer
    assert answer["unchecked"][-2:] == [
        "made._native is missing: the installation makes it (CMakeLists.txt)",
        "made.layers is missing: the installation makes it (README.md)",
    ]


def test_a_compiled_module_is_there_whatever_its_builder_is_called(ask: Ask) -> None:
    """pytorch3d writes `extension("pytorch3d._C"`: every program that imported it was broken."""
    answer = ask("compiled.py", "--lr", "0.1")
    assert (answer["status"], answer["configuration"]["lr"]) == ("accepted", 0.1), answer
    assert "made._C is missing: the installation makes it (setup.py)" in answer["unchecked"]
    assert "made.ops.boxes_cuda is missing: the installation makes it (made/ops/setup.py)" in answer["unchecked"]
    assert ask("not_compiled.py", "--lr", "0.1")["reason"] == "import-fails"


def test_a_variable_that_the_documentation_has_the_user_set_is_set(ask: Ask) -> None:
    """`KeyError: 'ML_DATA'`: mixmatch and its relatives read it when they are imported."""
    answer = ask("variables.py", "--lr", "0.1")
    assert (answer["status"], answer["configuration"]["lr"]) == ("accepted", 0.1), answer
    assert answer["unchecked"] == [
        "the variable ML_DATA is not set: the check assumes ./ml_data, because README.md has it set",
        "the variable GPUS is not set: the check assumes 4, because README.md has it set",
    ]
    assert "KeyError: 'OTHER'" in ask("no_variable.py")["message"]


def test_a_database_that_a_program_makes_before_it_parses_is_kept_in_memory(ask: Ask) -> None:
    answer = ask("database.py", "--lr", "0.1")
    assert (answer["status"], answer["configuration"]["lr"]) == ("accepted", 0.1), answer
    assert "unable to open database file" in ask("no_database.py")["message"]


def test_an_answer_s_own_variables_are_not_assumed(ask: Ask) -> None:
    code = {"do": "code", "code": "import os, own\nown.dot(os.environ['ML_DATA'])\n"}
    assert "KeyError: 'ML_DATA'" in ask("", **code)["message"]


def test_what_only_an_installation_makes_is_there(ask: Ask) -> None:
    answer = ask("use.py", "--lr", "0.1")
    assert (answer["status"], answer["configuration"]["lr"]) == ("accepted", 0.1), answer
    assert answer["unchecked"] == [
        "made.version is missing: the installation makes it (setup.py)",
        "made._scm_version is missing: the installation makes it (.gitignore)",
        "made.fast is missing: the installation makes it (made/fast.pyx)",
    ]
    assert ask("not_made.py")["reason"] == "no-such-module"
