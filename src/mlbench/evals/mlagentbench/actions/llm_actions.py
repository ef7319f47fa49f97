"""Actions that ask a helper model or keep the log: understand, edit, reflect, search and write the research log."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any

from inspect_ai.model import CachePolicy, Model, get_model
from markdown_it import MarkdownIt

from mlbench.evals.mlagentbench.actions.files import Action, Here, encoded, line_range, text_of
from mlbench.evals.mlagentbench.actions.observations import SHOWN, ActionError, ActionFault, Observation, named
from mlbench.evals.mlagentbench.actions.sample_state import SampleState
from mlbench.evals.mlagentbench.actions.workspace_files import look
from mlbench.prompts.settings import template
from mlbench.shell.languages import parse_python
from mlbench.truncate import head_and_tail

BLOCK = 10_000
"""Characters of a file that are sent at once, as published."""

EDITED = 60_000
"""Characters of a file that a helper is given to edit."""

_BLOCKS = 20
_SUMMARY = 2_000  # characters of one that an agent writes; the published limit is 500
_LOG = 40_000  # characters of the research log that a helper is given, the latest
_FENCES = MarkdownIt("zero").enable("fence").disable("inline")


@dataclass(frozen=True)
class Helper:
    """The model that these actions ask; None is the evaluated one.

    Attributes:
        cache: how its replies are cached.
    """

    model: str | Model | None = None
    cache: bool | CachePolicy = False

    async def ask(self, prompt: str, /, **fields: Any) -> str:
        """Return the helper's reply to a prompt template."""
        model = get_model(self.model) if self.model else get_model()
        output = await model.generate(template(prompt).render(fields), cache=self.cache)
        return output.completion.strip()


def composed_actions(here: Here, helper: Helper, problem: str) -> list[Action]:
    """Return the actions that ask a helper model.

    Args:
        here: returns the state of the running sample.
        helper: the model to ask.
        problem: the research problem in words.
    """

    async def understand_file(file_name: str, things_to_look_for: str) -> Observation:
        """Have a whole file read for you, and get an answer to what you want to know of it.

        Args:
            file_name: the file, from the workspace's root.
            things_to_look_for: what to look for, and what to return, in detail.
        """
        text = await text_of(await here(), file_name)
        blocks = blocks_of(text)
        asked = {"name": named(file_name), "wanted": things_to_look_for}
        answers = []
        for number, block in enumerate(blocks[:_BLOCKS], start=1):
            parts = min(len(blocks), _BLOCKS)
            answers.append(await helper.ask("action_understand", **asked, text=block, number=number, parts=parts))
        found = answers[0] if len(answers) == 1 else await helper.ask("action_gather", **asked, answers=answers)
        cut = f"\n(only the first {_BLOCKS * BLOCK} characters were read)" if len(blocks) > _BLOCKS else ""
        return Observation(head_and_tail(found, SHOWN) + cut)

    async def edit_script_ai(script_name: str, edit_instruction: str, save_name: str) -> Observation:
        """Have a file edited for you by an instruction; look at the difference that is returned.

        Args:
            script_name: the file to edit, from the workspace's root; an empty one where it is not there.
            edit_instruction: what to change, step by step.
            save_name: the file to save it as; it may be the same. Undo Edit Script, with this name, undoes it.
        """
        table = await here()
        text = await _to_edit(table, script_name)
        asked = {"name": named(script_name), "instruction": edit_instruction, "segment": False, "first": 0, "last": 0}
        new = code_in(await helper.ask("action_edit", **asked, text=text))
        return await _save(table, text, new, save_name)

    async def edit_script_segment_ai(
        script_name: str, start_line_number: int, end_line_number: int, edit_instruction: str, save_name: str
    ) -> Observation:
        """Have some lines of a file edited for you by an instruction; look at the difference that is returned.

        Args:
            script_name: the file to edit, from the workspace's root.
            start_line_number: the first line to edit; the first of the file is 1.
            end_line_number: the last line to edit.
            edit_instruction: what to change, step by step.
            save_name: the file to save it as; it may be the same. Undo Edit Script, with this name, undoes it.
        """
        table = await here()
        text = await text_of(table, script_name)
        lines = text.splitlines(keepends=True)
        first, last = line_range(start_line_number, end_line_number, len(lines))
        segment = _small("".join(lines[first - 1 : last]))
        asked = {"name": named(script_name), "instruction": edit_instruction}
        reply = await helper.ask("action_edit", **asked, text=segment, segment=True, first=first, last=last)
        return await _save(table, text, "".join([*lines[: first - 1], code_in(reply), *lines[last:]]), save_name)

    async def reflection(things_to_reflect_on: str) -> Observation:
        """Have the steps so far looked over.

        Args:
            things_to_reflect_on: what to reflect on, and what to return, in detail.
        """
        fields = {"problem": problem, "log": _log(await here()), "wanted": things_to_reflect_on}
        return Observation(head_and_tail(await helper.ask("action_reflect", **fields), SHOWN))

    async def retrieval_from_research_log(current_plan: str) -> Observation:
        """Get from the research log what helps with a plan.

        Args:
            current_plan: the research plan, and where it stands, in detail.
        """
        fields = {"problem": problem, "log": _log(await here()), "plan": current_plan}
        return Observation(head_and_tail(await helper.ask("action_retrieve", **fields), SHOWN))

    async def append_summary_to_research_log(content: str) -> Observation:
        """Write a summary into the research log, which Retrieval from Research Log and Reflection read.

        Args:
            content: the summary; of a long one, head and tail are kept.
        """
        (await here()).log.append(head_and_tail(content, _SUMMARY))
        return Observation("the summary stands in the research log")

    log_actions = [reflection, retrieval_from_research_log, append_summary_to_research_log]
    return [understand_file, edit_script_ai, edit_script_segment_ai, *log_actions]


