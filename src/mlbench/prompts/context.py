"""Input and output of a setting: context budget, selected documents, what was cut."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from mlbench.records import UsageError

Variant = Literal["paper", "documents", "repository", "code"]
VARIANTS: tuple[Variant, ...] = ("paper", "documents", "repository", "code")

INSTRUCTION = 1024
"""Tokens reserved for the instruction and the words around the documents."""
REPLY = 4096
"""Tokens reserved for the reply if no limit is given (`--max-tokens`); at most a quarter of the context."""
_NAMED = 5


@dataclass(frozen=True)
class Context:
    """How much a model is shown, and how retrieval searches.

    Attributes:
        tokens: the model's context window, its reply included.
        reply: the longest reply in tokens; None if no limit is given.
        tokenizer: who counts tokens: `estimate`, a tiktoken encoding, or the path of a `tokenizer.json` (see `tokens`).
        retrieval: what the setting `retrieval` searches (see `retrieval`).
        spans: how many of the best spans are shown.
    """

    tokens: int = 128_000
    tokenizer: str = "estimate"
    retrieval: Variant = "paper"
    spans: int = 1
    reply: int | None = None

    def __post_init__(self) -> None:
        if self.tokens < 1:
            raise UsageError(f"a context of {self.tokens} tokens: at least 1 is needed")
        if self.retrieval not in VARIANTS:
            raise UsageError(f"no retrieval {self.retrieval!r}; there are: {', '.join(VARIANTS)}")
        if self.spans < 1:
            raise UsageError(f"{self.spans} spans: at least 1 is needed")

    @property
    def reserve(self) -> int:
        """Tokens that are left free for the reply."""
        return min(REPLY, self.tokens // 4) if self.reply is None else self.reply

    @property
    def budget(self) -> int:
        """Tokens for the documents: the context without reply and instruction.

        Raises:
            UsageError: nothing is left.
        """
        reply = self.reserve
        left = self.tokens - reply - INSTRUCTION
        if left < 1:
            raise UsageError(
                f"a context of {self.tokens} tokens has no room for documents: {reply} are kept for the reply and"
                f" {INSTRUCTION} for the instruction; lower --max-tokens or raise --context-tokens"
            )
        return left


@dataclass(frozen=True)
class Document:
    """A text that a model is shown, and its path in the repository.

    Attributes:
        lines: first and last line, from 1, if only a part is shown.
    """

    path: str
    text: str
    lines: tuple[int, int] | None = None


@dataclass(frozen=True)
class ContextCut:
    """How much is shown, and how much there was.

    Attributes:
        tokens, of_tokens: shown and available tokens, with the words around each document. `of_tokens` is None for a
            retrieval, whose corpus is not counted.
        partly: the document that is shown in part; empty if there is none.
    """

    documents: int
    of_documents: int
    tokens: int
    of_tokens: int | None
    characters: int
    of_characters: int
    partly: str = ""


@dataclass(frozen=True)
class ContextSelection:
    """The documents that a setting shows.

    Attributes:
        cut: None for the oracle, where nothing is chosen or cut.
        counter: the name of the token counter.
        how: what else the selection depends on: the retrieval's variant and its sentence splitter.
        notes: files that could not be read, each with its reason.
    """

    documents: tuple[Document, ...]
    cut: ContextCut | None = None
    counter: str = ""
    how: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Survival:
    """How much of the oracle segment is in the prompt (the paper's table 17).

    Attributes:
        whole: whether one document contains all of it.
        share: the share of its lines that are shown anywhere.
    """

    whole: bool
    share: float


@dataclass(frozen=True)
class Prompt:
    """A prompt, the documents that it shows, and how much of the oracle segment is in it."""

    system: str
    user: str
    shown: ContextSelection
    oracle: Survival

    def record(self) -> dict[str, Any]:
        """The prompt's record in a sample's metadata: everything but the texts."""
        shown = self.shown
        notes = [*shown.notes[:_NAMED], *([f"and {len(shown.notes) - _NAMED} more"] if shown.notes[_NAMED:] else [])]
        return {
            "oracle_shown": self.oracle.whole,
            "oracle_share": round(self.oracle.share, 4),
            "cut": asdict(shown.cut) if shown.cut else None,
            "counter": shown.counter,
            "how": shown.how,
            "notes": notes,
        }
