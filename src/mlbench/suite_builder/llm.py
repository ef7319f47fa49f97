"""Asking a model: an answer of a given shape or none, what it cost, and what was proposed and refused on the way.

What comes back has the shape that was asked for, and nothing more is known of it: whether it is true, the step that
asks has to find out from the repository.
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
"""A reply of the wrong shape is shown to the model with what is wrong, and it may try again: twice."""
PATIENCE = GenerateConfig(max_retries=3, timeout=300, attempt_timeout=120)
"""Of the service: retries after errors, seconds of one question and of one attempt. A model's own settings go first."""
SILENCE = 3
"""After so many failures of the service in a row nothing more is asked: hundreds of questions would each wait."""
LONGEST = 200_000
"""Characters of a reply that are looked at."""
_STARTS = 50
_FORM = "Answer with one JSON object of this JSON schema and nothing else:\n"


@dataclass(frozen=True)
class Reply:
    """What came back. `fault` says what is wrong with it; empty where it was taken."""

    text: str
    fault: str = ""


@dataclass(frozen=True)
class LLMQuestion:
    """One question with all that came back.

    Attributes:
        about: the subject, as in a `Decision`.
        wanted: the name of the answer's type.
        fault: why there is no answer; empty where there is one.
    """

    about: str
    wanted: str
    replies: tuple[Reply, ...]
    usage: ModelUsage
    fault: str = ""


@dataclass
class Asker:
    """Asks one model, or nobody, and keeps what was said and what it cost.

    `usage.total_cost` is in dollars, and None where Inspect knows no price (`--model-cost`).
    """

    model: Model | None
    questions: list[LLMQuestion] = field(default_factory=list)
    usage: ModelUsage = field(default_factory=ModelUsage)
    _failures: int = 0

    async def ask(self, instructions: str, text: str, answer: type[A], about: str = "") -> A | None:
        """The model's answer, valid as `answer`; None where there is no model, or none that can be had.

        It raises for no fault of the model or of its service: the builder goes on with its rules.
        """
        if self.model is None:
            return None
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
            except Exception as error:  # each provider has errors of its own, behind retries and time limits
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
        self.usage += usage
        self.questions.append(LLMQuestion(about, answer.__name__, tuple(replies), usage, fault))
        return found

    @property
    def cost(self) -> str:
        """One line for the end of a build."""
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
    """The first object in a reply that is valid, whatever stands around it (a fence, a preface); else what is wrong."""
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
    cause = getattr(error, "last_attempt", None)  # of tenacity: what the last retry met
    inner = cause.exception() if cause is not None else None
    said = inner or error
    return " ".join(f"{type(said).__name__}: {said}".split())[:200].rstrip(": ")
