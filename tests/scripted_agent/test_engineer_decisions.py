"""The dialect of structured decisions: what is read before a draft, and what a draft that came back teaches."""

from __future__ import annotations

import json
from typing import Any

from tests.scripted_agent.behaviours import reply_of
from tests.scripted_agent.protocol import Call, Conversation, Message, Tool
from tests.scripted_agent.shell_loop import INSTRUCTION, PROGRAM, README


def _tool(name: str, *fields: str) -> Tool:
    return Tool(name, "", {"properties": {field: {"type": "string"} for field in fields}})


ANSWER = _tool("answer", "language", "folder", "plan", "code")
OPEN = _tool("open_file", "path", "missing")
INSTALL = _tool("install_packages", "packages", "requirements")
PROMPT = (
    "The repository is called weaver.\n<tree>\n./: README.md\nloom/: thread.py  weave.py\n</tree>\n"
    f'<document path="README.md" lines="1-9">\n{README}\n</document>\n'
    f"<instruction>\n{INSTRUCTION}\n</instruction>\nA bash script is wanted."
)
RIGHT = "python weave.py --pattern satin --epochs 12 --lr 0.25"
DRAFT = "python weave.py --pattern satin --num-epochs 12 --lr 0.25"
REFUSAL = (
    "The answer was checked against the repository, and refused ({reason}):\n{message}\nWhat loom/weave.py takes:\n"
    "  --pattern; one of: twill, satin, plain; required\n  --epochs; int; default 3; passes over the data\n"
    "  --lr; float; default 0.1; learning rate\nMend the answer."
)


def _decided(tools: tuple[Tool, ...], *turns: tuple[str, dict[str, Any], str]) -> tuple[str, dict[str, Any]]:
    """What is called next, after calls with their arguments and what was said to them."""
    messages = [Message("user", PROMPT)]
    for number, (name, arguments, said) in enumerate(turns):
        call = Call(name, json.dumps(arguments), str(number))
        messages += [Message("assistant", "", (call,)), Message("tool", said, answers=str(number))]
    (call,) = reply_of("competent", Conversation("m", tuple(messages), tools)).calls
    return call.name, call.values()


def test_the_program_is_opened_for_what_is_to_be_set_and_then_known() -> None:
    name, arguments = _decided((ANSWER, OPEN))
    assert (name, arguments["path"]) == ("open_file", "loom/weave.py")
    assert arguments["missing"] == ["epochs", "learning rate"]
    shown = f'<document path="loom/weave.py" lines="1-9">\n{PROGRAM}\n</document>'
    name, arguments = _decided((ANSWER, OPEN), ("open_file", {"path": "loom/weave.py"}, shown))
    assert (name, arguments["folder"], arguments["code"]) == ("answer", "loom", RIGHT)


def test_what_is_not_opened_is_not_asked_for_again_until_a_draft_comes_back() -> None:
    refused = ("open_file", {"path": "loom/weave.py"}, "Not opened: the documents that were shown name it.")
    assert _decided((ANSWER, OPEN), refused)[1]["code"] == DRAFT
    message = REFUSAL.format(reason="unknown-argument", message="unrecognized arguments: --num-epochs")
    assert _decided((ANSWER, OPEN), refused, ("answer", {"code": DRAFT}, message))[0] == "open_file"
    assert _decided((ANSWER,), refused, ("answer", {"code": DRAFT}, message))[1]["code"] == RIGHT


def test_a_value_that_an_option_refused_is_not_given_to_it_again() -> None:
    message = REFUSAL.format(reason="invalid-type", message="argument --lr: must be below 0.2")
    code = _decided((ANSWER,), ("answer", {"code": RIGHT}, message))[1]["code"]
    assert "--lr 0.25" not in code
    assert "--epochs 12" in code


def test_what_is_missing_in_the_sandbox_is_installed_once() -> None:
    failed = "The answer was run in the sandbox, and ended with exit code 1.\n<output>\nNo module named 'yaml'\n"
    drafted = ("answer", {"code": RIGHT}, failed)
    assert _decided((ANSWER, INSTALL), drafted) == ("install_packages", {"packages": ["pyyaml"]})
    again = ("install_packages", {"packages": ["pyyaml"]}, failed)
    assert _decided((ANSWER, INSTALL), drafted, again)[0] == "answer"
