"""The prompt of the LLM bench: the documents are shown, and one reply with the code is the whole answer."""

from __future__ import annotations

import posixpath
import re

from tests.scripted_agent.observations import LOOK, Act, Turn, read, written
from tests.scripted_agent.protocol import Conversation, Reply

_DOCUMENT = re.compile(r"<document path=\"([^\"\n]*)\"[^>\n]*>\n(.*?)\n</document>", re.DOTALL)
_PROGRAM = re.compile(r"(?:python3?(?: -u)?|bash) ([\w./-]+\.(?:py|sh))")
_FOLDER = re.compile(r"working folder, from the root of the repository, is `([^`]*)`")


class Shown:
    """Reading is all that can be done; what runs is written as one fenced block."""

    runs = False

    def fits(self, said: Conversation) -> bool:
        return not said.tools and bool(_FOLDER.search(said.text)) and "that does this." in said.text

    def turns(self, said: Conversation) -> list[Turn]:
        documents = dict(_DOCUMENT.findall(said.text))
        folder = _folder(said)
        # the programs are not shown, but where they stand can be told: they are started from the working folder
        programs = {
            posixpath.normpath(posixpath.join(folder, m)) for t in documents.values() for m in _PROGRAM.findall(t)
        }
        listing = "\n".join(f"./{path}" for path in [*documents, *sorted(programs - set(documents))])
        return [Turn(LOOK, listing), *(Turn(read(path).command, text) for path, text in documents.items())] + [
            Turn(read(path).command, "") for path in programs if path not in documents
        ]

    def say(self, said: Conversation, act: Act) -> Reply:
        file = written(getattr(act, "command", ""))
        if file is None:
            return Reply(getattr(act, "text", "There is nothing that I could go by."))
        lines = [line for line in file[1].split("\n") if not re.match(r"cd |export PYTHONPATH", line)]
        language = "python" if file[0].endswith(".py") else "bash"
        return Reply(f"```{language}\n" + "\n".join(lines) + "\n```")


def _folder(said: Conversation) -> str:
    found = _FOLDER.search(said.text)
    return posixpath.normpath(found[1]) if found else "."
