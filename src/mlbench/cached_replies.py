"""Find the replies in a sample's events that an earlier process, or try, has paid for."""

from __future__ import annotations

from collections.abc import Iterable

from inspect_ai.event import Event, ModelEvent
from inspect_ai.model import ModelOutput


def replayed(events: Iterable[Event]) -> list[ModelOutput]:
    """Return the replies that came from Inspect's cache, each once, of any model.

    Inspect leaves them out of its sums and limits. A question that the same sample asks the same model again gets the
    cached reply, so a reply can occur in several events. A reply that was paid for among these very events is left
    out, because Inspect has counted it.
    """
    calls = [event for event in events if isinstance(event, ModelEvent) and not (event.pending or event.error)]
    paid = {_identity(event.output) for event in calls if event.cache != "read"}
    cached = {_identity(event.output): event.output for event in calls if event.cache == "read"}
    return [output for identity, output in cached.items() if identity not in paid]


def _identity(output: ModelOutput) -> tuple[str | None, float | None]:
    """The id and the time of a reply; a cached one keeps those of its first generation."""
    return output.choices[0].message.id if output.choices else None, output.time
