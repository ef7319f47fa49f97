"""Imports in the real server: a stub stands only for what is really missing and really somebody else's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mlbench.interface_check.runtime import python2
from tests.runtime.asking import Ask, asking, write

PARSE = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int, default=1)\n{}p.parse_args()\n"
P = PARSE.format("")

GOES_ON = [
    "assert torch.cuda.is_available(), 'no GPU'",
    "assert torch.cuda.device_count() == 4 and not torch.cuda.is_old()",
    "assert not torch.cuda.is_available() or torch.cuda.device_count() > 1",
    "assert 'cuda' in torch.backends()",
    "assert 'rocm' not in torch.backends(), torch.backends()",
    "if not torch.cuda.is_available():\n    print('no GPU')\n    sys.exit(1)",
    "if torch.cuda.is_available():\n    n = 1\nelse:\n    raise RuntimeError('no GPU')",
    "if torch.cuda.device_count() > 8:\n    raise RuntimeError(f'{torch.cuda.device_count()} are too many')",
    "import inspect\nif not inspect.isclass(torch.nn.Conv1d):\n    raise TypeError(torch.nn.Conv1d)",
    "if not bool(torch.cuda.is_available()):\n    raise RuntimeError('no GPU')",
    "if torch.cuda.device_count() != 8:\n    exit(f'{torch.cuda.device_count()} are not 8')",
]
ASKS = "import sys, torch\ndef main():\n    {}\n    " + P.strip().replace("\n", "\n    ") + "\nmain()\n"
FILES = {
    **{f"asks_{at}.py": ASKS.format(text.replace("\n", "\n    ")) for at, text in enumerate(GOES_ON)},
    "requirements.txt": "obscure-lib==1.0\n",
    "known.py": "import torch.nn as nn\nfrom torchvision.models import *\nclass Net(nn.Module): pass\n" + P,
    "declared.py": "import obscure_lib.deep\n" + P,
    "elsewhere/helper.py": "",
    "missing.py": "import helper\n" + P,
    "typo.py": "from tools import lader\n" + P,
    "tools/__init__.py": "",
    "tools/loader.py": "import torch\nLIMIT = max(torch.sizes) + 1\nthreshold = [3, 4]\n",
    "goes_on.py": "import torch\nfrom tools.loader import LIMIT, threshold\nwidth = {}[torch.key]\n"
    "if threshold:\n    depth = {}[torch.other]\n    height = threshold[1]\n"
    + PARSE.format("p.add_argument('--h', default=height)\n"),
    "own_fault.py": "import torch\nempty = {}['key']\n" + P,
    "choices.py": "import torchvision.models as models\n"
    "names = sorted(name for name in models.__dict__ if name.islower() and not name.startswith('__'))\n"
    + PARSE.format("p.add_argument('--arch', choices=names, default='r')\n"),
    "kind.py": "import torch\n" + PARSE.format("p.add_argument('--t', type=torch.dtype)\n"),
    "stars.py": "from torch.all import *\nx = Tensor(3)\n" + P,
    "steered.py": "import torch, argparse\np = argparse.ArgumentParser()\np.add_argument('--gpu', type=int)\n"
    "args = p.parse_args()\nif not torch.cuda.is_available():\n    p.error('no GPU')\n",
    "steered_before.py": "import torch, sys\n{False: sys.exit}.get(bool(torch.cuda.is_available()), print)('no GPU')\n"
    + P,
    "stream.py": "import io\ntry:\n    kinds = (file, io.IOBase)\nexcept NameError:\n    kinds = (io.IOBase,)\n"
    "assert isinstance('text', kinds + (str,)) and file(__file__).read()\n" + P,
    "two.py": "import ConfigParser\nprint 'hello'\ntry:\n    raise ValueError, 'x'\nexcept ValueError, e:\n    n = 3L\n"
    + PARSE.format("p.add_argument('--m', type=int, default=len(xrange(n)))\n"),
    "backends/__init__.py": "import sys, torch\nfrom . import first\nfor name, value in vars(first).items():\n"
    "    setattr(sys.modules[__name__], name, value)\nlimit = {}[torch.key]\n",
    "backends/first/__init__.py": "def layer(width):\n    return width\n",
    "backends/second.py": "depth = 3\n",
    "by_place.py": "import backends.second\n" + P,
    "no_module.py": "import backends.third\n" + P,
    "no_name.py": "from backends import _hidden\n" + P,
    "perhaps.py": "from backends import limit\n" + P,
    "by_star.py": "import starred\nfrom starred import shown\nkind = starred.Kind.FIRST\n" + P,
    "no_name_by_star.py": "from starred import _hidden\n" + P,
    "starred.py": "import torch\nfrom torch.all import *\nlimit = {}[torch.key]\n",
    "no_keyword.py": "import torch\nx = {}[torch.key]\nfrom backends.first import layer\nlayer(torch.x, depth=3)\n" + P,
    "fetches.py": "import urllib.request\nurllib.request.urlretrieve('http://127.0.0.1:9/x', 'x')\n" + P,
    "syntax.py": "def f(:\n    pass\n",
    "setup.py": "from setuptools import setup\nsetup(\n    name='own-package',\n)\n",
    "versions.py": "import torch\nfrom importlib.metadata import metadata, version, packages_distributions\n"
    "packages_distributions()\n"
    + PARSE.format(
        "p.add_argument('--v', default=[version('own-package'), version('torch'),"
        " 'someone' in metadata('torch')['Home-page']])\n"
    ),
    "pyproject.toml": "[project]\nname = 'Own.Project'\ndependencies = ['lichen>=3,<4']\n"
    "[project.optional-dependencies]\nfast = ['moss==1.2']\n",
    "own_requirements.py": "from importlib.metadata import metadata, version\n"
    + PARSE.format(
        "p.add_argument('--v', default=[*metadata('own-project').get_all('Requires-Dist'),"
        " version('lichen'), version('moss')])\n"
    ),
    "src/own/data/datasets/one.py": "",
    "same_name.py": "from importlib.metadata import version\nassert version('datasets') >= '1.8.0'\n" + P,
    "no_version.py": "from importlib.metadata import version\nversion('not_imported')\n" + P,
    "optional.py": "from importlib.metadata import version, PackageNotFoundError\n"
    "try:\n    version('flash_attn')\n    n = 1\n"
    "except PackageNotFoundError:\n    n = 2\n" + PARSE.format("p.add_argument('--v', default=n)\n"),
    "joined.py": "import torch\nkinds = tuple(kind for kind in torch.kinds)\nif kinds is not None:\n"
    "    class Known:\n        text = 'one of ' + ', '.join(kinds)\n        default = 3\n"
    + PARSE.format("p.add_argument('--m', type=int, default=Known.default, help=Known.text)\n"),
}


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    with asking(write(tmp_path_factory.mktemp("imports"), FILES)) as ask:
        yield ask


@pytest.mark.parametrize("program", ["known.py", "declared.py", "stars.py", "goes_on.py"])
def test_missing_modules_of_others_are_stubs(ask: Ask, program: str) -> None:
    answer = ask(program, "--n", "3")
    assert (answer["status"], answer["configuration"]["n"]) == ("accepted", 3)
    assert ask(program, "--n", "x")["reason"] == "invalid-type"


def test_a_statement_that_fails_on_stubs_leaves_the_next_ones(ask: Ask) -> None:
    assert ask("goes_on.py")["configuration"]["h"] == 4


@pytest.mark.parametrize("program", ["by_place.py", "perhaps.py", "by_star.py", "fetches.py"])
def test_what_may_be_there_is_taken_to_be(ask: Ask, program: str) -> None:
    """A module whose package took another's path, names of stubs or of their `import *`, a download."""
    assert ask(program, "--n", "3")["configuration"] == {"n": 3}


