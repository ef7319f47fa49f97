"""The table of parser modules: a module that it names has to be there."""

from __future__ import annotations

import pytest

from mlbench.interface_check.runtime import parsers


def test_a_module_that_is_named_and_missing_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing parser was skipped, and its programs were checked as if they read no command line."""
    monkeypatch.setattr(parsers, "NAMES", (*parsers.NAMES, "nosuch_"))
    with pytest.raises(ModuleNotFoundError, match="nosuch_"):
        parsers.by_module()


def test_every_module_says_what_it_waits_for() -> None:
    table = parsers.by_module()
    assert {"argparse", "click", "absl.flags"} <= table.keys()
    assert all(callable(module.install) for modules in table.values() for module in modules)
