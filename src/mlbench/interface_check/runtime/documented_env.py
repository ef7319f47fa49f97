"""Environment variables that the documentation has the user set: `export ML_DATA="where the data are"`.

A program that reads one when it is imported would fail without it, whatever the command says. Only the repository's own
code finds them. An answer that reads a variable which it never set is wrong.
"""

from __future__ import annotations

import os
import re

from . import generated

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LAUNCHED = "TORCHELASTIC_RUN_ID"
"""The variable by which torch's launcher is known."""
_RANKS = {"RANK": "0", "LOCAL_RANK": "0", "GROUP_RANK": "0", "WORLD_SIZE": "1", "LOCAL_WORLD_SIZE": "1"}
_RANKS.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29500")
_PLAIN = re.compile(r"[\w./:,@+-]+")


def install(recorder: Any, is_own: Callable[[], bool]) -> None:
    """Let the repository's code of this process find documented variables that are not set.

    Args:
        recorder: notes each assumption.
        is_own: whether the code that asks is the repository's.
    """
    environ = os.environ
    kind: Any = type(environ)

    class Documented(kind):  # type: ignore[misc]  # of os.environ
        def __getitem__(self, key: str) -> Any:
            try:
                return super().__getitem__(key)
            except KeyError:
                if key in _RANKS and LAUNCHED in self and is_own():
                    return _RANKS[key]  # only where the program cannot go on without it: no default of it changes
                file, value = stated(key, recorder.root) if isinstance(key, str) and is_own() else ("", "")
                if not file:
                    raise
                recorder.note(f"the variable {key} is not set: the check assumes {value}, because {file} has it set")
                return value

    environ.__class__ = Documented


def stated(key: str, root: str) -> tuple[str, str]:
    """Return the document that has the user set a variable, and its value; two empty texts if none has.

    A value that is no single word, such as a description, is replaced by a path.

    Args:
        key: the variable.
        root: the repository's folder, with a slash at its end.
    """
    assigned = re.compile(rf"(?m)^\s*(?:[$>#%]\s*)?(?:export|setenv|env|set)\s+{re.escape(key)}(?:=|\s+)(.+)$")
    for file in generated.DOCUMENTS:
        if found := assigned.search(generated.text_of(os.path.join(root, file))):
            value = found[1].strip().strip("\"'")
            return file, value if _PLAIN.fullmatch(value) else f"./{key.lower()}"
    return "", ""
