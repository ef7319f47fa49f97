"""Aider: no tools and no shell. A file that a reply names is added to the chat; listings or diffs write files."""

from __future__ import annotations

import posixpath
import re

from engineer.protocol import Conversation, Reply
from engineer.seen import LOOK, Act, Run, Turn, read, read_path, written

_MAP_LINE = re.compile(r"^([\w][\w./-]*\.\w+|[\w./-]*README):?$", re.M)
_OPENING_FENCES = ("````", "```", "<source>", "<code>", "<pre>", "<codeblock>", "<sourcecode>")


class Aider:
    """Reads by naming a file, writes in the edit format that the system's words ask for."""

    runs = False

    def fits(self, said: Conversation) -> bool:
        return not said.tools and bool(re.search(r"\*SEARCH/REPLACE|\*file listing\*", said.text))

    def turns(self, said: Conversation) -> list[Turn]:
        fence = _fence(said)
        shown = _shown_files(said, fence)
        made = _own_files(said, fence)
        asked = [path for m in said.messages if m.role == "assistant" for path in re.findall(r"`([^`\n]+)`", m.text)]
        files = _mapped(said) | set(shown)
        turns = [Turn(LOOK, "\n".join(f"./{path}" for path in sorted(files)))]
        turns += [Turn(read(path).command, text[:8000]) for path, text in shown.items() if path not in made]
        # a file that was asked for and not added will not come: it counts as read
        turns += [Turn(read(path).command, "") for path in asked if path in files and path not in shown]
        turns += [Turn(f"cat > '{path}' <<'END_OF_FILE'\n{text}\nEND_OF_FILE", "") for path, text in made.items()]
        return turns

    def say(self, said: Conversation, act: Act) -> Reply:
        if not isinstance(act, Run):
            return Reply(act.text)
        if path := read_path(act.command):
            return Reply(f"I have to see a file first. Please add `{path}` to the chat.")
        if file := written(act.command):
            return Reply(f"{act.why}\n\n{_edit(said, *file)}")
        return Reply(f"{act.why}\n\n```bash\n{act.command}\n```")


def _fence(said: Conversation) -> str:
    text = "\n".join(m.text for m in said.messages if m.role == "system")
    found = re.search(r"path/to/filename\.js\n(\S+)\n", text) or re.search(r"opening (\S+)", text)
    if found and found[1] in _OPENING_FENCES:
        return found[1]
    blocks = re.search(r"mathweb/flask/app\.py\n(````|```|<\w+>)", said.text)
    return blocks[1] if blocks else "```"


def _closing(fence: str) -> str:
    return fence.replace("<", "</")


def _listings(text: str, fence: str) -> dict[str, str]:
    """Files in a text: a line with the path, a fence, the content, the closing fence."""
    pattern = rf"^([\w.][\w./-]*)\n{re.escape(fence)}\w*\n(.*?)\n?{re.escape(_closing(fence))}[ ]*$"
    return {posixpath.normpath(path): content for path, content in re.findall(pattern, text, re.M | re.S)}


def _shown_files(said: Conversation, fence: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for message in said.messages:
        if message.role == "user" and re.match(r"I have \*added these files|Here are some READ ONLY", message.text):
            found |= _listings(message.text, fence)
    return found


def _own_files(said: Conversation, fence: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for message in said.messages:
        if message.role == "assistant":
            for path, content in _listings(message.text, fence).items():
                diff = re.match(r"<<<<<<< SEARCH\n(?:.*\n)?=======\n(.*?)\n?>>>>>>> REPLACE", content, re.S)
                found[path] = diff[1] if diff else content
    return {path: text for path, text in found.items() if not re.search(r"show_greeting|mathweb|hello\.py", path)}


def _mapped(said: Conversation) -> set[str]:
    """The files in the repository map."""
    text = "\n".join(m.text for m in said.messages if m.role == "user" and "my git repository" in m.text[:300])
    return set(_MAP_LINE.findall(text)) | set(re.findall(r"^([\w.-]+(?:/[\w.-]+)+)$", text, re.M))


def _edit(said: Conversation, path: str, text: str) -> str:
    fence = _fence(said)
    if "*SEARCH/REPLACE" in said.text:
        before = _own_files(said, fence).get(path, "")
        search = f"{before}\n" if before else ""
        text = f"<<<<<<< SEARCH\n{search}=======\n{text}\n>>>>>>> REPLACE"
    language = "python" if path.endswith(".py") else "bash"
    opening = fence + language if fence.startswith("`") else fence
    return f"{path}\n{opening}\n{text}\n{_closing(fence)}"
