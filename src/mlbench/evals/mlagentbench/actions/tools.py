"""The published actions as Inspect tools, and as calls by their published names."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.model import CachePolicy, Model
from inspect_ai.tool import Tool, ToolDef, ToolError
from inspect_ai.util import OutputLimitExceededError
from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from mlbench.evals.mlagentbench.actions.files import Action, Here, file_actions
from mlbench.evals.mlagentbench.actions.llm_actions import Helper, composed_actions
from mlbench.evals.mlagentbench.actions.observations import ActionFault, Observation, named
from mlbench.evals.mlagentbench.actions.sample_state import SampleState, desk
from mlbench.evals.mlagentbench.actions.scripts import request_help, script_actions
from mlbench.evals.mlagentbench.actions.validation import validation
from mlbench.evals.mlagentbench.problem import ResearchProblem

PUBLISHED = {
    "List Files": "list_files",
    "Read File": "read_file",
    "Write File": "write_file",
    "Append File": "append_file",
    "Copy File": "copy_file",
    "Undo Edit Script": "undo_edit_script",
    "Execute Script": "execute_script",
    "Python REPL": "python_repl",
    "Inspect Script Lines": "inspect_script_lines",
    "Request Help": "request_help",
    "Final Answer": "final_answer",
    "Understand File": "understand_file",
    "Edit Script (AI)": "edit_script_ai",
    "Edit Script Segment (AI)": "edit_script_segment_ai",
    "Reflection": "reflection",
    "Retrieval from Research Log": "retrieval_from_research_log",
    "Append Summary to Research Log": "append_summary_to_research_log",
}
"""Tool of each published name."""

FURTHER = {
    "Script Status": "script_status",
    "Stop Script": "stop_script",
    "Validate Submission": "validate_submission",
}
"""Unpublished actions: what scripts in the background need, and a check of the submission's form."""

UNREADABLE = "unreadable_reply"
"""Action of a step whose reply names none."""

_HIDDEN = frozenset(
    {
        "read_file",
        "write_file",
        "append_file",
        "python_repl",
        "edit_script_segment_ai",
        "retrieval_from_research_log",
        "append_summary_to_research_log",
        *FURTHER.values(),
    }
)

_OF_TOOLS = (TimeoutError, OSError, UnicodeDecodeError, OutputLimitExceededError, ToolError)
"""Errors of a tool that Inspect reports to the model."""

_BY_NAME = {name.casefold(): tool for name, tool in {**PUBLISHED, **FURTHER}.items()}


def hidden_actions(log: bool) -> frozenset[str]:
    """Return the tools that the published prompt does not name; a model that knows their names can still use them.

    Args:
        log: whether the research log is on; without it, Reflection is hidden too.
    """
    return _HIDDEN if log else _HIDDEN | {"reflection"}


def actions(
    problem: ResearchProblem,
    helper: str | Model | None = None,
    interactive: bool = False,
    cache: bool | CachePolicy = False,
) -> list[Tool]:
    """Return the actions for a problem. Each call is recorded as a step in `Progress.folder`.

    Args:
        problem: the research problem.
        helper: the model that some actions ask; None for the evaluated one.
        interactive: whether a person watches who can be asked for help.
        cache: of the helper's replies.
    """

    here = _here(problem)
    created = [*file_actions(here), *script_actions(here)]
    created += composed_actions(here, Helper(helper, cache), problem.text)
    created += [validation(problem)]
    created += [request_help] if interactive else []
    order = [*PUBLISHED.values(), *FURTHER.values()]
    return [_tool(action, here) for action in sorted(created, key=lambda each: order.index(_name(each)))]


def validate_submission(problem: ResearchProblem) -> Tool:
    """Return the tool that checks the form of the submission, for agents with tools of their own."""
    return _tool(validation(problem), _here(problem))


def _here(problem: ResearchProblem) -> Here:
    async def here() -> SampleState:
        return await desk(problem.bounds.script_seconds)

    return here


