"""Python answers, asked of the real server in a real jail: what they call, and which fault they have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mlbench.interface_check.python_answers import question
from tests.runtime.asking import asking, write

LIBRARY = {
    "lib/__init__.py": "from lib.data import load\nfrom lib.models import Net, build\n",
    "lib/data.py": """
import os

KINDS = {"cora": 3, "pubmed": 4}

class Graph:
    def __init__(self, name, size):
        self.name, self.size = name, size

def load(name, path=None):
    if name not in KINDS:
        raise ValueError(f"no such graph: {name!r}")
    return Graph(name, KINDS[name])

def read(path):
    with open(path) as file:
        return file.read()

def checked(path):
    if not os.path.exists(path):
        raise ValueError(f"File {path} not present! Please provide it.")
    return read(path)

def joined(folder):
    return checked(os.path.join(folder, "rows.jsonl"))

def slow(name, rows=100_000):
    out = []
    for row in range(rows):
        out.append(row)
    if name not in KINDS:
        raise ValueError("no such name")
    return Graph(name, len(out))
""",
    "lib/models.py": """
import functools

class Layer:
    def __init__(self, width, bias=True):
        self.width, self.bias = width, bias

    def __call__(self, x, scale=1.0):
        return x * scale

class Net(Layer):
    def __init__(self, width, /, depth=2, *, dropout=0.0, **options):
        super().__init__(width)
        self.depth, self.dropout, self.options = depth, dropout, options

    @classmethod
    def small(cls, depth=1):
        return cls(8, depth=depth)

    @staticmethod
    def names(kind):
        return [kind]

def build(kind, *parts, **options):
    return {"net": Net, "layer": Layer}[kind](*parts, **options)

def logged(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)
    return inner

@logged
def wrapped(a, b=2):
    return a + b

REGISTRY = {}

def register(name):
    def add(function):
        REGISTRY[name] = function
        return function
    return add
""",
    "lib/training.py": """
class History:
    def __init__(self):
        self.losses = []

    @property
    def best(self):
        return min(self.losses)

    def last(self, count):
        return self.losses[-count:]

class Trainer:
    def __init__(self, model, lr=0.01):
        self.model, self.lr, self.fitted = model, lr, False

    def fit(self, graph, epochs=10):
        history = History()
        for epoch in range(epochs * 10_000):
            history.losses.append(1.0 / (1 + epoch))
        self.fitted = True
        return history

    def evaluate(self, split="test"):
        if not self.fitted:
            raise RuntimeError("fit first")
        if split not in ("train", "test"):
            raise ValueError("unknown split")
        return 0.5

def prepared(name):
    trainer = Trainer(name)
    trainer.fit(None, 50)
    return trainer

class Config:
    def __init__(self, **values):
        self.__dict__.update(values)

def run(config):
    return config
""",
    "lib/tables.py": """
import requests, torch

def check(table, column):
    if column not in table.columns:
        raise AttributeError(f"no column {column}")

class Series:
    @classmethod
    def of(cls, table, column):
        check(table, column)
        return cls()

def fit(series, power=1):
    if power > 9:
        raise ValueError("too much")
    if not isinstance(series, Series):
        raise ValueError("no series")
    return series

def fetch(name):
    try:
        with open("/tmp/x", "wb") as file:
            file.write(requests.get(name).content)
    except Exception as error:
        raise RuntimeError("cannot download") from error
""",
    "lib/broken.py": "import lib.nowhere\n",
    "loose/part.py": "def f(x):\n    return x\n",
    "nets/versions.py": """
import torch
from torch.nn import OnlyInAnotherVersion

def old(x):
    return torch.only_in_another_version(x)
