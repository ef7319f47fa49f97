"""Asks a model for answers of a given type, and records replies, faults and costs.

An answer is valid JSON of that type. Whether it is true, the asking step must verify in the repository.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelUsage,
    ResponseSchema,
)
from inspect_ai.util import json_schema
from pydantic import BaseModel, ValidationError

A = TypeVar("A", bound=BaseModel)

TRIES = 3
"""Attempts per question. After an invalid reply, the model is shown what is wrong with it."""
PATIENCE = GenerateConfig(max_retries=3, timeout=300, attempt_timeout=120)
"""Retries after errors of the service, and time limits in seconds. The model's own settings override these."""
SILENCE = 3
"""After this many failures of the service in a row nothing more is asked, because each question would wait."""
LONGEST = 200_000
"""Characters of a reply that are parsed."""
_STARTS = 50
_FORM = "Answer with one JSON object of this JSON schema and nothing else:\n"


@dataclass(frozen=True)
class Reply:
    """One reply of the model; `fault` says why it was not accepted."""

    text: str
    fault: str = ""


@dataclass(frozen=True)
class LLMQuestion:
    """One question with all replies.

    Attributes:
        about: the subject, as in a `BuildDecision`.
        wanted: the name of the answer's type.
        fault: why there is no answer; empty if there is one.
    """

    about: str
    wanted: str
    replies: tuple[Reply, ...]
    usage: ModelUsage
    fault: str = ""


@dataclass
class Asker:
    """Asks one model, or none, and keeps questions, replies and costs.

    `usage.total_cost` is in US dollars; None if Inspect knows no price (`--model-cost`).
    """

    model: Model | None
    questions: list[LLMQuestion] = field(default_factory=list)
    usage: ModelUsage = field(default_factory=ModelUsage)
    _failures: int = 0
    _answers: dict[tuple[str, str], BaseModel] = field(default_factory=dict)

    @property
    def is_there(self) -> bool:
        """Whether there is a model to ask."""
        return self.model is not None

    async def ask(self, instructions: str, text: str, answer: type[A], about: str = "") -> A | None:
        """The model's answer; None if there is no model or no valid answer. An answered question is not asked again.

        Faults of the model or its service never raise: the builder goes on with its rules.

        Args:
            instructions: the system message.
            text: the question.
            answer: the type of the answer.
            about: the subject, for the record.
        """
        if self.model is None:
            return None
        known = self._answers.get((instructions, text))
        if isinstance(known, answer):
            return known
        if self._failures >= SILENCE:
            fault = f"not asked: {self.model} failed {SILENCE} times in a row"
            self.questions.append(LLMQuestion(about, answer.__name__, (), ModelUsage(), fault))
            return None
        schema = json_schema(answer)
        form = _FORM + json.dumps(answer.model_json_schema())
        messages: list[ChatMessage] = [
            ChatMessageSystem(content=f"{instructions}\n\n{form}"),
            ChatMessageUser(content=text),
        ]
        config = PATIENCE.merge(self.model.config).merge(
            GenerateConfig(response_schema=ResponseSchema(name=answer.__name__, json_schema=schema))
        )
        replies: list[Reply] = []
        usage, found, fault = ModelUsage(), None, ""
        for _ in range(TRIES):
            try:
                output = await self.model.generate(messages, config=config)
            except Exception as error:  # providers raise errors of their own
                self._failures += 1
                fault = f"{self.model} failed: {_one_line(error)}"
                break
            self._failures = 0
            usage += output.usage or ModelUsage()
            if output.stop_reason == "content_filter":
                fault = "refused by the model"
                replies.append(Reply(output.completion, fault))
                break
            found, fault = parsed(output.completion, answer)
            replies.append(Reply(output.completion, fault))
            if found is not None:
                break
            messages += [
                ChatMessageAssistant(content=output.completion[:LONGEST] or "(nothing)"),
                ChatMessageUser(content=f"That cannot be used: {fault}. {form}"),
            ]
        if found is not None:
            self._answers[instructions, text] = found
        self.usage += usage
        self.questions.append(LLMQuestion(about, answer.__name__, tuple(replies), usage, fault))
        return found

    @property
    def cost(self) -> str:
        """One line on questions, tokens and dollars, for the end of a build."""
        if self.model is None:
            return "no model was asked"
        dollars = "price unknown" if self.usage.total_cost is None else f"${self.usage.total_cost:.4f}"
        without = sum(bool(question.fault) for question in self.questions)
        return (
            f"{self.model}: {len(self.questions)} questions, {without} without an answer,"
            f" {self.usage.total_tokens} tokens, {dollars}"
        )


async def ask(model: Model | None, instructions: str, text: str, answer: type[A]) -> A | None:
    """One question on its own; see `Asker.ask`."""
    return await Asker(model).ask(instructions, text, answer)


def parsed(reply: str, answer: type[A]) -> tuple[A | None, str]:
    """The first valid object in a reply, and what is wrong if there is none."""
    fault = "there is no JSON object in it"
    for each in _objects(reply[:LONGEST]):
        try:
            return answer.model_validate(each), ""
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"])) or "the object"
            fault = f"{where}: {first['msg']}"
    return None, fault


def _objects(text: str) -> Iterator[object]:
    decoder, at = json.JSONDecoder(), 0
    for _ in range(_STARTS):
        at = text.find("{", at)
        if at < 0:
            return
        try:
            found, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
        else:
            yield found


def _one_line(error: Exception) -> str:
    cause = getattr(error, "last_attempt", None)  # tenacity: the error of the last retry
    inner = cause.exception() if cause is not None else None
    said = inner or error
    return " ".join(f"{type(said).__name__}: {said}".split())[:200].rstrip(": ")
