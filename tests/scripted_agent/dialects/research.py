"""Experiments: the text protocol of the research agent, told by the form that its prompt asks for, and Inspect's tools.

In text he hands his notes on in the plan; with tools he goes through the conversation again.
"""

from __future__ import annotations

import json
import re

from mlbench.evals.mlagentbench.actions import PUBLISHED
from tests.scripted_agent.experimenter import Next, Notes, Turn, next_step
from tests.scripted_agent.protocol import Call, Conversation, Reply

_PROBLEM = re.compile(r"<problem>\n(.*?)\n</problem>", re.S)
_STEP = re.compile(r"^<step number=\"\d+\">\n(.*?)^Observation:\n(.*?)\n</step>$", re.S | re.M)
_ACTION = re.compile(r"^Action: (.*)\nAction Input: (\{.*\})$", re.M)
_NOTES = re.compile(r"^Notes: (\{.*\})$", re.M)
_HELP = re.compile(r"<(?:observation|log)>\n(.*?)\n</(?:observation|log)>", re.S)
_ASKED = re.compile(r"^(?:Summarise it in at most|Write the entry of the research log|Write down in at most)", re.M)
_TOOLS = {"write_file", "execute_script", "final_answer"}


class Experiments:
    """Both ways of speaking."""

    def fits(self, said: Conversation) -> bool:
        if said.tools:
            return {tool.name for tool in said.tools} >= _TOOLS
        return bool(_ASKED.search(said.text)) or "\nResearch Plan and Status: " in said.text

    def decide(self, said: Conversation) -> Reply:
        """The next step."""
        if said.tools:
            return _called(said)
        if _ASKED.search(said.text):
            found = _HELP.search(said.text)
            return Reply(found[1][:1500] if found else "")
        return Reply(_words(_told(said)))


def _told(said: Conversation) -> Next:
    """The next step, from the notes in the last one."""
    problem = _PROBLEM.search(said.text)
    notes, turns = Notes(), list[Turn]()
    for thoughts, seen in _STEP.findall(said.text):
        if action := _ACTION.search(thoughts):
            turns.append(Turn(action[1], json.loads(action[2]), seen))
        if kept := _NOTES.search(thoughts):
            notes = Notes.read(kept[1])
    return next_step(problem[1] if problem else "", notes, turns)


def _words(step: Next) -> str:
    notes, act = step.notes, step.act
    checked = "Nothing was measured so far."
    if notes.best is not None:
        checked = f"The starter's score is {notes.starter:g}, the best is {notes.best:g}: both were observed."
    return "\n".join(
        [
            f"Reflection: I am at: {notes.stage}.",
            f"Research Plan and Status: look, run, then try what is known to help; {len(notes.moves)} moves are left.",
            f"Notes: {notes.write()}",
            f"Fact Check: {checked}",
            f"Thought: {act.why}",
            f"Action: {act.name}",
            f"Action Input: {json.dumps(act.inputs)}",
        ]
    )


def _called(said: Conversation) -> Reply:
    """The next call, all notes taken anew."""
    published = {tool: name for name, tool in PUBLISHED.items()}
    results = {message.answers: message.text for message in said.messages if message.answers}
    turns = [
        Turn(published.get(call.name, call.name), call.values(), results.get(call.id, ""))
        for message in said.messages
        for call in message.calls
    ]
    step = next_step(said.opening, Notes(), [])
    for number in range(1, len(turns) + 1):
        step = next_step(said.opening, step.notes, turns[:number])
    return Reply(step.act.why, (Call(PUBLISHED[step.act.name], json.dumps(step.act.inputs)),))
