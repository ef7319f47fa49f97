"""A block of code in a reply: its text, its label, and the prose around it."""

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
"""What a block's label says of its language; other labels leave it to the text."""

_DATA = "json jsonc json5 yaml yml toml ini cfg conf csv tsv xml html css js javascript ts sql properties env"
DATA_LABELS = frozenset(_DATA.split())
OUTPUT_LABELS = frozenset(["output", "stdout", "stderr", "log", "logs", "result", "traceback", "pytb"])
_FILE = re.compile(r"[\w./-]*\w\.(?:py|sh|bash|ya?ml|json|toml|cfg|ini|txt|ipynb)\b")


@dataclass(frozen=True)
class ReplyBlock:
    """A block as it stands in the reply.

    Attributes:
        label: the fence's or tag's word for its language, in lower case; empty if there is none.
        origin: what holds it, for the record: `fence`, `tool call`, `<bash> tag`.
        before: the prose between the block before and this one; `after` that up to the next.
        file: the name under which it is to be saved, as the fence's label or the tool call says.
        cut: the reply ends before the block does.
        final: it stands in tags that mark the answer, such as `<answer>`.
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
"""So many blocks are looked at; no answer has more."""

Part = str | ReplyBlock
"""A reply in order: prose, and blocks."""


def label_of(info: str) -> tuple[str, str]:
    """`bash`, and a file name if there is one: `{.bash}`, `Bash title="run.sh"`, `language-bash`, `bash:run.sh`."""
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
