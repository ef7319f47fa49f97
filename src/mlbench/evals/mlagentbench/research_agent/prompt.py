"""Build the prompt of a step: actions, problem, reply form, budget, log, last steps."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspect_ai.tool import Tool, ToolDef

from mlbench.evals.mlagentbench.research_agent.budget import Remaining
from mlbench.evals.mlagentbench.research_agent.steps import ResearchStep
from mlbench.prompts.settings import template
from mlbench.truncate import head_and_tail

_REPLY = 1000
"""The most characters of an unreadable reply that the next prompt repeats."""


@dataclass(frozen=True)
class Input:
    """One input of an action."""

    name: str
    kind: str
    description: str
    required: bool


@dataclass(frozen=True)
class Action:
    """An action as the prompt offers it, under its published name."""

    name: str
    description: str
    inputs: tuple[Input, ...]


def offered(tools: Sequence[Tool], published: Mapping[str, str]) -> tuple[Action, ...]:
    """Return the tools as actions, in the published order.

    Args:
        tools: the tools of the actions.
        published: the tool's name by the action's published name; other tools keep their own names.
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
    """The parts that are equal in every prompt of a run.

    Attributes:
        actions: those that the prompt names.
        problem: its text.
        longest: characters; longer inputs of a step are shortened.
        template: name of the prompt's template.
    """

    actions: tuple[Action, ...]
    problem: str
    longest: int
    template: str = "research"


def prompt(
    context: PromptContext,
    last: Sequence[ResearchStep],
    left: Remaining | None = None,
    log: str = "",
    unfounded: Sequence[str] = (),
) -> str:
    """Return the prompt for the next step.

    Args:
        context: actions, problem and limits.
        last: the steps to show in full, in order.
        left: the remaining budget; None to leave it out.
        log: entries of the research log for earlier steps.
        unfounded: figures of the last Fact Check without a source.
    """
    shown = [
        {
            "number": step.number,
            "reply": head_and_tail(step.reply.strip(), _REPLY),
            "said": step.parsed,
            "input": _inputs_of(step, context.longest),
            "observation": step.shown,
        }
        for step in last
    ]
    return template(context.template).render(
        actions=context.actions, problem=context.problem, steps=shown, left=left, log=log, unfounded=list(unfounded)
    )


def _inputs_of(step: ResearchStep, longest: int) -> str:
    """Return a step's inputs as JSON; long texts keep head and tail."""
    inputs = step.parsed.inputs if step.parsed else {}
    short = {name: head_and_tail(value, longest) if isinstance(value, str) else value for name, value in inputs.items()}
    return json.dumps(short, ensure_ascii=False)