@pytest.mark.parametrize("program", ["no_name.py", "no_name_by_star.py", "no_keyword.py"])
def test_what_is_certainly_not_there_is_a_fault_of_the_repository(ask: Ask, program: str) -> None:
    """Though other statements failed on stubs before."""
    assert ask(program, "--n", "3")["status"] == "broken"


def test_a_module_that_may_be_compiled_first_is_undecided(ask: Ask) -> None:
    assert ask("no_module.py", "--n", "3")["status"] == "undecided"


def test_a_module_of_the_repository_is_never_a_stub(ask: Ask) -> None:
    answer = ask("missing.py")
    assert (answer["status"], answer["reason"]) == ("rejected", "no-such-module")
    answer = ask("typo.py")
    assert (answer["status"], answer["reason"]) == ("broken", "import-fails")
    answer = ask("own_fault.py")
    assert (answer["status"], answer["reason"]) == ("broken", "raised")
    assert answer["message"] == "KeyError: 'key' (own_fault.py:2)"
    answer = ask("syntax.py")
    assert (answer["status"], answer["reason"]) == ("broken", "python-syntax")


def test_what_stands_on_stubs_is_not_checked_and_said_so(ask: Ask) -> None:
    answer = ask("choices.py", "--arch", "resnet50")
    assert (answer["status"], answer["unchecked"]) == ("accepted", ["the choices of --arch stand on a missing module"])
    answer = ask("kind.py", "--t", "float32")
    assert (answer["configuration"]["t"], answer["unchecked"]) == (
        "float32",
        ["the type of --t stands on a missing module"],
    )


