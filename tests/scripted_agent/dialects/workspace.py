"""Experiments by a shell, for agents that know nothing of the published actions: each of his acts is a command."""

from __future__ import annotations

import re

from tests.scripted_agent.dialects import dialect_of
from tests.scripted_agent.experimenter import SCRIPT, Act, Notes, Turn, next_step
from tests.scripted_agent.observations import Done, Run
from tests.scripted_agent.protocol import Conversation, Reply

_PROBLEM = re.compile(r"<problem>\n(.*?)\n</problem>", re.S)
_CODE = re.compile(r"^exit code (\d+)", re.M)
_BEFORE = "/tmp/before.py"
_COMMANDS = {
    "List Files": "stat -c '%n (%s)' *",
    "Read File": f"cat {SCRIPT}",
    "Inspect Script Lines": """awk 'NR <= 2 {print NR " " $0}' train.csv""",
    "Execute Script": f"python {SCRIPT} 2>/dev/null; echo exit code $?",
    "Undo Edit Script": f"cp {_BEFORE} {SCRIPT}",
}


class Workspaces:
    """The problem stands in the task, and there is a shell in some dialect."""

    def fits(self, said: Conversation) -> bool:
        return bool(_PROBLEM.search(said.text)) and dialect_of(said).runs

    def decide(self, said: Conversation) -> Reply:
        """The next command, all notes taken anew."""
        found = _PROBLEM.search(said.text)
        assert found is not None
        dialect = dialect_of(said)
        turns: list[Turn] = []
        step = next_step(found[1], Notes(), turns)
        for done in dialect.turns(said):
            if done.command != _command(step.act):
                continue  # a dialect may show files by itself
            turns.append(Turn(step.act.name, step.act.inputs, _seen(step.act, done.output)))
            step = next_step(found[1], step.notes, turns)
        return dialect.say(said, _told(step.act))


def _told(act: Act) -> Run | Done:
    return Run(command, act.why) if (command := _command(act)) else Done(str(act.inputs["final_answer"]))


def _command(act: Act) -> str:
    """Empty for the end."""
    if act.name == "Write File":
        return f"cp {SCRIPT} {_BEFORE}\ncat > {SCRIPT} <<'END'\n{act.inputs['content']}END"
    return _COMMANDS.get(act.name, "")


def _seen(act: Act, output: str) -> str:
    """As the published action shows it."""
    if act.name != "Execute Script":
        return output
    code = _CODE.search(output)
    return f"exit code {code[1]} after 0 s\nstdout:\n{output[: code.start()]}" if code else output
