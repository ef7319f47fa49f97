"""Read the steps of agents from a log's events, shortened for the report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from json import dumps
from typing import Literal

from inspect_ai.event import Event, ModelEvent, ToolEvent
from inspect_ai.log import EvalSample, read_eval_log_samples
from inspect_ai.model import ChatMessage, ChatMessageTool, ModelOutput

from mlbench.records import UsageError
from mlbench.replies import reply_in_words, since_it_spoke
from mlbench.truncate import head_and_tail

LONGEST = 2_000
"""Characters kept of one step."""

MOST, LEAST, ON_PAGE = 240, 40, 12_000
"""Entries kept of one attempt: MOST, or, if a page has many attempts, its share of ON_PAGE, but LEAST."""

_UNREAD = {"messages", "store"}


@dataclass(frozen=True)
class TrajectoryStep:
    """One entry: what the model said, what a tool answered, or what else the model was told.

    Entries of an experiment's own record are an action with its inputs, an observation, or changed files.
    """

    by: Literal["model", "tool", "told", "action", "seen", "changed"]
    text: str
    tool: str = ""


@dataclass(frozen=True)
class Trajectory:
    """An attempt's steps in order; `left_out` steps are missing after the first `head`."""

    steps: tuple[TrajectoryStep, ...] = ()
    head: int = 0
    left_out: int = 0


def entries_kept(attempts: int) -> int:
    """Return how many entries of one attempt a page of so many attempts keeps."""
    return max(LEAST, min(MOST, ON_PAGE // max(1, attempts)))


def read_trajectories(location: str, most: int = MOST) -> dict[tuple[int | str, int], Trajectory]:
    """Return the steps of each attempt in a log, by row (or problem) and attempt number.

    Only one sample is in memory at a time.

    Args:
        location: of the log.
        most: entries kept of one attempt.

    Raises:
        UsageError: the log cannot be read.
    """
    try:
        samples = read_eval_log_samples(
            location, all_samples_required=False, resolve_attachments="full", exclude_fields=_UNREAD
        )
        return {_attempt_key(sample): bounded(list(steps_in(sample.events)), most) for sample in samples}
    except Exception as error:  # a broken archive raises many kinds of errors
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise UsageError(f"{location}: the steps cannot be read ({first:.120}); run mlbench agent again") from error


def _attempt_key(sample: EvalSample) -> tuple[int | str, int]:
    if "problem" in sample.metadata:
        return str(sample.metadata["problem"]), sample.epoch
    return int(sample.metadata["row"]), int(sample.metadata["attempt"] or sample.epoch)


def bounded(steps: Sequence[TrajectoryStep], most: int = MOST) -> Trajectory:
    """Keep at most `most` steps: the first 60 % and the last 40 %."""
    if len(steps) <= most:
        return Trajectory(tuple(steps), len(steps))
    head = most * 6 // 10
    return Trajectory((*steps[:head], *steps[head - most :]), head, len(steps) - most)


def steps_in(events: Iterable[Event]) -> Iterator[TrajectoryStep]:
    """Yield what the model said, and what it was told in between.

    Tools of a foreign agent run inside its sandbox and have no events, so their answers are read from the model's next
    input. The last answers, which the model never saw, are read from the events of tools.
    """
    unseen: dict[str, TrajectoryStep] = {}
    begun = False
    last: ModelOutput | None = None
    for event in events:
        if isinstance(event, ToolEvent):
            answer = event.error.message if event.error else event.result
            unseen[event.id] = TrajectoryStep("tool", _words(answer), event.function)
        elif isinstance(event, ModelEvent):
            for message in since_it_spoke(event.input, last):
                if isinstance(message, ChatMessageTool):
                    unseen.pop(message.tool_call_id or "", None)
                if begun:  # before the first reply it is the prompt, which the page shows already
                    yield _heard(message)
            begun, last = True, last if event.error else event.output
            yield TrajectoryStep("model", _said(event))
    yield from unseen.values()


def _heard(message: ChatMessage) -> TrajectoryStep:
    if isinstance(message, ChatMessageTool):
        return TrajectoryStep(
            "tool", _words(message.error.message if message.error else message.text), message.function or ""
        )
    return TrajectoryStep("told", _words(message.text))


def _said(event: ModelEvent) -> str:
    if event.error:
        return _words(f"(the model's provider failed: {event.error})")
    return _words(reply_in_words(event.output) or "(nothing)")


def _words(content: object) -> str:
    text = content if isinstance(content, str) else dumps(content, ensure_ascii=False, default=str)
    return head_and_tail(text, LONGEST)
