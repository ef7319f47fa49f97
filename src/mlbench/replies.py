"""Read from a sample's events what a model said; keep replies, and find the kept ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from json import dumps
from typing import Any

from inspect_ai.event import Event, ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import (
    CachePolicy,
    ChatMessage,
    GenerateConfig,
    GenerateFilter,
    GenerateInput,
    Model,
    ModelOutput,
)
from inspect_ai.tool import ToolChoice, ToolInfo


def last_reply() -> ModelEvent | None:
    """Return the last reply of any model in the running sample."""
    events = (event for event in reversed(transcript().events) if isinstance(event, ModelEvent))
    return next((event for event in events if event.completed and not event.error), None)


def reply_in_words(output: ModelOutput) -> str:
    """Return a reply's text, then its tool calls."""
    if not output.choices:
        return ""
    calls = [f"→ {call.function}: {_given(call.arguments)}" for call in output.message.tool_calls or ()]
    return "\n\n".join(filter(None, [output.message.text.strip(), *calls]))


def since_it_spoke(messages: Sequence[ChatMessage], said: ModelOutput | None) -> list[ChatMessage]:
    """Return the messages after the model's own last one.

    Args:
        messages: input of the next call.
        said: the model's last reply. Some agents add words in the model's name ("Ok.") after it.
    """
    own = [at for at, message in enumerate(messages) if message.role == "assistant"]
    words = said.completion.strip() if said else ""
    true = [at for at in own if words and messages[at].text.strip() == words]
    last = (true or own or [-1])[-1]
    return [message for message in messages[last + 1 :] if message.role not in ("system", "assistant")]


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


def cache_policy(run: str | None) -> CachePolicy | None:
    """Return the policy that caches every reply of a run, so that a resumed run pays for none twice; None if unnamed.

    It has an expiry because Inspect would read a missing one from a log as its default of a week: another key.
    """
    return CachePolicy(expiry="520W", scopes={"run": run}) if run else None


def numbered(asked: GenerateFilter | None = None) -> GenerateFilter:
    """Return a filter of Inspect's bridge that gives repeated requests cached replies of their own.

    An agent that sends the same request again wants another reply. A resumed agent gets the same replies in order.

    Args:
        asked: is called before each request, and changes none.
    """
    earlier: Counter[str] = Counter()

    async def ask(
        model: Model,
        messages: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice | None,
        config: GenerateConfig,
    ) -> GenerateInput | None:
        if asked is not None:
            await asked(model, messages, tools, tool_choice, config)  # type: ignore[arg-type]
        if not isinstance(config.cache, CachePolicy):
            return None
        words = dumps([message.model_dump(exclude={"id"}, mode="json") for message in messages])
        request = sha256(words.encode()).hexdigest()
        earlier[request] += 1
        scopes = {**config.cache.scopes, "repeat": str(earlier[request])}
        policy = config.cache.model_copy(update={"scopes": scopes})
        return GenerateInput(messages, tools, tool_choice, config.model_copy(update={"cache": policy}))

    return ask


def _given(arguments: Mapping[str, Any]) -> str:
    """A call's arguments; a single text is shown as it is."""
    values = list(arguments.values())
    if len(values) == 1 and isinstance(values[0], str):
        return values[0]
    return ", ".join(f"{name}={dumps(value, ensure_ascii=False)}" for name, value in arguments.items())


def _identity(output: ModelOutput) -> tuple[str | None, float | None]:
    """The id and the time of a reply; a cached one keeps those of its first generation."""
    return output.choices[0].message.id if output.choices else None, output.time
