"""A block of code in a reply: its text, its label, and the surrounding prose."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mlbench.records import Kind

_LABELS: dict[Kind, str] = {
    "shell": "bash sh shell zsh ksh fish console shell-session shellsession sh-session terminal cmd bat batch"
    " powershell ps1 pwsh shellscript shell-script command commandline cli",
    "python": "python py python3 py3 ipython pycon python-repl jupyter notebook tool_code",
}
LABELS: dict[str, Kind] = {label: kind for kind, labels in _LABELS.items() for label in labels.split()}
"""Language by block label; other labels leave it to the text."""

_DATA = "json jsonc json5 yaml yml toml ini cfg conf csv tsv xml html css js javascript ts sql properties env"
DATA_LABELS = frozenset(_DATA.split())
OUTPUT_LABELS = frozenset(["output", "stdout", "stderr", "log", "logs", "result", "traceback", "pytb"])
_FILE = re.compile(r"[\w./-]*\w\.(?:py|sh|bash|ya?ml|json|toml|cfg|ini|txt|ipynb)\b")


@dataclass(frozen=True)
class ReplyBlock:
    """A block in a reply.

    Attributes:
        label: the language named by the fence or tag, in lower case; empty if there is none.
        origin: the kind of block, for the record: `fence`, `tool call`, `<bash> tag`.
        before, after: the prose up to the previous block and up to the next one.
        file: the file name in the fence's label or in the tool call.
        cut: the reply ends before the block does.
        final: it is in tags that mark the answer, such as `<answer>`.
    """

    code: str
    label: str = ""
    origin: str = "fence"
    before: str = ""
    after: str = ""
    file: str = ""
    cut: bool = False
    final: bool = False


MOST_BLOCKS = 100
"""Most blocks that are read; no answer has more."""

Part = str | ReplyBlock
"""A part of a reply: prose or a block."""


def label_of(info: str) -> tuple[str, str]:
    """Label and file name of a fence's info: `{.bash}`, `Bash title="run.sh"`, `bash:run.sh`."""
    found = _FILE.search(info)
    file = found[0] if found else ""
    word = re.search(r"[a-z][\w+-]*", info.lower().replace(file.lower(), " ") if file else info.lower())
    label = word[0].removeprefix("language-").removeprefix("lang-") if word else ""
    if file and label not in LABELS and label not in DATA_LABELS:
        label = {"py": "python", "sh": "bash", "bash": "bash"}.get(file.rpartition(".")[2], label)
    return label, file


def file_in(text: str) -> str:
    """The last file name in a text; empty if there is none."""
    return next(reversed(_FILE.findall(text[-400:])), "")