def blocks_of(text: str) -> list[str]:
    """Split a text into blocks of at most 10,000 characters, between lines if possible."""
    blocks, rest = [], text
    while len(rest) > BLOCK:
        end = rest.rfind("\n", 0, BLOCK) + 1 or BLOCK
        blocks.append(rest[:end])
        rest = rest[end:]
    return [*blocks, rest]


def code_in(reply: str) -> str:
    """Return the longest fenced block of a reply.

    Raises:
        ActionError: the reply has none.
    """
    blocks = [token.content for token in _FENCES.parse(reply) if token.type == "fence" and token.content.strip()]
    if not blocks:
        raise ActionError(
            ActionFault.NO_CODE, "the helper's reply held no code: nothing was changed; say more exactly what to do"
        )
    return max(blocks, key=len)


async def _to_edit(table: SampleState, name: str) -> str:
    if (await look(table.jail, name, 0)).kind == "-":
        return ""
    return _small(await text_of(table, name))


def _small(text: str) -> str:
    if len(text) > EDITED:
        raise ActionError(
            ActionFault.INVALID_INPUT, f"more than {EDITED} characters cannot be edited at once: edit a segment"
        )
    return text


async def _save(table: SampleState, old: str, new: str, name: str) -> Observation:
    """Save an edited file and show the difference."""
    if new == old:
        raise ActionError(ActionFault.NO_CODE, "the helper changed nothing; say more exactly what to do")
    await table.undo.write(name, encoded(new))
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), fromfile="before", tofile=named(name), lineterm="")
    fault = parse_python(new)[0] if name.endswith(".py") else ""
    note = f"\nnote: it is not Python: {fault}" if fault else ""
    return Observation(f"saved as {named(name)}:\n{head_and_tail(chr(10).join(lines), SHOWN)}{note}")


def _log(table: SampleState) -> str:
    return "\n\n".join(table.log)[-_LOG:] or "nothing was done so far"
