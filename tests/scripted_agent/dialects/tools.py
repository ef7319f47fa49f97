"""Function tools: a shell or a Python cell, and one that ends. Which is which is told by names and schemas.

Inspect (`bash`, `python`, `submit`), mini-swe-agent (`bash`, an `echo` that ends), OpenHands (`terminal`, `finish`).
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from typing import Any

from tests.scripted_agent.dialects.outputs import bare
from tests.scripted_agent.observations import Act, Run, Turn
from tests.scripted_agent.protocol import Call, Conversation, Reply, Tool

_SHELLS = (
    "bash",
    "terminal",
    "shell",
    "execute_bash",
    "bash_session",
    "run",
    "run_command",
    "execute",
    "exec",
    "exec_command",
    "run_shell_command",
)
_PARAMETERS = ("command", "cmd", "commands", "script", "code", "input")
_ENDS = ("submit", "finish", "done", "complete", "end", "terminate")
_SENTINEL = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
_SUBPROCESS = (
    "import subprocess\nprint(subprocess.run({}, shell=True, executable='/bin/bash',"
    " stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout)"
)

_TIMES = ("timeout", "timeout_ms", "yield_time_ms")
_PATIENCE = 300
"""Seconds that a command is given where a terminal would else come back before its end: installing takes long."""


class Tools:
    """Calls of function tools."""

    runs = True

    def fits(self, said: Conversation) -> bool:
        return shell_of(said) is not None or _python_of(said) is not None

    def turns(self, said: Conversation) -> list[Turn]:
        results = {message.answers: message.text for message in said.messages if message.answers}
        found = []
        for message in said.messages:
            for call in message.calls:
                if (command := _command(said, call)) is not None:
                    found.append(Turn(command, bare(results.get(call.id, ""))))
        return found

    def say(self, said: Conversation, act: Act) -> Reply:
        if isinstance(act, Run):
            return Reply(act.why, (_call(said, act.command),))
        if _SENTINEL in said.opening:
            return Reply(act.text, (_call(said, f"echo {_SENTINEL}"),))
        end = _named(said, _ENDS)
        if end is None:
            return Reply(act.text)
        return Reply("", (Call(end.name, json.dumps(filled(end, act.text))),))


def shell_of(said: Conversation) -> Tool | None:
    """The tool that runs shell commands; the forced one, if one is."""
    tools = [tool for tool in said.tools if _parameter(tool) and (not said.forced or tool.name == said.forced)]
    for name in _SHELLS:
        for tool in tools:
            if re.search(rf"(?:^|_|-|\.){name}$", tool.name, re.I):
                return tool
    return None


def _python_of(said: Conversation) -> Tool | None:
    return _named(said, ("python", "ipython", "execute_python"))


def _named(said: Conversation, names: tuple[str, ...]) -> Tool | None:
    return next((tool for name in names for tool in said.tools if re.search(rf"(?:^|_){name}(?:$|_)", tool.name)), None)


def _parameter(tool: Tool) -> str:
    return next((name for name in _PARAMETERS if name in tool.properties), "")


def _call(said: Conversation, command: str) -> Call:
    shell = shell_of(said)
    if shell is not None:
        return Call(shell.name, json.dumps(filled(shell, command) | _patience(shell)))
    python = _python_of(said)
    assert python is not None
    return Call(python.name, json.dumps(filled(python, _SUBPROCESS.format(repr(command)))))


def _patience(shell: Tool) -> dict[str, int]:
    """The argument for how long a command may take, in the unit that its schema names."""
    for name, schema in shell.properties.items():
        if name in _TIMES:
            milli = name.endswith("_ms") or "millisecond" in str(schema.get("description", ""))
            return {name: _PATIENCE * (1000 if milli else 1)}
    return {}


def _command(said: Conversation, call: Call) -> str | None:
    tool = said.tool(call.name)
    name = _parameter(tool) if tool else ""
    value = call.values().get(name)
    if not isinstance(value, str):
        return None
    shell = shell_of(said)
    if shell is not None and call.name == shell.name:
        return value
    found = re.match(r"import subprocess\nprint\(subprocess\.run\((.*), shell=True, ", value, re.DOTALL)
    return str(ast.literal_eval(found[1])) if found else None


def filled(tool: Tool, text: str) -> dict[str, Any]:
    """Arguments for a tool with one main text; what else it requires gets its first or an empty value."""
    main = _parameter(tool) or next((n for n, s in tool.properties.items() if s.get("type", "string") == "string"), "")
    arguments: dict[str, Any] = {main: text} if main else {}
    for name in tool.required:
        if name not in arguments:
            arguments[name] = _default(tool.properties.get(name, {}))
    return arguments


def _default(schema: Mapping[str, Any]) -> Any:
    if "default" in schema:
        return schema["default"]
    if schema.get("enum"):
        return schema["enum"][0]
    kinds = {"boolean": False, "integer": 0, "number": 0, "array": [], "object": {}}
    return kinds.get(str(schema.get("type")), "")
