"""How an act is said to an agent, and how its words are read back: one module a way of speaking.

A dialect is three functions: `fits` (is this conversation in it?), `turns` (what was done, and what came back) and
`say`. `runs` tells whether it has a shell at all.
"""

from __future__ import annotations

from typing import Protocol

from engineer.dialects.aider import Aider
from engineer.dialects.blocks import Blocks
from engineer.dialects.shown import Shown
from engineer.dialects.tools import Tools
from engineer.protocol import Conversation, Reply
from engineer.seen import Act, Turn


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
