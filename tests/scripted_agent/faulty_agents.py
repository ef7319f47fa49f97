"""Engineers with the failings that are published of the research agent, on a problem that takes no time.

In each try a script leaves a number and prints it; the largest is wanted. Each engineer has one failing, and heeds what
the prompt says of it, if it says so. They show that what a flag brings arrives and suffices, not that models heed it.
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass, field
from typing import Any

from tests.scripted_agent.protocol import Conversation, Reply
from tests.scripted_agent.toy_problem import script

_BUDGET = re.compile(r"^This is step (\d+) of (\d+)\.", re.M)
_PRINTED = re.compile(r"with (\d+)")
_DOUBTED = re.compile(r"^These figures of your last Fact Check stand in no observation so far", re.M)
_HELP = re.compile(r"<(?:observation|log)>\n(.*?)\n</(?:observation|log)>", re.S)
_ENTRY = "Write the entry of the research log"
_RETRIEVAL = "The log of a research:"


def reply(action: str, inputs: dict[str, Any], plan: str = "go on", facts: str = "none") -> Reply:
    words = f"Research Plan and Status: {plan}\nFact Check: {facts}\nThought: I go on\n"
    return Reply(f"{words}Action: {action}\nAction Input: {json.dumps(inputs)}")


def write(number: int, **more: str) -> Reply:
    return reply("Write File", {"file_name": "train.py", "content": script(number)}, **more)


def run(**more: str) -> Reply:
    return reply("Execute Script", {"script_name": "train.py"}, **more)


def end(answer: str, **more: object) -> Reply:
    return reply("Final Answer", {"final_answer": answer, **more})


@dataclass
class Restless:
    """Tries on and on, and puts the best back only at the end: for that, he must see the end come.

    Attributes:
        numbers: what his tries come to, in order.
    """

    numbers: list[int]
    steps: int = 0

    def __call__(self, said: Conversation) -> Reply:
        self.steps += 1
        tries, ran = divmod(self.steps - 1, 2)
        shown = _BUDGET.search(said.text)
        left = int(shown[2]) - int(shown[1]) if shown else len(self.numbers)
        seen = self.numbers[:tries]
        if left <= 2 and seen:
            return (write(max(seen)), run(), end(f"The number is {max(seen)}."))[2 - left]
        if tries >= len(self.numbers):
            return end("That was all.")
        return run() if ran else write(self.numbers[tries])


@dataclass
class Forgetful:
    """Knows of earlier tries only what the prompt says, and tries what he knows nothing of; ends when all is known."""

    numbers: list[int]
    tried: list[int] = field(default_factory=list)
    written: bool = False

    def __call__(self, said: Conversation) -> Reply:
        if (_ENTRY in said.text or _RETRIEVAL in said.text) and (found := _HELP.search(said.text)):
            return Reply(_copied(found[1]))
        if self.written:
            self.written = False
            return run(plan=_PLAN)
        known = {int(number) for number in _PRINTED.findall(said.text)}
        unknown = [number for number in self.numbers if number not in known]
        if not unknown:
            return end("I know them all.")
        self.written = True
        self.tried.append(unknown[0])
        return write(unknown[0], plan=_PLAN)

    @property
    def repeated(self) -> int:
        return len(self.tried) - len(set(self.tried))


_PLAN = "which numbers are done, by Execute Script? Then the next one."


def _copied(text: str) -> str:
    """A helper without a fault: what was printed, each once."""
    return "\n".join(dict.fromkeys(f"done with {number}" for number in _PRINTED.findall(text))) or "nothing was printed"


@dataclass
class Boastful:
    """Says in his Fact Check that a figure was observed which was not; believes it unless the prompt doubts it."""

    claimed: str
    steps: int = 0
    doubted: bool = False

    def __call__(self, said: Conversation) -> Reply:
        self.steps += 1
        self.doubted |= bool(_DOUBTED.search(said.text))
        match self.steps:
            case 1:
                return write(3)
            case 2:
                return run()
            case 3:
                facts = f"The number reached is {self.claimed}: it was observed."
                return reply("List Files", {"dir_path": "."}, facts=facts)
        number = "3" if self.doubted else self.claimed
        return end(f"The number reached is {number}.", claimed_score=float(number))


def shuffled(seed: int, most: int = 9, count: int = 24) -> list[int]:
    """What tries come to: numbers from 1 to `most`, by chance."""
    rng = random.Random(seed)
    return [rng.randint(1, most) for _ in range(count)]
