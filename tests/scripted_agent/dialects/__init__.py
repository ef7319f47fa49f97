"""How an act is said to an agent, and how its words are read back: one module a way of speaking.

A dialect is three functions: `fits` (is this conversation in it?), `turns` (what was done, and what came back) and
`say`. `runs` tells whether it has a shell at all.
"""

from __future__ import annotations

from typing import Protocol

from tests.scripted_agent.dialects.aider import Aider
from tests.scripted_agent.dialects.blocks import Blocks
from tests.scripted_agent.dialects.shown import Shown
from tests.scripted_agent.dialects.tools import Tools
from tests.scripted_agent.observations import Act, Turn
from tests.scripted_agent.protocol import Conversation, Reply


class Dialect(Protocol):
    """A way of speaking."""

    runs: bool

    def fits(self, said: Conversation) -> bool: ...

    def turns(self, said: Conversation) -> list[Turn]: ...

    def say(self, said: Conversation, act: Act) -> Reply: ...


DIALECTS: tuple[Dialect, ...] = (Tools(), Aider(), Shown(), Blocks())


def dialect_of(said: Conversation) -> Dialect:
    """The dialect of a conversation; code blocks in text where nothing else fits."""
    return next(dialect for dialect in DIALECTS if dialect.fits(said))
