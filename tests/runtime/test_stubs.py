"""Stubs: whatever the code of others does with a missing module, it goes on, and it is counted."""

from __future__ import annotations

import builtins
import copy
import subprocess
import sys
from abc import ABC
from typing import Protocol

import pytest

from mlbench.interface_check.runtime import stubs, values


@pytest.fixture
def torch() -> stubs.StubModule:
    return stubs.StubModule("torch")


def test_a_stub_takes_what_code_does_with_a_module(torch: stubs.StubModule) -> None:
    with torch.no_grad() as context:
        assert stubs.is_stub(context)
    a, b = torch.split()
    first, *rest = torch.split()
    assert all(map(stubs.is_stub, (a, b, first, torch.x[0], torch.x + 1, 1 - torch.x, -torch.x)))
    assert stubs.is_stub(rest[0]) if rest else True
    assert list(torch.loader) != [] and len(torch.loader) == 0
    assert not torch.cuda.is_available() and int(torch.n) == 1 and range(torch.cuda.device_count())
    assert copy.deepcopy(torch.x) is torch.x
    assert f"{torch.nn.Linear:>10}" == "<torch.nn.Linear>"
    assert not isinstance(1, torch.Tensor) and torch.Tensor != 1
    assert torch.__version__ > "1.0"


def test_a_stub_decorates_and_is_a_base(torch: stubs.StubModule) -> None:
    @torch.jit.script
    def function() -> int:
        return 3

    class Net(torch.nn.Module, torch.nn.Other, ABC):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__("x", key=1)

    assert function() == 3
    net = Net()
    assert stubs.is_stub(net) and stubs.is_stub(net.layers) and stubs.is_stub(Net.load)
    with pytest.raises(torch.cuda.OutOfMemoryError):
        raise torch.cuda.OutOfMemoryError("x")


def test_a_class_may_have_a_stub_and_a_class_of_another_metaclass_as_bases(
    torch: stubs.StubModule, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All programs of a repository ended at one class: of a neural module and a protocol."""
    monkeypatch.setattr(builtins, "__build_class__", builtins.__build_class__)
    stubs.mix_metaclasses()

    class Adapter(Protocol):
        def adapted(self) -> list[str]: ...

    class Layer(torch.nn.Module):  # type: ignore[misc,name-defined]
        pass

    class Both(Layer, Adapter):
        pass

    class Direct(torch.nn.Module, Adapter):  # type: ignore[misc,name-defined]
        pass

    class Below(Both):
        pass

    assert isinstance(Below(3), Layer) and stubs.is_stub(Direct().anything)
    assert not isinstance(3, Layer)

    class One(type):
        pass

    class Two(type):
        pass

    with pytest.raises(TypeError, match="metaclass conflict"):

        class Neither(One("A", (), {}), Two("B", (), {})):  # type: ignore[misc]
            pass


def test_questions_are_counted(torch: stubs.StubModule) -> None:
    counter = stubs.Count()
    before, stubs.count = stubs.count, counter
    try:
        _ = torch.nn.functional
        assert counter.touched == 0
        assert not torch.cuda.is_available()
        assert counter.touched > 0
    finally:
        stubs.count = before


def test_a_stub_among_values_says_what_it_stands_for(torch: stubs.StubModule) -> None:
    assert values.encode([torch.float32, 1]) == [{"!": "stub", "value": "torch.float32"}, 1]


def test_the_probe_imports_nothing_of_mlbench_and_needs_no_package() -> None:
    script = "import sys; sys.path.insert(0, sys.argv[1]); import types; m = types.ModuleType('_mlbench_probe');"
    script += "m.__path__ = [sys.argv[1]]; sys.modules['_mlbench_probe'] = m; import _mlbench_probe.server;"
    script += "print([name for name in sys.modules if name.partition('.')[0] == 'mlbench'])"
    folder = str(stubs.__file__).rpartition("/")[0]
    words = [sys.executable, "-I", "-S", "-c", script, folder]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_base_has_names_with_an_underscore_and_what_super_asks_for(torch: stubs.StubModule) -> None:
    class Trainer(torch.Trainer):  # type: ignore[misc,name-defined]
        _names = torch.Trainer._defaults

        def _save(self) -> object:
            return super()._save_checkpoint(self)

    assert stubs.is_stub(Trainer._hooks) and stubs.is_stub(Trainer()._save())
    assert not hasattr(Trainer, "_fields") and not hasattr(Trainer, "__len__")


def test_a_function_given_to_a_method_of_a_result_is_no_decorated_one(torch: stubs.StubModule) -> None:
    clean = copy.copy
    assert stubs.is_stub(torch.data.load("x").map(clean)) and stubs.is_stub(torch.data.load("x").map(lambda row: row))
    assert torch.jit.script(clean) is clean and torch.no_grad()(clean) is clean


def test_a_subclass_may_hand_its_arguments_on_to_new() -> None:
    """Models with `super().__new__(cls, *args)` could not be made without their library."""

    class Model(stubs.Stub("Module")):  # type: ignore[misc]
        def __new__(cls, *args: object, **kwargs: object) -> object:
            return super().__new__(cls, *args, **kwargs)

        def __init__(self, name: str, depth: int = 1) -> None:
            self.name = name

    assert Model("resnet34", depth=4).name == "resnet34"
