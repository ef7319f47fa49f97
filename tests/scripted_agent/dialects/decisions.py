"""Structured decisions: one tool a decision, filled from the text that is shown (`ml_agent.tool_schemas`).

What a decision is about is told by the names in its schema, so that a tool with another name would do as well.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tests.scripted_agent.examples import Example
from tests.scripted_agent.matching import Told
from tests.scripted_agent.observations import Run, Seen, read_path
from tests.scripted_agent.policy import answered, chosen, missing_package, next_act, ranked_documents
from tests.scripted_agent.programs import Knob
from tests.scripted_agent.protocol import Call, Conversation, Reply, Tool
from tests.scripted_agent.tasks import Task, task_of
from tests.scripted_agent.words import rarities, stems, tokens

_DOCUMENT = re.compile(r"<document path=\"([^\"\n]*)\"[^>\n]*>\n(.*?)\n</document>", re.DOTALL)
_REPOSITORY = re.compile(r"<repository name=\"([^\"\n]*)\">\n(.*?)\n</repository>", re.DOTALL)
_TREE = re.compile(r"<tree>\n(.*?)\n</tree>", re.DOTALL)
_TAKES = re.compile(r"^What (\S+) takes:\n((?:  .*\n?)+)", re.M)
_FOLDER = re.compile(r"answer runs in the folder `([^`]*)`")
_TOLD_BACK = r"^The answer was checked against|^The repository accepts the answer"
_LEAST_SHARE = 0.15


class Decisions:
    """Calls of the tools that decide."""

    def fits(self, said: Conversation) -> bool:
        return bool(said.tools) and all(_kind(tool) for tool in said.tools)

    def decide(self, said: Conversation) -> Reply:
        """One of the decisions that are offered."""
        by_kind = {_kind(tool): tool for tool in said.tools}
        task = task_of(said.text)
        task = replace(task, kind="python" if "Python code is wanted" in said.text else "shell")
        if "keywords" in by_kind:
            return _call(by_kind["keywords"], {"keywords": _keywords(task.instruction)})
        if "names" in by_kind:
            return _call(by_kind["names"], {"names": _ranking(said, task)})
        if "suitable" in by_kind:
            return _call(by_kind["suitable"], _judgement(said, task))
        return _generation(said, task, by_kind)


def _kind(tool: Tool) -> str:
    for name in ("keywords", "names", "suitable", "packages", "code", "path"):
        if name in tool.properties and "command" not in tool.properties:
            return name if name != "code" or "language" in tool.properties else ""
    return "reason" if set(tool.properties) == {"reason"} else ""


def _call(tool: Tool, values: Mapping[str, Any]) -> Reply:
    return Reply("", (Call(tool.name, json.dumps({k: v for k, v in values.items() if k in tool.properties})),))


def _keywords(instruction: str) -> list[str]:
    words = [
        token.text for token in tokens(instruction) if not token.number and len(token.text) > 2 and stems(token.text)
    ]
    names = [word for word in words if word[0].isupper()]
    return list(dict.fromkeys([*names, *words]))[:12]


def _ranking(said: Conversation, task: Task) -> list[str]:
    found = dict(_REPOSITORY.findall(said.messages[-1].text if "<repository" in said.messages[-1].text else said.text))
    bags = {name: set(stems(name + " " + text)) for name, text in found.items()}
    rarity = rarities(bags.values())
    wanted = set(stems(task.instruction))
    # what was found first matched best all over its README, of which only the beginning is shown here
    scores = {name: sum(rarity[word] for word in bag & wanted) for name, bag in bags.items()}
    order = {name: position for position, name in enumerate(bags)}
    return sorted(bags, key=lambda name: (-scores[name] * 0.5 ** order[name], name))


def _judgement(said: Conversation, task: Task) -> dict[str, Any]:
    seen = _seen(said)
    wanted = set(stems(task.instruction))
    known = set(stems(" ".join([*seen.texts.values(), *seen.files])))
    share = len(wanted & known) / max(1, len(wanted))
    suitable = "This repository is to be used" in said.text or share >= _LEAST_SHARE
    documents = re.findall(r"^- (\S+)$", said.text, re.M)
    order = ranked_documents(task, replace(seen, files=tuple({*seen.files, *documents})), own_first=True)
    order = [path for path in order if path in documents]
    return {
        "suitable": suitable,
        "reason": f"{share:.0%} of the instruction's words stand in its files and its README.",
        "settings": _settings(task.instruction),
        "readmes": order,
    }


def _settings(instruction: str) -> list[str]:
    """What the numbers of an instruction are numbers of: the word behind, or the words before."""
    said = tokens(instruction)
    found = []
    for n, token in enumerate(said):
        if not token.number:
            continue
        behind = [t.text for t in said[n + 1 : n + 2] if not t.number and stems(t.text) and t.place - token.place < 2]
        before = [
            t.text for t in said[max(0, n - 3) : n] if not t.number and stems(t.text) and token.place - t.place < 4
        ]
        found.append(" ".join(behind or before))
    return list(dict.fromkeys(text.lower() for text in found if text))


def _generation(said: Conversation, task: Task, offered: Mapping[str, Tool]) -> Reply:
    seen = _seen(said)
    if "packages" in offered and (name := missing_package(seen.failures[-1], seen)):
        return _call(offered["packages"], {"packages": [name]})
    if "path" in offered and (path := _wish(task, seen)):
        return _call(offered["path"], {"path": path, "missing": _missing(task, path)})
    example = chosen(task, seen)
    if example is None:
        if "reason" in offered:
            return _call(offered["reason"], {"reason": "This README shows no example of what is wanted."})
        return _call(offered["code"], _values(task, "", "."))
    files = answered(task, seen, example, _told(said, example), _told_back(said)).files
    if task.kind == "python":
        return _call(offered["code"], _values(task, next(t for p, t in files.items() if p != "run.sh"), example.cwd))
    folder = posixpath.normpath(_folder_of(said))
    lines = [line for line in files["run.sh"].split("\n") if line and not line.startswith("cd ")]
    if "folder" not in offered["code"].properties and folder != example.cwd:
        lines.insert(0, f"cd {posixpath.relpath(example.cwd, folder)}")
    return _call(offered["code"], _values(task, "\n".join(lines), example.cwd))


def _wish(task: Task, seen: Seen) -> str:
    """The file that is read next, as with a shell; empty where nothing is wanted."""
    act = next_act(task, seen, runs=False)
    path = read_path(act.command) if isinstance(act, Run) else None
    return path if path and path not in seen.texts else ""


def _missing(task: Task, path: str) -> list[str]:
    """What a file is opened for: of a script its words and variables, else the names of what is to be set."""
    settings = [] if path.endswith(".sh") else _settings(task.instruction)
    return settings or [f"what {posixpath.basename(path)} takes"]


def _values(task: Task, code: str, folder: str) -> dict[str, Any]:
    return {
        "language": "bash" if task.kind == "shell" else "python",
        "folder": folder,
        "plan": "Take the example of the documents and put in the values of the instruction.",
        "code": code or "echo nothing was found",
    }


def _seen(said: Conversation) -> Seen:
    """What was shown. A file that was not opened counts as read, until a draft is sent back: then it may be had."""
    texts: dict[str, str] = {}
    wishes = {call.id: call.values() for message in said.messages for call in message.calls}
    failures = tuple(m.text for m in said.messages if m.role == "tool" and "was run in the sandbox" in m.text)
    installed = tuple(name for wish in wishes.values() for name in wish.get("packages", ()))
    for message in said.messages:
        texts |= dict(_DOCUMENT.findall(message.text))
        if message.role != "tool":
            continue
        if re.search(_TOLD_BACK, message.text):
            texts = {path: text for path, text in texts.items() if text}
        path = wishes.get(message.answers, {}).get("path")
        if path:
            texts.setdefault(path, "")
    files = set(texts)
    for tree in _TREE.findall(said.text):
        for line in tree.split("\n"):
            folder, _, names = line.partition("/: ")
            files |= {posixpath.normpath(f"{folder}/{name}") for name in names.split("  ") if name and name[0] != "("}
    return Seen(looked=True, files=tuple(sorted(files)), texts=texts, failures=failures, installed=installed)


def _folder_of(said: Conversation) -> str:
    found = _FOLDER.search(said.text)
    return found[1] if found else "."


def _told_back(said: Conversation) -> Told:
    """What was said of earlier drafts: values of the options that a refusal names, numbers that were missed."""
    refused: dict[str, frozenset[str]] = {}
    missed: frozenset[str] = frozenset()
    code = ""
    for message in said.messages:
        code = next((str(call.values()["code"]) for call in message.calls if "code" in call.values()), code)
        if message.role != "tool":
            continue
        if found := re.match(r"The answer was checked against[^\n]*\n(.*?)(?=\nWhat |\nMend |\Z)", message.text, re.S):
            for name, value in re.findall(r"(?<![\w-])-{0,2}([A-Za-z][\w-]*)(?:=| )([^\s,()]+)", code):
                if re.search(rf"(?:--|\b){re.escape(name)}\b", found[1]):
                    refused[name] = refused.get(name, frozenset()) | {value.strip("\"'")}
        if found := re.search(r"names what it does not say: ([^\n]*?)\.?$", message.text, re.M):
            missed |= {each.split(" ")[0] for each in found[1].split(", ")}
    return Told(refused, missed)


def _told(said: Conversation, example: Example) -> list[Knob]:
    """The options that a refusal lists for the example's program."""
    knobs: list[Knob] = []
    for message in said.messages:
        if message.role != "tool":
            continue
        for program, lines in _TAKES.findall(message.text):
            console = "." not in example.program  # its name says nothing of the file that it starts
            if console or posixpath.basename(program) == posixpath.basename(example.program):
                knobs = [_knob(line.strip(), n) for n, line in enumerate(lines.rstrip("\n").split("\n"))]
    places = [knob for knob in knobs if not knob.flags]
    return [replace(knob, place=places.index(knob)) if knob in places else knob for knob in knobs]


def _knob(line: str, number: int) -> Knob:
    head, *about = line.split("; ")
    flags = tuple(flag for flag in head.split(", ") if flag.startswith("-"))
    choices = next((part[8:].split(", ") for part in about if part.startswith("one of: ")), [])
    default = next((part[8:] for part in about if part.startswith("default ")), "")
    return Knob(
        name=max(flags, key=len).lstrip("-") if flags else head.split(" ")[0],
        flags=flags,
        words=about[-1] if about and not re.match(r"one of: |default |required|a switch", about[-1]) else "",
        choices=tuple(choices),
        switch="a switch" in about,
        required="required" in about or not flags,
        many=default.startswith("["),
        default=default,
        place=-1 if flags else number,
    )
