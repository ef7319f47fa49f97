"""Replies that were paid for before: a resumed run, or a sample tried again, reads them from the cache."""

from __future__ import annotations

from collections.abc import Iterable

from inspect_ai.event import Event, ModelEvent
from inspect_ai.model import ModelOutput


def replayed(events: Iterable[Event]) -> list[ModelOutput]:
    """The replies among a sample's events that an earlier process, or try, paid for, whichever model gave them.

    Inspect counts none of these in its sums and limits. Each stands here once: the same question, asked again of the
    same model in the same sample, gets the kept reply. One that was paid for among these very events is counted there.
    """
    calls = [event for event in events if isinstance(event, ModelEvent) and not (event.pending or event.error)]
    counted = {_which(event.output) for event in calls if event.cache != "read"}
    kept = {_which(event.output): event.output for event in calls if event.cache == "read"}
    return [output for which, output in kept.items() if which not in counted]


def _which(output: ModelOutput) -> tuple[str | None, float | None]:
    """A kept reply has the id and the time that it had at first."""
    return output.choices[0].message.id if output.choices else None, output.time