def test_a_branch_that_a_stub_took_decides_nothing(ask: Ask) -> None:
    answer = ask("steered.py", "--gpu", "1")
    assert answer["status"] == "accepted"
    assert answer["unchecked"] == ["after parsing, on stubs: no GPU"]
    assert ask("steered_before.py")["status"] == "undecided"


@pytest.mark.parametrize("at", range(len(GOES_ON)))
def test_what_a_program_asks_of_a_missing_library_is_as_it_needs_it(ask: Ask, at: int) -> None:
    answer = ask(f"asks_{at}.py", "--n", "3")
    assert (answer["status"], answer.get("configuration")) == ("accepted", {"n": 3}), GOES_ON[at]


def test_the_file_of_python_2_is_a_class(ask: Ask) -> None:
    """Copies of yacs ask whether a value is a `file`: each command of such a repository was refused."""
    assert ask("stream.py", "--n", "3")["configuration"] == {"n": 3}


def test_python_2_is_repaired_and_said_so(ask: Ask) -> None:
    answer = ask("two.py", "--n", "2")
    assert answer["configuration"] == {"n": 2, "m": 3}
    repairs = {"Python 2 module ConfigParser", "Python 2 builtin xrange", "two.py: Python 2 print"}
    assert repairs <= set(answer["repairs"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("print 'a', b\n", "print('a', b)\n"),
        ("print\nprint 1\n", "print()\nprint(1)\n"),
        ("if x: print x,\n", "if x: print(x)\n"),
        ("print >>f, x\nprint x\n", "print(x)\nprint(x)\n"),
        ("print 'a %s' % f(1,\n   2)\n", "print('a %s' % f(1,\n   2))\n"),
        ("print ('a') % x\nx = 1L\n", "print(('a') % x)\nx = 1\n"),
        ("raise E, 'm'\n", "raise E('m')\n"),
        ("try: pass\nexcept (A, B), e: pass\n", "try: pass\nexcept (A, B) as e: pass\n"),
        ("y = `x`\n", "y = repr(x)\n"),
        ("os.chmod('0755 a', 0755)\n", "os.chmod('0755 a', 0o755)\n"),
        ("exec 'a' in d\n", "exec('a', d)\n"),
        ("x.cuda(async=True)\ny = 'async=1'\n", "x.cuda(async_=True)\ny = 'async=1'\n"),
        ("if a:\n        b\n\tc\n", "if a:\n        b\n        c\n"),
    ],
)
def test_each_repair(old: str, new: str) -> None:
    assert python2.repair(old, "f.py")[0] == new


def test_what_is_no_python_2_either_keeps_its_own_error() -> None:
    with pytest.raises(SyntaxError, match="Missing parentheses"):
        python2.repair("print 'a'\ndef f(:\n", "f.py")
    assert python2.repair("print('a')\n", "f.py") == ("print('a')\n", [])


def test_a_text_that_is_joined_of_stubs_fails_no_class(ask: Ask) -> None:
    """Programs on transformers name the known kinds of models in their help; the class of options was lost with it."""
    assert ask("joined.py", "--m", "4")["configuration"] == {"m": 4, "n": 1}
    assert ask("joined.py")["configuration"] == {"m": 3, "n": 1}


def test_a_folder_with_the_name_of_a_library_has_not_its_version(ask: Ask) -> None:
    """A copy of transformers asks for the version of `datasets`, and has a folder of that name."""
    assert ask("same_name.py", "--n", "4")["configuration"] == {"n": 4}


def test_the_repository_and_its_stubs_have_versions_without_being_installed(ask: Ask) -> None:
    """Every command of a program that asks for its own version was rejected."""
    assert ask("versions.py")["configuration"]["v"] == ["0.0.0", "2.1.0", False]
    assert ask("optional.py")["configuration"]["v"] == 2
    own = ["lichen>=3,<4", 'moss==1.2; extra == "fast"', "3", "1.2"]
    assert ask("own_requirements.py")["configuration"]["v"] == own
    assert (ask("no_version.py")["status"], ask("no_version.py").get("reason")) == ("accepted", None)


def test_syntax_of_a_newer_python_is_no_fault_if_the_repository_asks_for_it(tmp_path: Path) -> None:
    """`def first[T](...)` was broken for every command."""
    files = {"pyproject.toml": '[project]\nname = "x"\nrequires-python = ">=3.99"\n', "new.py": "def f(::\n" + P}
    with asking(write(tmp_path, files)) as ask:
        answer = ask("new.py")
    assert (answer["status"], answer["reason"]) == ("undecided", "cannot-follow")
    assert answer["message"].startswith("it needs Python 3.99, and this is 3.")