""",
    "nets/block.py": """
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, channel=16, reduction=4):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(channel, channel // reduction), nn.ReLU())

    def forward(self, x):
        return self.fc(x)
""",
}

Ask = Callable[[str], dict[str, Any]]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    with asking(write(tmp_path_factory.mktemp("library"), LIBRARY)) as ask_server:

        def ask_code(code: str) -> dict[str, Any]:
            return ask_server("", **question(code, "/workspace", {}, {"cpu": 5.0, "wall": 60.0}))

        yield ask_code


def calls(answer: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(call["function"], call["arguments"]) for call in answer["calls"]]


ACCEPTED = {
    "import lib\nlib.load('cora')": [("lib.data.load", {"name": "cora", "path": None})],
    "from lib.models import Net\nNet(4, dropout=0.5, kernel=3)": [
        ("lib.models.Net", {"width": 4, "depth": 2, "dropout": 0.5, "kernel": 3})
    ],
    "from lib import Net\nNet.small(depth=3)": [("lib.models.Net.small", {"depth": 3})],
    "from lib import Net\nNet.names('x')": [("lib.models.Net.names", {"kind": "x"})],
    "from lib import Net\nNet(4)(2, scale=0.5)": [
        ("lib.models.Net", {"width": 4, "depth": 2, "dropout": 0.0}),
        ("lib.models.Layer.__call__", {"x": 2, "scale": 0.5}),
    ],
    "from lib.models import wrapped\nwrapped(1, b=3)": [("lib.models.wrapped", {"a": 1, "b": 3})],
    "from lib.models import register\n@register('mine')\ndef f():\n    pass": [
        ("lib.models.register", {"name": "mine"}),
        ("lib.models.register.<locals>.add", {"function": {"!": "function", "value": "__main__.f"}}),
    ],
    "from lib import load as g\nfor name in ('cora', 'pubmed'):\n    g(name)": [
        ("lib.data.load", {"name": "cora", "path": None}),
        ("lib.data.load", {"name": "pubmed", "path": None}),
    ],
    "def main():\n    import lib\n    lib.load(name='cora')\nif __name__ == '__main__':\n    main()": [
        ("lib.data.load", {"name": "cora", "path": None})
    ],
    "import lib\ntry:\n    lib.load('x')\nexcept ValueError:\n    lib.load('cora')": [
        ("lib.data.load", {"name": "x", "path": None}),
        ("lib.data.load", {"name": "cora", "path": None}),
    ],
    "from functools import partial\nimport lib\npartial(lib.load, 'cora')()": [
        ("lib.data.load", {"name": "cora", "path": None}),
    ],
    "from loose.part import f\nf((1, 2))": [("loose.part.f", {"x": [1, 2]})],
    "from nets.versions import old\nimport torch\nold(torch._C.private)": [
        ("nets.versions.old", {"x": {"!": "stub", "value": "torch._C.private"}}),
    ],
    "from nets.block import Block\nimport torch\nBlock(channel=8)(torch.randn(2, 8))": [
        ("nets.block.Block", {"channel": 8, "reduction": 4}),
        ("nets.block.Block.forward", {"x": {"!": "stub", "value": "torch.randn()"}}),
    ],
}


@pytest.mark.parametrize("code", ACCEPTED)
def test_calls_are_seen_with_what_they_bind(ask: Ask, code: str) -> None:
    answer = ask(code)
    assert (answer["status"], answer["reason"], answer["message"]) == ("accepted", "", "")
    assert calls(answer) == ACCEPTED[code]


BLOCK = "from nets.block import Block\nBlock()"
REJECTED = {
    "import lib\nlib.load('cora'": "python-syntax",
    f"import torch\ninputs = torch.randn(2, 8)\n{BLOCK}(input)": "raised",
    f"import torch\n{BLOCK}(torch.radnn(2, 8))": "no-such-name",
    f"import torch.nn as nn\n{BLOCK}(nn.Linaer(2, 8))": "no-such-name",
    f"import torch\n{BLOCK}(torch.nn.Linaer(2, 8))": "no-such-name",
    f"from torch.utils.data import DataLaoder\n{BLOCK}(DataLaoder)": "no-such-name",
    f"import torch.utlis.data\n{BLOCK}(torch.x)": "no-such-module",
    "import libx": "no-such-module",
    "from lib.dato import load": "no-such-module",
    "from lib import lode": "no-such-name",
    "import lib\nlib.lode('cora')": "no-such-name",
    "from lib import Net\nNet(4).widht": "no-such-name",
    "from lib import Net\nNet(4).train()": "no-such-name",
    "import lib\nlib.load()": "call-does-not-bind",
    "import lib\nlib.load('cora', nme=1)": "call-does-not-bind",
    "import lib\nlib.load('cora', None, 3)": "call-does-not-bind",
    "from lib import Net\nNet(width=4)": "call-does-not-bind",
    "from lib import build\nbuild('layer', 4, colour=1)": "call-does-not-bind",
    "from nets.block import Block\nBlock()(1, 2)": "call-does-not-bind",
    "from nets.block import Block\nBlock(channels=8)": "call-does-not-bind",
    "import lib\nlib.load('citeseer')": "raised",
    "from lib import build\nbuild('nett', 4)": "raised",
    "from lib.data import read\nread('data.py')": "no-such-file",  # the repository has it in another folder
    "from lib.data import checked\nchecked('http://x.org/a.csv')": "raised",
    "from lib.data import checked\nchecked('nn.Linear')": "raised",
    "from lib.data import read\nopen('nowhere.txt')\nread('a')": "no-such-file",
    "from lib.data import read\nread('nowhere.txt')\nread(pth='x')": "call-does-not-bind",
    "import lib\nlib.load(name)": "undefined-name",
    "import lib\nname = input()\nlib.load(name)": "reads-input",
    "import lib\nlib.load('cora')\nraise SystemExit(3)": "exits-early",
    "import lib\nlib.load('cora')\n1 / 0": "raised",
    "print('training ... done')": "not-a-call-of-the-repository",
    "import lib": "not-a-call-of-the-repository",
}


@pytest.mark.parametrize("code", REJECTED)
def test_faults_have_their_reason(ask: Ask, code: str) -> None:
    answer = ask(code)
    assert (answer["status"], answer["reason"]) == ("rejected", REJECTED[code])


def test_a_module_of_the_repository_that_fails_is_its_own_fault(ask: Ask) -> None:
    assert (ask("import lib.broken")["status"], ask("import lib.broken")["reason"]) == ("broken", "import-fails")


@pytest.mark.parametrize(
    "call", ["read('nowhere.txt')", "read(path='/data/x.csv')", "checked('data/train.csv')", "joined('data')"]
)
def test_an_input_of_the_user_that_the_repository_looks_for_is_assumed(ask: Ask, call: str) -> None:
    answer = ask(f"from lib import data\ntext = data.{call}\ndata.load('cora', text)")
    assert answer["status"] == "accepted" and len(answer["calls"]) == 2, answer
    assert any(said.endswith("the check assumes an input that is there") for said in answer["unchecked"])


def test_a_name_that_a_library_lacks_is_said_as_python_says_it(ask: Ask) -> None:
    message = ask(f"import torch\n{BLOCK}(torch.radnn(2, 8))")["message"]
    assert message == "line 3: AttributeError: module 'torch' has no attribute 'radnn'"


def test_a_fault_says_what_is_near_and_where(ask: Ask) -> None:
    assert "line 2: " in ask("import lib\nlib.lode('cora')")["message"]
    assert "(near: load" in ask("import lib\nlib.lode('cora')")["message"]
    assert "(near: data" in ask("import lib.dato")["message"]


FITTED = "from lib.training import Trainer\ntrainer = Trainer('net', lr=0.1)\nhistory = trainer.fit(None, epochs=50)\n"


def test_a_training_is_cut_and_all_that_follows_is_checked(ask: Ask) -> None:
    answer = ask(FITTED + "print(history.best, history.last(3))\nprint(trainer.evaluate('test'))")
    assert answer["status"] == "accepted"
    assert [name for name, _ in calls(answer)] == [
        "lib.training.Trainer",
        "lib.training.Trainer.fit",
        "lib.training.History.last",
        "lib.training.Trainer.evaluate",
    ]
    assert "lib.training.History.last: binds; not run, its object stands for one that was cut" in answer["unchecked"]


@pytest.mark.parametrize(
    ("rest", "reason"),
    [
        ("history.bests", "no-such-name"),
        ("history.last()", "call-does-not-bind"),
        ("history.last(counts=3)", "call-does-not-bind"),
        ("trainer.evaluate('valid')", "raised"),
        ("trainer.evaluate(spilt='test')", "call-does-not-bind"),
        ("print(histroy.best)", "undefined-name"),
        ("print(history, colour=3)", "call-does-not-bind"),
        ("from lib import lode", "no-such-name"),
    ],
)
def test_faults_after_a_cut_are_found(ask: Ask, rest: str, reason: str) -> None:
    assert ask(FITTED + rest)["reason"] == reason


def test_a_function_whose_callee_is_cut_returns_what_it_made(ask: Ask) -> None:
    answer = ask("from lib.training import prepared\ntrainer = prepared('x')\ntrainer.evaluate('test')")
    assert answer["status"] == "accepted"
    assert calls(answer)[-1] == ("lib.training.Trainer.evaluate", {"split": "test"})


def test_what_stands_for_a_result_does_not_make_faults(ask: Ask) -> None:
    code = "from lib.data import slow\ngraph = slow('cora')\na, b = graph.size, graph.name\n"
    code += "rows = [graph.size[i] + 1 for i in range(3)]\nprint(f'{graph.size:.3f}', len(graph.size), rows)\n"
    code += "for x, y in graph.name:\n    print(x + y)\nprint('%.2f' % graph.size)"
    assert ask(code)["status"] == "accepted"


TABLES = "import torch, requests, urllib.request\nfrom lib.tables import Series, fetch, fit\n"


@pytest.mark.parametrize(
    "rest",
    [
        "fit(Series.of(torch.load('x'), 'month'))",
        "fetch('http://x')",
        "open('/tmp/y', 'wb').write(requests.get('x').content)\nfit(Series())",
        "page = urllib.request.urlopen('http://192.0.2.1')\nfit(Series())",
    ],
)
def test_what_a_missing_library_would_make_is_no_fault(ask: Ask, rest: str) -> None:
    answer = ask(TABLES + rest)
    assert answer["status"] == "accepted", answer


@pytest.mark.parametrize(
    "rest", ["fit(torch.pi, power=10)", "fit(1)", "fit(Series.of(torch.load('x'), 'm'), power=10)"]
)
def test_a_plain_value_that_is_refused_stays_a_fault(ask: Ask, rest: str) -> None:
    assert ask(TABLES + rest)["reason"] == "raised"


def test_attributes_that_the_candidate_sets_are_seen_where_they_are_passed(ask: Ask) -> None:
    answer = ask("from lib.training import Config, run\nc = Config(a=1)\nc.lr = 0.02\nrun(c)")
    shown = {"!": "object", "value": "lib.training.Config", "state": {"a": 1, "lr": 0.02}}
    assert calls(answer)[-1] == ("lib.training.run", {"config": shown})


def test_an_opaque_argument_is_shown_by_how_it_was_made(ask: Ask) -> None:
    answer = ask("import random, lib\nlib.build('layer', random.Random(11))")
    made = answer["calls"][0]["arguments"]["parts"][0]["made"]
    assert made == ["random.Random", 11]


def test_what_goes_into_kwargs_is_named(ask: Ask) -> None:
    answer = ask("from lib import Net\nNet(4, colour='red')")
    assert "lib.models.Net: colour goes into its **kwargs" in answer["unchecked"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("import sys\nsys.settrace(None)", "sys.settrace"),
        ("import lib\nlib.load = print", "assigns lib.load"),
        ("import subprocess\nsubprocess.run(['true'])", "subprocess"),
        ("import os\nos._exit(0)", "os._exit"),
        ("import os\ngetattr(os, '_ex' + 'it')(0)", "os._exit"),
        ("import os\nos.system('true')", "os.system"),
        ("import gc\ngc.get_objects()", "gc"),
    ],
)
def test_what_reaches_beyond_the_library_is_said(ask: Ask, text: str, what: str) -> None:
    answer = ask(f"import lib\nlib.load('cora')\n{text}")
    assert f"reaches: {what}" in answer["unchecked"]
    assert len(answer["calls"]) == 1


@pytest.mark.parametrize(
    "loop", ["while True:\n    pass", "while True:\n    lib.load('cora')", "import time\ntime.sleep(99)"]
)
def test_what_never_ends_is_left(ask: Ask, loop: str) -> None:
    answer = ask(f"import lib\nlib.load('pubmed')\n{loop}\nlib.load('cora')")
    assert answer["status"] == "accepted"
    assert any(words.startswith("stopped: ") for words in answer["unchecked"])
    assert calls(answer)[-1][1]["name"] == "cora"


def test_a_candidates_own_parser_ends_nothing(ask: Ask) -> None:
    code = "import argparse, lib\np = argparse.ArgumentParser()\np.add_argument('--name', default='cora')\n"
    assert calls(ask(code + "lib.load(p.parse_args().name)"))[0][1]["name"] == "cora"


def test_the_same_answer_twice(ask: Ask) -> None:
    code = FITTED + "print(history.best)"
    assert ask(code) == ask(code)


def test_code_that_writes_is_asked_again_where_it_can(ask: Ask) -> None:
    answer = ask("import lib\nopen('out.txt', 'w').write('x')\nlib.load('cora')")
    assert (answer["status"], len(answer["calls"])) == ("accepted", 1)
