"""The versions of libraries that are missing: a usual one, or one that the code that asks takes."""

from __future__ import annotations

import linecache
import os
import re
import sys

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    import types

_USUAL = {"tensorflow": "1.15.0", "transformers": "4.30.0", "numpy": "1.23.0", "pytorch_lightning": "1.9.0"}
_OTHERS = "2.1.0"
_OWN = os.path.dirname(os.path.abspath(__file__))


def usual(library: str) -> str:
    """The version of a library if nothing says another."""
    return _USUAL.get(library, _OTHERS)


def least(library: str) -> str:
    """The lowest version that the code that asks for it takes, if it sets a highest one: `MMCV_MIN = '1.0.2'`."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and (
        os.path.dirname(frame.f_code.co_filename) == _OWN or frame.f_code.co_filename.startswith("<")
    ):
        frame = frame.f_back
    text = "".join(linecache.getlines(frame.f_code.co_filename)) if frame is not None else ""
    bound = rf"(?im)^\s*{re.escape(library)}_?%s\w*\s*=\s*['\"](\d[\d.]*)['\"]"
    lowest, most = re.search(bound % "min", text), re.search(bound % "max", text)
    return lowest[1] if lowest and most else ""
