"""A small repository to try the engineer on, and an agent's loop around him with a real shell in a folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.scripted_agent.behaviours import reply_of
from tests.scripted_agent.protocol import Conversation, Message, Reply, Tool

README = """# weaver

## Training

Change into `loom` first.

```bash
cd loom
python weave.py --pattern twill --num-epochs 4 --lr 0.5
```

The patterns are `twill`, `satin` (long floats) and `plain`. `--num-epochs` is how often the data are passed.

## From Python

```python
from loom.thread import Spool

spool = Spool(length=10, colour="red")
print(spool)
```
"""
PROGRAM = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--pattern", choices=["twill", "satin", "plain"], required=True)
parser.add_argument("--epochs", type=int, default=3, help="passes over the data")
parser.add_argument("--lr", type=float, default=0.1, help="learning rate")
print(parser.parse_args())
"""
SPOOL = """
class Spool:
    def __init__(self, length=5, colour="blue"):
        self.length, self.colour = length, colour
"""
INSTRUCTION = "Weave satin for 12 epochs with a learning rate of 0.25."
SHELL = Tool("bash", "", {"properties": {"cmd": {"type": "string"}}, "required": ["cmd"]})
SUBMIT = Tool("submit", "", {"properties": {"answer": {"type": "string"}}, "required": ["answer"]})


def make_repository(folder: Path) -> Path:
    """The repository, in a new folder."""
    (folder / "loom").mkdir(parents=True)
    (folder / "README.md").write_text(README)
    (folder / "loom" / "weave.py").write_text(PROGRAM)
    (folder / "loom" / "thread.py").write_text(SPOOL)
    return folder


def task(instruction: str = INSTRUCTION, python: bool = False) -> str:
    """The task in the words of the agent bench, as far as they matter."""
    wanted = "Python code is wanted: write it into one file." if python else "Let run.sh start the program."
    return f"<instruction>\n{instruction}\n</instruction>\n\nLeave /workspace/run.sh.\n{wanted}\n"


def shell(folder: Path) -> Callable[[str], str]:
    """Runs commands there; `python` is the one that runs this."""

    def run(command: str) -> str:
        env = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    return run


@dataclass(frozen=True)
class Talk:
    """A conversation that has ended; `commands` are those that were run."""

    messages: tuple[Message, ...]
    commands: tuple[str, ...]
    last: Reply


def talk(
    opening: str,
    run: Callable[[str], str],
    behaviour: str = "competent",
    tools: Sequence[Tool] = (SHELL, SUBMIT),
    parameter: str = "cmd",
    wrap: Callable[[str], str] = str,
    steps: int = 30,
) -> Talk:
    """Play an agent with function tools until the engineer calls no shell any more."""
    messages, commands = [Message("user", opening)], list[str]()
    for _ in range(steps):
        reply = reply_of(behaviour, Conversation("m", tuple(messages), tuple(tools)))
        messages.append(Message("assistant", reply.text, tuple(_numbered(reply, len(messages)))))
        command = reply.calls[0].values().get(parameter) if reply.calls else None
        if not isinstance(command, str) or "COMPLETE_TASK" in command:
            return Talk(tuple(messages), tuple(commands), reply)
        commands.append(command)
        messages.append(Message("tool", wrap(run(command)), answers=messages[-1].calls[0].id))
    return Talk(tuple(messages), tuple(commands), reply)


def _numbered(reply: Reply, number: int) -> list:  # type: ignore[type-arg]
    return [type(call)(call.name, call.arguments, f"call-{number}-{n}") for n, call in enumerate(reply.calls)]
