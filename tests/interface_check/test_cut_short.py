"""A program that a script does not wait for, or ends at once, has no time to do its work."""

from __future__ import annotations

import pytest

from mlbench.interface_check.cut_short import cut_short
from mlbench.shell.commands import TracedCommand


@pytest.mark.parametrize(
    ("code", "background", "why"),
    [
        ("python a.py", False, ""),
        ("python a.py &\nwait", True, ""),
        ("python a.py &\necho started", True, "nothing waits for it"),
        ("python a.py &\nkill $!\nwait", True, "`kill` may end it"),
        ("timeout 100 python a.py", False, ""),
        ("timeout 1m python a.py", False, ""),
        ("timeout 2 python a.py", False, "ended after 2 s"),
        ("timeout -k 5 0.01s python a.py", False, "ended after 0.01s"),
        ("timeout --signal=KILL 3 python a.py", False, "ended after 3 s"),
        ("/usr/bin/timeout 1 bash inner.sh", False, "ended after 1 s"),
        ("echo timeout 2; python a.py --timeout 3", False, ""),
    ],
)
def test_why_a_program_is_cut_short(code: str, background: bool, why: str) -> None:
    source = code.split("\n", maxsplit=1)[0].rsplit("; ", maxsplit=1)[-1].removesuffix(" &")
    found = cut_short(TracedCommand(("python", "a.py"), "/workspace", background=background, source=source), code)
    assert why in found and bool(found) is bool(why)


def test_a_group_in_the_background_has_no_lines() -> None:
    code = "(\npython a.py\n) >/dev/null 2>&1 &\nexit 0\n"
    assert "nothing waits" in cut_short(TracedCommand(("python", "a.py"), "/workspace"), code)
