"""Archives of Java that only the installation puts into a repository's folders, such as `resources/jars/tool.jar`.

A package that needs one looks for it when it is imported, whatever the command says. Only the repository's own code
finds it.
"""

from __future__ import annotations

import functools
import glob
import os

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_ENDING = ".jar"


def install(recorder: Any, is_own: Callable[[], bool]) -> None:
    """Let the repository's code of this process find an archive where its checkout has none.

    Args:
        recorder: notes each assumption.
        is_own: whether the code that asks is the repository's.
    """
    search = glob.glob

    @functools.wraps(search)
    def found(pathname: Any, *given: Any, **named: Any) -> Any:
        paths = search(pathname, *given, **named)
        is_archive = isinstance(pathname, str) and pathname.endswith(_ENDING)
        if paths or not is_archive or not os.path.abspath(pathname).startswith(recorder.root) or not is_own():
            return paths
        recorder.note(f"{pathname} finds nothing: the check assumes an archive, as an installation puts it there")
        return [os.devnull]

    vars(glob)["glob"] = found
