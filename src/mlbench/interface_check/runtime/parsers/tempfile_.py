"""tempfile: has a temporary folder, as on the user's machine, although the jail's files are read-only.

Programs name the folder in a default of an option. A file that they write into it is handled like any other.
"""

from __future__ import annotations

import os
from typing import Any

MODULES = ("tempfile",)


def install(module: Any, recorder: Any) -> None:
    if module.tempdir is None:
        module.tempdir = os.environ.get("TMPDIR") or "/tmp"
