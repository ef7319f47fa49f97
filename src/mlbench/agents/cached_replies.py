"""Find the replies that came from Inspect's cache, after a resume or a retry of the sample."""

from __future__ import annotations

from collections.abc import Iterable

from inspect_ai.event import Event, ModelEvent
from inspect_ai.model import ModelOutput


def replayed(events: Iterable[Event]) -> list[ModelOutput]:
    """Return the replies that an earlier process or attempt paid for, for all models.

    Inspect leaves these replies out of its sums and limits. Each reply is returned once, because the same request
    in the same sample gets the same cached reply. A reply that these events also paid for is left out.
    """
    calls = [event for event in events if isinstance(event, ModelEvent) and not (event.pending or event.error)]
    paid = {_identity(event.output) for event in calls if event.cache != "read"}
    cached = {_identity(event.output): event.output for event in calls if event.cache == "read"}
    return [output for identity, output in cached.items() if identity not in paid]


def _identity(output: ModelOutput) -> tuple[str | None, float | None]:
    """Return the id and the time of a reply; a cached reply keeps both."""
    return output.choices[0].message.id if output.choices else None, output.time
