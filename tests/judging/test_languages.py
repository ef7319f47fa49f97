"""What bash reads is no fault because a grammar does not know it."""

from __future__ import annotations

import pytest

from mlbench.shell.languages import language_of, shell_fault_of


@pytest.mark.parametrize(
    "code",
    ["exec 3<> file\npython a.py --x 1", "cat <>file", "python a.py --x 1 \\ \n  --y 2", "python a.py --x 1 \\ "],
)
def test_what_bash_reads_is_shell(code: str) -> None:
    assert (shell_fault_of(code), language_of(code, "shell").kind) == ("", "shell")


@pytest.mark.parametrize("code", ["if true; then", "python a.py <", "python a.py 'x", "x <> y; (", "<>"])
def test_what_it_does_not_read_is_a_fault(code: str) -> None:
    assert shell_fault_of(code) != ""