async def act(tools: Sequence[Tool], name: str, inputs: Any, offered: Sequence[str] | None = None) -> str:
    """Do an action by its published name. An unknown name or invalid inputs are an observation.

    Args:
        tools: those that `actions` returned.
        name: published name.
        inputs: what the model wrote, of any type.
        offered: published names that may be told to the model; None for those of all tools.

    Raises:
        SandboxUnavailableError: the sandbox failed.
    """
    by_name = {ToolDef(tool).name: tool for tool in tools}
    wanted = str(name).strip()
    tool = by_name.get(_BY_NAME.get(wanted.casefold(), wanted))
    if tool is None:
        published = ", ".join(offered or (_published(each) for each in by_name))
        return await _invalid(tools, wanted, inputs, f"there is no action {named(wanted)!r}; there are: {published}")
    try:
        validated = _inputs(tool).model_validate(inputs)
    except ValidationError as error:
        why = "; ".join(_words(each) for each in error.errors()[:3])
        takes = ", ".join(_inputs(tool).model_fields)
        return await _invalid(tools, ToolDef(tool).name, inputs, f"{wanted}: {why}; it takes {takes}")
    return str(await tool(**{field: getattr(validated, field) for field in type(validated).model_fields}))


def _tool(action: Action, here: Here) -> Tool:
    """An action as a tool whose calls are recorded as steps."""
    signature = inspect.signature(action)

    @functools.wraps(action)
    async def run(*args: Any, **kwargs: Any) -> str:
        arguments = signature.bind(*args, **kwargs).arguments
        inputs = {name: value for name, value in arguments.items() if value != signature.parameters[name].default}
        return (await (await here()).step(_name(action), inputs, lambda: action(*args, **kwargs))).text

    run.here = here  # type: ignore[attr-defined]  # for what goes wrong before the action
    return ToolDef(run, name=_name(action)).as_tool()


def recorded(tool: Tool, problem: ResearchProblem) -> Tool:
    """Wrap a foreign tool so that each call is recorded as a step of the running sample."""
    definition = ToolDef(tool)

    async def run(**inputs: Any) -> str:
        failed: Exception | None = None

        async def work() -> Observation:
            nonlocal failed
            try:
                return Observation(str(await tool(**inputs)))
            except _OF_TOOLS as error:
                failed = error
                fault = ActionFault.TIME_OUT if isinstance(error, TimeoutError) else ActionFault.CANNOT
                return Observation(str(error) or type(error).__name__, fault)

        state = await desk(problem.bounds.script_seconds)
        observation = await state.step(definition.name, inputs, work)
        if failed:
            raise failed  # by which Inspect tells the model in its own words
        return observation.text

    return ToolDef(run, definition.name, definition.description, definition.parameters, parallel=False).as_tool()


async def unreadable(tools: Sequence[Tool], why: str) -> None:
    """Record a reply in which no action could be read.

    Args:
        tools: those that `actions` returned.
        why: what the agent is told.
    """
    await _invalid(tools, UNREADABLE, {}, why)


async def _invalid(tools: Sequence[Tool], action: str, inputs: Any, why: str) -> str:
    """Record a call that could not be made."""
    observation = Observation(" ".join(why.split())[:1_000], ActionFault.INVALID_INPUT)

    async def answer() -> Observation:
        return observation

    if here := next((getattr(tool, "here", None) for tool in tools if hasattr(tool, "here")), None):
        named_inputs = {named(str(key)): value for key, value in inputs.items()} if isinstance(inputs, Mapping) else {}
        await (await here()).step(named(action), named_inputs, answer)
    return observation.text


def _inputs(tool: Tool) -> type[BaseModel]:
    """A model that validates the inputs of a tool: exactly these names, of these types."""
    fields: dict[str, Any] = {
        name: (parameter.annotation, ... if parameter.default is parameter.empty else parameter.default)
        for name, parameter in inspect.signature(tool, eval_str=True).parameters.items()
    }
    return create_model("Inputs", __config__=ConfigDict(extra="forbid"), **fields)


def _words(error: Mapping[str, Any]) -> str:
    where = named(".".join(map(str, error["loc"])))
    match error["type"]:
        case "missing":
            return f"{where} is missing"
        case "extra_forbidden":
            return f"{where} is not one of its inputs"
        case "model_type":
            return "its inputs have to be an object with a value for each name"
    return f"{where}: {error['msg']}"


def _published(tool: str) -> str:
    return next((name for name, name_of_tool in {**PUBLISHED, **FURTHER}.items() if name_of_tool == tool), tool)


def _name(action: Action) -> str:
    return str(action.__name__)
