"""Code blocks in text: an executor runs them and answers with their output as the user's text.

AutoGen's assistant and executor (ends with TERMINATE), and mini-swe-agent without tools (ends with an `echo`).
"""

from __future__ import annotations

import re

from tests.scripted_agent.dialects.outputs import bare
from tests.scripted_agent.observations import Act, Run, Turn
from tests.scripted_agent.protocol import Conversation, Reply

_BLOCK = re.compile(r"^```(?:bash|sh|shell|mswea_bash_command)\n(.*)\n```$", re.DOTALL | re.MULTILINE)
_SENTINEL = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


class Blocks:
    """One block a reply."""

    runs = True

    def fits(self, said: Conversation) -> bool:
        return True

    def turns(self, said: Conversation) -> list[Turn]:
        found = []
        for message, behind in zip(said.messages, said.messages[1:], strict=False):
            if message.role == "assistant" and (block := _BLOCK.search(message.text)):
                found.append(Turn(block[1], bare(behind.text)))
        return found

    def say(self, said: Conversation, act: Act) -> Reply:
        if isinstance(act, Run):
            return Reply(f"{act.why}\n\n```{_language(said)}\n{act.command}\n```".lstrip())
        if _SENTINEL in said.opening:
            return Reply(f"{act.text}\n\n```{_language(said)}\necho {_SENTINEL}\n```")
        return Reply("TERMINATE" if "TERMINATE" in said.opening else act.text)


def _language(said: Conversation) -> str:
    return "mswea_bash_command" if "```mswea_bash_command" in said.opening else "bash"
