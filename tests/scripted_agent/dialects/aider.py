"""Aider: no tools. A file that a reply names is shown from then on, blocks of shell are run, SEARCH/REPLACE writes.

A reply that names a file which is not shown does nothing but have it shown: what else it says has to be said again.
After an edit Aider tries run.sh, and ends where that works: with a command beside the edit it comes back all the same.
"""

from __future__ import annotations

import posixpath
import re

from tests.scripted_agent.observations import CHUNK, TRY, Act, Run, Turn, read, read_path, write, written
from tests.scripted_agent.protocol import Conversation, Reply

_SHOWN = "I have *added these files to the chat*"
_APPLIED = "I updated the files."
_RAN = "Output from "
_TRIED = "I ran this command:"
_GO_ON = "The commands were run"
_FENCE = re.compile(r"opening fence and code language, eg: (\S+?)python")
_EDIT = re.compile(r"^(\S+)\n\S+\n<<<<<<< SEARCH\n(?:.*?\n)?=======\n(.*?)\n>>>>>>> REPLACE$", re.M | re.S)
_BLOCK = re.compile(r"^```bash\n(?!<<<<<<< )(.*?)\n```$", re.M | re.S)
_ASKED = re.compile(r"Please add `([^`\n]+)` to the chat")


class Aider:
    """Reads by naming a file, writes in the edit format `diff`, runs what it suggests to run."""

    runs = True

    def fits(self, said: Conversation) -> bool:
        return not said.tools and "*SEARCH/REPLACE" in said.text

    def turns(self, said: Conversation) -> list[Turn]:
        shown = _shown(said)
        asked = [path for m in said.messages if m.role == "assistant" for path in _ASKED.findall(m.text)]
        # a file that was asked for and is not shown will not come: it counts as read
        files = shown | {path: "" for path in asked if path not in shown}
        return [turn for path, text in files.items() for turn in _reading(path, text)] + _doing(said)

    def say(self, said: Conversation, act: Act) -> Reply:
        if not isinstance(act, Run):
            return Reply(act.text)
        if path := read_path(act.command):
            return Reply(f"I have to see a file first. Please add `{path}` to the chat.")
        if file := written(act.command):
            return Reply(f"{act.why}\n\n{_edit(said, *file)}\n\n```bash\nls -l {file[0]}\n```")
        return Reply(f"{act.why}\n\n```bash\n{act.command}\n```")


def _shown(said: Conversation) -> dict[str, str]:
    """The files in the chat as they are now: before each a line with its path and one with the fence."""
    opening, closing = re.escape(_fence(said)), re.escape(_closing(_fence(said)))
    head = rf"^([^\n]+)\n{opening}\n"
    # no line of a file starts like a fence, but one may end so
    listing = re.compile(rf"{head}(.*?)\n?{closing}\n(?=\n{head}|\s*\Z)", re.M | re.S)
    texts = [m.text for m in said.messages if m.role == "user" and m.text.startswith(_SHOWN)]
    return {posixpath.normpath(found[1]): found[2] for text in texts for found in listing.finditer(f"{text}\n")}


def _reading(path: str, text: str) -> list[Turn]:
    """A file as a shell would have shown it, part by part; behind the last part there is no more."""
    data = text.encode()
    starts = [*range(0, len(data), CHUNK), len(data)]
    parts = {start: data[start : start + CHUNK].decode(errors="ignore") for start in starts}
    return [Turn(read(path, start).command, part) for start, part in parts.items()]


def _doing(said: Conversation) -> list[Turn]:
    """What was written and run.

    Aider says what it did with a reply, and what came of it, in the messages behind: of the replies in its examples
    nothing is said, nor of one that it did not follow.
    """
    turns: list[Turn] = []
    edits, blocks, untried = list[tuple[str, str]](), list[str](), False
    for message in said.messages:
        text = message.text
        if message.role == "assistant":
            if _EDIT.search(text) or _BLOCK.search(text):
                edits, blocks, untried = _EDIT.findall(text), _BLOCK.findall(text), False
        elif text.startswith(_APPLIED):
            turns += [Turn(write(path, new).command, "") for path, new in edits]
            untried = True
        elif text.startswith(_RAN):
            turns += [Turn(block, text.removeprefix(f"{_RAN}{block}\n")) for block in blocks]
        elif text.startswith((_TRIED, _GO_ON)) and untried:  # a failure is said twice, a success not at all
            turns.append(Turn(TRY, text if text.startswith(_TRIED) else "exit status 0"))
            untried = False
    return turns


def _fence(said: Conversation) -> str:
    found = _FENCE.search(said.text)
    return found[1] if found else "```"


def _closing(fence: str) -> str:
    return fence.replace("<", "</")


def _edit(said: Conversation, path: str, text: str) -> str:
    fence, before = _fence(said), _shown(said).get(path, "")
    search = f"{before}\n" if before else ""
    language = "python" if path.endswith(".py") else "bash"
    opening = fence + language if fence.startswith("`") else fence
    return f"{path}\n{opening}\n<<<<<<< SEARCH\n{search}=======\n{text}\n>>>>>>> REPLACE\n{_closing(fence)}"
