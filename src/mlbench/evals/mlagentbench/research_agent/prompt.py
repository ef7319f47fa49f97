"""The one prompt of a step: actions, problem, form of the reply, what is left, log, last steps."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspect_ai.tool import Tool, ToolDef

from mlbench.evals.mlagentbench.research_agent.budget import Remaining
from mlbench.evals.mlagentbench.research_agent.llm import cut
from mlbench.evals.mlagentbench.research_agent.steps import ResearchStep
from mlbench.prompts.settings import template

_REPLY = 1000
"""Characters of a reply that could not be read that are shown again."""


@dataclass(frozen=True)
class Input:
    name: str
    kind: str
    description: str
    required: bool


@dataclass(frozen=True)
class Action:
    """An action as it is offered: its published name, and each input."""

    name: str
    description: str
    inputs: tuple[Input, ...]


def offered(tools: Sequence[Tool], published: Mapping[str, str]) -> tuple[Action, ...]:
    """The tools as actions, in the published order.

    Args:
        published: published name -> name of the tool; a tool that is not in it keeps its own name.
    """
    names = {tool: name for name, tool in published.items()}
    found = []
    for tool in map(ToolDef, tools):
        inputs = tuple(
            Input(name, str(schema.type or "any"), schema.description or "", name in tool.parameters.required)
            for name, schema in tool.parameters.properties.items()
        )
        found.append(Action(names.get(tool.name, tool.name), tool.description, inputs))
    order = list(published)
    return tuple(sorted(found, key=lambda each: order.index(each.name) if each.name in order else len(order)))


@dataclass(frozen=True)
class PromptContext:
    """What is the same in every prompt of a try."""

    actions: tuple[Action, ...]
    problem: str
    longest: int


def prompt(
    ground: PromptContext,
    last: Sequence[ResearchStep],
    left: Remaining | None = None,
    log: str = "",
    unfounded: Sequence[str] = (),
) -> str:
    """The words for the next step.

    Args:
        last: the steps that are shown whole, in order.
        left: what is left; None where that is not said.
        log: what the research log says of earlier steps.
        unfounded: figures that the last Fact Check claimed and that nobody saw.
    """
    shown = [
        {
            "number": step.number,
            "reply": cut(step.reply.strip(), _REPLY),
            "said": step.said,
            "input": _written(step, ground.longest),
            "observation": step.shown,
        }
        for step in last
    ]
    return template("research").render(
        actions=ground.actions, problem=ground.problem, steps=shown, left=left, log=log, unfounded=list(unfounded)
    )


def _written(step: ResearchStep, longest: int) -> str:
    """The inputs as JSON, long texts without their middle."""
    inputs = step.said.inputs if step.said else {}
    short = {name: cut(value, longest) if isinstance(value, str) else value for name, value in inputs.items()}
    return json.dumps(short, ensure_ascii=False)
