"""Words that a parser left over and the program's own code takes, as settings of the command."""

from __future__ import annotations

from . import values

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


END = "--"


def taken(answer: Mapping[str, Any]) -> dict[str, Any] | None:
    """The accepted answer with its left-over words as settings; None if they are not such.

    Of `--save-dir samples --seed=4 model.depth=2`: `save-dir`, `seed` and `model.depth`. The program did not refuse
    them, and which keys it knows cannot be told: that is noted. A key that stands twice, or that a parser has taken as
    well, leaves open what counts. What follows `--` is a command, whose words count as one setting.
    """
    words = [str(word) for word in answer["ignored"]]
    command: list[str] = []
    if END in words:
        words, command = words[: words.index(END)], words[words.index(END) + 1 :]
    found: dict[str, tuple[str, Any]] = {END: (END, command)} if command else {}
    at = 0
    while at < len(words):
        key, equals, value = words[at].partition("=")
        at += 1
        if not equals:
            if not key.startswith("--") or at == len(words) or words[at].startswith("--"):
                return None
            value = words[at]
            at += 1
        name = key.lstrip("-")
        is_name = name.replace(".", "").replace("-", "").replace("_", "").isalnum()
        if not is_name or name in found or name in answer["configuration"]:
            return None
        found[name] = (key, value)
    keys = ", ".join(key for key, _ in found.values())
    return {
        **answer,
        "configuration": {
            **answer["configuration"],
            **{name: values.encode(value) for name, (_, value) in found.items()},
        },
        "given": [*answer["given"], *found],
        "options": {**answer["options"], **{name: [key] for name, (key, _) in found.items()}},
        "ignored": [],
        "unchecked": [*answer["unchecked"], f"the program's own code reads {keys}"],
    }
